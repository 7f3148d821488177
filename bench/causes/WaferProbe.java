// SPDX-License-Identifier: Apache-2.0
// cause: spinning: WaferProbe$ProbeHead.awaitSettled calls Thread.yield in a loop until the tester has set Measurement.settled, 12 to 25 ms for each die, in place of waiting for it (a future, a latch).
// share: all CPU time but 0.1 %: up to 2 CPUs for some 100 dies a second that take 0.01 ms each to grade (about 0.001 CPUs); 25,000 turns of the loop for each die.
// expect: hot-code kind=spinning frame=WaferProbe$ProbeHead | hot-code what=yield frame=WaferProbe$ProbeHead
// symptom: hot-code hot-calls hot-method
// judge: NAMED: the CPU time is spinning or Thread.yield (sched_yield) at WaferProbe$ProbeHead.awaitSettled (or probe, its caller). SYMPTOM ONLY: awaitSettled named as hot code or hot calls without any word that it spins, yields or polls; many switches of threads; the CPUs are all in use by probe-head threads. WRONG: WaferProbe$Grader.grade, WaferProbe$Tester or its scheduler as a bottleneck, waits of tester-bus, too few CPUs or neighbours as the only answer, collections, locks.
// jdk: 11
// set: thirty-sixth
// jvm: -Xmx256m
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Measures the dies of wafers: two probe heads go from die to die, and the tester reports a value once it has settled. */
public class WaferProbe {
    static final AtomicLong dies = new AtomicLong(), settleNanos = new AtomicLong(), gradeNanos = new AtomicLong(), turns = new AtomicLong();

    static final class Measurement {
        final int row, column;
        volatile double leakage;
        volatile boolean settled;

        Measurement(int row, int column) {
            this.row = row;
            this.column = column;
        }
    }

    /** The instrument: values come some time after they have been asked for. */
    static final class Tester {
        private final ScheduledExecutorService bus = Executors.newSingleThreadScheduledExecutor(r -> {
            Thread t = new Thread(r, "tester-bus");
            t.setDaemon(true);
            return t;
        });

        void measure(Measurement m, Random random) {
            double value = Math.abs(random.nextGaussian()) * 4 + (m.row + m.column) * 0.01;
            bus.schedule(() -> {
                m.leakage = value;
                m.settled = true;
            }, 12 + random.nextInt(14), TimeUnit.MILLISECONDS);
        }
    }

    static final class Grader {
        /** Compares a die with its neighbours so far, as one that differs from all of these is suspect. */
        int grade(double[][] map, int row, int column) {
            double sum = 0, weight = 0;
            for (int r = Math.max(0, row - 6); r <= row; r++) {
                for (int c = Math.max(0, column - 6); c < Math.min(map[r].length, column + 7); c++) {
                    if (map[r][c] > 0) {
                        double w = 1 / (1 + Math.hypot(row - r, column - c));
                        sum += w * map[r][c];
                        weight += w;
                    }
                }
            }
            double expected = weight == 0 ? map[row][column] : sum / weight;
            double off = Math.abs(map[row][column] - expected);
            return off < 2 ? 1 : off < 5 ? 2 : 3;
        }
    }

    static final class ProbeHead implements Runnable {
        private final Tester tester;
        private final Random random;
        private final Grader grader = new Grader();
        private final List<int[]> report = new ArrayList<>();

        ProbeHead(int id, Tester tester) {
            this.tester = tester;
            this.random = new Random(90 + id);
        }

        @Override
        public void run() {
            while (true) {
                wafer(40, 40);
                report.clear();
            }
        }

        private void wafer(int rows, int columns) {
            double[][] map = new double[rows][columns];
            for (int r = 0; r < rows; r++) {
                for (int c = 0; c < columns; c++) {
                    if (Math.hypot(r - rows / 2.0, c - columns / 2.0) > rows / 2.0) {
                        continue;
                    }
                    map[r][c] = probe(r, c);
                    long t = System.nanoTime();
                    report.add(new int[] {r, c, grader.grade(map, r, c)});
                    gradeNanos.addAndGet(System.nanoTime() - t);
                    dies.incrementAndGet();
                }
            }
        }

        private double probe(int row, int column) {
            Measurement m = new Measurement(row, column);
            long t = System.nanoTime();
            tester.measure(m, random);
            awaitSettled(m);
            settleNanos.addAndGet(System.nanoTime() - t);
            return m.leakage;
        }

        private void awaitSettled(Measurement m) {
            long n = 0;
            while (!m.settled) {
                Thread.yield();
                n++;
            }
            turns.addAndGet(n);
        }
    }

    public static void main(String[] args) throws Exception {
        Tester tester = new Tester();
        for (int i = 0; i < 2; i++) {
            new Thread(new ProbeHead(i, tester), "probe-head-" + i).start();
        }
        java.lang.management.ThreadMXBean mx = java.lang.management.ManagementFactory.getThreadMXBean();
        long ld = 0, lw = 0, lg = 0, lt = 0, lc = 0;
        for (int s = 1; ; s++) {
            Thread.sleep(1000);
            long d = dies.get(), w = settleNanos.get(), g = gradeNanos.get(), t = turns.get(), c = 0;
            for (long id : mx.getAllThreadIds()) {
                c += Math.max(0, mx.getThreadCpuTime(id));
            }
            System.out.printf("measured: %d dies, %.1f ms each until settled, %.3f ms to grade; %d turns of the loop for each; %.2f CPUs used by threads of Java%n",
                    d - ld, (w - lw) / 1e6 / Math.max(1, d - ld), (g - lg) / 1e6 / Math.max(1, d - ld), (t - lt) / Math.max(1, d - ld), (c - lc) / 1e9);
            ld = d;
            lw = w;
            lg = g;
            lt = t;
            lc = c;
            if (s == 3) {
                System.out.println("READY");
            }
            System.out.flush();
        }
    }
}
