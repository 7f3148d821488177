// SPDX-License-Identifier: Apache-2.0
// healthy: the heap is about 60% full for good with three big arrays in the old generation (looks like a leak or too small a heap), lookups miss the CPU caches; but the index is compact, loaded once, never grows, there are next to no collections, and the lookups keep their pace of 400000/s.
// share: 400000 lookups/s (paced), about 962 ns each, heap 55 of 92 MB and not growing.
// judge: any finding of trouble (leak, heap nearly full, old generation full, big objects, raise -Xmx, sleeping threads) is WRONG, except a plain statement that Arrays.binarySearch takes the CPU time.
// jdk: 17
// set: twenty-seventh
// jvm: -Xmx96m -XX:+UseSerialGC
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class PostcodeIndex {
    static final long START = System.nanoTime();
    static final int ROWS = 4_200_000;
    static final AtomicLong lookups = new AtomicLong(), time = new AtomicLong(), hits = new AtomicLong();

    static final class Index {
        final long[] key = new long[ROWS];
        final int[] place = new int[ROWS];
        final byte[] zone = new byte[ROWS];
        void load() {
            SplittableRandom r = new SplittableRandom(8);
            long k = 1000;
            for (int i = 0; i < ROWS; i++) {
                k += 1 + r.nextInt(5);
                key[i] = k;
                place[i] = r.nextInt();
                zone[i] = (byte) r.nextInt();
            }
        }
        int find(long k) {
            int i = Arrays.binarySearch(key, k);
            return i < 0 ? -1 : place[i] ^ zone[i];
        }
    }

    static void counter(Index index, int n) {
        SplittableRandom r = new SplittableRandom(n);
        long top = index.key[ROWS - 1];
        long at = System.nanoTime();
        try {
            while (true) {
                long t = System.nanoTime();
                int h = 0;
                for (int i = 0; i < 2000; i++) if (index.find(r.nextLong(top)) != -1) h++;
                long e = System.nanoTime();
                time.addAndGet(e - t);
                hits.addAndGet(h);
                lookups.addAndGet(2000);
                at += 10_000_000;
                if (at > e) TimeUnit.NANOSECONDS.sleep(at - e);
                else at = e;
            }
        } catch (InterruptedException e) { }
    }

    public static void main(String[] a) throws Exception {
        long span = Long.getLong("span", 170);
        Index index = new Index();
        index.load();
        for (int i = 0; i < 2; i++) {
            int n = i;
            Thread t = new Thread(() -> counter(index, n), "counter-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(4000);
        System.out.println("READY");
        lookups.set(0); time.set(0); hits.set(0);
        while (System.nanoTime() - START < span * 1_000_000_000L) {
            Thread.sleep(1000);
            long n = lookups.getAndSet(0), d = time.getAndSet(0);
            Runtime rt = Runtime.getRuntime();
            System.out.printf(Locale.ROOT, "measured: %d lookups/s, mean %.0f ns, heap %d of %d MB%n", n, n == 0 ? 0.0 : (double) d / n, (rt.totalMemory() - rt.freeMemory()) >> 20, rt.maxMemory() >> 20);
        }
    }
}
