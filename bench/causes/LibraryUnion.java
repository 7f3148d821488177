// SPDX-License-Identifier: Apache-2.0
// healthy: a union catalogue that is kept in memory on purpose: some 400 MiB of the 1 GiB heap are alive, that does not grow, collections are rare and short, and searches take a fraction of a millisecond
// share: some 400 of 1024 MiB of the heap are in use all the time, a collection in 20 s or more (30 ms); 3000 searches a second of 0.06 ms; 0.2 CPUs
// judge: RIGHT: nothing stands out, or neutral findings of where time goes (hot-method or hot-calls in Catalogue.search, page building). WRONG: any accusation: the heap is too large or too small, gc-pauses, gc-cpu, live-set, a leak, the catalogue as what fills the heap, hot code, locks. On a crowded machine a lack of CPUs is true and no mistake
// jdk: 21
// set: thirty-fifth
// jvm: -Xms1g -Xmx1g
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;

/** The catalogue of all libraries of a region: searches by words of the title, and loans that change the copies. */
public class LibraryUnion {
    static final int TITLES = 1_400_000;

    record Copies(int[] libraries, int[] free) { }

    record Title(int id, String name, String author, short year) { }

    /** Titles by number, their copies, and for each word the sorted numbers of the titles that have it. */
    static final class Catalogue {
        final Title[] titles = new Title[TITLES];
        final AtomicReferenceArray<Copies> copies = new AtomicReferenceArray<>(TITLES);
        private final Map<String, int[]> byWord = new HashMap<>();
        final List<String> words = new ArrayList<>();

        void load(Random random) {
            String[] syllables = {"ba", "cor", "del", "fin", "gra", "hol", "ka", "lim", "mo", "nar", "per", "quo", "ri", "sel", "tan", "ver"};
            for (int i = 0; i < 1500; i++) {
                words.add(syllables[i & 15] + syllables[(i >> 4) & 15] + syllables[(i * 7 + i / 256) & 15] + (i >> 8));
            }
            int[][] numbers = new int[words.size()][64];
            int[] counts = new int[words.size()];
            for (int id = 0; id < TITLES; id++) {
                StringBuilder name = new StringBuilder(48);
                for (int w = 0; w < 3; w++) {
                    int word = (int) (words.size() * random.nextDouble() * random.nextDouble());
                    name.append(w == 0 ? "" : " ").append(words.get(word));
                    if (counts[word] == 0 || numbers[word][counts[word] - 1] != id) {
                        if (counts[word] == numbers[word].length) {
                            numbers[word] = Arrays.copyOf(numbers[word], counts[word] * 2);
                        }
                        numbers[word][counts[word]++] = id;
                    }
                }
                titles[id] = new Title(id, name.toString(), "author " + random.nextInt(200_000), (short) (1850 + random.nextInt(180)));
                int libraries = 1 + random.nextInt(6);
                int[] which = new int[libraries];
                int[] free = new int[libraries];
                for (int l = 0; l < libraries; l++) {
                    which[l] = random.nextInt(90);
                    free[l] = 1 + random.nextInt(4);
                }
                copies.set(id, new Copies(which, free));
            }
            for (int word = 0; word < words.size(); word++) {
                byWord.put(words.get(word), Arrays.copyOf(numbers[word], counts[word]));
            }
        }

        List<Title> search(String first, String second, int fromYear) {
            int[] a = byWord.get(first);
            int[] b = byWord.get(second);
            List<Title> found = new ArrayList<>();
            for (int i = 0, j = 0; i < a.length && j < b.length && found.size() < 40;) {
                if (a[i] < b[j]) {
                    i++;
                } else if (a[i] > b[j]) {
                    j++;
                } else {
                    Title title = titles[a[i]];
                    if (title.year() >= fromYear) {
                        found.add(title);
                    }
                    i++;
                    j++;
                }
            }
            return found;
        }

        void lend(int id, int change) {
            Copies now = copies.get(id);
            int[] free = now.free().clone();
            free[0] = Math.max(0, free[0] + change);
            copies.set(id, new Copies(now.libraries(), free));
        }
    }

    /** One counter of the portal: some searches and loans at a time. */
    static final class Counter implements Runnable {
        private final Catalogue catalogue;
        private final Random random;
        private final Figures figures;

        Counter(Catalogue catalogue, int seed, Figures figures) {
            this.catalogue = catalogue;
            this.random = new Random(seed);
            this.figures = figures;
        }

        @Override
        public void run() {
            for (int i = 0; i < 10; i++) {
                long from = System.nanoTime();
                String first = catalogue.words.get(random.nextInt(catalogue.words.size()));
                String second = catalogue.words.get(random.nextInt(300));
                StringBuilder page = new StringBuilder(1024);
                for (Title title : catalogue.search(first, second, 1900 + random.nextInt(60))) {
                    page.append(title.name()).append(" / ").append(title.author()).append(", ").append(title.year()).append('\n');
                }
                figures.characters.add(page.length());
                figures.searches.increment();
                figures.nanos.add(System.nanoTime() - from);
            }
            catalogue.lend(random.nextInt(TITLES), random.nextBoolean() ? 1 : -1);
        }
    }

    static final class Figures {
        final LongAdder searches = new LongAdder();
        final LongAdder nanos = new LongAdder();
        final LongAdder characters = new LongAdder();
    }

    public static void main(String[] args) throws Exception {
        Catalogue catalogue = new Catalogue();
        catalogue.load(new Random(42));
        Figures figures = new Figures();
        ScheduledExecutorService counters = Executors.newScheduledThreadPool(3);
        for (int i = 0; i < 3; i++) {
            counters.scheduleAtFixedRate(new Counter(catalogue, i, figures), i * 3, 10, TimeUnit.MILLISECONDS);
        }
        Thread.sleep(3000);
        System.out.println("READY");
        System.out.flush();
        var os = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long searches = figures.searches.sum(), nanos = figures.nanos.sum(), cpu = os.getProcessCpuTime(), at = System.nanoTime();
        for (;;) {
            Thread.sleep(1000);
            long searches2 = figures.searches.sum(), nanos2 = figures.nanos.sum(), cpu2 = os.getProcessCpuTime(), at2 = System.nanoTime(), paused = 0, collections = 0;
            for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
                paused += bean.getCollectionTime();
                collections += bean.getCollectionCount();
            }
            System.out.printf("measured: %d searches, %.2f ms each; %.2f CPUs; heap %d of %d MiB; since the start %d collections, %d ms%n",
                searches2 - searches, (nanos2 - nanos) / 1e6 / Math.max(1, searches2 - searches), (double) (cpu2 - cpu) / (at2 - at),
                (Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory()) >> 20, Runtime.getRuntime().maxMemory() >> 20, collections, paused);
            searches = searches2;
            nanos = nanos2;
            cpu = cpu2;
            at = at2;
        }
    }
}
