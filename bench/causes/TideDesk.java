// SPDX-License-Identifier: Apache-2.0
// cause: the virtual threads of TideDesk$Gauge wait for the only carrier (parallelism and maxPoolSize 1 though there are 2 CPUs), which the forecasts (TideDesk$Forecaster.forecast, TideDesk$Harmonics.height), run on virtual threads as well, compute on for some 130 ms at a time without giving it up
// share: a reading of a gauge, due every 50 ms, is delayed by 400 to 550 ms: about 90 % of the time of the 60 gauge threads ("late" in the measured lines); the process uses 1 of 2 CPUs
// expect: waiting kind=carrier
// symptom: hot-method hot-calls saturated-thread
// judge: NAMED: virtual threads that could run wait for a carrier (or: have no carrier free), and what runs there is TideDesk$Forecaster.forecast / TideDesk$Harmonics.height (or that only one carrier is allowed). SYMPTOM ONLY: waits for a carrier without saying what is on it; or only hot-method/CPU time in Harmonics.height (or saturated-thread: the one carrier has work all the time) without that other virtual threads wait for it. WRONG: lack of CPUs of the machine, pinning, locks, sleeping at TideDesk$Gauge.run, too many threads, nothing stands out.
// jdk: 21
// set: thirty-sixth
// jvm: -Djdk.virtualThreadScheduler.parallelism=1 -Djdk.virtualThreadScheduler.maxPoolSize=1

import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class TideDesk {
    static final AtomicLong readings = new AtomicLong(), lateNanos = new AtomicLong(), worst = new AtomicLong(), forecasts = new AtomicLong(), forecastNanos = new AtomicLong();

    /** The constituents of the tide at a port. */
    static final class Harmonics {
        private final double[] amplitude, speed, phase;

        Harmonics(long seed, int count) {
            Random random = new Random(seed);
            amplitude = random.doubles(count, 0.01, 1.2).toArray();
            speed = random.doubles(count, 0.04, 60).map(Math::toRadians).toArray();
            phase = random.doubles(count, 0, Math.PI * 2).toArray();
        }

        double height(double hours) {
            double sum = 0;
            for (int i = 0; i < amplitude.length; i++) sum += amplitude[i] * Math.cos(speed[i] * hours + phase[i]);
            return sum;
        }
    }

    record Extreme(double hours, double height, boolean high) { }

    /** Makes the tide tables of a coast, port by port. */
    static final class Forecaster implements Runnable {
        final String coast;
        final List<Harmonics> ports = new ArrayList<>();
        final Map<Integer, List<Extreme>> tables = new ConcurrentHashMap<>();

        Forecaster(String coast) {
            this.coast = coast;
            for (int i = 0; i < 12; i++) ports.add(new Harmonics(coast.hashCode() + i, 37));
        }

        @Override public void run() {
            try {
                for (int n = 0; ; n++) {
                    int port = n % ports.size();
                    long from = System.nanoTime();
                    tables.put(port, forecast(ports.get(port), n * 24.0, 240));
                    forecastNanos.addAndGet(System.nanoTime() - from);
                    forecasts.incrementAndGet();
                    Thread.sleep(20);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        List<Extreme> forecast(Harmonics port, double from, int days) {
            List<Extreme> found = new ArrayList<>();
            double step = 1.0 / 60, a = port.height(from - step), b = port.height(from);
            for (int minute = 1; minute < days * 24 * 60; minute++) {
                double hours = from + minute * step, c = port.height(hours);
                if (b > a && b >= c || b < a && b <= c) found.add(new Extreme(hours - step, b, b > a));
                a = b;
                b = c;
            }
            return found;
        }
    }

    /** What the gauges said lately. */
    static final class Readings {
        private final Map<Integer, double[]> latest = new ConcurrentHashMap<>();

        void add(int gauge, double metres) {
            latest.compute(gauge, (k, old) -> {
                double[] all = old == null ? new double[32] : old.clone();
                System.arraycopy(all, 0, all, 1, all.length - 1);
                all[0] = metres;
                return all;
            });
        }

        double smoothed(int gauge) {
            return Arrays.stream(latest.get(gauge)).average().orElse(0);
        }
    }

    /** Reads one gauge every 50 ms and raises an alarm where the water is too high. */
    static final class Gauge implements Runnable {
        static final long EVERY = 50;
        final int number;
        final Readings readings;
        final Harmonics water;
        int alarms;

        Gauge(int number, Readings readings) {
            this.number = number;
            this.readings = readings;
            water = new Harmonics(number, 5);
        }

        @Override public void run() {
            try {
                while (true) {
                    long due = System.nanoTime() + EVERY * 1_000_000;
                    Thread.sleep(EVERY);
                    long late = System.nanoTime() - due;
                    lateNanos.addAndGet(late);
                    worst.accumulateAndGet(late, Math::max);
                    read();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        void read() {
            readings.add(number, water.height(System.currentTimeMillis() / 3_600_000.0));
            if (readings.smoothed(number) > 3.5) alarms++;
            TideDesk.readings.incrementAndGet();
        }
    }

    public static void main(String[] args) throws Exception {
        ExecutorService tasks = Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("tide-", 0).factory());
        Readings readings = new Readings();
        for (int i = 0; i < 60; i++) tasks.submit(new Gauge(i, readings));
        for (String coast : List.of("north", "east", "south", "west")) tasks.submit(new Forecaster(coast));
        long done = 0, late = 0, tables = 0, computing = 0;
        for (int s = 1; ; s++) {
            long from = System.nanoTime();
            Thread.sleep(1000);
            double t = System.nanoTime() - from;
            long d = TideDesk.readings.get(), l = lateNanos.get(), f = forecasts.get(), c = forecastNanos.get();
            System.out.printf("measured: %d readings (1200 due), late by %.0f ms each, at most %d ms: %.0f %% of the gauges' time; %d forecasts of %d ms%n",
                d - done, (l - late) / 1e6 / Math.max(1, d - done), worst.getAndSet(0) / 1_000_000, (l - late) * 100 / t / 60,
                f - tables, (c - computing) / 1_000_000 / Math.max(1, f - tables));
            done = d;
            late = l;
            tables = f;
            computing = c;
            if (s == 4) System.out.println("READY");
            System.out.flush();
        }
    }
}
