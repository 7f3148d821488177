// SPDX-License-Identifier: Apache-2.0
// healthy: a batch that computes drainage, slopes and shade of a terrain, tile after tile, with as many threads as CPUs; all of the CPU time is the work itself, in several steps
// share: all CPU time that it gets (2 CPUs on an idle machine) is the work itself, 15 to 20 ms for each tile; collections take some milliseconds a second at most
// judge: right: nothing stands out, or neutral remarks on where the CPU time goes (Relief.heights, Slopes.shade, Drainage.accumulate, Smoothing.apply; a hot method that is said without blame), that the process uses all CPUs, or that main waits for the tiles. WRONG: accusing locks, queues, futures (main waits for the batch, as it should), collections, allocation, too many threads, sorting as an accusation, the machine as a fault of the program.
// jdk: 11
// set: thirty-sixth
// jvm: -Xmx512m
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Works out slopes, shade and drainage of a province from its relief, in tiles of 192 by 192 points. */
public class TerrainSurvey {
    static final int SIDE = 192;
    static final LongAdder tiles = new LongAdder();
    static final LongAdder busyNanos = new LongAdder();

    static final class Relief {
        private final int seed;
        Relief(int seed) {
            this.seed = seed;
        }
        private float corner(int x, int y) {
            int h = x * 374761393 + y * 668265263 + seed * 69069;
            h = (h ^ (h >>> 13)) * 1274126177;
            return ((h ^ (h >>> 16)) & 0xffff) / 65536f;
        }
        /** Heights in metres, from noise in six octaves. */
        float[] heights(int tileX, int tileY) {
            float[] height = new float[SIDE * SIDE];
            float scale = 1 / 64f, weight = 800;
            for (int octave = 0; octave < 6; octave++) {
                for (int y = 0; y < SIDE; y++) {
                    for (int x = 0; x < SIDE; x++) {
                        float fx = (tileX * SIDE + x) * scale, fy = (tileY * SIDE + y) * scale;
                        int ix = (int) Math.floor(fx), iy = (int) Math.floor(fy);
                        float dx = fx - ix, dy = fy - iy;
                        dx = dx * dx * (3 - 2 * dx);
                        dy = dy * dy * (3 - 2 * dy);
                        float top = corner(ix, iy) * (1 - dx) + corner(ix + 1, iy) * dx;
                        float bottom = corner(ix, iy + 1) * (1 - dx) + corner(ix + 1, iy + 1) * dx;
                        height[y * SIDE + x] += weight * (top * (1 - dy) + bottom * dy);
                    }
                }
                scale *= 2;
                weight /= 2.1f;
            }
            return height;
        }
    }

    static final class Smoothing {
        static float[] apply(float[] height) {
            float[] from = height, to = new float[height.length];
            for (int pass = 0; pass < 10; pass++) {
                for (int y = 0; y < SIDE; y++) {
                    for (int x = 0; x < SIDE; x++) {
                        float sum = 0;
                        for (int dy = -1; dy <= 1; dy++) {
                            for (int dx = -1; dx <= 1; dx++) {
                                int nx = Math.min(SIDE - 1, Math.max(0, x + dx)), ny = Math.min(SIDE - 1, Math.max(0, y + dy));
                                sum += from[ny * SIDE + nx];
                            }
                        }
                        to[y * SIDE + x] = sum / 9;
                    }
                }
                float[] swap = from;
                from = to;
                to = swap;
            }
            return from;
        }
    }

    static final class Slopes {
        private static final double AZIMUTH = Math.toRadians(135);
        private static final double[] SIN = new double[5], COS = new double[5];
        static {
            for (int i = 0; i < SIN.length; i++) {
                SIN[i] = Math.sin(Math.toRadians(20 + 10 * i));
                COS[i] = Math.cos(Math.toRadians(20 + 10 * i));
            }
        }
        /** How bright each point is with the sun in the north-west, of 255, on average of several heights of the sun. */
        static double shade(float[] height) {
            double sum = 0;
            for (int y = 1; y < SIDE - 1; y++) {
                for (int x = 1; x < SIDE - 1; x++) {
                    double dx = (height[y * SIDE + x + 1] - height[y * SIDE + x - 1]) / 20, dy = (height[(y + 1) * SIDE + x] - height[(y - 1) * SIDE + x]) / 20;
                    double steep = 1 / Math.sqrt(1 + dx * dx + dy * dy);
                    double towards = Math.cos(AZIMUTH - Math.atan2(dy, -dx)) * Math.sqrt(dx * dx + dy * dy) * steep;
                    for (int i = 0; i < SIN.length; i++) sum += Math.max(0, 255 * (SIN[i] * steep + COS[i] * towards));
                }
            }
            return sum / (5 * (SIDE - 2) * (SIDE - 2));
        }
    }

    static final class Drainage {
        /** How much land drains through the wettest point, found by following the steepest way down from each. */
        static int accumulate(float[] height) {
            int[] down = new int[height.length], above = new int[height.length], flow = new int[height.length];
            for (int y = 0; y < SIDE; y++) {
                for (int x = 0; x < SIDE; x++) {
                    int here = y * SIDE + x, best = -1;
                    float drop = 0;
                    for (int d = 0; d < 9; d++) {
                        int nx = x + d % 3 - 1, ny = y + d / 3 - 1;
                        if (nx < 0 || ny < 0 || nx >= SIDE || ny >= SIDE || d == 4) continue;
                        float fall = (height[here] - height[ny * SIDE + nx]) * (d % 2 == 0 ? 0.7071f : 1);
                        if (fall > drop) {
                            drop = fall;
                            best = ny * SIDE + nx;
                        }
                    }
                    down[here] = best;
                    if (best >= 0) above[best]++;
                }
            }
            int[] queue = new int[height.length];
            int head = 0, tail = 0, most = 0;
            for (int i = 0; i < above.length; i++) if (above[i] == 0) queue[tail++] = i;
            while (head < tail) {
                int here = queue[head++], next = down[here];
                flow[here]++;
                most = Math.max(most, flow[here]);
                if (next < 0) continue;
                flow[next] += flow[here];
                if (--above[next] == 0) queue[tail++] = next;
            }
            return most;
        }
    }

    static final class Result {
        final int x, y, catchment;
        final double shade;
        Result(int x, int y, int catchment, double shade) {
            this.x = x;
            this.y = y;
            this.catchment = catchment;
            this.shade = shade;
        }
    }

    static Result survey(Relief relief, int x, int y) {
        long t0 = System.nanoTime();
        float[] height = Smoothing.apply(relief.heights(x, y));
        Result result = new Result(x, y, Drainage.accumulate(height), Slopes.shade(height));
        tiles.increment();
        busyNanos.add(System.nanoTime() - t0);
        return result;
    }

    public static void main(String[] args) throws InterruptedException, ExecutionException {
        int cpus = Math.max(1, Math.min(2, Runtime.getRuntime().availableProcessors()));
        AtomicInteger number = new AtomicInteger();
        ExecutorService surveyors = Executors.newFixedThreadPool(cpus, task -> new Thread(task, "surveyor-" + number.incrementAndGet()));
        ExecutorCompletionService<Result> work = new ExecutorCompletionService<>(surveyors);
        Deque<Result> wettest = new ArrayDeque<>();
        Relief relief = new Relief(2026);
        int open = 0;
        long n0 = 0, b0 = 0, c0 = 0, gc0 = 0, last = 0;
        boolean ready = false;
        for (int tile = 0; ; tile++) {
            int x = tile % 500, y = tile / 500;
            work.submit(() -> survey(relief, x, y));
            if (++open < 4 * cpus) continue;
            Future<Result> done = work.take();
            open--;
            Result result = done.get();
            if (wettest.isEmpty() || result.catchment > wettest.peekLast().catchment) wettest.addLast(result);
            long now = System.nanoTime();
            if (!ready && tiles.sum() >= 60) {
                ready = true;
                System.out.println("READY");
                System.out.flush();
            } else if (!ready || now - last < 1_000_000_000L) {
                continue;
            }
            long n = tiles.sum(), b = busyNanos.sum(), c = cpu(), gc = collections();
            if (last > 0) {
                System.out.println(String.format(Locale.ROOT, "measured: %d tiles, %.1f ms each; %.2f CPUs used of %d; collections took %d ms; wettest point has %d points above",
                    n - n0, (b - b0) / 1e6 / Math.max(1, n - n0), (c - c0) / (double) (now - last), cpus, gc - gc0, wettest.peekLast().catchment));
            }
            n0 = n; b0 = b; c0 = c; gc0 = gc; last = now;
        }
    }

    private static long cpu() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    private static long collections() {
        long sum = 0;
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) sum += Math.max(0, bean.getCollectionTime());
        return sum;
    }
}
