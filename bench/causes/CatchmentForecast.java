// SPDX-License-Identifier: Apache-2.0
// cause: CatchmentForecast.main gives each of the 52 ensemble members a thread of a cached pool of its own, though there are 2 CPUs: all of them compute all the time (CatchmentForecast$Member.run, most in CatchmentForecast$River.route), so that each run takes some 26 times as long as it computes, and no forecast is complete before nearly all are
// share: 52 threads are ready to run all the time, on 2 CPUs; a run computes for 9 to 12 ms and takes 330 to 920 ms (26 times as long by the number of threads alone, more on a crowded machine): each has a CPU for 1 to 3 % of its time
// expect: too-many-threads
// symptom: hot-method hot-calls
// judge: NAMED: too many threads that compute / are ready to run for the CPUs there are, those called member-N (or CatchmentForecast$Member.run, Member.simulate, River.route). SYMPTOM ONLY: threads wait for CPUs (cpu-starvation, run-queue delay) without saying that the process has too many of its own; "computes in CatchmentForecast$River.route (or Member.simulate)" alone (hot method). WRONG: anything else as the first fault: neighbours or the CPU limit as the cause, locks, the publishing queue, collections.
// jdk: 17
// set: thirty-first
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

public class CatchmentForecast {
    /** A reach of the river, in cells, routed as a kinematic wave. */
    static final class River {
        private final double[] flow, next, slope;
        private final double step;
        River(int cells, double step, Random random) {
            flow = new double[cells];
            next = new double[cells];
            slope = new double[cells];
            this.step = step;
            for (int i = 0; i < cells; i++) {
                flow[i] = 2 + random.nextDouble();
                slope[i] = 0.2 + 0.5 * random.nextDouble();
            }
        }
        void route(double rain) {
            next[0] = flow[0] * 0.98 + rain;
            for (int i = 1; i < flow.length; i++) {
                double celerity = slope[i] * Math.pow(flow[i] + 0.01, 0.4);
                double c = Math.min(0.95, celerity * step);
                next[i] = flow[i] + c * (flow[i - 1] - flow[i]) + 0.01 * rain;
            }
            System.arraycopy(next, 0, flow, 0, flow.length);
        }
        double mouth() { return flow[flow.length - 1]; }
    }

    static final class Hydrograph {
        final int member;
        final double peak;
        final int hour;
        Hydrograph(int member, double peak, int hour) { this.member = member; this.peak = peak; this.hour = hour; }
    }

    static final class Board {
        private final ConcurrentLinkedQueue<Hydrograph> latest = new ConcurrentLinkedQueue<>();
        void publish(Hydrograph h) { latest.add(h); }
        List<Hydrograph> drain() {
            List<Hydrograph> all = new ArrayList<>();
            for (Hydrograph h; (h = latest.poll()) != null;) all.add(h);
            return all;
        }
    }

    static final LongAdder runs = new LongAdder(), wallNanos = new LongAdder(), cpuNanos = new LongAdder();
    static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    static final class Member implements Runnable {
        private final int number;
        private final Board board;
        private final Random random;
        Member(int number, Board board) { this.number = number; this.board = board; random = new Random(number); }

        private double rain(int hour) {
            double front = Math.exp(-Math.pow((hour - 30 - number % 9) / 8.0, 2));
            return Math.max(0, 3 * front + 0.2 * random.nextGaussian());
        }

        Hydrograph simulate() {
            River river = new River(400, 0.5, random);
            double peak = 0;
            int at = 0;
            for (int hour = 0; hour < 96; hour++) {
                double rain = rain(hour);
                for (int minute = 0; minute < 60; minute += 4) river.route(rain);
                if (river.mouth() > peak) {
                    peak = river.mouth();
                    at = hour;
                }
            }
            return new Hydrograph(number, peak, at);
        }

        public void run() {
            while (!Thread.currentThread().isInterrupted()) {
                long wall = System.nanoTime(), cpu = THREADS.getCurrentThreadCpuTime();
                board.publish(simulate());
                cpuNanos.add(THREADS.getCurrentThreadCpuTime() - cpu);
                wallNanos.add(System.nanoTime() - wall);
                runs.increment();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int members = 52;
        Board board = new Board();
        AtomicInteger numbers = new AtomicInteger();
        ExecutorService ensemble = Executors.newCachedThreadPool(r -> new Thread(r, "member-" + numbers.incrementAndGet()));
        for (int i = 0; i < members; i++) ensemble.execute(new Member(i, board));
        Thread.sleep(3000);
        System.out.println("READY");
        System.out.flush();
        for (;;) {
            long r = runs.sum(), w = wallNanos.sum(), c = cpuNanos.sum();
            Thread.sleep(1000);
            double peak = board.drain().stream().mapToDouble(h -> h.peak).max().orElse(0);
            long n = Math.max(1, runs.sum() - r);
            double wall = (wallNanos.sum() - w) / 1e6 / n, cpu = (cpuNanos.sum() - c) / 1e6 / n;
            System.out.printf("measured: %d runs, peak %.1f m3/s; each takes %.0f ms and computes for %.0f ms: it has a CPU for %.1f %% of its time, on %d CPUs with %d members%n", n, peak, wall, cpu,
                    100 * cpu / Math.max(1e-9, wall), Runtime.getRuntime().availableProcessors(), members);
            System.out.flush();
        }
    }
}
