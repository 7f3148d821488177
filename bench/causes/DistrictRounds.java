// SPDX-License-Identifier: Apache-2.0
// cause: DistrictRounds$District makes a pool of 4 threads for each of 9 districts (Executors.newFixedThreadPool in its constructor): 36 threads compute rounds (DistrictRounds$RoundPlanner.improve) at the same time on 2 CPUs, so each round takes a second for some 65 ms of CPU time, and is outdated when it is ready
// share: 36 threads are ready to run all the time on 2 CPUs: a round of 65 ms of CPU time takes 6 to 7 s as measured on a crowded machine (about 1.1 s where both CPUs are free: 36 / 2 times 62 ms), so more than 95 % are outdated (0.6 s) when they are ready
// expect: too-many-threads
// symptom: hot-method
// judge: NAMED: too many threads that compute at the same time, 36 for 2 CPUs (pools harbour-N, old-town-N ... of DistrictRounds$District), also neutrally said; with or without the method (RoundPlanner.improve). SYMPTOM ONLY: cpu-starvation (threads wait for a CPU) without saying that these are the program's own too many threads; hot-method in RoundPlanner.improve or RoadState.distance alone. WRONG: neighbours or the machine alone as the cause (true beside it on a crowded machine, which is fair as a second finding), locks, collections, waits, queues that grow
// jdk: 8
// set: thirty-fifth
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Plans the rounds of gritting lorries, in each district by how the roads are at that time. */
public class DistrictRounds {
    static final long VALID_NANOS = 600_000_000L;

    /** How slippery the streets are: a new one is made for each plan. */
    static final class RoadState {
        final double[] x;
        final double[] y;
        final long at = System.nanoTime();

        RoadState(Random random, int streets) {
            x = new double[streets];
            y = new double[streets];
            for (int i = 0; i < streets; i++) {
                x[i] = random.nextDouble() * 100;
                y[i] = random.nextDouble() * 100;
            }
        }

        double distance(int a, int b) {
            double dx = x[a] - x[b];
            double dy = y[a] - y[b];
            return Math.sqrt(dx * dx + dy * dy);
        }

        boolean valid() {
            return System.nanoTime() - at < VALID_NANOS;
        }
    }

    /** Improves a round by turning parts of it around. */
    static final class RoundPlanner {
        int[] plan(RoadState roads) {
            int[] round = nearestFirst(roads);
            for (int pass = 0; pass < 70; pass++) {
                improve(roads, round);
            }
            return round;
        }

        private int[] nearestFirst(RoadState roads) {
            int n = roads.x.length;
            int[] round = new int[n];
            boolean[] done = new boolean[n];
            done[0] = true;
            for (int i = 1; i < n; i++) {
                int nearest = -1;
                for (int j = 0; j < n; j++) {
                    if (!done[j] && (nearest < 0 || roads.distance(round[i - 1], j) < roads.distance(round[i - 1], nearest))) {
                        nearest = j;
                    }
                }
                round[i] = nearest;
                done[nearest] = true;
            }
            return round;
        }

        private void improve(RoadState roads, int[] round) {
            for (int i = 0; i < round.length - 2; i++) {
                for (int j = i + 2; j < round.length - 1; j++) {
                    double now = roads.distance(round[i], round[i + 1]) + roads.distance(round[j], round[j + 1]);
                    double then = roads.distance(round[i], round[j]) + roads.distance(round[i + 1], round[j + 1]);
                    if (then < now - 1e-9) {
                        turn(round, i + 1, j);
                    }
                }
            }
        }

        private void turn(int[] round, int from, int to) {
            while (from < to) {
                int street = round[from];
                round[from++] = round[to];
                round[to--] = street;
            }
        }
    }

    static final class Figures {
        final LongAdder plans = new LongAdder();
        final LongAdder outdated = new LongAdder();
        final LongAdder elapsed = new LongAdder();
        final LongAdder cpu = new LongAdder();
    }

    static final class District {
        private final ExecutorService workers;
        private final Figures figures;
        private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();

        District(final String name, int workers, Figures figures) {
            final AtomicInteger number = new AtomicInteger();
            this.workers = Executors.newFixedThreadPool(workers, new ThreadFactory() {
                @Override
                public Thread newThread(Runnable r) {
                    return new Thread(r, name + "-" + number.incrementAndGet());
                }
            });
            this.figures = figures;
        }

        void order(final int lorry) {
            workers.execute(new Runnable() {
                @Override
                public void run() {
                    round(lorry);
                    order(lorry);
                }
            });
        }

        private void round(int lorry) {
            long cpu = threads.getCurrentThreadCpuTime();
            RoadState roads = new RoadState(new Random(lorry), 420);
            int[] round = new RoundPlanner().plan(roads);
            figures.plans.increment();
            if (!roads.valid() || round.length == 0) {
                figures.outdated.increment();
            }
            figures.elapsed.add(System.nanoTime() - roads.at);
            figures.cpu.add(threads.getCurrentThreadCpuTime() - cpu);
        }
    }

    public static void main(String[] args) throws Exception {
        String[] names = {"harbour", "old-town", "heath", "mill-side", "north-gate", "orchards", "river-bank", "station", "west-end"};
        Figures figures = new Figures();
        List<District> districts = new ArrayList<District>();
        for (String name : names) {
            districts.add(new District(name, 4, figures));
        }
        for (District district : districts) {
            for (int lorry = 0; lorry < 6; lorry++) {
                district.order(lorry);
            }
        }
        while (figures.plans.sum() < 12) {
            Thread.sleep(100);
        }
        System.out.println("READY");
        System.out.flush();
        long plans = figures.plans.sum(), outdated = figures.outdated.sum(), elapsed = figures.elapsed.sum(), cpu = figures.cpu.sum();
        for (;;) {
            Thread.sleep(1000);
            long plans2 = figures.plans.sum(), outdated2 = figures.outdated.sum(), elapsed2 = figures.elapsed.sum(), cpu2 = figures.cpu.sum();
            long n = Math.max(1, plans2 - plans);
            System.out.printf("measured: %d rounds planned, %d of them outdated when they were ready; %.0f ms each, for %.0f ms of CPU time; 36 threads for %d CPUs%n",
                plans2 - plans, outdated2 - outdated, (elapsed2 - elapsed) / 1e6 / n, (cpu2 - cpu) / 1e6 / n, Runtime.getRuntime().availableProcessors());
            plans = plans2;
            outdated = outdated2;
            elapsed = elapsed2;
            cpu = cpu2;
        }
    }
}
