// SPDX-License-Identifier: Apache-2.0
// cause: the CPU-bound replanning of whole tours runs as virtual threads on the same two carriers as the quote requests; virtual threads are not time-sliced, so quotes wait until a replan of some hundred ms gives its carrier back
// share: without: 78-313 ms for each quote (mean about 245 ms); fixed: 2.2-2.8 ms (about 100 times)
// expect: unstarted-threads frame=LorryQuotes$Planner
// symptom: waiting hot-method unstarted-threads
// judge: right = names Planner.replan (CPU-bound tasks on virtual threads) occupying the carrier threads so that the quote virtual threads cannot run / to be moved to platform threads; only symptom = "CPU is busy in tourLength", "quotes take long", "many virtual threads are runnable or parked" without the carriers being held
// set: twenty-first
// jdk: 25
// jvm: -Djdk.virtualThreadScheduler.parallelism=2 -Djdk.virtualThreadScheduler.maxPoolSize=2
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

public class LorryQuotes {
    static final long RUN_MILLIS = 220_000L;
    static final int STOPS = 90;
    static final int SWEEPS = 1100;

    /** Improves the daily tour of one van by exchanging stops. */
    static final class Planner {
        private final double[] x = new double[STOPS];
        private final double[] y = new double[STOPS];
        private final int[] tour = new int[STOPS];
        private final SplittableRandom random;

        Planner(long seed) {
            random = new SplittableRandom(seed);
            for (int i = 0; i < STOPS; i++) {
                tour[i] = i;
            }
        }

        double replan() {
            for (int i = 0; i < STOPS; i++) {
                x[i] = random.nextDouble(40);
                y[i] = random.nextDouble(40);
            }
            double length = tourLength();
            for (int sweep = 0; sweep < SWEEPS * STOPS * 10; sweep++) {
                int a = random.nextInt(STOPS);
                int b = random.nextInt(STOPS);
                swap(a, b);
                double changed = tourLength();
                if (changed < length) {
                    length = changed;
                } else {
                    swap(a, b);
                }
            }
            return length;
        }

        private void swap(int a, int b) {
            int t = tour[a];
            tour[a] = tour[b];
            tour[b] = t;
        }

        private double tourLength() {
            double sum = 0;
            int from = tour[STOPS - 1];
            for (int to : tour) {
                double dx = x[from] - x[to];
                double dy = y[from] - y[to];
                sum += Math.sqrt(dx * dx + dy * dy);
                from = to;
            }
            return sum;
        }
    }

    static final class Desk {
        final LongAdder quotes = new LongAdder();
        final LongAdder nanos = new LongAdder();
        final AtomicLong replans = new AtomicLong();

        void quote(long asked, int parcel) {
            try {
                Thread.sleep(2);
                double price = 4.9 + parcel % 30 * 0.35 + Math.sqrt(parcel % 900);
                if (price > 0) {
                    quotes.increment();
                    nanos.add(System.nanoTime() - asked);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static void van(ExecutorService planning, Planner planner, Desk desk) {
        try {
            while (true) {
                planning.submit(planner::replan).get();
                desk.replans.incrementAndGet();
                Thread.sleep(40);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (java.util.concurrent.ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    static void requests(ExecutorService requests, Desk desk) {
        try {
            for (int n = 0; ; n++) {
                int parcel = n;
                long asked = System.nanoTime();
                requests.submit(() -> desk.quote(asked, parcel));
                Thread.sleep(5);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        ExecutorService requests = Executors.newVirtualThreadPerTaskExecutor();
        ExecutorService planning = Boolean.getBoolean("fixed")
                ? Executors.newFixedThreadPool(2, Thread.ofPlatform().daemon().name("planning-", 0).factory())
                : requests;
        Desk desk = new Desk();
        for (int i = 0; i < 2; i++) {
            Planner planner = new Planner(i);
            Thread.ofPlatform().daemon().name("van-" + i).start(() -> van(planning, planner, desk));
        }
        Thread.ofPlatform().daemon().name("counter").start(() -> requests(requests, desk));
        Thread.sleep(4000);
        System.out.println("READY");
        long end = System.currentTimeMillis() + RUN_MILLIS;
        while (System.currentTimeMillis() < end) {
            desk.quotes.reset();
            desk.nanos.reset();
            Thread.sleep(1000);
            long n = desk.quotes.sum();
            System.out.printf("measured: %d quotes/s, %.1f ms each, %d tours so far%n", n, desk.nanos.sum() / 1e6 / Math.max(1, n), desk.replans.get());
        }
        System.exit(0);
    }
}
