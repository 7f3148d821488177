// SPDX-License-Identifier: Apache-2.0
// cause: HerbariumScans$MemoryBudget.admit has the JVM collect the whole heap (MemoryMXBean.gc(), which is System.gc()) before each folder of sheets, to know exactly how much memory is free; the catalogue that stays in the heap makes each of these a long pause
// share: collections stop the JVM for 42 to 69 % of the time, 0.2 s each, all but a few of them asked for in MemoryBudget.admit
// expect: explicit-gc
// symptom: gc-pauses gc-cpu
// judge: NAMED: collections that are asked for by System.gc() (MemoryMXBean.gc, explicit GC), with or without the caller MemoryBudget.admit (called by Studio.run): remove the call. SYMPTOM ONLY: collections or GC pauses take much time without saying that the program asks for them; a heap full of catalogue entries. WRONG: a larger heap or less allocation as the remedy, Thumbnails.scale or Studio.develop as what is slow, locks, CPUs.
// jdk: 17
// set: thirty-third
// jvm: -Xmx640m
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryUsage;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Digitises a herbarium: folders of scanned sheets are scaled, measured and entered into a catalogue. */
public class HerbariumScans {
    static final int STUDIOS = 2;
    static final LongAdder sheets = new LongAdder();
    static final LongAdder admitNanos = new LongAdder();

    record Specimen(String number, String genus, String collector, int year, float[] colours) {
    }

    record Sheet(String number, int width, int height, byte[] pixels) {
    }

    /** All specimens of the house, by their number. */
    static final class Catalogue {
        private static final String[] GENERA = {"Carex", "Salix", "Rosa", "Viola", "Hieracium", "Rubus", "Poa", "Silene"};
        private final Map<String, Specimen> byNumber = new ConcurrentHashMap<>();

        void load(int count) {
            SplittableRandom random = new SplittableRandom(4);
            for (int i = 0; i < count; i++) {
                String number = "HB-" + i;
                byNumber.put(number, new Specimen(number, GENERA[random.nextInt(GENERA.length)], "coll. " + random.nextInt(900), 1820 + random.nextInt(200), new float[12]));
            }
        }

        void enter(String number, float[] colours) {
            byNumber.computeIfPresent(number, (key, old) -> new Specimen(old.number, old.genus, old.collector, old.year, colours));
        }

        int size() {
            return byNumber.size();
        }
    }

    /** Decides whether there is memory for another folder. */
    static final class MemoryBudget {
        private final MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        private final long reserve;

        MemoryBudget(long reserve) {
            this.reserve = reserve;
        }

        boolean admit(long bytes) {
            long begin = System.nanoTime();
            memory.gc();
            MemoryUsage heap = memory.getHeapMemoryUsage();
            admitNanos.add(System.nanoTime() - begin);
            return heap.getMax() - heap.getUsed() - reserve > bytes;
        }
    }

    static final class Scanner {
        private final SplittableRandom random;

        Scanner(long seed) {
            random = new SplittableRandom(seed);
        }

        Sheet scan(String number) {
            int width = 640, height = 900;
            byte[] pixels = new byte[width * height];
            int shade = random.nextInt(200);
            for (int i = 0; i < pixels.length; i++) {
                pixels[i] = (byte) (shade + (i * 31 >>> 7) % 50);
            }
            return new Sheet(number, width, height, pixels);
        }
    }

    static final class Thumbnails {
        int[] scale(Sheet sheet, int by) {
            int width = sheet.width / by, height = sheet.height / by;
            int[] result = new int[width * height];
            for (int y = 0; y < height * by; y++) {
                for (int x = 0; x < width * by; x++) {
                    result[y / by * width + x / by] += sheet.pixels[y * sheet.width + x] & 255;
                }
            }
            return result;
        }

        float[] colours(Sheet sheet) {
            float[] histogram = new float[12];
            for (byte pixel : sheet.pixels) {
                histogram[(pixel & 255) * 12 / 256]++;
            }
            for (int i = 0; i < histogram.length; i++) {
                histogram[i] /= sheet.pixels.length;
            }
            return histogram;
        }
    }

    static final class Studio implements Runnable {
        static final int FOLDER = 24;
        static final AtomicInteger next = new AtomicInteger();
        final Catalogue catalogue;
        final MemoryBudget budget;
        final Scanner scanner;
        final Thumbnails thumbnails = new Thumbnails();
        final Map<Integer, Integer> shades = new HashMap<>();

        Studio(Catalogue catalogue, MemoryBudget budget, long seed) {
            this.catalogue = catalogue;
            this.budget = budget;
            scanner = new Scanner(seed);
        }

        void develop(String number) {
            Sheet sheet = scanner.scan(number);
            int[] small = thumbnails.scale(sheet, 4);
            int[] tiny = thumbnails.scale(sheet, 16);
            catalogue.enter(number, thumbnails.colours(sheet));
            shades.merge(small[small.length / 2] / 16 + tiny[0] / 256, 1, Integer::sum);
            sheets.increment();
        }

        @Override
        public void run() {
            try {
                while (true) {
                    if (!budget.admit(FOLDER * 640L * 900)) {
                        Thread.sleep(200);
                        continue;
                    }
                    int first = next.getAndAdd(FOLDER);
                    for (int i = 0; i < FOLDER; i++) {
                        develop("HB-" + (first + i) % catalogue.size());
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static long collected() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream().mapToLong(GarbageCollectorMXBean::getCollectionTime).sum();
    }

    public static void main(String[] args) throws Exception {
        Catalogue catalogue = new Catalogue();
        catalogue.load(900_000);
        MemoryBudget budget = new MemoryBudget(64L << 20);
        for (int i = 1; i <= STUDIOS; i++) {
            Thread thread = new Thread(new Studio(catalogue, budget, i), "studio-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        Thread.sleep(3000);
        System.out.println("READY");
        System.out.flush();
        long lastSheets = sheets.sum(), lastGc = collected(), lastAdmit = admitNanos.sum(), last = System.nanoTime();
        while (true) {
            Thread.sleep(1000);
            long s = sheets.sum(), g = collected(), a = admitNanos.sum(), now = System.nanoTime();
            System.out.printf("measured: %d sheets/s, collections stop the JVM for %.0f %% of the time, studios are in admit for %.0f %% of theirs%n",
                    s - lastSheets, 1e8 * (g - lastGc) / (now - last), 100.0 * (a - lastAdmit) / STUDIOS / (now - last));
            System.out.flush();
            lastSheets = s;
            lastGc = g;
            lastAdmit = a;
            last = now;
        }
    }
}
