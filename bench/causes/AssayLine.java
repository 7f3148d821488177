// SPDX-License-Identifier: Apache-2.0
// healthy: A pipeline of three stages with about equal work per sample, fed at a fixed rate that all of them keep up with; queues are nearly empty and each sample leaves after little more than its own computing time.
// judge: Wrong: to accuse the waits in BlockingQueue.take/poll (stages idle between samples), the pacing of the feeder (parkNanos), one of the stages as the bottleneck, or the bounded queues as back-pressure (put never waits).
// set: twentieth
// jdk: 17
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

public class AssayLine {
    record Sample(int number, double[] grains, double result, long taken) {
        Sample with(double r) {
            return new Sample(number, grains, r, taken);
        }
    }

    interface Step {
        Sample apply(Sample s);
    }

    private static final long GAP = 12_000_000;
    private final BlockingQueue<Sample> crushed = new ArrayBlockingQueue<>(16);
    private final BlockingQueue<Sample> dissolved = new ArrayBlockingQueue<>(16);
    private final BlockingQueue<Sample> titrated = new ArrayBlockingQueue<>(16);
    private final LongAdder done = new LongAdder();
    private final LongAdder micros = new LongAdder();
    private volatile double grade;

    static Sample crush(Sample s) {
        double sum = 0;
        for (int pass = 0; pass < 600; pass++) {
            for (double g : s.grains()) {
                sum += Math.sqrt(g + pass);
            }
        }
        return s.with(sum);
    }

    static Sample dissolve(Sample s) {
        double c = s.result();
        for (int i = 0; i < 95_000; i++) {
            c += (s.grains()[i & 255] - c) / (3 + (i & 15));
        }
        return s.with(c);
    }

    static Sample titrate(Sample s) {
        double v = 0;
        for (int i = 1; i < 95_000; i++) {
            v += s.result() / (i + v * 0.001 + 1);
        }
        return s.with(v);
    }

    void feed() {
        long next = System.nanoTime();
        try {
            for (int n = 0; ; n++) {
                double[] grains = new double[256];
                for (int i = 0; i < grains.length; i++) {
                    grains[i] = 1 + (n * 31 + i * 17) % 101;
                }
                next += GAP;
                for (long left = next - System.nanoTime(); left > 0; left = next - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
                crushed.put(new Sample(n, grains, 0, System.nanoTime()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void stage(BlockingQueue<Sample> in, Step step, BlockingQueue<Sample> out) {
        try {
            while (true) {
                Sample s = step.apply(in.take());
                if (out != null) {
                    out.put(s);
                } else {
                    grade = s.result();
                    done.increment();
                    micros.add((System.nanoTime() - s.taken()) / 1000);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void start(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws InterruptedException {
        AssayLine line = new AssayLine();
        start("crusher", () -> line.stage(line.crushed, AssayLine::crush, line.dissolved));
        start("digester", () -> line.stage(line.dissolved, AssayLine::dissolve, line.titrated));
        start("titrator", () -> line.stage(line.titrated, AssayLine::titrate, null));
        start("feeder", line::feed);
        System.out.println("READY");
        for (int s = 0; s < 220; s++) {
            Thread.sleep(1000);
            long n = line.done.sumThenReset();
            long us = line.micros.sumThenReset();
            System.out.printf("measured: %d samples/s, mean %.2f ms%n", n, n == 0 ? 0 : us / 1e3 / n);
        }
    }
}
