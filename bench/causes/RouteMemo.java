// SPDX-License-Identifier: Apache-2.0
// cause: the key of a cache has no equals(), so each lookup misses and each route is computed anew
// expect: hot-method frame=RouteMemo.compute | hot-method caller=RouteMemo.compute | hot-calls frame=RouteMemo.compute | hot-code frame=RouteMemo.compute | hot-calls frame=RouteMemo.route | hot-code frame=RouteMemo.route
// symptom: hot-method hot-calls hot-code
// jdk: 17
// set: eighth
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.atomic.LongAdder;
import wick.Scope;
import wick.Wick;

public final class RouteMemo {
    private static final int SIDE = 60;
    private static final LongAdder HITS = new LongAdder();
    private static final LongAdder MISSES = new LongAdder();
    private static volatile int metres;

    private static final class Key {
        private final int from;
        private final int to;

        private Key(int from, int to) {
            this.from = from;
            this.to = to;
        }

        @Override
        public int hashCode() {
            return from * 31 + to;
        }
    }

    private final Map<Key, Integer> memo = new LinkedHashMap<>(256, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Integer> eldest) {
            return size() > 500;
        }
    };

    private static int cost(int node) {
        return 1 + (node * 7919 & 31);
    }

    private static int compute(int from, int to) {
        int[] best = new int[SIDE * SIDE];
        Arrays.fill(best, Integer.MAX_VALUE);
        PriorityQueue<long[]> open = new PriorityQueue<>((a, b) -> Long.compare(a[0], b[0]));
        best[from] = 0;
        open.add(new long[] {0, from});
        while (!open.isEmpty()) {
            long[] next = open.poll();
            int node = (int) next[1];
            if (node == to) {
                return (int) next[0];
            }
            if (next[0] > best[node]) {
                continue;
            }
            int[] around = {node - SIDE, node + SIDE, node % SIDE > 0 ? node - 1 : -1, (node + 1) % SIDE > 0 ? node + 1 : -1};
            for (int other : around) {
                if (other >= 0 && other < best.length && best[node] + cost(other) < best[other]) {
                    best[other] = best[node] + cost(other);
                    open.add(new long[] {best[other], other});
                }
            }
        }
        return -1;
    }

    private synchronized Integer lookUp(Key key) {
        return memo.get(key);
    }

    private synchronized void keep(Key key, int length) {
        memo.put(key, length);
    }

    private int route(int from, int to) {
        Key key = new Key(from, to);
        Integer known = lookUp(key);
        if (known != null) {
            HITS.increment();
            return known;
        }
        MISSES.increment();
        int length = compute(from, to);
        keep(key, length);
        return length;
    }

    private void serve(int worker) {
        try {
            for (int i = worker;; i++) {
                try (Scope request = Wick.span("GET /route")) {
                    metres = route(i % 10, SIDE * SIDE - 1 - i % 12);
                }
                Thread.sleep(15); // the next request
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        RouteMemo memo = new RouteMemo();
        for (int i = 0; i < 4; i++) {
            int worker = i;
            new Thread(() -> memo.serve(worker), "http-" + i).start();
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(2000);
            System.out.println("measured: " + HITS.sum() + " hits, " + MISSES.sum() + " misses");
        }
    }
}
