// SPDX-License-Identifier: Apache-2.0
// healthy: the queue of the plotter pool, without a limit, grows for 20 s while an edition's 2400 sheets are listed faster than they are plotted, but it is bounded by the edition (at most some 1500 small tasks), nobody waits for single sheets, and it is empty before the edition is due.
// share: 46 to 98 sheets plotted a second while there are any, up to some 1400 to do; an edition is done 34 to 36 s after its start, 10 to 12 s before it is due (of 46 s)
// judge: WRONG: an accusation that the queue grows without end or is a leak, that the pool is too small or its tasks slow so that somebody waits, the listing thread's sleep or its wait for the latch as a fault, a single saturated plotter as a fault. ACCEPTABLE: true and neutral: the plotter's queue grows while sheets are listed, the plotter thread works all the time then, CPU time goes to Plotter.height/lines (the program's purpose); nothing stands out.
// jdk: 21
// set: thirtieth
// jvm:
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

/** Plots the sheets of land surveys: an edition's sheets are listed at the start, and all have to be done when the edition is due. */
public class PlanPlotting {
    static final int SPAN = Integer.getInteger("span", 170);
    static final int SHEETS = Integer.getInteger("sheets", 2400);
    static final long LISTING_MILLIS = 20_000;
    static final long EDITION_MILLIS = 46_000;
    static volatile boolean open = true;

    static final class Sheet {
        final int edition;
        final int number;

        Sheet(int edition, int number) {
            this.edition = edition;
            this.number = number;
        }
    }

    /** Draws the contour lines of a sheet: heights from octaves of noise, and where a line crosses the raster. */
    static final class Plotter {
        private static final int SIDE = 96;

        private static double noise(int x, int y, int seed) {
            long h = x * 374761393L + y * 668265263L + seed * 1442695041L;
            h = (h ^ h >>> 13) * 1274126177L;
            return ((h ^ h >>> 16) & 0xffff) / 65536.0;
        }

        private static double height(double x, double y, int seed) {
            double sum = 0;
            double weight = 1;
            for (int octave = 0; octave < 5; octave++) {
                int left = (int) Math.floor(x);
                int top = (int) Math.floor(y);
                double fx = x - left;
                double fy = y - top;
                double upper = noise(left, top, seed) * (1 - fx) + noise(left + 1, top, seed) * fx;
                double lower = noise(left, top + 1, seed) * (1 - fx) + noise(left + 1, top + 1, seed) * fx;
                sum += weight * (upper * (1 - fy) + lower * fy);
                weight /= 2;
                x *= 2;
                y *= 2;
            }
            return sum;
        }

        int lines(Sheet sheet) {
            double[] above = new double[SIDE + 1];
            int crossings = 0;
            for (int y = 0; y <= SIDE; y++) {
                double before = 0;
                for (int x = 0; x <= SIDE; x++) {
                    double height = height(sheet.number % 50 + x / 12.0, sheet.number / 50 + y / 12.0, sheet.edition);
                    if (x > 0 && (int) (height * 25) != (int) (before * 25)) crossings++;
                    if (y > 0 && (int) (height * 25) != (int) (above[x] * 25)) crossings++;
                    above[x] = height;
                    before = height;
                }
            }
            return crossings;
        }
    }

    static final class Office {
        private final ThreadPoolExecutor plotters;
        final LongAdder plotted = new LongAdder();
        final LongAdder crossings = new LongAdder();
        final AtomicInteger left = new AtomicInteger();
        final AtomicInteger editions = new AtomicInteger();
        volatile long spareMillis;
        private volatile CountDownLatch done = new CountDownLatch(0);

        Office(int threads) {
            plotters = new ThreadPoolExecutor(threads, threads, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), work -> {
                Thread thread = new Thread(work, "plotter");
                thread.setDaemon(true);
                return thread;
            });
        }

        private void plot(Sheet sheet, int turns) {
            Plotter plotter = new Plotter();
            for (int i = 0; i < turns; i++) crossings.add(plotter.lines(new Sheet(sheet.edition + i, sheet.number)));
            plotted.increment();
            left.decrementAndGet();
            done.countDown();
        }

        void edition(int edition, int turns) throws InterruptedException {
            long begin = System.currentTimeMillis();
            done = new CountDownLatch(SHEETS);
            for (int i = 0; i < SHEETS && open; i++) {
                Sheet sheet = new Sheet(edition, i);
                left.incrementAndGet();
                plotters.execute(() -> plot(sheet, turns));
                long due = begin + LISTING_MILLIS * i / SHEETS;
                long now = System.currentTimeMillis();
                if (now < due) Thread.sleep(due - now);
            }
            done.await();
            spareMillis = begin + EDITION_MILLIS - System.currentTimeMillis();
            editions.incrementAndGet();
            if (spareMillis > 0) Thread.sleep(spareMillis);
        }
    }

    public static void main(String[] args) throws Exception {
        Office office = new Office(Math.max(1, Runtime.getRuntime().availableProcessors() / 2));
        Thread listing = new Thread(() -> {
            try {
                for (int edition = 1; open; edition++) office.edition(edition, Integer.getInteger("turns", 22));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "listing");
        listing.setDaemon(true);
        listing.start();
        System.out.println("READY");
        for (int second = 0; second < SPAN; second++) {
            Thread.sleep(1000);
            System.out.printf("measured: %d sheets plotted, %d to do, %d editions done, the last one %.1f s before it was due%n", office.plotted.sumThenReset(),
                    office.left.get(), office.editions.get(), office.spareMillis / 1e3);
        }
        open = false;
    }
}
