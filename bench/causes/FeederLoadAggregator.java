// SPDX-License-Identifier: Apache-2.0
// cause: FeederLoadAggregator.FeederPort.hashCode uses only station and phase, not the bay, so 120 keys share each hash value and every HashMap access in Window.add walks through the colliding entries.
// share: throughput: about 2,600,000 readings/s with the fault, 17,000,000 readings/s without it (85 % lost, CPU of the aggregator thread).
// judge: right = too many hash collisions because FeederLoadAggregator$FeederPort.hashCode leaves out the bay (seen as HashMap$TreeNode.find/getTreeNode and FeederPort.equals below Window.add); half right = "HashMap lookups of FeederPort keys collide" without hashCode; symptom only = CPU in HashMap.get/merge; wrong = a growing map, allocation/GC, contention, a too small initial capacity.
// expect: hot-code kind=colliding-keys
// symptom: hot-code hot-method hot-calls saturated-thread
// set: nineteenth
// jdk: 21
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class FeederLoadAggregator {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final AtomicLong aggregated = new AtomicLong();
    static final AtomicLong alarms = new AtomicLong();

    static final class FeederPort {
        final int station;
        final int bay;
        final int phase;

        FeederPort(int station, int bay, int phase) {
            this.station = station;
            this.bay = bay;
            this.phase = phase;
        }

        @Override
        public boolean equals(Object o) {
            return o instanceof FeederPort p && p.station == station && p.bay == bay && p.phase == phase;
        }

        @Override
        public int hashCode() {
            int h = 31 * station + phase;
            return FIXED ? 7919 * h + bay : h;
        }
    }

    record Reading(int station, int bay, int phase, double ampere) { }

    static final class Load {
        double sum;
        double max;
        int count;

        void add(double ampere) {
            sum += ampere;
            max = Math.max(max, ampere);
            count++;
        }
    }

    static final class Window {
        private final Map<FeederPort, Load> loads = new HashMap<>();

        void add(Reading r) {
            FeederPort port = new FeederPort(r.station(), r.bay(), r.phase());
            Load load = loads.get(port);
            if (load == null) {
                load = new Load();
                loads.put(port, load);
            }
            load.add(r.ampere());
        }

        int close() {
            int over = 0;
            for (Load load : loads.values()) {
                if (load.max > 390 && load.sum / load.count > 200) {
                    over++;
                }
            }
            loads.clear();
            return over;
        }
    }

    static final class Telegrams {
        private final SplittableRandom random = new SplittableRandom(21);

        List<Reading> next() {
            List<Reading> batch = new ArrayList<>(1000);
            int station = random.nextInt(20);
            for (int i = 0; i < 1000; i++) {
                batch.add(new Reading(station, random.nextInt(120), i % 3, 10 + random.nextDouble() * 390));
            }
            return batch;
        }
    }

    static void receive(BlockingQueue<List<Reading>> line) {
        Telegrams telegrams = new Telegrams();
        try {
            while (true) {
                line.put(telegrams.next());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void aggregate(BlockingQueue<List<Reading>> line) {
        Window window = new Window();
        try {
            for (int n = 1; ; n++) {
                for (Reading r : line.take()) {
                    window.add(r);
                    aggregated.incrementAndGet();
                }
                if (n % 200 == 0) {
                    alarms.addAndGet(window.close());
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<List<Reading>> line = new ArrayBlockingQueue<>(16);
        Thread.ofPlatform().daemon().name("telegram-line").start(() -> receive(line));
        Thread.ofPlatform().daemon().name("aggregator").start(() -> aggregate(line));
        Thread.sleep(3000);
        System.out.println("READY");
        for (int s = 0; s < 165; s++) {
            long a = aggregated.get();
            Thread.sleep(1000);
            System.out.println("measured: " + (aggregated.get() - a) + " readings/s alarms=" + alarms.get());
        }
        System.exit(0);
    }
}
