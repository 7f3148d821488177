// SPDX-License-Identifier: Apache-2.0
// healthy: twelve turnstiles enter the synchronized AttendanceBook about 140000 times a second, but each hold is some nanoseconds; now and then a thread is seen blocked on it, yet the time goes into SHA-256 seals, which are the work; the arrival pace (3.5 ms per turnstile) is given and the parked time is that pace
// share: target p99 below 25 ms at 12 x 286 = 3430 admissions/s; reaches 3464/s with p99 0.49 ms (mean over 10 s)
// judge: RIGHT: nothing wrong / lock is frequent but cheap / CPU goes to wanted hashing / the idle time is pacing. WRONG (false alarm): contention on AttendanceBook called a bottleneck or fault, parking threads called blocked, SHA-256 or MessageDigest called a fault, SecureRandom/Random contention, too many threads, one global lock must be striped
// jdk: 17
// set: twenty-second
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Turnstiles of a stadium check tickets; all of them report to one synchronized attendance book. */
public class TurnstileHubDesk {
    static final double TARGET_MS = 25;

    static final class AttendanceBook {
        private final int[] perBlock = new int[64];
        private final long[] tookNanos = new long[60000];
        private int entries;
        private long total;

        synchronized void admit(int block, long nanos) {
            perBlock[block]++;
            total++;
            if (entries < tookNanos.length) tookNanos[entries++] = nanos;
        }

        synchronized boolean hasRoom(int block) {
            return perBlock[block] < Integer.MAX_VALUE;
        }

        String lastSecond() {
            long[] a;
            synchronized (this) {
                a = Arrays.copyOf(tookNanos, entries);
                entries = 0;
            }
            Arrays.sort(a);
            return String.format("%d admissions/s, p99 %.2f ms (target %.0f ms)", a.length,
                    a.length == 0 ? 0.0 : a[a.length * 99 / 100] / 1e6, TARGET_MS);
        }
    }

    static final class Turnstile implements Runnable {
        private final AttendanceBook book;
        private final Random rnd;

        Turnstile(AttendanceBook book, int seed) {
            this.book = book;
            this.rnd = new Random(seed);
        }

        @Override public void run() {
            try {
                MessageDigest digest = MessageDigest.getInstance("SHA-256");
                byte[] ticket = new byte[96];
                long next = System.nanoTime();
                while (true) {
                    long t0 = System.nanoTime();
                    rnd.nextBytes(ticket);
                    byte[] seal = "stadium".getBytes(StandardCharsets.US_ASCII);
                    boolean room = true;
                    for (int i = 0; i < 400; i++) {
                        digest.update(ticket);
                        seal = digest.digest(seal);
                        if (i % 10 == 0) room &= book.hasRoom(seal[1] & 63);
                    }
                    int block = seal[0] & 63;
                    if (room) book.admit(block, System.nanoTime() - t0);
                    next += TimeUnit.MICROSECONDS.toNanos(3500);
                    long left = next - System.nanoTime();
                    if (left > 0) LockSupport.parkNanos(left);
                }
            } catch (java.security.GeneralSecurityException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        AttendanceBook book = new AttendanceBook();
        for (int i = 0; i < 12; i++) {
            Thread t = new Thread(new Turnstile(book, i), "turnstile-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(4000);
        System.out.println("READY");
        book.lastSecond();
        for (int s = 0; s < 165; s++) {
            Thread.sleep(1000);
            System.out.println("measured: " + book.lastSecond());
        }
        System.exit(0);
    }
}
