// SPDX-License-Identifier: Apache-2.0
// cause: SeriesRollup$SeriesKey.hashCode uses the site only (24 values for 19,200 keys), so each HashMap lookup walks a bin of some 800 colliding keys that are not Comparable
// share: faulty: 250,000 to 620,000 readings/s, 99 % of the rollup's time in lookups; fixed (full hash): 20 to 33 million readings/s, 84 % in lookups (cache misses, nothing else to do); more than 50x
// judge: Names the cause: "HashMap lookups are slow by hash collisions: SeriesKey.hashCode is poor", "HashMap$TreeNode.find called with SeriesKey takes the CPU, check hashCode/equals of SeriesKey". Only symptom: "hot: HashMap.getNode/TreeNode.find below Rollup.accept", "hot: SeriesKey.equals / String.equals", "gateway waits in ArrayBlockingQueue.put, the queues are full". Wrong: "the map is too small / resize it", "use ConcurrentHashMap", lock contention, "too few threads", GC.
// expect: hot-code kind=colliding-keys keys=SeriesKey
// symptom: hot-code
// jdk: 11
// set: fifteenth
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;

/** Per-minute rollups of sensor readings, one shard of sites for each worker. */
public final class SeriesRollup {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int SITES = 24, DEVICES = 100, CHANNELS = 8, SHARDS = 2, BATCH = 512;
    static final LongAdder readings = new LongAdder(), inLookup = new LongAdder(), inWork = new LongAdder(), closed = new LongAdder();

    static final class SeriesKey {
        final String site;
        final int device;
        final int channel;

        SeriesKey(String site, int device, int channel) {
            this.site = site;
            this.device = device;
            this.channel = channel;
        }

        @Override public boolean equals(Object o) {
            if (!(o instanceof SeriesKey)) return false;
            SeriesKey k = (SeriesKey) o;
            return device == k.device && channel == k.channel && site.equals(k.site);
        }

        @Override public int hashCode() {
            return FIXED ? (site.hashCode() * 31 + device) * 31 + channel : site.hashCode();
        }
    }

    static final class Aggregate {
        long count;
        double sum, min = Double.POSITIVE_INFINITY, max = Double.NEGATIVE_INFINITY;

        void add(double v) {
            count++;
            sum += v;
            if (v < min) min = v;
            if (v > max) max = v;
        }
    }

    static final class Reading {
        final String site;
        final int device, channel;
        final double value;

        Reading(String site, int device, int channel, double value) {
            this.site = site;
            this.device = device;
            this.channel = channel;
            this.value = value;
        }
    }

    /** Reads a shard's readings from its queue and keeps the current minute of every series. */
    static final class Rollup implements Runnable {
        final BlockingQueue<List<Reading>> queue = new ArrayBlockingQueue<>(16);
        final Map<SeriesKey, Aggregate> minute = new HashMap<>(32768);
        long inMinute;

        void accept(List<Reading> batch) {
            long t0 = System.nanoTime();
            Aggregate[] found = new Aggregate[batch.size()];
            for (int i = 0; i < found.length; i++) {
                Reading r = batch.get(i);
                found[i] = minute.computeIfAbsent(new SeriesKey(r.site, r.device, r.channel), k -> new Aggregate());
            }
            inLookup.add(System.nanoTime() - t0);
            for (int i = 0; i < found.length; i++) found[i].add(batch.get(i).value);
            inMinute += found.length;
            if (inMinute > 400_000) close();
            inWork.add(System.nanoTime() - t0);
            readings.add(found.length);
        }

        void close() {
            for (Aggregate a : minute.values()) {
                a.count = 0;
                a.sum = 0;
                a.min = Double.POSITIVE_INFINITY;
                a.max = Double.NEGATIVE_INFINITY;
            }
            inMinute = 0;
            closed.increment();
        }

        @Override public void run() {
            try {
                while (true) accept(queue.take());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static String site(int i) { return "plant-" + (char) ('a' + i % 26) + "-" + (100 + 37 * i); }

    /** The gateway: readings as they come in from the field, a batch a shard at a time. */
    static void gateway(Rollup[] shards) throws InterruptedException {
        String[] sites = new String[SITES];
        for (int i = 0; i < SITES; i++) sites[i] = site(i);
        SplittableRandom rnd = new SplittableRandom(11);
        for (int turn = 0; ; turn++) {
            int shard = turn % SHARDS;
            List<Reading> batch = new ArrayList<>(BATCH);
            for (int i = 0; i < BATCH; i++) {
                int s = rnd.nextInt(SITES / SHARDS) * SHARDS + shard;
                batch.add(new Reading(sites[s], rnd.nextInt(DEVICES), rnd.nextInt(CHANNELS), 20 + rnd.nextDouble() * 60));
            }
            shards[shard].queue.put(batch);
        }
    }

    public static void main(String[] args) throws Exception {
        Rollup[] shards = new Rollup[SHARDS];
        for (int i = 0; i < SHARDS; i++) {
            shards[i] = new Rollup();
            Thread t = new Thread(shards[i], "rollup-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread g = new Thread(() -> {
            try {
                gateway(shards);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "gateway");
        g.setDaemon(true);
        g.start();
        System.out.println("READY");
        for (long last = 0; ; ) {
            Thread.sleep(1000);
            long n = readings.sum();
            System.out.printf("measured: %d readings/s, %.0f %% of the rollup's time in lookups, %d minutes closed%n", n - last,
                    100.0 * inLookup.sum() / Math.max(1, inWork.sum()), closed.sum());
            last = n;
        }
    }
}
