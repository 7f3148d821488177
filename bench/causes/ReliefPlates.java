// SPDX-License-Identifier: Apache-2.0
// healthy: some 25 threads a second are started, one for each map sheet, on purpose (a sheet can be given up alone), three at a time at most; a start costs less than a hundredth of what the thread then computes (ReliefPlates$Sheet.run and light)
// share: 0.08 ms of CPU to start a thread, 18 ms to draw the sheet: starts are 0.4 to 0.5 % of the two; 0.4 to 0.6 of 2 CPUs
// judge: RIGHT: nothing stands out, or only neutral sentences (time goes to computing in ReliefPlates$Sheet.light or run, or to Math.sin, cos, atan, atan2 called there; no fault shows), or what is wrong with the machine. WRONG: starting threads (PlateDesk.begin, Thread.start) as a fault or as where time goes, too many threads, thread-start waits, any other accusation
// jdk: 25
// set: thirty-fourth
// jvm: -Xmx256m
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/** Draws shaded relief for map sheets; each sheet has a thread of its own, so that one that takes too long can be given up. */
public class ReliefPlates {
    static final int SIZE = 320;
    static final int AT_A_TIME = 3;
    static final long LIMIT_NS = 20_000_000_000L;
    static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    static final AtomicLong STARTED = new AtomicLong();
    static final AtomicLong START_NS = new AtomicLong();
    static final AtomicLong DRAWN = new AtomicLong();
    static final AtomicLong DRAW_NS = new AtomicLong();
    static final AtomicLong FAILED = new AtomicLong();

    /** Heights of a piece of land. */
    static final class Terrain {
        private final float[] heights = new float[SIZE * SIZE];

        Terrain(long seed) {
            Random random = new Random(seed);
            float[] waves = new float[24];
            for (int i = 0; i < waves.length; i++) {
                waves[i] = random.nextFloat() * 6;
            }
            for (int y = 0; y < SIZE; y++) {
                for (int x = 0; x < SIZE; x++) {
                    double h = 0;
                    for (int w = 0; w < 8; w++) {
                        h += Math.sin(x * 0.01 * (w + 1) + waves[w]) * Math.cos(y * 0.013 * (w + 1) + waves[w + 8]) * (200.0 / (w + 1));
                    }
                    heights[y * SIZE + x] = (float) h;
                }
            }
        }

        float at(int x, int y) {
            return heights[y * SIZE + x];
        }
    }

    /** One sheet: the light from four directions, and the shadows. */
    static final class Sheet implements Runnable {
        private final long number;
        private final Terrain terrain;
        final long begun = System.nanoTime();
        volatile boolean givenUp;
        private byte[] grey;

        Sheet(long number, Terrain terrain) {
            this.number = number;
            this.terrain = terrain;
        }

        @Override
        public void run() {
            long begin = THREADS.getCurrentThreadCpuTime();
            grey = new byte[SIZE * SIZE];
            double turn = number % 90;
            for (int y = 1; y < SIZE - 1 && !givenUp; y++) {
                for (int x = 1; x < SIZE - 1; x++) {
                    grey[y * SIZE + x] = (byte) (255 * light(x, y, turn));
                }
            }
            DRAWN.incrementAndGet();
            DRAW_NS.addAndGet(THREADS.getCurrentThreadCpuTime() - begin);
        }

        private double light(int x, int y, double turn) {
            double dx = (terrain.at(x + 1, y) - terrain.at(x - 1, y)) / 50;
            double dy = (terrain.at(x, y + 1) - terrain.at(x, y - 1)) / 50;
            double slope = Math.atan(Math.sqrt(dx * dx + dy * dy));
            double aspect = Math.atan2(dy, -dx);
            double sum = 0;
            for (int lamp = 0; lamp < 4; lamp++) {
                double azimuth = Math.toRadians(turn + lamp * 90);
                sum += Math.max(0, Math.cos(0.8) * Math.cos(slope) + Math.sin(0.8) * Math.sin(slope) * Math.cos(azimuth - aspect)) * (4 - lamp) / 10;
            }
            float here = terrain.at(x, y);
            for (int step = 1; step < 12 && x + step < SIZE; step++) {
                if (terrain.at(x + step, y) - here > step * 14) {
                    sum *= 0.9;
                }
            }
            return Math.min(1, sum);
        }
    }

    record Running(Sheet sheet, Thread thread) {}

    /** Takes orders at a fixed pace and starts a sheet for each. */
    static final class PlateDesk implements Runnable {
        private final Terrain[] terrains = new Terrain[6];
        private final List<Running> running = new ArrayList<>();
        private long number;

        PlateDesk() {
            for (int i = 0; i < terrains.length; i++) {
                terrains[i] = new Terrain(i);
            }
        }

        @Override
        public void run() {
            try {
                while (true) {
                    collect();
                    if (running.size() < AT_A_TIME) {
                        running.add(begin());
                    }
                    Thread.sleep(35);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private Running begin() {
            Sheet sheet = new Sheet(++number, terrains[(int) (number % terrains.length)]);
            Thread thread = new Thread(sheet, "sheet-" + number);
            thread.setUncaughtExceptionHandler((t, e) -> FAILED.incrementAndGet());
            long before = THREADS.getCurrentThreadCpuTime();
            thread.start();
            START_NS.addAndGet(THREADS.getCurrentThreadCpuTime() - before);
            STARTED.incrementAndGet();
            return new Running(sheet, thread);
        }

        private void collect() {
            for (Iterator<Running> all = running.iterator(); all.hasNext();) {
                Running one = all.next();
                if (!one.thread().isAlive()) {
                    all.remove();
                } else if (System.nanoTime() - one.sheet().begun > LIMIT_NS) {
                    one.sheet().givenUp = true;
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        new Thread(new PlateDesk(), "plate-desk").start();
        long started = 0, start = 0, drawn = 0, draw = 0;
        for (int second = 1;; second++) {
            Thread.sleep(1000);
            long s = STARTED.get(), t = START_NS.get(), d = DRAWN.get(), w = DRAW_NS.get();
            System.out.printf("measured: %d sheets, a thread each: %.2f ms of CPU to start it, %.1f ms to draw (starts are %.1f %% of both), %d failed%n",
                s - started, (t - start) / 1e6 / Math.max(1, s - started), (w - draw) / 1e6 / Math.max(1, d - drawn),
                (t - start) * 100.0 / Math.max(1, t - start + w - draw), FAILED.get());
            started = s;
            start = t;
            drawn = d;
            draw = w;
            if (second == 5) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
