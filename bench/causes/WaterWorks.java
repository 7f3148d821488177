// SPDX-License-Identifier: Apache-2.0
// healthy: a scheduler with three threads runs five short jobs (each 1 to 25 ms on a free CPU) well within their periods, and one-time alarms that are removed when cancelled; every job starts on time
// share: jobs begin 0 to 4 ms late (up to 32 ms on a crowded machine) with periods of 100 ms to 2 s; 25 tasks in the queue; 0.14 CPUs used
// judge: NAMED (right): nothing stands out, next to nothing to do, or neutral words on where CPU time goes (WaterWorks$Network.balance, Leaks.search, Demand.forecast). WRONG: any accusation: blocked scheduler, cancelled tasks, pool busy, locks, waiting, files, collections, hot code as a fault
// jdk: 17
// set: thirty-second
// jvm: -Xmx192m
import java.io.BufferedWriter;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Control room of a water works: gauges are read, pressures balanced, leaks looked for, demand forecast, a report written. */
public class WaterWorks {
    static final int GAUGES = 400;

    static final class Gauges {
        private final double[] levels = new double[GAUGES];
        private final Random random = new Random(3);

        Gauges() {
            for (int i = 0; i < GAUGES; i++) levels[i] = 3 + random.nextDouble();
        }

        synchronized void read() {
            for (int i = 0; i < GAUGES; i++) levels[i] = Math.max(0.5, Math.min(6, levels[i] + random.nextGaussian() / 40));
        }

        synchronized double[] snapshot() {
            return levels.clone();
        }
    }

    static final class Network {
        private volatile double[] pressures = new double[GAUGES];

        void balance(double[] levels) {
            double[] now = levels.clone();
            double[] next = new double[GAUGES];
            for (int round = 0; round < 30_000; round++) {
                for (int i = 0; i < GAUGES; i++) {
                    next[i] = 0.5 * levels[i] + 0.25 * (now[(i + 1) % GAUGES] + now[(i + 17) % GAUGES]);
                }
                double[] other = now;
                now = next;
                next = other;
            }
            pressures = now;
        }

        double[] pressures() {
            return pressures;
        }
    }

    static final class Leaks {
        private int suspected;

        void search(double[] pressures) {
            int found = 0;
            for (double scale = 250; scale < 800; scale *= 2) {
                for (int i = 0; i < GAUGES; i++) {
                    double nearest = Double.MAX_VALUE;
                    for (int j = 0; j < GAUGES; j++) {
                        if (i != j) nearest = Math.min(nearest, Math.hypot(pressures[i] - pressures[j], (i - j) / scale));
                    }
                    if (nearest > 0.05) found++;
                }
            }
            suspected = found;
        }
    }

    static final class Demand {
        private final double[] history = new double[1440];
        private int at;
        private double expected;

        void forecast(double[] pressures) {
            double sum = 0;
            for (double pressure : pressures) sum += pressure;
            history[at++ % history.length] = sum / pressures.length;
            double best = 0;
            for (int lag = 1; lag < 720; lag++) {
                double match = 0;
                for (int i = lag; i < history.length; i++) match += history[i] * history[i - lag];
                best = Math.max(best, match / (history.length - lag));
            }
            expected = best;
        }
    }

    static final class Report {
        private final Path file;
        private final Gauges gauges;

        Report(Gauges gauges) throws IOException {
            this.gauges = gauges;
            file = Files.createTempFile("waterworks", ".csv");
            file.toFile().deleteOnExit();
        }

        void write() {
            try (BufferedWriter out = Files.newBufferedWriter(file, StandardCharsets.US_ASCII)) {
                double[] levels = gauges.snapshot();
                for (int i = 0; i < levels.length; i++) {
                    out.write("gauge " + i + ";" + Math.round(levels[i] * 1000) + "\n");
                }
            } catch (IOException e) {
                System.out.println("no report: " + e);
            }
        }
    }

    /** Runs a job and knows how late it began at most. */
    static final class Job implements Runnable {
        final AtomicInteger runs = new AtomicInteger();
        final AtomicLong latestMs = new AtomicLong();
        private long first;
        private final long periodMs;
        private final Runnable work;

        Job(long periodMs, Runnable work) {
            this.periodMs = periodMs;
            this.work = work;
        }

        @Override
        public void run() {
            if (runs.get() == 0) first = System.nanoTime();
            long due = first + runs.getAndIncrement() * periodMs * 1_000_000;
            latestMs.accumulateAndGet((System.nanoTime() - due) / 1_000_000, Math::max);
            work.run();
        }
    }

    public static void main(String[] args) throws Exception {
        AtomicInteger number = new AtomicInteger();
        ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(3, task -> new Thread(task, "clock-" + number.incrementAndGet()));
        clock.setRemoveOnCancelPolicy(true);
        Gauges gauges = new Gauges();
        Network network = new Network();
        Leaks leaks = new Leaks();
        Demand demand = new Demand();
        Report report = new Report(gauges);
        Map<Integer, ScheduledFuture<?>> alarms = new ConcurrentHashMap<>();
        AtomicInteger rung = new AtomicInteger();
        CountDownLatch warm = new CountDownLatch(25);
        Map<String, Job> jobs = new java.util.LinkedHashMap<>();
        jobs.put("read", new Job(100, () -> {
            gauges.read();
            warm.countDown();
            double[] levels = gauges.snapshot();
            for (int i = 0; i < 20; i++) {
                if (levels[i] > 1) {
                    ScheduledFuture<?> alarm = alarms.remove(i);
                    if (alarm != null) alarm.cancel(false);
                }
                alarms.computeIfAbsent(i, gauge -> clock.schedule(rung::incrementAndGet, 60, TimeUnit.SECONDS));
            }
        }));
        jobs.put("balance", new Job(200, () -> network.balance(gauges.snapshot())));
        jobs.put("leaks", new Job(250, () -> leaks.search(network.pressures())));
        jobs.put("forecast", new Job(500, () -> demand.forecast(network.pressures())));
        jobs.put("report", new Job(2000, report::write));
        for (Job job : jobs.values()) clock.scheduleAtFixedRate(job, 0, job.periodMs, TimeUnit.MILLISECONDS);
        warm.await();
        System.out.println("READY");
        System.out.flush();
        com.sun.management.OperatingSystemMXBean os = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long cpu = os.getProcessCpuTime(), last = System.nanoTime();
        while (true) {
            for (Job job : jobs.values()) job.latestMs.set(0);
            Thread.sleep(1000);
            long now = System.nanoTime(), used = os.getProcessCpuTime();
            StringBuilder late = new StringBuilder();
            jobs.forEach((name, job) -> late.append(' ').append(name).append(' ').append(job.latestMs.get()));
            System.out.printf("measured: ms that jobs began late at most:%s; %d in the queue, CPUs used %.2f%n",
                late, clock.getQueue().size(), (double) (used - cpu) / (now - last));
            last = now;
            cpu = used;
        }
    }
}
