// SPDX-License-Identifier: Apache-2.0
// cause: search tasks fill the pool and wait there for shard tasks queued on the same pool: starved till timeout
// expect: pool-busy frame=SearchFanout.search kind=future
// symptom: waiting pool-busy
// share: mean 296 ms (64 queries/s) against 0.18 ms (4130/s) fixed
// judge: right: SearchFanout.search waits (Future.get) on its pool's threads for shard tasks of the very same pool
// judge: symptom: pool's threads all wait in Future.get; the pool's queue is long; shard timeouts
// judge: wrong: Shard.lookup is slow, pool merely too small, clients' waiting, lock contention, GC or CPU
// jdk: 11
// set: fourteenth
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Full text search in four shards in memory; a query is spread over the shards and the hits are merged. */
public class SearchFanout {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final LongAdder queries = new LongAdder();
    static final LongAdder queryNanos = new LongAdder();
    static final LongAdder timeouts = new LongAdder();
    static final LongAdder shardNanos = new LongAdder();
    static final int WORDS = 3000;

    static final class Shard {
        private final Map<Integer, int[]> postings = new HashMap<>();

        Shard(int number, int documents) {
            Random r = new Random(number);
            Map<Integer, List<Integer>> lists = new HashMap<>();
            for (int d = 0; d < documents; d++) {
                for (int i = 0; i < 30; i++) {
                    int word = (int) (WORDS * Math.pow(r.nextDouble(), 3));
                    List<Integer> list = lists.computeIfAbsent(word, w -> new ArrayList<>());
                    if (list.isEmpty() || list.get(list.size() - 1) != d) list.add(d);
                }
            }
            lists.forEach((w, l) -> postings.put(w, l.stream().mapToInt(Integer::intValue).toArray()));
        }

        int[] lookup(int[] words, int limit) {
            long t0 = System.nanoTime();
            int[] hits = postings.getOrDefault(words[0], new int[0]);
            for (int i = 1; i < words.length && hits.length > 0; i++) {
                hits = intersect(hits, postings.getOrDefault(words[i], new int[0]));
            }
            shardNanos.add(System.nanoTime() - t0);
            return hits.length > limit ? Arrays.copyOf(hits, limit) : hits;
        }

        private static int[] intersect(int[] a, int[] b) {
            int[] out = new int[Math.min(a.length, b.length)];
            int i = 0, j = 0, n = 0;
            while (i < a.length && j < b.length) {
                if (a[i] < b[j]) i++;
                else if (a[i] > b[j]) j++;
                else {
                    out[n++] = a[i++];
                    j++;
                }
            }
            return Arrays.copyOf(out, n);
        }
    }

    private final List<Shard> shards = new ArrayList<>();
    private final ExecutorService searchPool = Executors.newFixedThreadPool(8, named("search"));
    private final ExecutorService shardPool = FIXED ? Executors.newFixedThreadPool(4, named("shard")) : searchPool;

    static ThreadFactory named(String name) {
        AtomicInteger n = new AtomicInteger();
        return r -> {
            Thread t = new Thread(r, name + "-" + n.incrementAndGet());
            t.setDaemon(true);
            return t;
        };
    }

    List<Integer> search(int[] words) throws Exception {
        List<Future<int[]>> parts = new ArrayList<>();
        for (Shard s : shards) parts.add(shardPool.submit(() -> s.lookup(words, 20)));
        List<Integer> hits = new ArrayList<>();
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(120);
        for (int i = 0; i < parts.size(); i++) {
            int[] found;
            try {
                found = parts.get(i).get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
            } catch (TimeoutException e) {
                timeouts.increment();
                parts.get(i).cancel(false);
                found = shards.get(i).lookup(words, 20);
            }
            for (int d : found) hits.add(d * 4 + i);
        }
        return hits;
    }

    Future<List<Integer>> submit(int[] words) {
        return searchPool.submit(() -> search(words));
    }

    static void client(SearchFanout engine) {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        try {
            while (true) {
                int[] words = {r.nextInt(40), r.nextInt(200), r.nextInt(400)};
                long t0 = System.nanoTime();
                List<Integer> hits = engine.submit(words).get();
                if (hits == null) throw new IllegalStateException();
                queryNanos.add(System.nanoTime() - t0);
                queries.increment();
                TimeUnit.MILLISECONDS.sleep(1 + r.nextInt(8));
            }
        } catch (Exception e) {
            e.printStackTrace();
            System.exit(1);
        }
    }

    public static void main(String[] args) throws Exception {
        SearchFanout engine = new SearchFanout();
        for (int i = 0; i < 4; i++) engine.shards.add(new Shard(i, 8000));
        for (int i = 0; i < 20; i++) {
            Thread t = new Thread(() -> client(engine), "client-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        while (true) {
            Thread.sleep(1000);
            long n = queries.sumThenReset();
            System.out.printf("measured: %d queries/s, mean %.2f ms, of it %.2f ms in shards, %d shard timeouts%n",
                    n, queryNanos.sumThenReset() / 1e6 / Math.max(1, n),
                    shardNanos.sumThenReset() / 1e6 / Math.max(1, n), timeouts.sumThenReset());
        }
    }
}
