// SPDX-License-Identifier: Apache-2.0
// healthy: an index of 220,000 documents is kept in the heap on purpose (about 350 MiB of 1 GiB, of constant size); searches make little garbage, which dies young, and collections are few and short
// share: 0.2 to 0.6 CPUs for searches; a collection every 5 s of 1 to 20 ms, after which 348 MiB are in use each time
// judge: RIGHT: nothing stands out, or neutral statements about where the CPU time goes (Shelf.search, Shelf.merge, Postings, handling of searches). WRONG: any accusation: a leak, a growing live set, too large or too small a heap, collections, promotion, humongous objects, sorting or searching of collections as a fault, locks.
// jdk: 25
// set: thirty-sixth
// jvm: -Xms1g -Xmx1g
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;

/** A shelf of patents: a full-text index in memory, searched by examiners. */
public class PatentShelf {
    static final int PATENTS = 220_000;
    static final int TERMS = 20_000;

    record Patent(int number, int year, String title, byte[] summary, int[] terms) { }

    record Hit(Patent patent, int score) { }

    /** The documents that have a term, in ascending order. */
    static final class Postings {
        private int[] documents = new int[4];
        private int size;

        void add(int document) {
            if (size == documents.length) {
                documents = java.util.Arrays.copyOf(documents, size + (size >> 1) + 1);
            }
            documents[size++] = document;
        }

        int size() {
            return size;
        }

        int at(int i) {
            return documents[i];
        }

        int seek(int from, int document) {
            int low = from;
            int step = 1;
            while (low + step < size && documents[low + step] < document) {
                low += step;
                step <<= 1;
            }
            int high = Math.min(size, low + step + 1);
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (documents[middle] < document) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return low;
        }
    }

    static final class Shelf {
        private final Patent[] patents = new Patent[PATENTS];
        private final Postings[] index = new Postings[TERMS];

        Shelf(SplittableRandom random) {
            for (int i = 0; i < TERMS; i++) {
                index[i] = new Postings();
            }
            for (int i = 0; i < PATENTS; i++) {
                int[] terms = random.ints(60, 0, TERMS).map(t -> (int) ((long) t * t / TERMS)).sorted().distinct().toArray();
                byte[] summary = new byte[700 + random.nextInt(300)];
                for (int j = 0; j < summary.length; j++) {
                    summary[j] = (byte) ('a' + (i + j * 7) % 26);
                }
                patents[i] = new Patent(i, 1950 + random.nextInt(75), "Apparatus " + i + " for process " + terms[0], summary, terms);
                for (int term : terms) {
                    index[term].add(i);
                }
            }
        }

        List<Patent> merge(int first, int second) {
            Postings a = index[first];
            Postings b = index[second];
            if (a.size() > b.size()) {
                Postings c = a;
                a = b;
                b = c;
            }
            List<Patent> both = new ArrayList<>();
            int at = 0;
            for (int i = 0; i < a.size(); i++) {
                at = b.seek(at, a.at(i));
                if (at == b.size()) {
                    break;
                }
                if (b.at(at) == a.at(i)) {
                    both.add(patents[a.at(i)]);
                }
            }
            return both;
        }

        List<Hit> search(int first, int second, int since) {
            PriorityQueue<Hit> best = new PriorityQueue<>(Comparator.comparingInt(Hit::score));
            for (Patent patent : merge(first, second)) {
                if (patent.year() < since) {
                    continue;
                }
                int score = (patent.year() - since) * 4 - patent.terms().length;
                for (int term : patent.terms()) {
                    if (Math.abs(term - first) < 50) {
                        score += 3;
                    }
                }
                best.add(new Hit(patent, score));
                if (best.size() > 10) {
                    best.poll();
                }
            }
            List<Hit> hits = new ArrayList<>(best);
            hits.sort(Comparator.comparingInt(Hit::score).reversed());
            return hits;
        }
    }

    static final class Examiner implements Runnable {
        private final Shelf shelf;
        private final SplittableRandom random;

        Examiner(Shelf shelf, int number) {
            this.shelf = shelf;
            random = new SplittableRandom(number);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    StringBuilder page = new StringBuilder();
                    long begin = System.nanoTime();
                    for (int i = 0; i < 40; i++) {
                        for (Hit hit : shelf.search(random.nextInt(300), random.nextInt(4000), 1960 + random.nextInt(40))) {
                            Patent patent = hit.patent();
                            page.append(patent.number()).append(' ').append(patent.title()).append(": ")
                                    .append(new String(patent.summary(), 0, 120, java.nio.charset.StandardCharsets.ISO_8859_1)).append('\n');
                        }
                        searches.increment();
                    }
                    long took = System.nanoTime() - begin;
                    pages.add(page.length());
                    spent.add(took);
                    Thread.sleep(2 + Math.min(100, took * 3 / 1_000_000));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final LongAdder searches = new LongAdder();
    static final LongAdder pages = new LongAdder();
    static final LongAdder spent = new LongAdder();

    public static void main(String[] args) throws Exception {
        Shelf shelf = new Shelf(new SplittableRandom(1));
        for (int i = 1; i <= 3; i++) {
            Thread thread = new Thread(new Examiner(shelf, i), "examiner-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        Thread.sleep(3000);
        System.out.println("READY");
        System.out.flush();
        var os = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        while (true) {
            long n = searches.sum(), t = System.nanoTime(), cpu = os.getProcessCpuTime(), in = spent.sum();
            long[] gc = collections();
            Thread.sleep(1000);
            double s = (System.nanoTime() - t) / 1e9;
            long[] now = collections();
            System.out.printf("measured: %.0f searches/s, %.2f ms each, %.2f CPUs, %d collections (%d ms), heap %d MiB in use%n",
                    (searches.sum() - n) / s, (spent.sum() - in) / 1e6 / Math.max(1, searches.sum() - n),
                    (os.getProcessCpuTime() - cpu) / 1e9 / s, now[0] - gc[0], now[1] - gc[1],
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() >> 20);
        }
    }

    private static long[] collections() {
        long[] sum = new long[2];
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
            if (!bean.getName().contains("Concurrent")) {
                sum[0] += bean.getCollectionCount();
                sum[1] += bean.getCollectionTime();
            }
        }
        return sum;
    }
}
