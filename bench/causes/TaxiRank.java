// SPDX-License-Identifier: Apache-2.0
// cause: Rank.occupancy(), called by Rank.join() for each returning driver, uses ConcurrentLinkedQueue.size(), which walks all of the about 12000 queue nodes each time because that queue keeps no count.
// share: faulty 72738 trips/s, mean 27.9 us; fixed 7180978 trips/s, mean 0.278 us; 98.7 times better (10 s each, 2 busy cores)
// expect: hot-code kind=searching
// symptom: hot-method
// judge: NAMED: ConcurrentLinkedQueue.size() is O(n) and is called for each driver that joins the rank (Rank.join -> Rank.occupancy); keep a counter (AtomicInteger) or use a bounded queue. SYMPTOM ONLY: dispatchers use all CPU in ConcurrentLinkedQueue.size / succ; cache misses; throughput falls with the length of the rank. WRONG: contention or CAS retries on the queue, too many dispatcher threads, garbage collection, the queue is growing without limit, fare calculation.
// jdk: 25
// set: twenty-sixth
// jvm:
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

public class TaxiRank {
    static final boolean VARIANT = Boolean.getBoolean("fixed");
    static final long END = System.nanoTime() + 170_000_000_000L;
    static final int DRIVERS = 12_000;
    static final int PLACES = 15_000;
    static final LongAdder trips = new LongAdder();
    static final LongAdder spentNanos = new LongAdder();
    static final LongAdder sentHome = new LongAdder();

    static final class Driver {
        final int badge;
        long earnedCents;
        int tripCount;

        Driver(int badge) {
            this.badge = badge;
        }
    }

    record Ride(int fromX, int fromY, int toX, int toY) {
        static Ride random(SplittableRandom random) {
            return new Ride(random.nextInt(1000), random.nextInt(1000), random.nextInt(1000), random.nextInt(1000));
        }

        double distance() {
            return Math.hypot(fromX - toX, fromY - toY);
        }
    }

    static final class Rank {
        private final Queue<Driver> waiting = new ConcurrentLinkedQueue<>();
        private final AtomicInteger present = new AtomicInteger();

        int occupancy() {
            return VARIANT ? present.get() : waiting.size();
        }

        boolean join(Driver driver) {
            if (occupancy() >= PLACES) {
                return false;
            }
            waiting.add(driver);
            present.incrementAndGet();
            return true;
        }

        Driver next() {
            Driver driver = waiting.poll();
            if (driver != null) {
                present.decrementAndGet();
            }
            return driver;
        }
    }

    static final class Dispatcher extends Thread {
        final Rank rank;
        final SplittableRandom random;

        Dispatcher(int id, Rank rank) {
            super("dispatcher-" + id);
            this.rank = rank;
            this.random = new SplittableRandom(id);
        }

        static long fareCents(Ride ride) {
            double km = ride.distance() / 40;
            long fare = 380;
            double rest = km;
            for (int band = 0; band < 8 && rest > 0; band++) {
                double part = Math.min(rest, 2.5);
                fare += Math.round(part * (210 - band * 9));
                rest -= part;
            }
            return fare;
        }

        boolean dispatch() {
            Driver driver = rank.next();
            if (driver == null) {
                return false;
            }
            Ride ride = Ride.random(random);
            driver.earnedCents += fareCents(ride);
            driver.tripCount++;
            if (!rank.join(driver)) {
                sentHome.increment();
            }
            return true;
        }

        @Override
        public void run() {
            while (System.nanoTime() < END) {
                long start = System.nanoTime();
                int done = 0;
                while (done < 20 && dispatch()) {
                    done++;
                }
                spentNanos.add(System.nanoTime() - start);
                trips.add(done);
                if (done == 0) {
                    Thread.onSpinWait();
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Rank rank = new Rank();
        for (int i = 0; i < DRIVERS; i++) {
            rank.waiting.add(new Driver(i));
            rank.present.incrementAndGet();
        }
        Dispatcher[] dispatchers = {new Dispatcher(1, rank), new Dispatcher(2, rank)};
        for (Dispatcher dispatcher : dispatchers) {
            dispatcher.start();
        }
        System.out.println("READY");
        long lastCount = 0;
        long lastSpent = 0;
        while (System.nanoTime() < END) {
            Thread.sleep(1000);
            long count = trips.sum();
            long spent = spentNanos.sum();
            long n = count - lastCount;
            System.out.printf("measured: %d trips/s, mean %.2f us, sent home %d%n", n,
                    n == 0 ? 0.0 : (spent - lastSpent) / 1e3 / n, sentHome.sum());
            lastCount = count;
            lastSpent = spent;
        }
        for (Dispatcher dispatcher : dispatchers) {
            dispatcher.join(2000);
        }
        System.exit(0);
    }
}
