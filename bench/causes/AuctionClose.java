// SPDX-License-Identifier: Apache-2.0
// healthy: 60 clerk threads are idle for most of the time and then, once in 10 s, 12,000 tasks flood the executor's queue and use all the CPU for under a second; this is the planned closing of the auction, done in 0.7-0.95 s of an allowed 4 s.
// share: 12,000 lots per round, last round 682-946 ms of 4,000 ms allowed, 0 late, 0 lots/s between the rounds by design
// judge: WRONG: unbounded queue growth or backlog, thread pool too large or starved, lock contention on the LinkedBlockingQueue, GC problem from the bursts, memory leak in results (constant 12,000 entries), a stall or hang between rounds, Thread.sleep in Notary.stamp (an external stamp of 3 ms). ACCEPTABLE: load comes in bursts of under a second every 10 s; the clerks are idle in between; no fault found.
// jdk: 25
// set: twenty-third
// jvm: -XX:+UseSerialGC
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

public class AuctionClose {
    private static final int LOTS = 12000;
    private static final int BIDS = 90;
    private static final int PERIOD_SECONDS = 10;
    private static final int DEADLINE_MS = 4000;
    private static final AtomicLong SETTLED = new AtomicLong();
    private static final AtomicLong ROUNDS = new AtomicLong();
    private static final AtomicLong LATE = new AtomicLong();
    private static volatile long lastRoundMs;

    record Bid(int bidder, long cents, int sequence) {
    }

    record Result(int lot, int winner, long cents, List<Bid> best) {
    }

    static final class Notary {
        private final AtomicLong stamps = new AtomicLong();

        void stamp(Result r) throws InterruptedException {
            Thread.sleep(3);
            stamps.addAndGet(r.winner());
        }
    }

    static final class House {
        private final Notary notary = new Notary();
        private final AtomicInteger number = new AtomicInteger();
        private final ExecutorService clerks = Executors.newFixedThreadPool(60, r -> {
            Thread t = new Thread(r, "clerk-" + number.incrementAndGet());
            t.setDaemon(true);
            return t;
        });
        private final ConcurrentHashMap<Integer, Result> results = new ConcurrentHashMap<>();

        Result settle(int lot, long seed) {
            Random random = new Random(seed * 7919 + lot);
            List<Bid> bids = new ArrayList<>(BIDS);
            for (int i = 0; i < BIDS; i++) {
                bids.add(new Bid(random.nextInt(4000), 500 + random.nextInt(2000000), i));
            }
            bids.sort(Comparator.comparingLong(Bid::cents).reversed().thenComparingInt(Bid::sequence));
            Bid top = bids.get(0);
            long price = Math.min(top.cents(), bids.get(1).cents() + 100);
            return new Result(lot, top.bidder(), price, List.copyOf(bids.subList(0, 3)));
        }

        void close() {
            long seed = ROUNDS.incrementAndGet();
            long t = System.nanoTime();
            CountDownLatch open = new CountDownLatch(LOTS);
            for (int lot = 0; lot < LOTS; lot++) {
                int id = lot;
                clerks.execute(() -> {
                    try {
                        Result r = settle(id, seed);
                        notary.stamp(r);
                        results.put(id, r);
                        SETTLED.incrementAndGet();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    } finally {
                        open.countDown();
                    }
                });
            }
            try {
                open.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            lastRoundMs = (System.nanoTime() - t) / 1_000_000;
            if (lastRoundMs > DEADLINE_MS) {
                LATE.incrementAndGet();
            }
        }

        long turnover() {
            long sum = 0;
            for (Result r : results.values()) {
                sum += r.cents();
            }
            return sum / 100;
        }
    }

    public static void main(String[] args) throws Exception {
        House house = new House();
        ScheduledExecutorService calendar = Executors.newScheduledThreadPool(1, r -> {
            Thread t = new Thread(r, "calendar");
            t.setDaemon(true);
            return t;
        });
        calendar.scheduleAtFixedRate(house::close, 1, PERIOD_SECONDS, TimeUnit.SECONDS);
        System.out.println("READY");
        long n0 = 0;
        for (int s = 0; s < 170; s++) {
            Thread.sleep(1000);
            long n = SETTLED.get();
            System.out.println("measured: " + (n - n0) + " lots/s, rounds " + ROUNDS.get() + ", last round "
                    + lastRoundMs + " ms of " + DEADLINE_MS + ", late " + LATE.get() + ", turnover "
                    + house.turnover());
            n0 = n;
        }
    }
}
