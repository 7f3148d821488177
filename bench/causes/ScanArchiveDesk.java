// SPDX-License-Identifier: Apache-2.0
// cause: PageReader.read allocates a fresh 700 KB byte[] raster for every page; with G1 on a 64 MB heap (1 MB regions) each is a humongous object, so the pages drive young collections and endless concurrent marking cycles ("G1 Humongous Allocation") over the archive's index
// share: 10 s each: faulty 4793 pages/s, mean 0.42 ms (p99 4.2 ms), 100 to 200 young pauses a second by G1 Humongous Allocation and permanent concurrent cycles; fixed (one raster per lane) 15200 pages/s, mean 0.12 ms - 3.2 times
// expect: humongous-allocation frame=ScanArchiveDesk$PageReader.read
// symptom: gc-pauses gc-cpu
// judge: NAMED: humongous allocations / large byte[] per page in PageReader.read (ScanArchiveDesk$PageReader), or that the page raster should be reused, or that G1's region size does not fit these arrays. SYMPTOM ONLY: much GC, long or frequent pauses, concurrent marking takes CPU, high allocation rate without the big arrays, heap too small. WRONG: memory leak in the index (it is full and stable), locks, thumbnail arithmetic as the cause, too few threads.
// jdk: 11
// set: twenty-second
// jvm: -XX:+UseG1GC
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/** Takes in scanned pages, makes a thumbnail and a fingerprint of each and files it in the index. */
public class ScanArchiveDesk {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final Tally TALLY = new Tally();
    static final int PAGE = 700 * 1024;

    static final class PageCard {
        final long document;
        final String title;
        volatile long fingerprint;

        PageCard(long document, String title) {
            this.document = document;
            this.title = title;
        }
    }

    static final class Index {
        private final Map<Long, PageCard> cards = new HashMap<>();

        Index() {
            for (long d = 0; d < 150_000; d++) {
                cards.put(d, new PageCard(d, "file " + d));
            }
        }

        PageCard card(long document) {
            return cards.get(document);
        }

        int size() {
            return cards.size();
        }
    }

    /** Unpacks one scanned page into its raster. */
    static final class PageReader {
        private byte[] last;

        byte[] read(int seed) {
            byte[] raster = last;
            if (!FIXED || raster == null) {
                raster = new byte[PAGE];
                last = FIXED ? raster : null;
            }
            for (int at = 0; at < PAGE; at += 4096) {
                int shade = (seed * 31 + at >>> 9) & 0x7f;
                for (int i = at; i < at + 1024; i++) {
                    raster[i] = (byte) (shade + (i & 15));
                }
            }
            return raster;
        }
    }

    static final class ScanLane implements Runnable {
        private final Index index;
        private final Random random;
        private final PageReader reader = new PageReader();

        ScanLane(Index index, long seed) {
            this.index = index;
            this.random = new Random(seed);
        }

        @Override
        public void run() {
            while (true) {
                long start = System.nanoTime();
                byte[] raster = reader.read(random.nextInt(1000));
                byte[] thumbnail = thumbnail(raster);
                index.card(random.nextInt(index.size())).fingerprint = fingerprint(thumbnail);
                TALLY.note(System.nanoTime() - start);
            }
        }

        private static byte[] thumbnail(byte[] raster) {
            byte[] small = new byte[4096];
            int step = raster.length / small.length;
            for (int i = 0; i < small.length; i++) {
                int sum = 0;
                for (int k = 0; k < step; k += 8) {
                    sum += raster[i * step + k];
                }
                small[i] = (byte) (sum / 22);
            }
            return small;
        }

        private static long fingerprint(byte[] small) {
            long h = 1125899906842597L;
            for (byte b : small) {
                h = 31 * h + b;
            }
            return h;
        }
    }

    public static void main(String[] args) throws Exception {
        Index index = new Index();
        for (int i = 0; i < 2; i++) {
            Thread t = new Thread(new ScanLane(index, i), "scan-lane-" + i);
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
            System.out.println(TALLY.take("pages"));
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
