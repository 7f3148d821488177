// SPDX-License-Identifier: Apache-2.0
// healthy: the heap is about 70 percent full all the time (some 356 MB of 512 MB) and a class holds nearly everything in a static field, but this is a fixed reference table in primitive arrays, built once; it does not grow, nearly nothing is allocated after the start, and collections are rare and short.
// share: measures 40000 lookups/s of 40000 demanded, mean about 2 us, heap used 356 MB and constant
// judge: WRONG: a memory leak, a heap that is too small, imminent OutOfMemoryError, GC pressure, an unbounded cache, humongous objects as a fault, binary search as a hot spot to repair. ACCEPTABLE: neutral remarks that most of the heap is Region arrays (long[] and int[]) reached from GeoDirectory.regions, that the live set is big and constant, that the large arrays are humongous objects in G1 without harm.
// jdk: 17
// set: twenty-sixth
// jvm: -Xmx512m
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

public class GeoDirectory {
    static final long END = System.nanoTime() + 170_000_000_000L;
    static final int REGIONS = 32;
    static final int PLACES = 900_000;
    static final List<Region> regions = new ArrayList<>();
    static final LongAdder lookups = new LongAdder();
    static final LongAdder hits = new LongAdder();
    static final LongAdder spentNanos = new LongAdder();

    static final class Region {
        final String name;
        final long[] cells = new long[PLACES];
        final int[] postcodes = new int[PLACES];

        Region(int number) {
            name = "region-" + number;
            SplittableRandom random = new SplittableRandom(number);
            long cell = 0;
            for (int i = 0; i < PLACES; i++) {
                cell += 1 + random.nextInt(40);
                cells[i] = cell;
                postcodes[i] = number * 1000 + i % 1000;
            }
        }

        int postcode(long cell) {
            int low = 0;
            int high = cells.length - 1;
            while (low < high) {
                int middle = (low + high + 1) >>> 1;
                if (cells[middle] <= cell) {
                    low = middle;
                } else {
                    high = middle - 1;
                }
            }
            return postcodes[low];
        }

        long span() {
            return cells[cells.length - 1];
        }
    }

    static final class Courier implements Runnable {
        final SplittableRandom random;
        long sink;

        Courier(int id) {
            random = new SplittableRandom(900 + id);
        }

        @Override
        public void run() {
            long start = System.nanoTime();
            for (int i = 0; i < 250; i++) {
                Region region = regions.get(random.nextInt(REGIONS));
                int postcode = region.postcode(random.nextLong(region.span()));
                sink += postcode;
                if (postcode % 10 == 0) {
                    hits.increment();
                }
            }
            lookups.add(250);
            spentNanos.add(System.nanoTime() - start);
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < REGIONS; i++) {
            regions.add(new Region(i));
        }
        ScheduledExecutorService round = Executors.newScheduledThreadPool(4, task -> {
            Thread thread = new Thread(task, "courier");
            thread.setDaemon(true);
            return thread;
        });
        for (int i = 0; i < 8; i++) {
            round.scheduleAtFixedRate(new Courier(i), 0, 50, TimeUnit.MILLISECONDS);
        }
        System.out.println("READY");
        Runtime runtime = Runtime.getRuntime();
        long lastCount = 0;
        long lastSpent = 0;
        while (System.nanoTime() < END) {
            Thread.sleep(1000);
            long count = lookups.sum();
            long spent = spentNanos.sum();
            long n = count - lastCount;
            System.out.printf("measured: %d lookups/s (demand 40000), mean %.3f us, heap used %d MB%n", n,
                    n == 0 ? 0.0 : (spent - lastSpent) / 1e3 / n,
                    (runtime.totalMemory() - runtime.freeMemory()) >> 20);
            lastCount = count;
            lastSpent = spent;
        }
        round.shutdown();
        System.exit(0);
    }
}
