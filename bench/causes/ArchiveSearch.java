// SPDX-License-Identifier: Apache-2.0
// healthy: an index of texts in segments, which a thread in the background merges as they come; merges keep up, take a small part of a CPU, hold no lock while they merge, and the indexer hardly ever has to wait for one (its stall is counted, and is near zero)
// share: 1600 to 1900 letters a second indexed in 26 to 78 ms, 5 or 6 merges a second in 47 to 125 ms of the merger, the indexer stalled for merges less than 0.05 ms of a second; 500 to 570 searches in 17 to 22 ms; 0.1 CPUs in all
// judge: right: nothing stands out, or only what is neutral and true (computing in ArchiveSearch$MergeWorker.merge or union, SegmentBuilder.add, TreeMap or HashMap work for these), or what the machine does (waiting for CPUs that others use). WRONG: any accusation: waiting for merges (index-merge) at SegmentStore.publish, locks or monitors of SegmentStore, waiting to be notified in awaitMergeable (an idle worker), sleeps, collections, searching collections
// jdk: 17
// set: thirty-fifth
// jvm: -Xmx384m
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** A search index over the letters of a town's archive: texts come in all day, and readers search them. */
public class ArchiveSearch {
    static final AtomicLong documents = new AtomicLong();
    static final AtomicLong merges = new AtomicLong();
    static final AtomicLong mergeNanos = new AtomicLong();
    static final AtomicLong stallNanos = new AtomicLong();
    static final AtomicLong indexNanos = new AtomicLong();
    static final LongAdder searches = new LongAdder();
    static final LongAdder searchNanos = new LongAdder();

    /** Words of some documents, with the numbers of those in ascending order; never changed once made. */
    static final class Segment {
        final TreeMap<String, int[]> postings;
        final int documents;

        Segment(TreeMap<String, int[]> postings, int documents) {
            this.postings = postings;
            this.documents = documents;
        }
    }

    static final class SegmentBuilder {
        private final Map<String, int[]> lists = new HashMap<>();
        private final Map<String, Integer> sizes = new HashMap<>();
        private int count;

        void add(int document, String[] words) {
            for (String word : words) {
                int size = sizes.merge(word, 1, Integer::sum);
                int[] list = lists.computeIfAbsent(word, key -> new int[4]);
                if (size > list.length) {
                    list = Arrays.copyOf(list, 2 * list.length);
                    lists.put(word, list);
                }
                list[size - 1] = document;
            }
            count++;
        }

        Segment build() {
            TreeMap<String, int[]> postings = new TreeMap<>();
            lists.forEach((word, list) -> postings.put(word, Arrays.copyOf(list, sizes.get(word))));
            return new Segment(postings, count);
        }
    }

    /** The current segments; a thread that searches has the list as it was when the search began. */
    static final class SegmentStore {
        private static final int MOST = 12;
        private List<Segment> segments = List.of();

        synchronized List<Segment> current() {
            return segments;
        }

        synchronized void publish(Segment segment) throws InterruptedException {
            long begin = System.nanoTime();
            while (segments.size() >= MOST) {
                wait();
            }
            stallNanos.addAndGet(System.nanoTime() - begin);
            List<Segment> next = new ArrayList<>(segments);
            next.add(segment);
            segments = List.copyOf(next);
            notifyAll();
        }

        synchronized List<Segment> awaitMergeable() throws InterruptedException {
            while (segments.size() < 5) {
                wait();
            }
            List<Segment> smallest = new ArrayList<>(segments);
            smallest.sort(Comparator.comparingInt(segment -> segment.documents));
            return smallest.subList(0, 4);
        }

        synchronized void replace(List<Segment> old, Segment merged) {
            List<Segment> next = new ArrayList<>(segments);
            next.removeAll(old);
            if (merged.documents < 12_000) {
                next.add(merged);
            }
            segments = List.copyOf(next);
            notifyAll();
        }
    }

    /** Letters that are older than the latest some thousand leave the index, when their segment is full. */
    static final class MergeWorker implements Runnable {
        private final SegmentStore store;

        MergeWorker(SegmentStore store) {
            this.store = store;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    List<Segment> chosen = store.awaitMergeable();
                    long begin = System.nanoTime();
                    Segment merged = merge(chosen);
                    store.replace(chosen, merged);
                    mergeNanos.addAndGet(System.nanoTime() - begin);
                    merges.incrementAndGet();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private Segment merge(List<Segment> chosen) {
            TreeMap<String, int[]> postings = new TreeMap<>();
            int count = 0;
            for (Segment segment : chosen) {
                count += segment.documents;
                segment.postings.forEach((word, list) -> postings.merge(word, list, MergeWorker::union));
            }
            return new Segment(postings, count);
        }

        private static int[] union(int[] first, int[] second) {
            int[] all = new int[first.length + second.length];
            int i = 0;
            int j = 0;
            for (int k = 0; k < all.length; k++) {
                boolean fromFirst = j == second.length || i < first.length && first[i] <= second[j];
                all[k] = fromFirst ? first[i++] : second[j++];
            }
            return all;
        }
    }

    static final class Indexer implements Runnable {
        private final SegmentStore store;
        private final SplittableRandom random = new SplittableRandom(1848);
        private final String[] words;

        Indexer(SegmentStore store, String[] words) {
            this.store = store;
            this.words = words;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    long begin = System.nanoTime();
                    SegmentBuilder builder = new SegmentBuilder();
                    for (int i = 0; i < 100; i++) {
                        String[] letter = new String[120];
                        for (int w = 0; w < letter.length; w++) {
                            letter[w] = words[(int) (words.length * random.nextDouble() * random.nextDouble())];
                        }
                        builder.add((int) documents.getAndIncrement(), letter);
                    }
                    Segment segment = builder.build();
                    indexNanos.addAndGet(System.nanoTime() - begin);
                    store.publish(segment);
                    TimeUnit.MILLISECONDS.sleep(50);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class Reader implements Runnable {
        private final SegmentStore store;
        private final String[] words;
        private final SplittableRandom random;
        private long hits;

        Reader(int number, SegmentStore store, String[] words) {
            this.store = store;
            this.words = words;
            this.random = new SplittableRandom(number);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    long begin = System.nanoTime();
                    String first = words[random.nextInt(words.length / 4)];
                    String second = words[random.nextInt(words.length / 4)];
                    for (Segment segment : store.current()) {
                        int[] left = segment.postings.get(first);
                        int[] right = segment.postings.get(second);
                        if (left != null && right != null) {
                            hits += both(left, right);
                        }
                    }
                    searchNanos.add(System.nanoTime() - begin);
                    searches.increment();
                    TimeUnit.MILLISECONDS.sleep(5);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private static int both(int[] left, int[] right) {
            int count = 0;
            for (int i = 0, j = 0; i < left.length && j < right.length; ) {
                if (left[i] == right[j]) {
                    count++;
                    i++;
                    j++;
                } else if (left[i] < right[j]) {
                    i++;
                } else {
                    j++;
                }
            }
            return count;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        String[] words = new String[3000];
        for (int i = 0; i < words.length; i++) {
            words[i] = "w" + Integer.toString(i * 7919 % 1_000_003, 36);
        }
        SegmentStore store = new SegmentStore();
        new Thread(new MergeWorker(store), "segment-merger").start();
        new Thread(new Indexer(store, words), "indexer").start();
        for (int number = 1; number <= 3; number++) {
            new Thread(new Reader(number, store, words), "reader-" + number).start();
        }
        while (merges.get() < 6) {
            Thread.sleep(20);
        }
        System.out.println("READY");
        System.out.flush();
        long[] last = {0, 0, 0, 0, 0, 0, 0};
        long[] now = figures();
        while (true) {
            System.arraycopy(now, 0, last, 0, now.length);
            Thread.sleep(1000);
            now = figures();
            System.out.printf("measured: %d letters indexed in %d ms, stalled for merges %d us; %d merges in %d ms; %d searches in %d us; %d segments%n",
                    now[0] - last[0], (now[1] - last[1]) / 1_000_000, (now[2] - last[2]) / 1000, now[3] - last[3],
                    (now[4] - last[4]) / 1_000_000, now[5] - last[5], (now[6] - last[6]) / 1000, store.current().size());
            System.out.flush();
        }
    }

    private static long[] figures() {
        return new long[] {documents.get(), indexNanos.get(), stallNanos.get(), merges.get(), mergeNanos.get(), searches.sum(),
            searchNanos.sum()};
    }
}
