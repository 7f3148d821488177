// SPDX-License-Identifier: Apache-2.0
// healthy: a tool that measures how much heap different index structures of a library's catalogue need; for that it has to have the heap collected (System.gc) before and after it builds one. That is its purpose, happens three times in two seconds, and costs a few milliseconds each time; most of the time goes to building and querying the indexes
// share: by its own figures collections that it asks for take 1 to 4 % of the time (GarbageCollectorMXBean and its own clock)
// judge: RIGHT: nothing stands out; neutral statements (time goes to building or searching an index; collections are asked for by System.gc() from IndexFootprint$Scale.used, at little cost, named as neutral). WRONG: System.gc() accused as what makes the program slow, collections or allocation as a fault, a larger heap, any other accusation
// jdk: 8
// set: thirty-second
// jvm: -Xmx256m -XX:+UseParallelGC
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;

/** Compares indexes for the catalogue of a library: bytes of heap for each title, and time for each search. */
public class IndexFootprint {

    interface Index {
        int find(long isbn);
    }

    static final class SortedIndex implements Index {
        private final long[] keys;

        SortedIndex(long[] isbns) {
            keys = isbns.clone();
            Arrays.sort(keys);
        }

        @Override
        public int find(long isbn) {
            return Arrays.binarySearch(keys, isbn);
        }
    }

    static final class MapIndex implements Index {
        private final Map<Long, Integer> map;

        MapIndex(Map<Long, Integer> map, long[] isbns) {
            this.map = map;
            for (int i = 0; i < isbns.length; i++) map.put(isbns[i], i);
        }

        @Override
        public int find(long isbn) {
            Integer place = map.get(isbn);
            return place == null ? -1 : place;
        }
    }

    static final class ProbingIndex implements Index {
        private final long[] keys;
        private final int[] places;

        ProbingIndex(long[] isbns) {
            int size = Integer.highestOneBit(isbns.length * 3);
            keys = new long[size];
            places = new int[size];
            for (int i = 0; i < isbns.length; i++) {
                int slot = slot(isbns[i]);
                keys[slot] = isbns[i];
                places[slot] = i;
            }
        }

        private int slot(long isbn) {
            int slot = (int) (isbn * 0x9E3779B97F4A7C15L >>> 40) & keys.length - 1;
            while (keys[slot] != 0 && keys[slot] != isbn) slot = slot + 1 & keys.length - 1;
            return slot;
        }

        @Override
        public int find(long isbn) {
            int slot = slot(isbn);
            return keys[slot] == isbn ? places[slot] : -1;
        }
    }

    /** Weighs what is reachable: the heap in use after a collection. */
    static final class Scale {
        private long spent;

        long used() {
            long begin = System.nanoTime();
            System.gc();
            spent += System.nanoTime() - begin;
            Runtime runtime = Runtime.getRuntime();
            return runtime.totalMemory() - runtime.freeMemory();
        }
    }

    static final class Result {
        final String name;
        final double bytes;
        final double nanos;

        Result(String name, double bytes, double nanos) {
            this.name = name;
            this.bytes = bytes;
            this.nanos = nanos;
        }

        @Override
        public String toString() {
            return String.format("%s: %.1f bytes a title, %.0f ns a search", name, bytes, nanos);
        }
    }

    static final class Comparison {
        private final Scale scale = new Scale();
        private final Random random = new Random(9);
        private long found;

        private long[] titles(int count) {
            long[] isbns = new long[count];
            for (int i = 0; i < count; i++) isbns[i] = 9_780_000_000_000L + (random.nextLong() & 0xffff_ffffL);
            return isbns;
        }

        private double search(Index index, long[] isbns, long millis) {
            long begin = System.nanoTime(), end = begin + millis * 1_000_000, count = 0;
            while (System.nanoTime() < end) {
                for (int i = 0; i < 1000; i++)
                    if (index.find(isbns[random.nextInt(isbns.length)] + (i & 1)) >= 0) found++;
                count += 1000;
            }
            return (System.nanoTime() - begin) / (double) count;
        }

        Result measure(String name, int count, Function<long[], Index> builder, long millis) {
            long[] isbns = titles(count);
            long before = scale.used();
            Index index = builder.apply(isbns);
            long after = scale.used();
            return new Result(name, (after - before) / (double) count, search(index, isbns, millis));
        }
    }

    static long collecting() {
        long millis = 0;
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) millis += bean.getCollectionTime();
        return millis;
    }

    public static void main(String[] args) throws Exception {
        Map<String, Function<long[], Index>> kinds = new TreeMap<>();
        kinds.put("sorted", SortedIndex::new);
        kinds.put("hash map", isbns -> new MapIndex(new HashMap<>(), isbns));
        kinds.put("tree map", isbns -> new MapIndex(new TreeMap<>(), isbns));
        kinds.put("probing", ProbingIndex::new);
        Comparison comparison = new Comparison();
        for (Map.Entry<String, Function<long[], Index>> kind : kinds.entrySet())
            comparison.measure(kind.getKey(), 20_000, kind.getValue(), 200);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            for (int count : new int[] {20_000, 30_000, 40_000, 60_000}) {
                for (Map.Entry<String, Function<long[], Index>> kind : kinds.entrySet()) {
                    long begin = System.nanoTime(), collecting = collecting(), spent = comparison.scale.spent;
                    Result result = comparison.measure(kind.getKey(), count, kind.getValue(), 1400);
                    double millis = (System.nanoTime() - begin) / 1e6;
                    System.out.printf("measured: %s; collections took %d ms of %.0f (%.1f %%, weighing %.1f %%)%n", result,
                            collecting() - collecting, millis, 100 * (collecting() - collecting) / millis,
                            (comparison.scale.spent - spent) / 1e4 / millis);
                    System.out.flush();
                }
            }
        }
    }
}
