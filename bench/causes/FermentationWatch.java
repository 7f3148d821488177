// SPDX-License-Identifier: Apache-2.0
// healthy: a brewery's control works out what its tanks do, and a watchdog looks after its threads: the stacks of 12 workers to a depth of 8, ten times a second, a search for deadlocks every second, and a dump of all threads (without locks) every two seconds; each is one operation of the VM thread of a fraction of a millisecond, which together are well below one percent of the time
// share: none: the watchdog looks 10 times a second, 0.3 to 1.0 ms each by the clock, 0.3 to 1 % of the time in all; operations stop the JVM for 0.1 ms each; no worker is delayed; 0.2 CPUs of 2
// judge: RIGHT: nothing stands out, or only neutral sentences (CPU time is in FermentationWatch$Tank.step). WRONG: VM operations (thread dumps, FindDeadlocks) as a fault, slow safepoints as a fault, the watchdog as the cause, locks, waiting for the timer, too many threads, collections.
// jdk: 11
// set: thirty-fourth
// jvm: -Xmx256m
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/** Simulates the tanks of a brewery some hours ahead, and watches over the threads that do it. */
public class FermentationWatch {
    static final int TANKS = 12;
    static final AtomicLong steps = new AtomicLong();
    static final AtomicLong lookNanos = new AtomicLong();
    static final AtomicLong looks = new AtomicLong();
    static final AtomicLong late = new AtomicLong();

    /** Sugar, yeast and temperature in layers of a tank. */
    static final class Tank implements Runnable {
        static final int LAYERS = 300;
        final double[] sugar = new double[LAYERS];
        final double[] yeast = new double[LAYERS];
        final double[] warmth = new double[LAYERS];
        final Random random;
        volatile long seen = System.nanoTime();
        volatile double alcohol;

        Tank(int number) {
            random = new Random(number);
            fill();
        }

        void fill() {
            for (int i = 0; i < LAYERS; i++) {
                sugar[i] = 110 + random.nextInt(20);
                yeast[i] = 0.5 + random.nextDouble() / 5;
                warmth[i] = 15 + random.nextDouble() * 3;
            }
            alcohol = 0;
        }

        void step(double hours) {
            double made = 0;
            for (int i = 0; i < LAYERS; i++) {
                double rate = 0.3 * Math.exp(0.07 * (warmth[i] - 18)) * sugar[i] / (sugar[i] + 20) * yeast[i];
                double used = Math.min(sugar[i], rate * hours);
                sugar[i] -= used;
                yeast[i] += (0.04 * used - 0.002 * yeast[i] * hours);
                made += 0.51 * used;
                double above = warmth[Math.max(0, i - 1)];
                double below = warmth[Math.min(LAYERS - 1, i + 1)];
                warmth[i] += hours * (0.2 * (above + below - 2 * warmth[i]) + 0.01 * used + 0.05 * (16 - warmth[i]));
            }
            alcohol += made / LAYERS;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    for (int i = 0; i < 120; i++) {
                        step(0.1);
                        steps.incrementAndGet();
                    }
                    if (sugar[0] < 5) {
                        fill();
                    }
                    seen = System.nanoTime();
                    Thread.sleep(25 + random.nextInt(10));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Finds out where a worker is that has not been heard of for a while. */
    static final class Watchdog implements Runnable {
        final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        final List<Tank> tanks;
        final long[] workers;
        ThreadInfo[] everything;

        Watchdog(List<Tank> tanks, long[] workers) {
            this.tanks = tanks;
            this.workers = workers;
        }

        @Override
        public void run() {
            try {
                for (int turn = 0; ; turn++) {
                    long start = System.nanoTime();
                    glance();
                    if (turn % 10 == 0 && threads.findDeadlockedThreads() != null) {
                        System.out.println("threads wait for each other");
                    }
                    if (turn % 20 == 0) {
                        everything = threads.dumpAllThreads(false, false);
                    }
                    lookNanos.addAndGet(System.nanoTime() - start);
                    looks.incrementAndGet();
                    Thread.sleep(100);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        void glance() {
            ThreadInfo[] infos = threads.getThreadInfo(workers, 8);
            long now = System.nanoTime();
            for (int i = 0; i < infos.length; i++) {
                if (infos[i] != null && now - tanks.get(i).seen > 5_000_000_000L) {
                    late.incrementAndGet();
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        List<Tank> tanks = new ArrayList<>();
        long[] workers = new long[TANKS];
        for (int i = 0; i < TANKS; i++) {
            Tank tank = new Tank(i);
            Thread worker = new Thread(tank, "tank-" + i);
            worker.setDaemon(true);
            worker.start();
            tanks.add(tank);
            workers[i] = worker.getId();
        }
        Thread watchdog = new Thread(new Watchdog(tanks, workers), "watchdog");
        watchdog.setDaemon(true);
        watchdog.start();
        long time = System.nanoTime();
        long done = 0;
        long looked = 0;
        long nanos = 0;
        for (int second = 1; ; second++) {
            Thread.sleep(1000);
            long now = System.nanoTime();
            long s = steps.get();
            long l = looks.get();
            long n = lookNanos.get();
            System.out.printf("measured: %d steps; the watchdog looked %d times, %.2f ms each, %.2f %% of the time in all; %d workers late so far%n",
                    s - done, l - looked, (n - nanos) / 1e6 / Math.max(1, l - looked), 100.0 * (n - nanos) / (now - time), late.get());
            if (second == 4) {
                System.out.println("READY");
            }
            System.out.flush();
            time = now;
            done = s;
            looked = l;
            nanos = n;
        }
    }
}
