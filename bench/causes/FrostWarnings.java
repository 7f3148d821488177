// SPDX-License-Identifier: Apache-2.0
// cause: FrostWarnings$GridPoint.hashCode casts Double.doubleToLongBits to int: of quarters of a degree the lower 32 bits are all zero, so that all 2400 keys of the HashMap have the hash code 0 and are not Comparable; Forecast.at (HashMap.get), called by WarningService.cell, searches a tree of all keys.
// share: 94 to 98 % of the worker's time is in these lookups, 11 to 15 us each (some 0.45 CPUs); a good hash code needs well under 0.1 us.
// expect: hot-code frame=FrostWarnings$Forecast.at
// symptom: hot-method hot-calls
// judge: NAMED: colliding keys (maps search trees of keys with the same hash code) at FrostWarnings$Forecast.at, WarningService.cell or .surroundings, or GridPoint.hashCode as the cause. SYMPTOM ONLY: hot code in HashMap.get / HashMap$TreeNode.find / GridPoint.equals, called by Forecast.at or WarningService, without that keys collide; that the thread warnings is busy (saturated-thread). WRONG: a cache that misses, the queue of batches or StationFeed, collections, locks, waiting.
// jdk: 17
// set: thirty-first

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Warns orchards of frost: readings of stations correct the forecast of the grid cell that they lie in. */
public class FrostWarnings {
    static final double STEP = 0.25;
    static final int ROWS = 40;
    static final int COLUMNS = 60;

    /** A point of the forecast's grid, at a quarter of a degree. */
    static final class GridPoint {
        private final double latitude;
        private final double longitude;

        GridPoint(double latitude, double longitude) {
            this.latitude = latitude;
            this.longitude = longitude;
        }

        static GridPoint near(double latitude, double longitude) {
            return new GridPoint(Math.floor(latitude / STEP) * STEP, Math.floor(longitude / STEP) * STEP);
        }

        GridPoint moved(double north, double east) {
            return new GridPoint(latitude + north, longitude + east);
        }

        @Override
        public boolean equals(Object o) {
            if (!(o instanceof GridPoint)) {
                return false;
            }
            GridPoint p = (GridPoint) o;
            return latitude == p.latitude && longitude == p.longitude;
        }

        @Override
        public int hashCode() {
            return 31 * (int) Double.doubleToLongBits(latitude) + (int) Double.doubleToLongBits(longitude);
        }
    }

    static final class CellForecast {
        private final double minimum;
        private double correction;

        CellForecast(double minimum) {
            this.minimum = minimum;
        }

        void correct(double difference) {
            correction += 0.1 * (difference - correction);
        }

        double lowest() {
            return minimum + correction;
        }
    }

    static final class Reading {
        final int station;
        final double latitude;
        final double longitude;
        final double celsius;

        Reading(int station, double latitude, double longitude, double celsius) {
            this.station = station;
            this.latitude = latitude;
            this.longitude = longitude;
            this.celsius = celsius;
        }
    }

    /** The forecast of one region. */
    static final class Forecast {
        private final Map<GridPoint, CellForecast> cells = new HashMap<>();

        Forecast(double south, double west, Random random) {
            for (int r = 0; r < ROWS; r++) {
                for (int c = 0; c < COLUMNS; c++) {
                    cells.put(new GridPoint(south + r * STEP, west + c * STEP), new CellForecast(3 + 2 * random.nextGaussian()));
                }
            }
        }

        CellForecast at(GridPoint point) {
            return cells.get(point);
        }
    }

    static final class WarningService {
        private final Forecast forecast;
        private final LongAdder readings = new LongAdder();
        private final LongAdder warnings = new LongAdder();
        private final LongAdder lookups = new LongAdder();
        private final LongAdder lookupNanos = new LongAdder();
        private final LongAdder totalNanos = new LongAdder();

        WarningService(Forecast forecast) {
            this.forecast = forecast;
        }

        void accept(List<Reading> batch) {
            long begin = System.nanoTime();
            for (Reading r : batch) {
                GridPoint point = GridPoint.near(r.latitude, r.longitude);
                double lowest = surroundings(point, r);
                if (lowest < 0) {
                    warnings.increment();
                }
                readings.increment();
            }
            totalNanos.add(System.nanoTime() - begin);
        }

        private double surroundings(GridPoint point, Reading reading) {
            double sum = 0;
            int n = 0;
            for (int dy = -1; dy <= 1; dy++) {
                for (int dx = -1; dx <= 1; dx++) {
                    CellForecast cell = cell(point.moved(dy * STEP, dx * STEP));
                    if (cell == null) {
                        continue;
                    }
                    if (dx == 0 && dy == 0) {
                        cell.correct(reading.celsius - cell.minimum);
                    }
                    sum += cell.lowest();
                    n++;
                }
            }
            return n == 0 ? reading.celsius : sum / n;
        }

        private CellForecast cell(GridPoint point) {
            long begin = System.nanoTime();
            CellForecast cell = forecast.at(point);
            lookupNanos.add(System.nanoTime() - begin);
            lookups.increment();
            return cell;
        }
    }

    /** The stations of a region send what they measure ten times a second, all together. */
    static final class StationFeed implements Runnable {
        private final BlockingQueue<List<Reading>> out;
        private final double south;
        private final double west;

        StationFeed(BlockingQueue<List<Reading>> out, double south, double west) {
            this.out = out;
            this.south = south;
            this.west = west;
        }

        @Override
        public void run() {
            Random random = new Random(11);
            try {
                while (true) {
                    List<Reading> batch = new ArrayList<>();
                    for (int i = 0; i < 400; i++) {
                        batch.add(new Reading(i, south + random.nextDouble() * (ROWS - 1) * STEP,
                                west + random.nextDouble() * (COLUMNS - 1) * STEP, 2 + 3 * random.nextGaussian()));
                    }
                    out.offer(batch, 5, TimeUnit.SECONDS);
                    Thread.sleep(100);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<List<Reading>> queue = new ArrayBlockingQueue<>(4);
        WarningService service = new WarningService(new Forecast(44.0, 5.0, new Random(5)));
        CountDownLatch warm = new CountDownLatch(12);
        Thread worker = new Thread(() -> {
            try {
                while (true) {
                    service.accept(queue.take());
                    warm.countDown();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "warnings");
        worker.start();
        new Thread(new StationFeed(queue, 44.0, 5.0), "stations").start();
        warm.await();
        System.out.println("READY");
        System.out.flush();
        while (true) {
            Thread.sleep(1000);
            long n = Math.max(1, service.lookups.sumThenReset());
            double lookup = service.lookupNanos.sumThenReset();
            double total = Math.max(1, service.totalNanos.sumThenReset());
            System.out.printf("measured: %d readings, %d warnings, %.1f us for each lookup of a cell, %.0f %% of the worker's %.0f ms of work%n",
                    service.readings.sumThenReset(), service.warnings.sumThenReset(), lookup / n / 1000, 100 * lookup / total, total / 1e6);
        }
    }
}
