// SPDX-License-Identifier: Apache-2.0
// cause: Recent.remember keeps, for each of the last 1700 manifests, a slice of the message's ByteBuffer (Manifest.head, 64 bytes) which holds the whole 22 KB message array alive; some 37 MB of a 64 MB heap are kept for about 100 KB of heads, so the collector copies and compacts without end
// share: 10 s each: faulty 57700 manifests/s, mean 0.033 ms, some 60 to 80 full collections a second of 11 to 13 ms (56M->40M); fixed (head copied) 155000 manifests/s, mean 0.013 ms, practically no full collections - 2.7 times
// expect: gc-pauses holder=byte_buffers_that_are_slices | gc-cpu holder=byte_buffers_that_are_slices
// symptom: gc-pauses gc-cpu live-set
// judge: NAMED: the slices / heads kept in Recent (ManifestIndex$Recent, Manifest.head, made in Intake.read) retain the whole message byte[] - copy the head. SYMPTOM ONLY: heap nearly full, frequent full or mixed collections, byte[] dominate the heap, Recent keeps many objects (without the slice / whole array), heap too small. WRONG: unbounded leak (it is bounded by 1700), locks, checksum arithmetic, allocation rate alone (the fixed one allocates as much per message).
// jdk: 25
// set: twenty-second
// jvm: -XX:+UseParallelGC
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/** Takes in cargo manifests, checks them and keeps the heads of the most recent ones for enquiries. */
public class ManifestIndex {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final Tally TALLY = new Tally();
    static final int HEAD = 64;
    static final int MESSAGE = 22 * 1024;

    record Manifest(long vessel, int checksum, ByteBuffer head) {
    }

    /** The most recent manifests, the oldest is dropped for the newest. */
    static final class Recent {
        private final Manifest[] ring = new Manifest[1700];
        private int next;

        synchronized void remember(Manifest m) {
            ring[next] = m;
            next = (next + 1) % ring.length;
        }

        synchronized long vesselOf(int i) {
            Manifest m = ring[Math.floorMod(next - 1 - i, ring.length)];
            return m == null ? -1 : m.head().getLong(0);
        }
    }

    static final class Intake implements Runnable {
        private final Recent recent;
        private final Random random;
        private long enquiries;

        Intake(Recent recent, long seed) {
            this.recent = recent;
            this.random = new Random(seed);
        }

        @Override
        public void run() {
            while (true) {
                long start = System.nanoTime();
                recent.remember(read(receive()));
                enquiries += recent.vesselOf(random.nextInt(100));
                TALLY.note(System.nanoTime() - start);
            }
        }

        private ByteBuffer receive() {
            ByteBuffer message = ByteBuffer.allocate(MESSAGE);
            message.putLong(random.nextInt(9_000_000)).putLong(System.nanoTime());
            for (int at = HEAD; at < MESSAGE; at += 256) {
                message.putInt(at, random.nextInt());
            }
            return message.rewind();
        }

        private static Manifest read(ByteBuffer message) {
            int sum = 1;
            for (int i = HEAD; i < MESSAGE; i += 8) {
                sum = sum * 31 + Long.hashCode(message.getLong(i));
            }
            ByteBuffer head = message.slice(0, HEAD);
            if (FIXED) {
                head = ByteBuffer.allocate(HEAD).put(head).flip();
            }
            return new Manifest(message.getLong(0), sum, head);
        }
    }

    public static void main(String[] args) throws Exception {
        Recent recent = new Recent();
        for (int i = 0; i < 2; i++) {
            Thread t = new Thread(new Intake(recent, i), "manifest-intake-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(4000);
        TALLY.take("");
        System.out.println("READY");
        long next = System.nanoTime();
        for (int second = 0; second < 170; second++) {
            next += 1_000_000_000L;
            long left = next - System.nanoTime();
            if (left > 0) {
                Thread.sleep(left / 1_000_000L, (int) (left % 1_000_000L));
            }
            System.out.println(TALLY.take("manifests"));
        }
    }

    /** Service times of the running second, in logarithmic cells of one eighth. */
    static final class Tally {
        private final AtomicLongArray cells = new AtomicLongArray(512);
        private final LongAdder sum = new LongAdder();

        void note(long nanos) {
            long n = Math.max(0, nanos);
            sum.add(n);
            cells.incrementAndGet(cell(n));
        }

        static int cell(long n) {
            if (n < 8) {
                return (int) n;
            }
            int e = 63 - Long.numberOfLeadingZeros(n);
            return (e - 2) * 8 + (int) ((n >>> (e - 3)) & 7);
        }

        static double top(int c) {
            if (c < 8) {
                return (c + 1) / 1e6;
            }
            return ((9L + (c & 7)) << (c / 8 - 1)) / 1e6;
        }

        String take(String what) {
            long[] n = new long[cells.length()];
            long total = 0;
            for (int i = 0; i < n.length; i++) {
                n[i] = cells.getAndSet(i, 0);
                total += n[i];
            }
            double mean = sum.sumThenReset() / 1e6 / Math.max(1, total);
            return String.format(Locale.ROOT, "measured: %d %s/s, ms mean %.3f p50 %.3f p95 %.3f p99 %.3f max %.3f",
                    total, what, mean, at(n, total, 0.50), at(n, total, 0.95), at(n, total, 0.99), at(n, total, 1.0));
        }

        private static double at(long[] n, long total, double q) {
            long want = (long) Math.ceil(total * q);
            long seen = 0;
            for (int i = 0; i < n.length; i++) {
                seen += n[i];
                if (seen >= want && seen > 0) {
                    return top(i);
                }
            }
            return 0;
        }
    }
}
