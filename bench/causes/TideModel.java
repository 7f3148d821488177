// SPDX-License-Identifier: Apache-2.0
// healthy: twelve basins of a tide model wait in one method (TideModel$Tides.await) for the next step of the model, and notifyAll wakes all of them on purpose: each has its own part to compute in every step, so no thread wakes in vain; some 12 to 20 steps a second, most of the CPU time is that computing
// share: no fault; of the threads that are woken 100 % have work (0 in vain), waking and waiting take a few per cent of the CPU time, the model uses 0.2 to 0.4 CPUs and keeps its pace of 12 to 20 steps a second
// judge: right: nothing stands out, no fault, or only neutral statements of where the CPU time goes (computing in TideModel$Basin.step). WRONG: any accusation, such as waking threads that wait again (notifyAll for work that one could do), too many threads, threads that wait for each other, waits at $Tides.await or $Tides.advance, the pace in main's timer, locks, or a lack of CPUs because twelve threads wake at a time
// jdk: 25
// set: thirty-fourth
// jvm: -Xmx256m
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;

/** Water levels of the basins of an estuary, step by step, for the display of a harbour office. */
public class TideModel {
    static final int BASINS = 12;

    /** The common step of all basins; who has done its part waits for the next one. */
    static final class Tides {
        private long step;
        private double sea;
        private CountDownLatch open = new CountDownLatch(0);
        final LongAdder woken = new LongAdder();
        final LongAdder inVain = new LongAdder();

        /** Begins the next step and returns when all basins have done their part of it. */
        void advance(double level) throws InterruptedException {
            CountDownLatch parts = new CountDownLatch(BASINS);
            synchronized (this) {
                step++;
                sea = level;
                open = parts;
                notifyAll();
            }
            parts.await();
        }

        /** Waits until the step after the given one has begun. */
        synchronized long await(long last) throws InterruptedException {
            while (step == last) {
                wait();
                woken.increment();
                if (step == last) inVain.increment();
            }
            return step;
        }

        synchronized double sea() {
            return sea;
        }

        synchronized CountDownLatch open() {
            return open;
        }
    }

    static final class Basin extends Thread {
        static final int N = 220;
        final Tides tides;
        final Basin seaward;
        final LongAdder nanos;
        double[] level = new double[N];
        double[] flow = new double[N + 1];
        volatile double mouth;

        Basin(int number, Tides tides, Basin seaward, LongAdder nanos) {
            super("basin-" + number);
            this.tides = tides;
            this.seaward = seaward;
            this.nanos = nanos;
            setDaemon(true);
        }

        /** Shallow water in one dimension: some small steps of time. */
        void step(double boundary) {
            for (int small = 0; small < 4_000; small++) {
                for (int i = 1; i < N; i++) {
                    double slope = level[i] - level[i - 1];
                    double f = flow[i] - 0.045 * slope;
                    flow[i] = f * (1 - 0.002 * Math.abs(f));
                }
                flow[0] += 0.045 * (boundary - level[0]);
                flow[0] *= 0.998;
                for (int i = 0; i < N; i++) level[i] += 0.045 * (flow[i] - flow[i + 1]);
            }
            mouth = level[N - 1];
        }

        @Override
        public void run() {
            try {
                long last = 0;
                while (true) {
                    last = tides.await(last);
                    long begin = System.nanoTime();
                    step(seaward == null ? tides.sea() : 0.7 * tides.sea() + 0.3 * seaward.mouth);
                    nanos.add(System.nanoTime() - begin);
                    tides.open().countDown();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Tides tides = new Tides();
        LongAdder nanos = new LongAdder();
        List<Basin> basins = new ArrayList<>();
        for (int i = 0; i < BASINS; i++) {
            Basin b = new Basin(i, tides, i == 0 ? null : basins.get(i - 1), nanos);
            basins.add(b);
            b.start();
        }
        int steps = 0;
        for (; steps < 60; steps++) {
            tides.advance(1.8 * Math.sin(steps / 200.0));
            Thread.sleep(20);
        }
        System.out.println("READY");
        System.out.flush();
        long report = System.nanoTime();
        int reported = steps;
        while (true) {
            tides.advance(1.8 * Math.sin(steps++ / 200.0));
            Thread.sleep(45);
            long now = System.nanoTime();
            if (now - report < 1_000_000_000L) continue;
            System.out.printf("measured: %.1f steps a second; %d threads woken, %d in vain; computing takes %.2f ms a basin and step; level at the quay %.2f m%n",
                    (steps - reported) * 1e9 / (now - report), tides.woken.sumThenReset(), tides.inVain.sumThenReset(),
                    nanos.sumThenReset() / 1e6 / BASINS / (steps - reported), basins.get(BASINS - 1).mouth);
            System.out.flush();
            report = now;
            reported = steps;
        }
    }
}
