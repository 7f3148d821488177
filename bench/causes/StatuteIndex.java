// SPDX-License-Identifier: Apache-2.0
// cause: intake threads wait for index merges: StatuteIndex$MergeQueue.makeRoom holds every flush back while too many segments are pending, and the only merge thread (merge-0, StatuteIndex$Merger.merge) rests nearly all the time in StatuteIndex$Bandwidth.pay, which limits merging to 1 MB/s
// share: 95 to 99 % of the time of the 6 intake threads is spent in MergeQueue.makeRoom ("stalled" in the measured lines); the offices wait as long for their futures; the process uses 0.15 CPUs or less
// expect: waiting frame=StatuteIndex$MergeQueue.makeRoom | waiting waiter=StatuteIndex$MergeQueue.makeRoom
// symptom: waiting
// judge: NAMED: says that StatuteIndex$MergeQueue.makeRoom (or its caller SegmentWriter.flush) is what the intake threads wait at, together with, or instead of it, that the merge thread rests in StatuteIndex$Bandwidth.pay / Merger.merge (as index-merge, notification, Object.wait or any other kind of wait: no Lucene is here, only the JDK, so the wait has no frames of Lucene and need not be called index-merge). SYMPTOM ONLY: says only that offices wait for futures at StatuteIndex$Office.deliver or that the pool intake is busy, without makeRoom or pay; or the wait at makeRoom called neutral and put behind something else. WRONG: CPU, collections, locks (monitor contention), the queue of the pool being too short, or nothing stands out.
// jdk: 17
// set: thirty-sixth

import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class StatuteIndex {
    static final AtomicLong documents = new AtomicLong(), merges = new AtomicLong(), paidBytes = new AtomicLong();

    /** An immutable part of the index: sorted terms with the numbers of the statutes that have them. */
    static final class Segment {
        final TreeMap<String, int[]> postings;
        final int docs;
        final long bytes;

        Segment(TreeMap<String, int[]> postings, int docs) {
            this.postings = postings;
            this.docs = docs;
            long sum = 0;
            for (Map.Entry<String, int[]> e : postings.entrySet()) sum += 24 + e.getKey().length() + 4L * e.getValue().length;
            bytes = sum;
        }
    }

    /** Takes tokens per byte, so that merging leaves the disk to searches. */
    static final class Bandwidth {
        private final double bytesPerSecond;
        private long due = System.nanoTime();

        Bandwidth(double bytesPerSecond) { this.bytesPerSecond = bytesPerSecond; }

        void pay(long bytes) throws InterruptedException {
            paidBytes.addAndGet(bytes);
            due = Math.max(due, System.nanoTime() - 10_000_000L) + (long) (bytes / bytesPerSecond * 1e9);
            long rest = due - System.nanoTime();
            if (rest > 1_000_000L) Thread.sleep(rest / 1_000_000L);
        }
    }

    static final class MergeQueue {
        private final List<Segment> segments = new ArrayList<>();
        private final int most;
        private long stalledNanos, settled = System.nanoTime();
        private int stalled;

        MergeQueue(int most) { this.most = most; }

        synchronized void makeRoom() throws InterruptedException {
            settle(1);
            while (segments.size() >= most) wait();
            settle(-1);
        }

        private void settle(int more) {
            long now = System.nanoTime();
            stalledNanos += (now - settled) * stalled;
            settled = now;
            stalled += more;
        }

        synchronized long stalledNanos() {
            settle(0);
            return stalledNanos;
        }

        synchronized void add(Segment s) {
            segments.add(s);
            notifyAll();
        }

        synchronized List<Segment> take(int factor) throws InterruptedException {
            while (segments.size() < factor) wait();
            segments.sort(Comparator.comparingLong(s -> s.bytes));
            return new ArrayList<>(segments.subList(0, factor));
        }

        synchronized void replace(List<Segment> old, Segment merged) {
            segments.removeAll(old);
            if (merged.docs < 300) segments.add(merged); // a volume is complete: it goes to the archive shelf
            notifyAll();
        }
    }

    static final class Merger implements Runnable {
        final MergeQueue queue;
        final Bandwidth bandwidth;

        Merger(MergeQueue queue, Bandwidth bandwidth) { this.queue = queue; this.bandwidth = bandwidth; }

        @Override public void run() {
            try {
                while (true) {
                    List<Segment> some = queue.take(4);
                    queue.replace(some, merge(some));
                    merges.incrementAndGet();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        Segment merge(List<Segment> some) throws InterruptedException {
            TreeMap<String, int[]> all = new TreeMap<>();
            int docs = 0;
            for (Segment s : some) {
                long unpaid = 0;
                for (Map.Entry<String, int[]> e : s.postings.entrySet()) {
                    all.merge(e.getKey(), e.getValue(), Merger::concat);
                    unpaid += 24 + e.getKey().length() + 4L * e.getValue().length;
                    if (unpaid > 8_192) {
                        bandwidth.pay(unpaid);
                        unpaid = 0;
                    }
                }
                docs += s.docs;
            }
            return new Segment(all, docs);
        }

        static int[] concat(int[] a, int[] b) {
            int[] c = Arrays.copyOf(a, a.length + b.length);
            System.arraycopy(b, 0, c, a.length, b.length);
            return c;
        }
    }

    static final class SegmentWriter {
        final MergeQueue queue;
        SegmentWriter(MergeQueue queue) { this.queue = queue; }

        int index(List<String> statutes, int firstNumber) throws InterruptedException {
            Map<String, List<Integer>> found = new HashMap<>();
            int number = firstNumber;
            for (String text : statutes) {
                Set<String> terms = new HashSet<>(Arrays.asList(text.split(" ")));
                for (String term : terms) found.computeIfAbsent(term, t -> new ArrayList<>()).add(number);
                number++;
            }
            flush(found, statutes.size());
            return statutes.size();
        }

        void flush(Map<String, List<Integer>> found, int docs) throws InterruptedException {
            TreeMap<String, int[]> sorted = new TreeMap<>();
            found.forEach((term, list) -> sorted.put(term, list.stream().mapToInt(i -> i).toArray()));
            queue.makeRoom();
            queue.add(new Segment(sorted, docs));
        }
    }

    static final class Office implements Runnable {
        final ExecutorService intake;
        final SegmentWriter writer;
        final Random random;
        int next;

        Office(ExecutorService intake, SegmentWriter writer, int n) {
            this.intake = intake;
            this.writer = writer;
            random = new Random(n);
            next = n * 100_000_000;
        }

        @Override public void run() {
            while (true) {
                try {
                    deliver(gazette(10));
                    Thread.sleep(5);
                } catch (InterruptedException | ExecutionException e) {
                    return;
                }
            }
        }

        List<String> gazette(int count) {
            List<String> texts = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                StringBuilder text = new StringBuilder();
                for (int w = 0; w < 60; w++) text.append("para").append((int) (Math.abs(random.nextGaussian()) * 2500)).append(' ');
                texts.add(text.toString());
            }
            return texts;
        }

        void deliver(List<String> texts) throws InterruptedException, ExecutionException {
            int from = next;
            next += texts.size();
            documents.addAndGet(intake.submit(() -> writer.index(texts, from)).get());
        }
    }

    public static void main(String[] args) throws Exception {
        MergeQueue queue = new MergeQueue(8);
        Thread merger = new Thread(new Merger(queue, new Bandwidth(1_000_000)), "merge-0");
        merger.setDaemon(true);
        merger.start();
        AtomicInteger n = new AtomicInteger();
        ExecutorService intake = Executors.newFixedThreadPool(6, r -> new Thread(r, "intake-" + n.incrementAndGet()));
        SegmentWriter writer = new SegmentWriter(queue);
        for (int i = 0; i < 6; i++) new Thread(new Office(intake, writer, i), "office-" + i).start();
        long docs = 0, stalled = 0;
        for (int s = 1; ; s++) {
            long from = System.nanoTime();
            Thread.sleep(1000);
            double t = System.nanoTime() - from;
            long d = documents.get(), st = queue.stalledNanos();
            System.out.printf("measured: %.0f statutes/s, intake threads stalled %.0f %% of the time, %d merges, %d KB merged%n",
                (d - docs) * 1e9 / t, (st - stalled) * 100.0 / t / 6, merges.get(), paidBytes.get() / 1024);
            docs = d;
            stalled = st;
            if (s == 3) System.out.println("READY");
            System.out.flush();
        }
    }
}
