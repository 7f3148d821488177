// SPDX-License-Identifier: Apache-2.0
// healthy: 16 farms wait for the reply to their sealed bid, each on a Verdict object of its own (Object.wait), for nearly all of their time; but a lot is closed at a fixed time (each 400 ms), before which no reply can exist, and they are answered about a millisecond after it.
// share: a typical second of an 11 s run on a crowded machine of 2 CPUs: lot 18, 46 bids a second, bidders answered 1.12 ms after the closing time on average
// judge: Wrong findings: waits for a reply of another thread, or notification, at Verdict.hear as a fault; the auctioneer as a bottleneck or too slow; a lock; sealed or lost notifications. Acceptable as true and neutral: farms wait for verdicts that come when the auctioneer's clock (Thread.sleep in the thread auctioneer) closes the lot; Farm.appraise is where the CPU time goes.
// jdk: 11
// set: twenty-ninth
// jvm:
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;

public class CattleAuction {
    static final LongAdder LOTS = new LongAdder();
    static final LongAdder BIDS = new LongAdder();
    static final LongAdder ANSWERED = new LongAdder();
    static final LongAdder NANOS = new LongAdder();

    static final class Verdict {
        private boolean known;
        private boolean won;
        private int price;
        private long closed;

        synchronized void answer(boolean won, int price, long closed) {
            this.won = won;
            this.price = price;
            this.closed = closed;
            known = true;
            notifyAll();
        }

        synchronized boolean hear() throws InterruptedException {
            while (!known) {
                wait();
            }
            NANOS.add(System.nanoTime() - closed);
            ANSWERED.increment();
            return won;
        }

        synchronized int price() {
            return price;
        }
    }

    static final class Bid {
        final int bidder;
        final int amount;
        final Verdict verdict = new Verdict();

        Bid(int bidder, int amount) {
            this.bidder = bidder;
            this.amount = amount;
        }
    }

    static final class Ring {
        private final List<Bid> sealed = new ArrayList<>();
        private int lot;

        synchronized Verdict seal(int bidder, int amount) {
            Bid bid = new Bid(bidder, amount);
            sealed.add(bid);
            BIDS.increment();
            return bid.verdict;
        }

        void close() {
            List<Bid> bids;
            synchronized (this) {
                bids = new ArrayList<>(sealed);
                sealed.clear();
                lot++;
            }
            LOTS.increment();
            if (bids.isEmpty()) {
                return;
            }
            bids.sort((a, b) -> b.amount - a.amount);
            int price = bids.size() > 1 ? bids.get(1).amount : bids.get(0).amount;
            long now = System.nanoTime();
            for (int i = 0; i < bids.size(); i++) {
                bids.get(i).verdict.answer(i == 0, price, now);
            }
        }

        synchronized int lot() {
            return lot;
        }
    }

    static final class Farm implements Runnable {
        private final int number;
        private final Ring ring;
        private final Random random;
        private final int[] weights = new int[400];
        private long budget = 900_000;
        private int herd;

        Farm(int number, Ring ring) {
            this.number = number;
            this.ring = ring;
            this.random = new Random(number);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Verdict verdict = ring.seal(number, appraise());
                    if (verdict.hear()) {
                        budget -= verdict.price();
                        herd++;
                    }
                    if (budget < 100_000) {
                        budget += 600_000;
                    }
                    Thread.sleep(20 + random.nextInt(60));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private int appraise() {
            double sum = 0;
            for (int pass = 0; pass < 250; pass++) {
                for (int i = 0; i < weights.length; i++) {
                    weights[i] = 380 + random.nextInt(340);
                    sum += weights[i] * 3.1 / (1 + herd / 50.0);
                }
            }
            return (int) (sum / weights.length / 250);
        }
    }

    public static void main(String[] args) throws Exception {
        int span = Integer.getInteger("span", 170);
        long end = System.nanoTime() + span * 1_000_000_000L;
        Ring ring = new Ring();
        for (int i = 0; i < 16; i++) {
            Thread t = new Thread(new Farm(i, ring), "farm-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread hammer = new Thread(() -> {
            long closing = System.nanoTime();
            try {
                while (System.nanoTime() < end) {
                    closing += 400_000_000L;
                    long rest = (closing - System.nanoTime()) / 1_000_000;
                    if (rest > 0) {
                        Thread.sleep(rest);
                    }
                    ring.close();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "auctioneer");
        hammer.setDaemon(true);
        hammer.start();
        System.out.println("READY");
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long answered = ANSWERED.sumThenReset();
            long ns = NANOS.sumThenReset();
            System.out.printf("measured: lot %d, %d bids a second, bidders answered %.2f ms after the closing time on average%n",
                ring.lot(), BIDS.sumThenReset(), answered == 0 ? 0 : ns / 1e6 / answered);
        }
    }
}
