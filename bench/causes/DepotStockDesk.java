// SPDX-License-Identifier: Apache-2.0
// cause: DepotStockDesk$Desk.collect makes its CountDownLatch for all depots of a region, but asks only those that are not at stocktaking, so that in three of four regions the count never gets to zero, and CountDownLatch.await waits for its time-out of 400 ms though all offers came within a millisecond or two
// share: 8 clerks spend 99 % of their time or more in await; 300 to 390 ms for an order on average, for offers that take a millisecond or two; 16 to 24 waits a second run into the time-out
// expect: waiting kind=latch frame=DepotStockDesk$Desk.collect
// symptom: waiting
// judge: NAMED: the clerks wait for a latch at DepotStockDesk$Desk.collect, and these waits end by their time-out: what they wait for does not come (the latch is never counted down to zero). Half right, still NAMED: the wait for a latch at Desk.collect as the first finding, with the hint that pool depot does nothing in that time, even if the time-out is not mentioned. SYMPTOM ONLY: threads wait somewhere, orders are slow, little CPU is used, without latch or place. WRONG: the pool depot is too small or busy, Depot.offer is slow, the waits wait for a timer or for the pool's tasks, locks, CPU, the machine, "nothing stands out".
// jdk: 8
// set: thirty-fourth
// jvm: -Xmx256m
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Order desk of a wholesaler: asks the depots of a region for an article and takes the best offer. */
public class DepotStockDesk {
    static final AtomicLong orders = new AtomicLong();
    static final AtomicLong orderNanos = new AtomicLong();
    static final AtomicLong awaitNanos = new AtomicLong();
    static final AtomicLong offerNanos = new AtomicLong();
    static final AtomicLong incomplete = new AtomicLong();

    static final class Offer {
        final Depot depot;
        final int pieces;
        final long cents;

        Offer(Depot depot, int pieces, long cents) {
            this.depot = depot;
            this.pieces = pieces;
            this.cents = cents;
        }
    }

    static final class Depot {
        final String name;
        final boolean stocktaking;
        final int[] stock = new int[40_000];

        Depot(String name, boolean stocktaking, long seed) {
            this.name = name;
            this.stocktaking = stocktaking;
            Random random = new Random(seed);
            for (int i = 0; i < stock.length; i++) {
                stock[i] = random.nextInt(500);
            }
        }

        /** Looks for pieces on all shelves that may have the article or a substitute. */
        Offer offer(int article, int wanted) {
            int pieces = 0;
            long cents = 0;
            for (int shelf = article % 7; shelf < stock.length; shelf += 7) {
                int here = stock[shelf];
                if ((shelf * 31 + here) % 97 == article % 97) {
                    int take = Math.min(here, wanted - pieces);
                    pieces += take;
                    cents += take * (90L + shelf % 40);
                }
            }
            return new Offer(this, pieces, cents);
        }
    }

    static final class Region {
        final String name;
        final List<Depot> depots = new ArrayList<>();

        Region(String name) {
            this.name = name;
        }
    }

    static final class Desk {
        final ExecutorService askers;

        Desk(ExecutorService askers) {
            this.askers = askers;
        }

        Offer order(Region region, int article, int wanted) throws InterruptedException {
            long start = System.nanoTime();
            Offer best = null;
            for (Offer offer : collect(region, article, wanted)) {
                if (best == null || offer.pieces > best.pieces
                        || offer.pieces == best.pieces && offer.cents < best.cents) {
                    best = offer;
                }
            }
            orderNanos.addAndGet(System.nanoTime() - start);
            orders.incrementAndGet();
            return best;
        }

        Collection<Offer> collect(Region region, final int article, final int wanted) throws InterruptedException {
            final ConcurrentLinkedQueue<Offer> offers = new ConcurrentLinkedQueue<>();
            final CountDownLatch answers = new CountDownLatch(region.depots.size());
            for (final Depot depot : region.depots) {
                if (depot.stocktaking) {
                    continue;
                }
                askers.execute(() -> {
                    long start = System.nanoTime();
                    try {
                        offers.add(depot.offer(article, wanted));
                    } finally {
                        offerNanos.addAndGet(System.nanoTime() - start);
                        answers.countDown();
                    }
                });
            }
            long start = System.nanoTime();
            if (!answers.await(400, TimeUnit.MILLISECONDS)) {
                incomplete.incrementAndGet();
            }
            awaitNanos.addAndGet(System.nanoTime() - start);
            return offers;
        }
    }

    /** Takes one order after another. */
    static final class Clerk implements Runnable {
        final Desk desk;
        final List<Region> regions;
        final Random random;
        long pieces;

        Clerk(Desk desk, List<Region> regions, int number) {
            this.desk = desk;
            this.regions = regions;
            this.random = new Random(number);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Region region = regions.get(random.nextInt(regions.size()));
                    Offer best = desk.order(region, random.nextInt(100_000), 20 + random.nextInt(400));
                    if (best != null) {
                        pieces += best.pieces;
                    }
                    Thread.sleep(3);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        final AtomicInteger numbers = new AtomicInteger();
        ExecutorService askers = Executors.newFixedThreadPool(4, new ThreadFactory() {
            @Override
            public Thread newThread(Runnable task) {
                Thread thread = new Thread(task, "depot-" + numbers.incrementAndGet());
                thread.setDaemon(true);
                return thread;
            }
        });
        List<Region> regions = new ArrayList<>();
        for (String name : new String[] {"north", "east", "south", "west"}) {
            Region region = new Region(name);
            for (int i = 0; i < 5; i++) {
                boolean counting = i == 3 && !name.equals("south");
                region.depots.add(new Depot(name + "-" + i, counting, name.hashCode() + i));
            }
            regions.add(region);
        }
        Desk desk = new Desk(askers);
        for (int i = 0; i < 8; i++) {
            Thread clerk = new Thread(new Clerk(desk, regions, i), "clerk-" + i);
            clerk.setDaemon(true);
            clerk.start();
        }
        long done = 0;
        long taken = 0;
        long awaited = 0;
        long worked = 0;
        long short_ = 0;
        for (int second = 1; ; second++) {
            Thread.sleep(1000);
            long n = orders.get();
            long t = orderNanos.get();
            long a = awaitNanos.get();
            long w = offerNanos.get();
            long s = incomplete.get();
            System.out.printf("measured: %d orders, %.1f ms each, %.1f %% of it in await; %d waits ran into the time-out; depots worked for %d ms%n",
                    n - done, (t - taken) / 1e6 / Math.max(1, n - done), 100.0 * (a - awaited) / Math.max(1, t - taken),
                    s - short_, (w - worked) / 1_000_000);
            if (second == 3) {
                System.out.println("READY");
            }
            System.out.flush();
            done = n;
            taken = t;
            awaited = a;
            worked = w;
            short_ = s;
        }
    }
}
