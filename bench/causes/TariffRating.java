// SPDX-License-Identifier: Apache-2.0
// cause: the key of each price is made by String.format for each reading (TariffRating$PriceBook.key, called by PriceBook.price from RatingRun.rate), though three small numbers would do as an index
// share: 94 to 97 % of the rating's time (0.9 of 0.93 us for each reading once compiled, 1.8 of 1.9 beside other load) is for the key and its lookup, nearly all of that in java.util.Formatter; up to 0.95 of a CPU
// expect: hot-code kind=formatting frame=TariffRating
// symptom: hot-calls hot-method hot-code
// judge: NAMED: formatting (String.format, java.util.Formatter) for TariffRating$PriceBook.key or price (or RatingRun.rate, if it says formatting) as the first or most costly finding. SYMPTOM ONLY: hot method or hot calls in key, price or rate without formatting; building strings or regular expressions there; collections or allocation of that place without formatting. WRONG: HashMap lookups or collisions, cache misses, the collector alone (a larger heap), GridFees.withLosses, System.nanoTime, a saturated thread rating-run without what it does, any wait
// jdk: 17
// set: thirty-fourth
// jvm: -Xmx256m
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/** Rates the quarter-hour readings of electricity meters by a tariff that depends on grid area, day and quarter. */
public class TariffRating {
    static final int QUARTERS = 96;
    static final AtomicLong READINGS = new AtomicLong();
    static final AtomicLong PRICE_NS = new AtomicLong();
    static final AtomicLong RATE_NS = new AtomicLong();

    enum Area { NORTH, HARBOUR, VALLEY, UPLAND }

    record Reading(Area area, int day, int quarter, int wattHours) {}

    record MeterFile(long meter, List<Reading> readings) {}

    /** Prices in thousandths of a cent for each kilowatt hour. */
    static final class PriceBook {
        private final Map<String, Integer> prices = new HashMap<>();

        PriceBook(Random random) {
            for (Area area : Area.values()) {
                for (int day = 1; day <= 60; day++) {
                    for (int quarter = 0; quarter < QUARTERS; quarter++) {
                        int peak = quarter > 28 && quarter < 76 ? 9000 : 4000;
                        prices.put(key(area, day, quarter), peak + random.nextInt(15000));
                    }
                }
            }
        }

        int price(Area area, int day, int quarter) {
            Integer price = prices.get(key(area, day, quarter));
            return price == null ? 21000 : price;
        }

        private static String key(Area area, int day, int quarter) {
            return String.format("%s/%03d/%02d:%02d", area, day, quarter / 4, quarter % 4 * 15);
        }
    }

    /** Grid losses and fees, in parts of a thousand. */
    static final class GridFees {
        private final double[] losses = new double[QUARTERS];

        GridFees() {
            for (int quarter = 0; quarter < QUARTERS; quarter++) {
                losses[quarter] = 1.02 + 0.015 * Math.sin(quarter * Math.PI / 48);
            }
        }

        double withLosses(Reading reading) {
            double energy = reading.wattHours() * losses[reading.quarter()];
            double fee = 1.0;
            for (double step = 250; step < energy; step *= 2) {
                fee += 0.0021;
            }
            return energy * fee;
        }
    }

    /** Takes the files that the head-end delivers. */
    static final class HeadEnd {
        private final Random random = new Random(11);
        private long meter = 70_000_000;

        MeterFile next() {
            Area area = Area.values()[random.nextInt(4)];
            int day = 1 + random.nextInt(60);
            List<Reading> readings = new ArrayList<>(QUARTERS * 2);
            for (int d = 0; d < 2; d++) {
                for (int quarter = 0; quarter < QUARTERS; quarter++) {
                    readings.add(new Reading(area, Math.min(60, day + d), quarter, random.nextInt(2500)));
                }
            }
            return new MeterFile(++meter, readings);
        }
    }

    static final class RatingRun implements Runnable {
        private final PriceBook book = new PriceBook(new Random(3));
        private final GridFees fees = new GridFees();
        private final HeadEnd headEnd = new HeadEnd();
        private final Map<Area, Double> turnover = new TreeMap<>();

        @Override
        public void run() {
            while (true) {
                for (int file = 0; file < 60; file++) {
                    rate(headEnd.next());
                }
                rest(4);
            }
        }

        private void rate(MeterFile file) {
            long begin = System.nanoTime();
            double total = 0;
            long pricing = 0;
            for (Reading reading : file.readings()) {
                long before = System.nanoTime();
                int price = book.price(reading.area(), reading.day(), reading.quarter());
                pricing += System.nanoTime() - before;
                total += fees.withLosses(reading) * price / 1e8;
            }
            turnover.merge(file.readings().get(0).area(), total, Double::sum);
            READINGS.addAndGet(file.readings().size());
            PRICE_NS.addAndGet(pricing);
            RATE_NS.addAndGet(System.nanoTime() - begin);
        }
    }

    static void rest(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        new Thread(new RatingRun(), "rating-run").start();
        long readings = 0;
        long price = 0;
        long rate = 0;
        long at = System.nanoTime();
        for (int second = 1;; second++) {
            rest(1000);
            long now = System.nanoTime();
            long r = READINGS.get();
            long p = PRICE_NS.get();
            long t = RATE_NS.get();
            System.out.printf("measured: %.0f readings/s, %.2f us each, %.2f us of it (%.0f %%) for the price's key and its lookup%n",
                (r - readings) * 1e9 / (now - at), (t - rate) / 1e3 / Math.max(1, r - readings),
                (p - price) / 1e3 / Math.max(1, r - readings), (p - price) * 100.0 / Math.max(1, t - rate));
            readings = r;
            price = p;
            rate = t;
            at = now;
            if (second == 6) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
