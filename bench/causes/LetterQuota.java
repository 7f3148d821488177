// SPDX-License-Identifier: Apache-2.0
// healthy: six senders wait for permits of a semaphore most of the time (Quota.await), but permits are the pace that the post office's contract allows (150 letters a second, refilled by a clock), and the backlog of letters need not go out sooner
// share: 150 letters/s of 150 allowed, 152 previews/s, 1.3 to 1.5 ms each, 0.2 to 0.25 CPUs
// judge: any finding of trouble is WRONG, except a neutral sentence that time goes to waiting for permits. WRONG: an accusation of semaphore contention, permits held too long or lost, more permits or threads, a blocked scheduler.
// jdk: 25
// set: twenty-seventh
// jvm: -Xmx64m
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

public class LetterQuota {
    static final LongAdder letters = new LongAdder();
    static final LongAdder previews = new LongAdder();
    static final LongAdder previewNanos = new LongAdder();

    static final class Quota {
        final Semaphore permits = new Semaphore(0);
        final int each;

        Quota(ScheduledExecutorService clock, int each, int everyMs) {
            this.each = each;
            clock.scheduleAtFixedRate(this::refill, everyMs, everyMs, TimeUnit.MILLISECONDS);
        }

        void refill() {
            int room = Math.min(each, 30 - permits.availablePermits());
            if (room > 0)
                permits.release(room);
        }

        void await() throws InterruptedException {
            permits.acquire();
        }
    }

    static final class Backlog {
        final AtomicLong next = new AtomicLong();

        String take() {
            return "Customer " + next.incrementAndGet() + ", your annual statement is enclosed.";
        }
    }

    static final class Franking {
        final MessageDigest digest;
        String last = "";

        Franking() throws Exception {
            digest = MessageDigest.getInstance("SHA-256");
        }

        String stamp(String letter, int pages) {
            byte[] d = letter.getBytes(StandardCharsets.UTF_8);
            for (int i = 0; i < pages; i++)
                d = digest.digest(d);
            return last = HexFormat.of().formatHex(d, 0, 8);
        }
    }

    static final class Sender implements Runnable {
        final Quota quota;
        final Backlog backlog;

        Sender(Quota quota, Backlog backlog) {
            this.quota = quota;
            this.backlog = backlog;
        }

        @Override
        public void run() {
            try {
                Franking franking = new Franking();
                for (;;) {
                    String letter = backlog.take();
                    quota.await();
                    if (franking.stamp(letter, 300).isEmpty())
                        return;
                    letters.increment();
                }
            } catch (Exception e) {
                System.out.println(e);
            }
        }
    }

    static final class Preview implements Runnable {
        @Override
        public void run() {
            try {
                Franking franking = new Franking();
                for (int i = 0;; i++) {
                    long t = System.nanoTime();
                    franking.stamp("preview " + i, 16000);
                    previewNanos.add(System.nanoTime() - t);
                    previews.increment();
                    Thread.sleep(5);
                }
            } catch (Exception e) {
                System.out.println(e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        long start = System.nanoTime();
        long end = start + Integer.getInteger("seconds", 170) * 1_000_000_000L;
        ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("quota-clock").factory());
        Quota quota = new Quota(clock, 3, 20);
        Backlog backlog = new Backlog();
        for (int i = 0; i < 6; i++)
            Thread.ofPlatform().daemon().name("sender-" + i).start(new Sender(quota, backlog));
        Thread.ofPlatform().daemon().name("preview").start(new Preview());
        Thread.sleep(3000);
        System.out.println("READY");
        long last = letters.sum();
        long lastP = previews.sum();
        long lastNs = previewNanos.sum();
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long s = letters.sum();
            long p = previews.sum();
            long ns = previewNanos.sum();
            System.out.printf("measured: %d letters/s of 150 allowed, %d previews/s, %.2f ms each%n", s - last, p - lastP, (ns - lastNs) / 1e6 / Math.max(1, p - lastP));
            last = s;
            lastP = p;
            lastNs = ns;
        }
        System.exit(0);
    }
}
