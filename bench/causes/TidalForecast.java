// SPDX-License-Identifier: Apache-2.0
// cause: the int counted loop in Projection.run (levelAfter) is compiled without a safepoint poll, so every garbage collection waits for the whole projection (hundreds of ms) and stops all gauge threads for that time
// share: without: about 44,000-131,000 readings/s (mean 72,000), longest gap 370-1,110 ms; fixed: about 760,000-1,030,000 readings/s, longest gap 35-143 ms (about 12 times)
// expect: late-safepoints frame=TidalForecast$Projection.levelAfter
// symptom: late-safepoints hot-method gc-pauses
// judge: right = names TidalForecast.Projection.levelAfter (its long int counted loop without safepoint poll / long time to safepoint) as what holds all other threads up; only symptom = "GC pauses are long", "allocation of readings", "projection uses CPU", "ingest threads are stopped"
// set: twenty-first
// jdk: 8
// jvm: -XX:+UseParallelGC -Xmn8m
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

public class TidalForecast {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final long RUN_MILLIS = 220_000L;
    static final int STEPS = 160_000_000;

    static final class Reading {
        final String gauge;
        final long at;
        final double level;

        Reading(String gauge, long at, double level) {
            this.gauge = gauge;
            this.at = at;
            this.level = level;
        }
    }

    /** Takes raw telegrams from the gauges and keeps the last readings of each. */
    static final class GaugeIntake implements Runnable {
        final AtomicLong accepted = new AtomicLong();
        final AtomicLong longestGapNanos = new AtomicLong();
        final Map<String, Deque<Reading>> latest = new HashMap<String, Deque<Reading>>();

        @Override
        public void run() {
            long n = 0;
            long before = System.nanoTime();
            while (!Thread.currentThread().isInterrupted()) {
                accept("G" + (n % 40) + ";" + n + ";" + (200 + n % 317) + "." + (n % 10));
                n++;
                accepted.incrementAndGet();
                long now = System.nanoTime();
                if (now - before > longestGapNanos.get()) {
                    longestGapNanos.set(now - before);
                }
                before = now;
            }
        }

        void accept(String telegram) {
            int a = telegram.indexOf(';');
            int b = telegram.indexOf(';', a + 1);
            Reading r = new Reading(telegram.substring(0, a),
                    Long.parseLong(telegram.substring(a + 1, b)),
                    Double.parseDouble(telegram.substring(b + 1)));
            Deque<Reading> readings = latest.get(r.gauge);
            if (readings == null) {
                readings = new ArrayDeque<Reading>();
                latest.put(r.gauge, readings);
            }
            readings.addLast(r);
            if (readings.size() > 60) {
                readings.removeFirst();
            }
        }
    }

    /** Steps the harmonic model of the estuary forward, in fixed point. */
    static final class Projection implements Runnable {
        volatile int level = 17;
        volatile long rounds;

        @Override
        public void run() {
            try {
                while (true) {
                    level = FIXED ? levelInBlocks(level, STEPS) : levelAfter(level, STEPS);
                    rounds++;
                    Thread.sleep(20);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        static int levelAfter(int start, int steps) {
            int x = start;
            int drift = 1;
            for (int i = 0; i < steps; i++) {
                x = x * 1_103_515 + drift;
                drift ^= x >>> 7;
                drift += i;
            }
            return x ^ drift;
        }

        static int levelInBlocks(int start, long steps) {
            int x = start;
            int drift = 1;
            for (long done = 0; done < steps; done += 10_000L) {
                int first = (int) done;
                for (int i = first; i < first + 10_000; i++) {
                    x = x * 1_103_515 + drift;
                    drift ^= x >>> 7;
                    drift += i;
                }
            }
            return x ^ drift;
        }
    }

    public static void main(String[] args) throws Exception {
        GaugeIntake intake = new GaugeIntake();
        Projection projection = new Projection();
        Thread p = new Thread(projection, "projection");
        Thread g = new Thread(intake, "gauge-intake");
        p.setDaemon(true);
        g.setDaemon(true);
        p.start();
        g.start();
        while (projection.rounds < 2) {
            Thread.sleep(50);
        }
        System.out.println("READY");
        long end = System.currentTimeMillis() + RUN_MILLIS;
        long last = intake.accepted.get();
        long lastAt = System.nanoTime();
        while (System.currentTimeMillis() < end) {
            Thread.sleep(1000);
            long now = System.nanoTime();
            long count = intake.accepted.get();
            double secs = (now - lastAt) / 1e9;
            System.out.printf("measured: %.0f readings/s, longest gap %.1f ms, %d projections%n", (count - last) / secs,
                    intake.longestGapNanos.getAndSet(0) / 1e6, projection.rounds);
            last = count;
            lastAt = now;
        }
    }
}
