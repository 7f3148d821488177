// SPDX-License-Identifier: Apache-2.0
// healthy: a ForkJoinPool of as many threads as CPUs does all work by RecursiveAction and RecursiveTask, but a leaf of Step is 40 rows (at most 25,600 cells, a fraction of a millisecond), so that handing out and joining tasks costs next to nothing; CPU time is the forecast itself.
// share: 6 to 11 forecasts a second of 12 steps of 409,600 cells each on a crowded machine, mean 100 to 158 ms
// judge: WRONG: that handing out and joining tasks of the ForkJoinPool costs much or that leaves are too small, waits of the workers for work or of the forecasts thread in invoke as a fault, too many threads. ACCEPTABLE: neutral remarks that CPU time goes to RainfallGrid$Step.compute (and Math.sin in it), which is the program's purpose; that CPUs are short if the machine is crowded; nothing stands out.
// jdk: 11
// set: thirtieth
// jvm:
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;

/** Rain forecasts for water works: a grid of cells is carried on in time, strip by strip, and summed up by catchment area. */
public class RainfallGrid {
    static final int SPAN = Integer.getInteger("span", 170);
    static final int SIDE = 640;
    static final int CATCHMENTS = 24;
    static volatile boolean open = true;

    static final class Grid {
        final float[] water = new float[SIDE * SIDE];
        final float[] wind = new float[SIDE * SIDE];

        Grid(long seed) {
            Random random = new Random(seed);
            for (int i = 0; i < water.length; i++) {
                water[i] = random.nextFloat() * 4;
                wind[i] = random.nextFloat() - 0.5f;
            }
        }
    }

    /** One step of a range of rows; a range of few rows is done at once. */
    static final class Step extends RecursiveAction {
        private static final int ROWS = 40;
        private final float[] from;
        private final float[] to;
        private final float[] wind;
        private final int first;
        private final int end;

        Step(float[] from, float[] to, float[] wind, int first, int end) {
            this.from = from;
            this.to = to;
            this.wind = wind;
            this.first = first;
            this.end = end;
        }

        @Override protected void compute() {
            if (end - first > ROWS) {
                int middle = (first + end) >>> 1;
                invokeAll(new Step(from, to, wind, first, middle), new Step(from, to, wind, middle, end));
                return;
            }
            for (int y = first; y < end; y++)
                for (int x = 0; x < SIDE; x++) {
                    int up = y == 0 ? SIDE - 1 : y - 1;
                    int down = y == SIDE - 1 ? 0 : y + 1;
                    int left = x == 0 ? SIDE - 1 : x - 1;
                    int right = x == SIDE - 1 ? 0 : x + 1;
                    float here = from[y * SIDE + x];
                    float drift = wind[y * SIDE + x];
                    float around = from[up * SIDE + x] + from[down * SIDE + x] + from[y * SIDE + left] * (1 + drift) + from[y * SIDE + right] * (1 - drift);
                    float next = here * 0.6f + around * 0.1f;
                    to[y * SIDE + x] = next + (float) Math.sin(next * 1.7f) * 0.01f;
                }
        }
    }

    /** The rain of a range of catchment areas. */
    static final class Sum extends RecursiveTask<double[]> {
        private final float[] water;
        private final int first;
        private final int end;

        Sum(float[] water, int first, int end) {
            this.water = water;
            this.first = first;
            this.end = end;
        }

        @Override protected double[] compute() {
            if (end - first > 3) {
                int middle = (first + end) >>> 1;
                Sum left = new Sum(water, first, middle);
                Sum right = new Sum(water, middle, end);
                right.fork();
                double[] lower = left.compute();
                double[] upper = right.join();
                double[] all = Arrays.copyOf(lower, lower.length + upper.length);
                System.arraycopy(upper, 0, all, lower.length, upper.length);
                return all;
            }
            double[] sums = new double[end - first];
            int rows = SIDE / CATCHMENTS;
            for (int catchment = first; catchment < end; catchment++)
                for (int i = catchment * rows * SIDE; i < (catchment + 1) * rows * SIDE; i++) sums[catchment - first] += water[i];
            return sums;
        }
    }

    static final class Forecast {
        private final ForkJoinPool pool = new ForkJoinPool(Math.max(2, Runtime.getRuntime().availableProcessors()));
        private final Grid grid = new Grid(4);
        private float[] other = new float[SIDE * SIDE];
        private float[] current = grid.water;

        double[] next(int steps) {
            for (int i = 0; i < steps; i++) {
                pool.invoke(new Step(current, other, grid.wind, 0, SIDE));
                float[] swap = current;
                current = other;
                other = swap;
            }
            return pool.invoke(new Sum(current, 0, CATCHMENTS));
        }
    }

    public static void main(String[] args) throws Exception {
        Forecast forecast = new Forecast();
        LongAdder done = new LongAdder();
        LongAdder nanos = new LongAdder();
        double[] highest = new double[1];
        Thread service = new Thread(() -> {
            while (open) {
                long begin = System.nanoTime();
                double[] sums = forecast.next(12);
                nanos.add(System.nanoTime() - begin);
                highest[0] = Arrays.stream(sums).max().orElse(0);
                done.increment();
            }
        }, "forecasts");
        service.setDaemon(true);
        service.start();
        System.out.println("READY");
        for (int second = 0; second < SPAN; second++) {
            Thread.sleep(1000);
            long n = done.sumThenReset();
            System.out.printf("measured: %d forecasts, mean %.1f ms, highest %.0f%n", n, n == 0 ? 0.0 : nanos.sumThenReset() / 1e6 / n, highest[0]);
        }
        open = false;
    }
}
