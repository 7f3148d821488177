// SPDX-License-Identifier: Apache-2.0
// healthy: a pipeline of four stages with bounded queues, fed at the pace of its stations; every stage has time to spare, the queues are nearly empty, and a window is through in milliseconds
// share: nothing: 0.13 CPUs used of 2, 0.3 ms from station to count, no queue ever full, the busiest stage works 8 % of its time
// judge: RIGHT: nothing stands out, or neutral remarks on where CPU time goes (FilterStage.work, PickStage.work, UnpackStage.work, methods of these). WRONG: any accusation, such as waits for elements or room of the queues (Stage.run, Stations.run), a saturated thread or stage, a timer at Stations.run, a lock, collections, CPUs.
// jdk: 21
// set: thirty-fifth
// jvm: -Xmx256m

import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Windows of seismometers are unpacked, filtered, searched for arrivals and counted. */
public class QuakePicks {
    static final int SAMPLES = 1000;
    static final LongAdder done = new LongAdder(), took = new LongAdder(), refusedRoom = new LongAdder();

    static final class Window {
        final int station;
        final byte[] packed;
        final long made = System.nanoTime();
        double[] trace;
        int pick = -1;

        Window(int station, byte[] packed) {
            this.station = station;
            this.packed = packed;
        }
    }

    abstract static class Stage implements Runnable {
        final BlockingQueue<Window> in = new ArrayBlockingQueue<>(64);
        final Stage next;
        volatile long busy;

        Stage(Stage next) {
            this.next = next;
        }

        abstract void work(Window w);

        void give(Window w) throws InterruptedException {
            if (in.remainingCapacity() == 0) refusedRoom.increment();
            in.put(w);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Window w = in.take();
                    long begin = System.nanoTime();
                    work(w);
                    busy += System.nanoTime() - begin;
                    if (next != null) next.give(w);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class UnpackStage extends Stage {
        UnpackStage(Stage next) {
            super(next);
        }

        @Override
        void work(Window w) {
            double[] trace = new double[SAMPLES];
            int value = 0;
            for (int i = 0; i < SAMPLES; i++) {
                value += w.packed[i];
                trace[i] = value * 0.0025;
            }
            double mean = 0;
            for (double v : trace) mean += v / SAMPLES;
            for (int i = 0; i < SAMPLES; i++) trace[i] -= mean;
            w.trace = trace;
        }
    }

    static final class FilterStage extends Stage {
        final double[] taps = new double[400];

        FilterStage(Stage next) {
            super(next);
            for (int i = 0; i < taps.length; i++) taps[i] = Math.sin(i * 0.2 + 0.1) / (i + 1);
        }

        @Override
        void work(Window w) {
            double[] out = new double[SAMPLES];
            for (int i = taps.length; i < SAMPLES; i++) {
                double sum = 0;
                for (int k = 0; k < taps.length; k++) sum += taps[k] * w.trace[i - k];
                out[i] = sum;
            }
            w.trace = out;
        }
    }

    static final class PickStage extends Stage {
        PickStage(Stage next) {
            super(next);
        }

        @Override
        void work(Window w) {
            double best = 0;
            for (int i = 580; i < SAMPLES - 20; i += 2) {
                double brief = 0, lasting = 1e-9;
                for (int k = 0; k < 20; k++) brief += Math.abs(w.trace[i + k]);
                for (int k = 0; k < 180; k++) lasting += Math.abs(w.trace[i - k]);
                double ratio = brief * 9 / lasting;
                if (ratio > best) {
                    best = ratio;
                    w.pick = i;
                }
            }
        }
    }

    static final class CountStage extends Stage {
        final int[] picks = new int[40];

        CountStage() {
            super(null);
        }

        @Override
        void work(Window w) {
            if (w.pick > 0) picks[w.station]++;
            took.add(System.nanoTime() - w.made);
            done.increment();
        }
    }

    /** Forty stations, each of which sends ten windows a second. */
    static final class Stations implements Runnable {
        final Stage first;
        final SplittableRandom random = new SplittableRandom(11);

        Stations(Stage first) {
            this.first = first;
        }

        byte[] signal() {
            byte[] bytes = new byte[SAMPLES];
            random.nextBytes(bytes);
            return bytes;
        }

        @Override
        public void run() {
            try {
                long due = System.nanoTime();
                for (int n = 0;; n++) {
                    first.give(new Window(n % 40, signal()));
                    due = Math.max(due + 2_500_000, System.nanoTime() - 50_000_000);
                    long rest = due - System.nanoTime();
                    if (rest > 0) TimeUnit.NANOSECONDS.sleep(rest);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        CountStage count = new CountStage();
        PickStage pick = new PickStage(count);
        FilterStage filter = new FilterStage(pick);
        UnpackStage unpack = new UnpackStage(filter);
        List<Stage> stages = List.of(unpack, filter, pick, count);
        for (Stage s : stages) Thread.ofPlatform().daemon().name(s.getClass().getSimpleName()).start(s);
        Thread.ofPlatform().daemon().name("stations").start(new Stations(unpack));
        Thread.sleep(2500);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long d = done.sum(), t = took.sum(), f = refusedRoom.sum(), b = filter.busy, p = pick.busy;
            Thread.sleep(1000);
            System.out.printf("measured: %d windows/s, %.2f ms from station to count, %d times no room; filter busy %.0f %%, pick %.0f %%; queued %d%n",
                    done.sum() - d, (took.sum() - t) / 1e6 / Math.max(1, done.sum() - d), refusedRoom.sum() - f,
                    (filter.busy - b) / 1e7, (pick.busy - p) / 1e7, stages.stream().mapToInt(s -> s.in.size()).sum());
        }
    }
}
