// SPDX-License-Identifier: Apache-2.0
// healthy: a batch that computes with two threads on two CPUs: each task is a plot of some milliseconds, the queue is never empty, nothing is locked, hardly anything is allocated, and the main thread just waits for results
// share: nothing is lost: two threads compute about 98 % of the time that the CPUs give them, as measured (CPU time over wall time of the tasks, on a free machine); collections take less than 1 %
// judge: NAMED: that nothing stands out, or neutral words only: time goes to computing in ForestInventory$Plot.grow, crowding, Species.increment or their like (hot method, no fault), or that the machine's CPUs are used by others if they are. SYMPTOM ONLY: does not apply. WRONG: any accusation of the program or the JVM: waiting for futures in main, the pool plots as too small, locks, collections, the option, thread count, code kinds as faults
// jdk: 11
// set: thirty-fourth
// jvm: -Xmx96m
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Projects a forest inventory by forty years: grows each tree of each plot, thins, and sums the timber by species. */
public class ForestInventory {
    static final int YEARS = 40, PLOTS_AHEAD = 16;
    static final LongAdder plots = new LongAdder(), taskNanos = new LongAdder(), cpuNanos = new LongAdder();
    static final ThreadMXBean threads = ManagementFactory.getThreadMXBean();

    enum Species {
        SPRUCE(42, 0.062), BEECH(38, 0.041), OAK(33, 0.034), PINE(30, 0.055), LARCH(36, 0.058);

        final double asymptote, rate;

        Species(double asymptote, double rate) {
            this.asymptote = asymptote;
            this.rate = rate;
        }

        double height(double age) {
            return asymptote * Math.pow(1 - Math.exp(-rate * age), 1.6);
        }

        double increment(double diameter, double crowding) {
            return rate * diameter * Math.log(asymptote * 3 / diameter) / (1 + crowding);
        }
    }

    /** A plot of the inventory: trees by place, species, diameter, age. */
    static final class Plot {
        private final int trees;
        private final double[] east, north, diameter, age, crowding;
        private final Species[] species;
        private final boolean[] felled;

        Plot(long seed, int trees) {
            Random random = new Random(seed);
            this.trees = trees;
            east = new double[trees];
            north = new double[trees];
            diameter = new double[trees];
            age = new double[trees];
            crowding = new double[trees];
            species = new Species[trees];
            felled = new boolean[trees];
            for (int i = 0; i < trees; i++) {
                east[i] = random.nextDouble() * 50;
                north[i] = random.nextDouble() * 50;
                diameter[i] = 8 + random.nextDouble() * 20;
                age[i] = 15 + random.nextInt(40);
                species[i] = Species.values()[random.nextInt(5)];
            }
        }

        private void crowd() {
            Arrays.fill(crowding, 0);
            for (int i = 0; i < trees; i++) {
                for (int j = i + 1; j < trees; j++) {
                    double x = east[i] - east[j], y = north[i] - north[j], square = x * x + y * y;
                    if (square < 64 && !felled[i] && !felled[j]) {
                        double near = 1 / (1 + square);
                        crowding[i] += near * diameter[j] / diameter[i];
                        crowding[j] += near * diameter[i] / diameter[j];
                    }
                }
            }
        }

        private void grow() {
            for (int i = 0; i < trees; i++) {
                if (!felled[i]) {
                    diameter[i] += species[i].increment(diameter[i], crowding[i]);
                    age[i]++;
                }
            }
        }

        private void thin() {
            for (int i = 0; i < trees; i++)
                felled[i] |= crowding[i] > 4 || diameter[i] > 85;
        }

        double[] project() {
            for (int year = 1; year <= YEARS; year++) {
                crowd();
                grow();
                if (year % 5 == 0)
                    thin();
            }
            double[] timber = new double[Species.values().length];
            for (int i = 0; i < trees; i++) {
                if (!felled[i]) {
                    double radius = diameter[i] / 200;
                    timber[species[i].ordinal()] += Math.PI * radius * radius * species[i].height(age[i]) * 0.48;
                }
            }
            return timber;
        }
    }

    static double[] projectPlot(long number) {
        long begin = System.nanoTime(), cpu = threads.getCurrentThreadCpuTime();
        double[] timber = new Plot(number, 220 + (int) (number % 5) * 20).project();
        plots.increment();
        taskNanos.add(System.nanoTime() - begin);
        cpuNanos.add(threads.getCurrentThreadCpuTime() - cpu);
        return timber;
    }

    /** The sums of the whole forest, district by district. */
    static void run(ExecutorService pool) throws InterruptedException, ExecutionException {
        Deque<Future<double[]>> ahead = new ArrayDeque<>();
        double[] forest = new double[Species.values().length];
        for (long number = 1; ; number++) {
            long plot = number;
            ahead.add(pool.submit(() -> projectPlot(plot)));
            if (ahead.size() < PLOTS_AHEAD)
                continue;
            double[] timber = ahead.remove().get();
            for (int i = 0; i < forest.length; i++)
                forest[i] += timber[i];
            if (number % 5000 == 0)
                System.out.println("district " + number / 5000 + ": cubic metres " + Arrays.toString(forest));
        }
    }

    static void report() {
        try {
            for (int second = 0; ; second++) {
                Thread.sleep(1000);
                long n = Math.max(1, plots.sumThenReset());
                double wall = Math.max(1, taskNanos.sumThenReset()), cpu = cpuNanos.sumThenReset();
                System.out.printf("measured: %d plots, %.1f ms each; tasks had a CPU %.0f %% of their time, %.2f CPUs computing%n",
                    n, wall / 1e6 / n, 100 * cpu / wall, cpu / 1e9);
                if (second == 3) {
                    System.out.println("READY");
                    System.out.flush();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        AtomicInteger number = new AtomicInteger();
        ExecutorService pool = Executors.newFixedThreadPool(2, r -> new Thread(r, "plots-" + number.incrementAndGet()));
        Thread report = new Thread(ForestInventory::report, "report");
        report.setDaemon(true);
        report.start();
        run(pool);
    }
}
