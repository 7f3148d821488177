// SPDX-License-Identifier: Apache-2.0
// cause: Rollup.slot makes the key of each reading's slot (zone, meter, quarter hour) by String.format, for every single reading: formatting takes most of the CPU time of the roll-up
// share: making the keys is about 80 to 88 % of the CPU time of a reading; 0.5 to 1 CPUs used
// expect: hot-code kind=formatting frame=MeterRollup$Rollup
// symptom: hot-calls hot-method hot-code gc-pauses gc-cpu
// judge: NAMED: formatting (String.format, java.util.Formatter) for MeterRollup$Rollup.slot (or its caller Rollup.add, if inlined). SYMPTOM ONLY: hot-calls/hot-method at Rollup.slot or Rollup.add without saying formatting; building strings there; collections or allocation without naming String.format. WRONG: HashMap lookups, regular expressions, Feed.next, a lock, CPUs or collections as the cause.
// jdk: 21
// set: thirty-fifth
// jvm: -Xmx160m

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/** Rolls up the readings of electricity meters to quarter hours, zone by zone. */
public class MeterRollup {
    static final int WORKERS = 2, METERS = 900;
    static final LongAdder readings = new LongAdder(), sampled = new LongAdder(), sampledKey = new LongAdder();

    record Reading(int zone, int meter, int second, double watts) { }

    static final class Slot {
        double energy, peak;
        int count;

        void add(Reading r) {
            energy += r.watts() * 10 / 3600.0;
            peak = Math.max(peak, r.watts());
            count++;
        }
    }

    static final class Feed {
        final SplittableRandom random;
        int second;

        Feed(long seed) {
            random = new SplittableRandom(seed);
        }

        Reading next() {
            second = (second + 1) % 86_400;
            int meter = random.nextInt(METERS);
            double base = 300 + 200 * Math.sin(second / 13751.0);
            return new Reading(meter % 12, meter, second, base + random.nextDouble() * 900);
        }
    }

    static final class Rollup {
        final Map<String, Slot> slots = new HashMap<>();

        String slot(Reading r) {
            return String.format("Z%02d-%06d-%02d:%02d", r.zone(), r.meter(), r.second() / 3600, r.second() / 900 % 4 * 15);
        }

        void add(Reading r) {
            slots.computeIfAbsent(slot(r), k -> new Slot()).add(r);
        }

        Map<Integer, Double> byZone() {
            Map<Integer, Double> sums = new TreeMap<>();
            for (Map.Entry<String, Slot> e : slots.entrySet()) {
                int zone = (e.getKey().charAt(1) - '0') * 10 + e.getKey().charAt(2) - '0';
                sums.merge(zone, e.getValue().energy, Double::sum);
            }
            return sums;
        }
    }

    static final class Worker implements Runnable {
        final Feed feed;
        final ThreadMXBean cpu = ManagementFactory.getThreadMXBean();
        volatile double total;

        Worker(int number) {
            feed = new Feed(number * 77L + 5);
        }

        /** One day's batch of a concentrator. */
        void batch() {
            Rollup rollup = new Rollup();
            for (int i = 0; i < 40_000; i++) {
                Reading r = feed.next();
                if (check(r)) rollup.add(r);
            }
            time(rollup, new Reading[800], new String[800]);
            readings.add(40_800);
            double sum = 0;
            for (double zone : rollup.byZone().values()) sum += zone;
            total = sum;
        }

        boolean check(Reading r) {
            return r.watts() >= 0 && r.watts() < 25_000 && r.meter() < METERS;
        }

        /** A few more readings, step by step, to know what each step takes. */
        void time(Rollup rollup, Reading[] some, String[] keys) {
            long a = cpu.getCurrentThreadCpuTime();
            for (int i = 0; i < some.length; i++) some[i] = feed.next();
            long b = cpu.getCurrentThreadCpuTime();
            for (int i = 0; i < some.length; i++) keys[i] = rollup.slot(some[i]);
            long c = cpu.getCurrentThreadCpuTime();
            for (int i = 0; i < some.length; i++)
                if (check(some[i])) rollup.slots.computeIfAbsent(keys[i], k -> new Slot()).add(some[i]);
            sampled.add(cpu.getCurrentThreadCpuTime() - a);
            sampledKey.add(c - b);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    batch();
                    Thread.sleep(80);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        for (int i = 0; i < WORKERS; i++) {
            Thread t = new Thread(new Worker(i), "rollup-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(2500);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long n = readings.sum(), s = sampled.sum(), k = sampledKey.sum();
            Thread.sleep(1000);
            System.out.printf("measured: %d readings/s, making the key is %.0f %% of the CPU time of a reading%n",
                    readings.sum() - n, 100.0 * (sampledKey.sum() - k) / Math.max(1, sampled.sum() - s));
        }
    }
}
