// SPDX-License-Identifier: Apache-2.0
// cause: DockPlanner$Berth.hashCode uses only depot and day and leaves out gate and quarter, so that the 6000 keys of DockPlanner$Registry.entries (a HashMap) have only 20 hash codes, and each lookup in Registry.merge goes through a bin of hundreds of keys that are not Comparable.
// share: faulty: 51,800 manifests/s; fixed: 167,500 manifests/s (paced by a pause of 4 ms after each batch).
// expect: hot-code kind=colliding-keys
// symptom: hot-code hot-method
// judge: NAMED: colliding keys: HashMap.get/put/remove (treeified bins, find, equals) below Registry.merge, whose key Berth has a poor hashCode(). Named by Registry.merge, Planner.plan or Berth.equals together with the statement that keys collide is right. SYMPTOM ONLY: Berth.equals or HashMap$TreeNode.find is hot, without collisions; lane threads are busy. WRONG: parsing (split, parseInt), CRC32, string building, the reader pool, waiting for futures, a cache that is too small, sorting.
// jdk: 11
// set: twenty-fourth
// jvm:
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.zip.CRC32;

public class DockPlanner {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final AtomicLong planned = new AtomicLong();

    static final class Berth {
        private final String depot;
        private final int day;
        private final int gate;
        private final int quarter;

        Berth(String depot, int day, int gate, int quarter) {
            this.depot = depot;
            this.day = day;
            this.gate = gate;
            this.quarter = quarter;
        }

        @Override
        public boolean equals(Object other) {
            if (!(other instanceof Berth)) return false;
            Berth b = (Berth) other;
            return day == b.day && gate == b.gate && quarter == b.quarter && depot.equals(b.depot);
        }

        @Override
        public int hashCode() {
            int code = 31 * depot.hashCode() + day;
            return FIXED ? 31 * (31 * code + gate) + quarter * 7919 : code;
        }
    }

    static final class Registry<K, V> {
        private final Map<K, V> entries = new HashMap<>();
        private final Deque<K> order = new ArrayDeque<>();
        private final int capacity;

        Registry(int capacity) {
            this.capacity = capacity;
        }

        V merge(K key, Function<V, V> change) {
            V before = entries.get(key);
            V after = change.apply(before);
            if (before == null) {
                order.addLast(key);
                if (order.size() > capacity) entries.remove(order.removeFirst());
            }
            entries.put(key, after);
            return after;
        }

        int size() {
            return entries.size();
        }
    }

    static final class Manifest {
        final String text;

        Manifest(String text) {
            this.text = text;
        }

        Berth berth() {
            String[] parts = text.split(";");
            return new Berth(parts[1], Integer.parseInt(parts[2]), Integer.parseInt(parts[3]), Integer.parseInt(parts[4]));
        }

        long seal() {
            CRC32 crc = new CRC32();
            byte[] bytes = text.getBytes();
            for (int i = 0; i < 4; i++) crc.update(bytes);
            return crc.getValue();
        }
    }

    static final class Planner {
        private final Registry<Berth, Long> loads = new Registry<>(6000);
        private final long[] seals = new long[256];
        private int cursor;

        void plan(Manifest manifest) {
            loads.merge(manifest.berth(), before -> before == null ? 1L : before + 1);
            seals[cursor++ & 255] = manifest.seal();
            if ((cursor & 1023) == 0) Arrays.sort(seals);
        }

        int occupied() {
            return loads.size();
        }
    }

    static final class Source {
        private final Random random;

        Source(int seed) {
            random = new Random(seed);
        }

        List<Manifest> batch(int size) {
            List<Manifest> batch = new ArrayList<>(size);
            for (int i = 0; i < size; i++) {
                batch.add(new Manifest("M" + i + ";depot" + random.nextInt(4) + ";" + random.nextInt(5) + ";"
                        + random.nextInt(40) + ";" + random.nextInt(96) + ";" + random.nextInt(30_000) + "kg"));
            }
            return batch;
        }
    }

    static void lane(int seed, ExecutorService readers) throws Exception {
        Source source = new Source(seed);
        Planner planner = new Planner();
        Future<List<Manifest>> next = readers.submit(() -> source.batch(400));
        while (true) {
            List<Manifest> batch = next.get();
            next = readers.submit(() -> source.batch(400));
            for (Manifest manifest : batch) {
                planner.plan(manifest);
                planned.incrementAndGet();
            }
            if (planner.occupied() == 0) throw new IllegalStateException();
            Thread.sleep(4);
        }
    }

    public static void main(String[] args) throws Exception {
        ExecutorService readers = Executors.newFixedThreadPool(2, r -> {
            Thread thread = new Thread(r, "reader");
            thread.setDaemon(true);
            return thread;
        });
        for (int i = 0; i < 2; i++) {
            int seed = i;
            Thread lane = new Thread(() -> {
                try {
                    lane(seed, readers);
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }, "lane-" + i);
            lane.setDaemon(true);
            lane.start();
        }
        System.out.println("READY");
        for (int second = 0; second < 170; second++) {
            long n = planned.get();
            Thread.sleep(1000);
            System.out.printf("measured: %d manifests/s%n", planned.get() - n);
        }
        System.exit(0);
    }
}
