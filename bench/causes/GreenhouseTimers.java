// SPDX-License-Identifier: Apache-2.0
// healthy: a ScheduledThreadPoolExecutor of 3 threads runs five short jobs (sampling, control, trend, forecast, report), each takes a small part of its period, none waits for another, no queue grows, late starts are rare
// share: 0.1 to 0.4 CPUs of 2; jobs begin 1 to 2 ms late on average, and the threads are busy 5 % of the time, on an idle machine; the scheduler's threads rest most of the time
// judge: right: nothing stands out, or only neutral statements of where time goes (computing in Forecast.step, Trend). WRONG: any accusation (scheduler blocked, saturated thread, waiting, timers, locks, collections) other than CPUs taken by other processes.
// jdk: 11
// set: thirty-third
// jvm: -Xmx256m
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class GreenhouseTimers {

    static final class Zone {
        final int id;
        private final double[] temperature = new double[3600];
        private final double[] humidity = new double[3600];
        private int at;
        private double vent = 0.3, heat = 0.2;
        private final Random random;

        Zone(int id) {
            this.id = id;
            random = new Random(id);
            for (int i = 0; i < temperature.length; i++)
                sample();
        }

        synchronized void sample() {
            int last = Math.floorMod(at - 1, temperature.length);
            double t = temperature[last] == 0 ? 21 : temperature[last];
            temperature[at] = t + 0.4 * heat - 0.5 * vent + 0.05 * (18 - t) + 0.3 * random.nextGaussian();
            humidity[at] = Math.max(20, Math.min(99, 65 + 10 * random.nextGaussian() - 20 * vent));
            at = (at + 1) % temperature.length;
        }

        synchronized double[] recent(int n) {
            double[] out = new double[n];
            for (int i = 0; i < n; i++)
                out[i] = temperature[Math.floorMod(at - n + i, temperature.length)];
            return out;
        }

        synchronized void set(double vent, double heat) {
            this.vent = vent;
            this.heat = heat;
        }

        synchronized double humidity() {
            return humidity[Math.floorMod(at - 1, humidity.length)];
        }
    }

    static final class Controller {
        final Map<Integer, Double> integral = new ConcurrentHashMap<>();

        void adjust(Zone zone, double target) {
            double[] recent = zone.recent(60);
            double mean = Arrays.stream(recent).average().orElse(target);
            double error = target - mean;
            double sum = integral.merge(zone.id, error, (a, b) -> Math.max(-50, Math.min(50, a + b)));
            double out = 0.4 * error + 0.02 * sum;
            zone.set(Math.max(0, Math.min(1, -out)), Math.max(0, Math.min(1, out)));
        }
    }

    static final class Trend {
        final Map<Integer, double[]> perZone = new ConcurrentHashMap<>();

        void update(Zone zone) {
            double[] y = zone.recent(3000);
            double sx = 0, sy = 0, sxx = 0, sxy = 0;
            for (int x = 0; x < y.length; x++) {
                sx += x;
                sy += y[x];
                sxx += (double) x * x;
                sxy += x * y[x];
            }
            double slope = (y.length * sxy - sx * sy) / (y.length * sxx - sx * sx);
            perZone.put(zone.id, new double[] {slope, (sy - slope * sx) / y.length});
        }
    }

    /** Heat that spreads through the house, on a grid of beds. */
    static final class Forecast {
        private static final int N = 200;
        private double[] now = new double[N * N], next = new double[N * N];

        Forecast() {
            Arrays.fill(now, 18);
            Arrays.fill(next, 18);
        }

        void step(List<Zone> zones, int steps) {
            for (Zone z : zones)
                now[(20 + z.id * 14) * N + N / 2] = z.recent(1)[0];
            for (int s = 0; s < steps; s++) {
                for (int y = 1; y < N - 1; y++)
                    for (int x = 1; x < N - 1; x++) {
                        int i = y * N + x;
                        next[i] = now[i] + 0.2 * (now[i - 1] + now[i + 1] + now[i - N] + now[i + N] - 4 * now[i]);
                    }
                double[] t = now;
                now = next;
                next = t;
            }
        }

        double centre() {
            return now[N / 2 * N + N / 2];
        }
    }

    static final class Jobs {
        final ScheduledThreadPoolExecutor scheduler;
        final AtomicLong runs = new AtomicLong(), late = new AtomicLong(), busy = new AtomicLong();

        Jobs() {
            AtomicInteger n = new AtomicInteger();
            scheduler = new ScheduledThreadPoolExecutor(3, r -> {
                Thread t = new Thread(r, "jobs-" + n.incrementAndGet());
                t.setDaemon(true);
                return t;
            });
        }

        void every(long millis, Runnable job) {
            long[] due = {System.nanoTime() + millis * 1_000_000L};
            scheduler.scheduleAtFixedRate(() -> {
                long t = System.nanoTime();
                late.addAndGet(Math.max(0, t - due[0]));
                due[0] = Math.max(due[0] + millis * 1_000_000L, t);
                try {
                    job.run();
                } catch (RuntimeException e) {
                    System.err.println("job: " + e);
                }
                busy.addAndGet(System.nanoTime() - t);
                runs.incrementAndGet();
            }, millis, millis, TimeUnit.MILLISECONDS);
        }
    }

    public static void main(String[] args) throws Exception {
        List<Zone> zones = new ArrayList<>();
        for (int i = 0; i < 12; i++)
            zones.add(new Zone(i));
        Controller controller = new Controller();
        Trend trend = new Trend();
        Forecast forecast = new Forecast();
        Jobs jobs = new Jobs();
        jobs.every(20, () -> zones.forEach(Zone::sample));
        jobs.every(50, () -> zones.forEach(z -> controller.adjust(z, 22)));
        jobs.every(110, () -> zones.forEach(trend::update));
        jobs.every(170, () -> forecast.step(zones, 600));
        StringBuilder report = new StringBuilder();
        jobs.every(500, () -> {
            report.setLength(0);
            for (Zone z : zones)
                report.append(String.format(Locale.ROOT, "zone %d %.1f C %.0f %% %+.4f%n", z.id, z.recent(1)[0], z.humidity(),
                    trend.perZone.getOrDefault(z.id, new double[2])[0]));
        });
        for (int second = 1;; second++) {
            Thread.sleep(1000);
            long n = jobs.runs.getAndSet(0), late = jobs.late.getAndSet(0), busy = jobs.busy.getAndSet(0);
            System.out.printf("measured: %d runs, %.2f ms late on average, 3 threads busy %.0f %% of the time, %d tasks in the queue, centre %.1f C%n",
                n, n == 0 ? 0 : late / 1e6 / n, busy / 3e7, jobs.scheduler.getQueue().size(), forecast.centre());
            if (second == 4) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
