// SPDX-License-Identifier: Apache-2.0
// healthy: two threads use all the CPU they can get for the whole run, nearly all of it in one method (Desk.simulate), but this is the useful work of a Monte Carlo valuation: primitive arithmetic with a generator per thread, no allocation in the loop, no shared state, so the CPU time is legitimate.
// share: measures about 1100 options/s, 2200000 paths/s with two busy cores shared with other work
// judge: WRONG: a busy wait or endless loop, contention on the random generator, boxing, garbage collection trouble, a bad algorithm in Desk.simulate, too few threads for this machine. ACCEPTABLE: neutral remarks that the program is CPU bound in Desk.simulate (Math.exp, Math.log, SplittableRandom), that both cores are used fully, that it would only become faster with more cores or other mathematics.
// jdk: 11
// set: twenty-sixth
// jvm:
import java.util.SplittableRandom;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

public class RiskGrid {
    static final long END = System.nanoTime() + 170_000_000_000L;
    static final int PATHS = 2000;
    static final int STEPS = 24;
    static final LongAdder paths = new LongAdder();
    static final LongAdder valued = new LongAdder();
    static final ConcurrentHashMap<Integer, Double> values = new ConcurrentHashMap<>();

    static final class Option {
        final int id;
        final double spot;
        final double strike;
        final double volatility;
        final double barrier;

        Option(int id, SplittableRandom random) {
            this.id = id;
            this.spot = 80 + 40 * random.nextDouble();
            this.strike = 80 + 40 * random.nextDouble();
            this.volatility = 0.1 + 0.3 * random.nextDouble();
            this.barrier = spot * 1.5;
        }
    }

    static final class Desk extends Thread {
        final BlockingQueue<Option> book;
        final SplittableRandom random;
        private double spare;
        private boolean hasSpare;

        Desk(int id, BlockingQueue<Option> book) {
            super("risk-desk-" + id);
            this.book = book;
            this.random = new SplittableRandom(1000 + id);
            setDaemon(true);
        }

        double gaussian() {
            if (hasSpare) {
                hasSpare = false;
                return spare;
            }
            double u;
            double v;
            double s;
            do {
                u = 2 * random.nextDouble() - 1;
                v = 2 * random.nextDouble() - 1;
                s = u * u + v * v;
            } while (s >= 1 || s == 0);
            double factor = Math.sqrt(-2 * Math.log(s) / s);
            spare = v * factor;
            hasSpare = true;
            return u * factor;
        }

        double simulate(Option option) {
            double dt = 1.0 / STEPS;
            double drift = (0.02 - option.volatility * option.volatility / 2) * dt;
            double scale = option.volatility * Math.sqrt(dt);
            double sum = 0;
            for (int path = 0; path < PATHS; path++) {
                double price = option.spot;
                boolean out = false;
                for (int step = 0; step < STEPS; step++) {
                    price *= Math.exp(drift + scale * gaussian());
                    if (price > option.barrier) {
                        out = true;
                        break;
                    }
                }
                if (!out) {
                    sum += Math.max(0, price - option.strike);
                }
            }
            return sum / PATHS * Math.exp(-0.02);
        }

        @Override
        public void run() {
            try {
                while (System.nanoTime() < END) {
                    Option option = book.poll(1, TimeUnit.SECONDS);
                    if (option != null) {
                        values.put(option.id, simulate(option));
                        paths.add(PATHS);
                        valued.increment();
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<Option> book = new ArrayBlockingQueue<>(200);
        Thread trader = new Thread(() -> {
            SplittableRandom random = new SplittableRandom(4);
            try {
                for (int i = 0; System.nanoTime() < END; i++) {
                    book.put(new Option(i % 5000, random));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "book-feed");
        trader.setDaemon(true);
        trader.start();
        Desk[] desks = {new Desk(0, book), new Desk(1, book)};
        for (Desk desk : desks) {
            desk.start();
        }
        System.out.println("READY");
        long lastPaths = 0;
        long lastValued = 0;
        while (System.nanoTime() < END) {
            Thread.sleep(1000);
            long p = paths.sum();
            long v = valued.sum();
            System.out.printf("measured: %d options/s, %d paths/s, book of %d%n", v - lastValued, p - lastPaths,
                    values.size());
            lastPaths = p;
            lastValued = v;
        }
        System.exit(0);
    }
}
