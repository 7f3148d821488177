// SPDX-License-Identifier: Apache-2.0
// healthy: a simulation of insurance reserves makes gigabytes of short-lived objects a second; nearly all die young, so that the collector (G1) has twenty to forty pauses a second of about a millisecond each, takes a small part of the CPU time, and leaves most of the heap free
// share: 20 to 40 collections a second take 20 to 50 ms of each second together
// judge: RIGHT: nothing stands out, or only neutral remarks of where it computes (Portfolio.path, Claim.next, Tail.add). WRONG: any accusation: gc-pauses, gc-cpu, allocation, a larger heap, promotion, live set, humongous objects, oversized heap, saturated thread, waiting for a queue, locks, too many threads
// jdk: 11
// set: thirty-fifth
// jvm: -Xms256m -Xmx256m
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Simulates how an insurer's open claims develop, to find the reserve that is enough in 995 years of 1000. */
public class ReserveSimulation {
    static final LongAdder PATHS = new LongAdder();
    static final LongAdder OBJECTS = new LongAdder();

    /** A claim in a year of its life; each year makes a new one. */
    static final class Claim {
        final int line;
        final int year;
        final double open;
        final double paid;
        final boolean closed;

        Claim(int line, int year, double open, double paid, boolean closed) {
            this.line = line;
            this.year = year;
            this.open = open;
            this.paid = paid;
            this.closed = closed;
        }

        Claim next(SplittableRandom random, Inflation inflation) {
            double pay = open * (0.15 + 0.3 * random.nextDouble());
            double left = (open - pay) * inflation.factor(line, year) * (0.9 + 0.25 * random.nextDouble());
            return new Claim(line, year + 1, left, paid + pay, left < 200 || year > 18);
        }
    }

    static final class Inflation {
        private final double[][] factors = new double[12][32];

        Inflation(SplittableRandom random) {
            for (double[] line : factors)
                for (int year = 0; year < line.length; year++)
                    line[year] = 1.0 + 0.04 * random.nextDouble() + 0.001 * Math.sqrt(year);
        }

        double factor(int line, int year) {
            return factors[line][Math.min(year, 31)];
        }
    }

    /** A year's payments in one path. */
    static final class Payment {
        final int year;
        final double amount;
        final double discounted;

        Payment(int year, double amount, double discounted) {
            this.year = year;
            this.amount = amount;
            this.discounted = discounted;
        }
    }

    /** The claims that are open now. */
    static final class Portfolio {
        private final Claim[] claims;
        private final double[] discount = new double[32];

        Portfolio(int size, long seed) {
            SplittableRandom random = new SplittableRandom(seed);
            claims = new Claim[size];
            for (int i = 0; i < size; i++)
                claims[i] = new Claim(random.nextInt(8), random.nextInt(4), 1000 + 200000 * Math.pow(random.nextDouble(), 6), 0, false);
            for (int year = 0; year < discount.length; year++)
                discount[year] = Math.pow(1.025, -year);
        }

        double path(SplittableRandom random, Inflation inflation) {
            List<Payment> payments = new ArrayList<>();
            long made = 0;
            for (Claim first : claims) {
                Claim claim = first;
                int ahead = 0;
                while (!claim.closed) {
                    Claim later = claim.next(random, inflation);
                    double pay = later.paid - claim.paid;
                    payments.add(new Payment(ahead, pay, pay * discount[Math.min(ahead, 31)]));
                    claim = later;
                    ahead++;
                    made += 2;
                }
            }
            double sum = 0;
            for (Payment payment : payments)
                sum += payment.discounted;
            OBJECTS.add(made);
            return sum;
        }
    }

    /** The distribution of the paths' results, in classes. */
    static final class Tail {
        private final long[] classes = new long[4000];
        private final double width;
        private long count;

        Tail(double width) {
            this.width = width;
        }

        synchronized void add(double result) {
            classes[(int) Math.min(classes.length - 1, result / width)]++;
            count++;
        }

        synchronized double quantile(double share) {
            long below = 0;
            for (int i = 0; i < classes.length; i++) {
                below += classes[i];
                if (below >= share * count)
                    return i * width;
            }
            return classes.length * width;
        }
    }

    static final class Simulator implements Runnable {
        private static final AtomicLong SEED = new AtomicLong(4711);
        private final Portfolio portfolio;
        private final Inflation[] scenarios;
        private final Tail tail;

        Simulator(Portfolio portfolio, Inflation[] scenarios, Tail tail) {
            this.portfolio = portfolio;
            this.scenarios = scenarios;
            this.tail = tail;
        }

        @Override
        public void run() {
            SplittableRandom random = new SplittableRandom(SEED.incrementAndGet());
            while (!Thread.currentThread().isInterrupted()) {
                tail.add(portfolio.path(random, scenarios[random.nextInt(scenarios.length)]));
                PATHS.increment();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Portfolio portfolio = new Portfolio(400, 7);
        SplittableRandom random = new SplittableRandom(12);
        Inflation[] scenarios = new Inflation[15000];
        for (int i = 0; i < scenarios.length; i++)
            scenarios[i] = new Inflation(random);
        Tail tail = new Tail(5000);
        for (int i = 0; i < 2; i++)
            new Thread(new Simulator(portfolio, scenarios, tail), "simulator-" + i).start();
        List<GarbageCollectorMXBean> collectors = ManagementFactory.getGarbageCollectorMXBeans();
        for (int second = 0;; second++) {
            long paths = PATHS.sum(), objects = OBJECTS.sum(), count = 0, millis = 0;
            for (GarbageCollectorMXBean collector : collectors) {
                count -= collector.getCollectionCount();
                millis -= collector.getCollectionTime();
            }
            Thread.sleep(1000);
            for (GarbageCollectorMXBean collector : collectors) {
                count += collector.getCollectionCount();
                millis += collector.getCollectionTime();
            }
            System.out.printf("measured: %d paths, %.1f million objects, %d collections that took %d ms together; reserve %.1f million%n", PATHS.sum() - paths,
                (OBJECTS.sum() - objects) / 1e6, count, millis, tail.quantile(0.995) / 1e6);
            if (second == 3) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
