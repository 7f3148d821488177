// SPDX-License-Identifier: Apache-2.0
// healthy: a scheduler of three threads runs several jobs (sensors ten times a second, valves twice a second, a forecast each second, a report of the day every 4 s), each of which takes milliseconds or some tens of them and never two runs at a time; a thread is always free, so jobs begin on time
// share: 13 runs of jobs a second, begun 4 ms late on average (15 to 21 ms on a machine with seven times as much to do as it can); 0.3 of 3 threads busy, 0.1 CPUs used
// judge: RIGHT: nothing stands out, or neutral statements of where time goes: computing in OrangeryControl$Forecast.run, OrangeryControl$DayReport.run or what they call (OrangeryControl$Forecast.step, OrangeryControl$DayReport.correlation), a process that does little. WRONG (false alarm): any accusation of a fault: a blocked scheduler or late jobs, pool-busy, a saturated thread, a growing queue or cancelled tasks, contention of OrangeryControl$History's monitor, hot code or hot methods called a fault, collections
// jdk: 8
// set: thirty-sixth
import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

public class OrangeryControl {
    static final int BEDS = 24;
    static final AtomicLong runs = new AtomicLong();
    static final AtomicLong lateNanos = new AtomicLong();
    static final AtomicLong busyNanos = new AtomicLong();

    static final class History {
        private static final int KEPT = 2048;
        private final float[][] celsius = new float[BEDS][KEPT];
        private int next;

        synchronized void add(float[] reading) {
            for (int b = 0; b < BEDS; b++) {
                celsius[b][next % KEPT] = reading[b];
            }
            next++;
        }

        synchronized float[] copy(int bed) {
            return celsius[bed].clone();
        }

        synchronized float latest(int bed) {
            return celsius[bed][Math.max(0, next - 1) % KEPT];
        }
    }

    static final class Sensors implements Runnable {
        private final History history;
        private final Random random = new Random(3);
        private final float[] now = new float[BEDS];

        Sensors(History history) {
            this.history = history;
            java.util.Arrays.fill(now, 21f);
        }

        @Override
        public void run() {
            for (int b = 0; b < BEDS; b++) {
                now[b] += (21f - now[b]) * 0.01f + (float) random.nextGaussian() * 0.1f;
            }
            history.add(now);
        }
    }

    static final class Valves implements Runnable {
        private final History history;
        private final boolean[] open = new boolean[BEDS];

        Valves(History history) {
            this.history = history;
        }

        @Override
        public void run() {
            for (int b = 0; b < BEDS; b++) {
                float t = history.latest(b);
                open[b] = open[b] ? t > 20.5f : t > 22f;
            }
        }
    }

    /** Heat through soil and air of each bed, some minutes ahead. */
    static final class Forecast implements Runnable {
        private final History history;
        private final double[] cells = new double[400];
        volatile double warmest;

        Forecast(History history) {
            this.history = history;
        }

        private void step(double outside) {
            double left = outside;
            for (int i = 0; i < cells.length - 1; i++) {
                double old = cells[i];
                cells[i] = old + 0.2 * (left - 2 * old + cells[i + 1]);
                left = old;
            }
        }

        @Override
        public void run() {
            double most = Double.NEGATIVE_INFINITY;
            for (int b = 0; b < BEDS; b++) {
                java.util.Arrays.fill(cells, history.latest(b));
                for (int s = 0; s < 16000; s++) {
                    step(12 + 3 * Math.sin(s / 1800.0));
                }
                most = Math.max(most, cells[200]);
            }
            warmest = most;
        }
    }

    static final class DayReport implements Runnable {
        private final History history;
        volatile double closest;

        DayReport(History history) {
            this.history = history;
        }

        private static double correlation(float[] a, float[] b, int lag) {
            double sa = 0, sb = 0, saa = 0, sbb = 0, sab = 0;
            for (int i = lag; i < a.length; i++) {
                float y = b[i - lag];
                sa += a[i];
                sb += y;
                saa += a[i] * a[i];
                sbb += y * y;
                sab += a[i] * y;
            }
            double n = a.length - lag;
            return (n * sab - sa * sb) / Math.sqrt(Math.max(1e-9, (n * saa - sa * sa) * (n * sbb - sb * sb)));
        }

        @Override
        public void run() {
            float[][] beds = new float[BEDS][];
            for (int b = 0; b < BEDS; b++) {
                beds[b] = history.copy(b);
            }
            double most = 0;
            for (int a = 0; a < BEDS; a++) {
                for (int b = 0; b < a; b++) {
                    for (int lag = 0; lag < 20; lag++) {
                        most = Math.max(most, correlation(beds[a], beds[b], lag));
                    }
                }
            }
            closest = most;
        }
    }

    static final class Jobs {
        private final ScheduledExecutorService scheduler;

        Jobs() {
            AtomicInteger numbers = new AtomicInteger();
            scheduler = Executors.newScheduledThreadPool(3, r -> {
                Thread thread = new Thread(r, "control-" + numbers.getAndIncrement());
                thread.setDaemon(true);
                return thread;
            });
        }

        void every(long millis, Runnable job) {
            long period = TimeUnit.MILLISECONDS.toNanos(millis);
            long[] due = {System.nanoTime() + period};
            scheduler.scheduleAtFixedRate(() -> {
                long begin = System.nanoTime();
                lateNanos.addAndGet(Math.max(0, begin - due[0]));
                due[0] = Math.max(due[0] + period, begin);
                job.run();
                busyNanos.addAndGet(System.nanoTime() - begin);
                runs.incrementAndGet();
            }, period, period, TimeUnit.NANOSECONDS);
        }
    }

    public static void main(String[] args) throws Exception {
        com.sun.management.OperatingSystemMXBean system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        History history = new History();
        Forecast forecast = new Forecast(history);
        DayReport report = new DayReport(history);
        for (int i = 0; i < 6; i++) {
            forecast.run();
            report.run();
        }
        Jobs jobs = new Jobs();
        jobs.every(100, new Sensors(history));
        jobs.every(500, new Valves(history));
        jobs.every(1000, forecast);
        jobs.every(4000, report);
        Thread.sleep(1500);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long n = runs.get(), late = lateNanos.get(), busy = busyNanos.get(), cpu = system.getProcessCpuTime(), wall = System.nanoTime();
            Thread.sleep(1000);
            wall = System.nanoTime() - wall;
            n = Math.max(1, runs.get() - n);
            System.out.printf(Locale.ROOT, "measured: %d runs of jobs in a second, begun %.2f ms late on average; %.2f of 3 threads busy; %.2f CPUs used (warmest %.1f, closest %.2f)%n",
                n, (lateNanos.get() - late) / 1e6 / n, (busyNanos.get() - busy) / (double) wall, (system.getProcessCpuTime() - cpu) / (double) wall, forecast.warmest, report.closest);
            System.out.flush();
        }
    }
}
