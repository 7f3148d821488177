// SPDX-License-Identifier: Apache-2.0
// healthy: a search index over the last news with periodic maintenance: a writer adds small immutable segments, every 3 s a maintenance task merges them (a short burst on one thread, off the query path) and swaps the list in by one volatile write; queries come at 300/s and read without locks
// judge: right: nothing to report, or "short bursts of CPU in NewsIndex.merge every 3 s: planned maintenance". Wrong: "merge is a hot spot to be removed", "scheduler/sleep waits are the problem", contention, "undersized pool", heap or GC problem, allocation advice.
// jdk: 8
// set: fifteenth
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;

/** Search over the most recent articles of news agencies. */
public final class NewsIndex {
    static final int VOCABULARY = 4000;
    static final int KEEP = 30_000;
    static final LongAdder QUERIES = new LongAdder();
    static final LongAdder QUERY_NANOS = new LongAdder();
    static final LongAdder ADDED = new LongAdder();
    static final LongAdder FOUND = new LongAdder();
    static final LongAdder MERGES = new LongAdder();
    static final LongAdder MERGE_NANOS = new LongAdder();

    /** Never changed once it is built: per term the ascending numbers of its articles. */
    static final class Segment {
        final int first, end;
        final Map<Integer, int[]> postings;

        Segment(int first, int end, Map<Integer, int[]> postings) {
            this.first = first;
            this.end = end;
            this.postings = postings;
        }

        static Segment of(int first, List<int[]> articles) {
            Map<Integer, int[]> byTerm = new HashMap<>();
            for (int i = 0; i < articles.size(); i++) {
                for (int term : articles.get(i)) {
                    byTerm.merge(term, new int[] {first + i}, NewsIndex::concat);
                }
            }
            return new Segment(first, first + articles.size(), byTerm);
        }
    }

    static int[] concat(int[] a, int[] b) {
        int[] r = Arrays.copyOf(a, a.length + b.length);
        System.arraycopy(b, 0, r, a.length, b.length);
        return r;
    }

    private final AtomicReference<List<Segment>> segments = new AtomicReference<>(Collections.<Segment>emptyList());
    private int next;

    /** Called by the one writer. */
    void add(List<int[]> articles) {
        Segment s = Segment.of(next, articles);
        next = s.end;
        segments.updateAndGet(old -> {
            List<Segment> l = new ArrayList<>(old);
            l.add(s);
            return l;
        });
        ADDED.add(articles.size());
    }

    /** Merges all segments there are to one and drops the articles that are too old; those added during the merge stay behind it. */
    void merge() {
        long t0 = System.nanoTime();
        List<Segment> old = segments.get();
        if (old.size() < 2) {
            return;
        }
        int end = old.get(old.size() - 1).end;
        int first = Math.max(old.get(0).first, end - KEEP);
        Map<Integer, int[]> merged = new HashMap<>(VOCABULARY * 2);
        int[] buffer = new int[KEEP];
        for (int term = 0; term < VOCABULARY; term++) {
            int n = 0;
            for (Segment s : old) {
                int[] p = s.postings.get(term);
                if (p != null) {
                    int from = p[0] >= first ? 0 : Arrays.binarySearch(p, first);
                    from = from < 0 ? -from - 1 : from;
                    System.arraycopy(p, from, buffer, n, p.length - from);
                    n += p.length - from;
                }
            }
            if (n > 0) {
                merged.put(term, Arrays.copyOf(buffer, n));
            }
        }
        Segment one = new Segment(first, end, merged);
        segments.updateAndGet(now -> {
            List<Segment> l = new ArrayList<>();
            l.add(one);
            l.addAll(now.subList(old.size(), now.size()));
            return l;
        });
        MERGES.increment();
        MERGE_NANOS.add(System.nanoTime() - t0);
    }

    /** Number of articles that have both terms. */
    int count(int a, int b) {
        int found = 0;
        for (Segment s : segments.get()) {
            int[] x = s.postings.get(a), y = s.postings.get(b);
            if (x == null || y == null) {
                continue;
            }
            for (int i = 0, j = 0; i < x.length && j < y.length;) {
                if (x[i] == y[j]) {
                    found++;
                    i++;
                    j++;
                } else if (x[i] < y[j]) {
                    i++;
                } else {
                    j++;
                }
            }
        }
        return found;
    }

    static int term(Random random) {
        double u = random.nextDouble();
        return (int) (VOCABULARY * u * u);
    }

    static List<int[]> batch(Random random, int n) {
        List<int[]> articles = new ArrayList<>(n);
        for (int i = 0; i < n; i++) {
            articles.add(random.ints(40, 0, VOCABULARY).map(t -> (int) ((long) t * t / VOCABULARY)).distinct().toArray());
        }
        return articles;
    }

    public static void main(String[] args) throws Exception {
        NewsIndex index = new NewsIndex();
        Random writer = new Random(1), reader = new Random(2);
        for (int i = 0; i < 100; i++) {
            index.add(batch(writer, 300));
            if (i % 20 == 19) {
                index.merge();
            }
        }
        ScheduledExecutorService feed = pool("feed"), maintenance = pool("maintenance"), web = pool("web");
        feed.scheduleAtFixedRate(() -> index.add(batch(writer, 50)), 100, 100, TimeUnit.MILLISECONDS);
        maintenance.scheduleAtFixedRate(index::merge, 3, 3, TimeUnit.SECONDS);
        web.scheduleAtFixedRate(() -> {
            for (int i = 0; i < 3; i++) {
                long t0 = System.nanoTime();
                FOUND.add(index.count(term(reader), term(reader)));
                QUERY_NANOS.add(System.nanoTime() - t0);
                QUERIES.increment();
            }
        }, 10, 10, TimeUnit.MILLISECONDS);
        System.out.println("READY");
        long last = 0, lastNanos = 0;
        while (true) {
            Thread.sleep(1000);
            long n = QUERIES.sum(), q = QUERY_NANOS.sum();
            System.out.printf("measured: %d queries/s, %.0f us each, %d articles added, %d merges of %.0f ms, %d found%n", n - last,
                    (q - lastNanos) / 1e3 / Math.max(1, n - last), ADDED.sum(), MERGES.sum(), MERGE_NANOS.sum() / 1e6 / Math.max(1, MERGES.sum()), FOUND.sum());
            last = n;
            lastNanos = q;
        }
    }

    static ScheduledExecutorService pool(String name) {
        return Executors.newSingleThreadScheduledExecutor(r -> {
            Thread t = new Thread(r, name);
            t.setDaemon(true);
            return t;
        });
    }
}
