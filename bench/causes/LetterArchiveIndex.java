// SPDX-License-Identifier: Apache-2.0
// healthy: a full-text index of segments that one background thread merges at a deliberate pace; only the housekeeping thread, for which nobody waits, waits for a merge to end (that is its duty), writers never wait for merges and searches go on in the old segments in the meantime
// share: no fault; searches take less than a millisecond or two, adding a letter some 50 us, during merges as at other times; by its code neither writers nor searches can wait for a merge; some 0.1 to 0.3 CPUs are used
// judge: right: nothing stands out, no fault, or only neutral statements of where time goes (the housekeeping's wait for a merge at LetterArchiveIndex$Merges.await, the merger's rest at $Merger.pace, computing in searches or merges). WRONG: any accusation, such as writers or searches that wait for merges, a merger too slow or saturated, its rest at $Merger.pace as a fault, the lock of the index, too few merge threads, a waiting housekeeping as a blocked or stuck thread, the collector
// jdk: 25
// set: thirty-fourth
// jvm: -Xmx512m
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Full-text index of an archive of letters: segments that never change, merged in the background. */
public class LetterArchiveIndex {
    static final LongAdder added = new LongAdder();
    static final LongAdder addNanos = new LongAdder();
    static final LongAdder searches = new LongAdder();
    static final LongAdder searchNanos = new LongAdder();
    static final LongAdder merged = new LongAdder();

    /** Words with the numbers of their letters, in order. */
    record Segment(int[] words, int[][] letters, int size) {
        int[] find(int word) {
            int i = Arrays.binarySearch(words, word);
            return i < 0 ? new int[0] : letters[i];
        }
    }

    static final class Index {
        private volatile List<Segment> segments = List.of();

        List<Segment> segments() {
            return segments;
        }

        synchronized void add(Segment s) {
            List<Segment> next = new ArrayList<>(segments);
            next.add(s);
            segments = List.copyOf(next);
        }

        /** One segment in place of some; letters over a year old leave the index. */
        synchronized void replace(List<Segment> old, Segment by) {
            List<Segment> next = new ArrayList<>(segments);
            next.removeAll(old);
            if (by.size() < 6_000) next.add(0, by);
            segments = List.copyOf(next);
        }

        int search(int... words) {
            int hits = 0;
            for (Segment s : segments) {
                int[] a = s.find(words[0]);
                int[] b = s.find(words[1]);
                for (int i = 0, k = 0; i < a.length && k < b.length; ) {
                    if (a[i] == b[k]) {
                        hits++;
                        i++;
                        k++;
                    } else if (a[i] < b[k]) i++;
                    else k++;
                }
            }
            return hits;
        }
    }

    static Segment build(TreeMap<Integer, List<Integer>> postings, int size) {
        int[] words = new int[postings.size()];
        int[][] letters = new int[words.length][];
        int i = 0;
        for (var e : postings.entrySet()) {
            words[i] = e.getKey();
            letters[i++] = e.getValue().stream().mapToInt(Integer::intValue).toArray();
        }
        return new Segment(words, letters, size);
    }

    /** The merges that were asked for, and who has to know when they are done. */
    static final class Merges {
        final LinkedBlockingQueue<List<Segment>> wanted = new LinkedBlockingQueue<>();
        final ReentrantLock lock = new ReentrantLock();
        final Condition ended = lock.newCondition();
        long done;

        long done() {
            lock.lock();
            try {
                return done;
            } finally {
                lock.unlock();
            }
        }

        void await(long number) throws InterruptedException {
            lock.lock();
            try {
                while (done < number) ended.await();
            } finally {
                lock.unlock();
            }
        }

        void end() {
            lock.lock();
            try {
                done++;
                ended.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    /** Merges at a rate that leaves the machine to those who search. */
    static final class Merger extends Thread {
        final Index index;
        final Merges merges;

        Merger(Index index, Merges merges) {
            super("merger");
            this.index = index;
            this.merges = merges;
            setDaemon(true);
        }

        Segment merge(List<Segment> some) throws InterruptedException {
            TreeMap<Integer, List<Integer>> postings = new TreeMap<>();
            int size = 0;
            for (Segment s : some) {
                for (int i = 0; i < s.words().length; i++) {
                    List<Integer> list = postings.computeIfAbsent(s.words()[i], w -> new ArrayList<>());
                    for (int letter : s.letters()[i]) list.add(letter);
                    if (i % 500 == 499) pace();
                }
                size += s.size();
            }
            return build(postings, size);
        }

        void pace() throws InterruptedException {
            Thread.sleep(15);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    List<Segment> some = merges.wanted.take();
                    index.replace(some, merge(some));
                    merged.increment();
                    merges.end();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Asks for a merge of what has come in since the last one, and notes its end in the journal. */
    static void housekeeping(Index index, Merges merges) {
        try {
            while (true) {
                List<Segment> now = index.segments();
                if (now.size() >= 6) {
                    long next = merges.done() + 1;
                    merges.wanted.put(now);
                    merges.await(next);
                }
                Thread.sleep(100);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void write(Index index) {
        SplittableRandom r = new SplittableRandom(1);
        TreeMap<Integer, List<Integer>> postings = new TreeMap<>();
        try {
            for (int letter = 0; ; letter++) {
                long begin = System.nanoTime();
                for (int w = 60; w > 0; w--) {
                    List<Integer> list = postings.computeIfAbsent((int) (4_000 * r.nextDouble() * r.nextDouble()), k -> new ArrayList<>());
                    if (list.isEmpty() || list.get(list.size() - 1) != letter) list.add(letter);
                }
                if (letter % 100 == 99) {
                    index.add(build(postings, 100));
                    postings = new TreeMap<>();
                }
                addNanos.add(System.nanoTime() - begin);
                added.increment();
                if (letter % 4 == 0) Thread.sleep(12);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void read(Index index, int seed) {
        SplittableRandom r = new SplittableRandom(seed);
        try {
            while (true) {
                long begin = System.nanoTime();
                for (int i = 0; i < 60; i++) index.search((int) (4_000 * r.nextDouble() * r.nextDouble()), r.nextInt(400));
                searchNanos.add(System.nanoTime() - begin);
                searches.increment();
                Thread.sleep(r.nextInt(5, 15));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        Index index = new Index();
        Merges merges = new Merges();
        new Merger(index, merges).start();
        Thread.ofPlatform().daemon().name("housekeeping").start(() -> housekeeping(index, merges));
        Thread.ofPlatform().daemon().name("letters").start(() -> write(index));
        for (int i = 0; i < 4; i++) {
            int seed = i;
            Thread.ofPlatform().daemon().name("search-" + i).start(() -> read(index, seed));
        }
        Thread.sleep(3_000);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            added.reset();
            addNanos.reset();
            searches.reset();
            searchNanos.reset();
            merged.reset();
            Thread.sleep(1_000);
            System.out.printf("measured: %d letters added, %.0f us each; %d searches, %.0f us each; %d merges ended, %d segments%n",
                    added.sum(), addNanos.sum() / 1e3 / Math.max(1, added.sum()), searches.sum(), searchNanos.sum() / 1e3 / Math.max(1, searches.sum()), merged.sum(),
                    index.segments().size());
            System.out.flush();
        }
    }
}
