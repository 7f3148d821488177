// SPDX-License-Identifier: Apache-2.0
// cause: when a round is settled, WoolSaleRoom$Round.settle wakes one of the 8 buyers only (Condition.signal in place of signalAll); the others, in WoolSaleRoom$Round.awaitResult, find out when their Condition.await runs out of time, up to 120 ms later
// share: buyers wait for the condition more than 90 % of their time; a round takes some 110 ms, of which 3 to 10 are work (with signalAll it takes that long in all)
// expect: waiting frame=WoolSaleRoom$Round.awaitResult
// symptom: waiting
// judge: NAMED: threads wait for a condition at Round.awaitResult (called by Buyer.run) that is signalled too little or not to all (time-outs end the waits, they wait for each other, hardly any thread works during that time). A wait for a condition at Round.awaitResult that is put first, as what costs the time, counts as named as well. SYMPTOM ONLY: the auctioneer's wait for bids at Round.awaitBids alone. WRONG: computing in Buyer.value or Round.settle, a saturated auctioneer thread, CPUs, collections, nothing stands out
// jdk: 8
// set: thirty-second
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A sale of wool in rounds: every buyer bids for the lots of a round, then the auctioneer settles it. */
public class WoolSaleRoom {

    static final int BUYERS = 8;
    static final int LOTS = 40;
    static final AtomicLong ROUNDS = new AtomicLong();
    static final AtomicLong LATE = new AtomicLong();
    static final AtomicLong RESULTS = new AtomicLong();

    static final class Lot {
        final double micron;
        final double staple;
        final double yield;
        final int bales;

        Lot(Random random) {
            micron = 16 + 8 * random.nextDouble();
            staple = 60 + 50 * random.nextDouble();
            yield = 0.55 + 0.2 * random.nextDouble();
            bales = 4 + random.nextInt(30);
        }
    }

    static final class Round {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition bidsComplete = lock.newCondition();
        private final Condition settled = lock.newCondition();
        private final double[][] bids = new double[BUYERS][];
        private int received;
        private long number;
        private long settledAt;
        private int[] winners = new int[0];

        long bid(int buyer, double[] prices) {
            lock.lock();
            try {
                bids[buyer] = prices;
                received++;
                if (received == BUYERS) bidsComplete.signal();
                return number;
            } finally {
                lock.unlock();
            }
        }

        int[] awaitResult(long round) throws InterruptedException {
            lock.lock();
            try {
                while (number == round) settled.await(120, TimeUnit.MILLISECONDS);
                LATE.addAndGet(System.nanoTime() - settledAt);
                RESULTS.incrementAndGet();
                return winners;
            } finally {
                lock.unlock();
            }
        }

        double[][] awaitBids() throws InterruptedException {
            lock.lock();
            try {
                while (received < BUYERS) bidsComplete.await();
                return bids.clone();
            } finally {
                lock.unlock();
            }
        }

        void settle(int[] result) {
            lock.lock();
            try {
                winners = result;
                received = 0;
                Arrays.fill(bids, null);
                number++;
                settledAt = System.nanoTime();
                settled.signal();
            } finally {
                lock.unlock();
            }
        }
    }

    static final class Buyer implements Runnable {
        private final Round round;
        private final int id;
        private final List<Lot> catalogue;
        private final double[] budget = new double[1];
        private double taste;

        Buyer(Round round, int id, List<Lot> catalogue) {
            this.round = round;
            this.id = id;
            this.catalogue = catalogue;
            taste = 1 + id * 0.013;
        }

        private double value(Lot lot) {
            double price = 0;
            for (int blend = 1; blend <= 700; blend++) {
                double share = blend / 700.0;
                price = Math.max(price, taste * lot.yield * lot.staple * Math.exp(-share * (lot.micron - 15) / 9) * Math.sqrt(share));
            }
            return price * Math.log1p(lot.bales);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    double[] prices = new double[catalogue.size()];
                    for (int i = 0; i < prices.length; i++) prices[i] = value(catalogue.get(i));
                    long number = round.bid(id, prices);
                    int won = 0;
                    for (int winner : round.awaitResult(number)) if (winner == id) won++;
                    budget[0] -= won;
                    taste = won > LOTS / BUYERS ? taste * 0.99 : taste * 1.01;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class Auctioneer implements Runnable {
        private final Round round;

        Auctioneer(Round round) {
            this.round = round;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    double[][] bids = round.awaitBids();
                    int[] winners = new int[LOTS];
                    for (int lot = 0; lot < LOTS; lot++)
                        for (int buyer = 1; buyer < BUYERS; buyer++)
                            if (bids[buyer][lot] > bids[winners[lot]][lot]) winners[lot] = buyer;
                    round.settle(winners);
                    ROUNDS.incrementAndGet();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Random random = new Random(11);
        List<Lot> catalogue = new ArrayList<Lot>();
        for (int i = 0; i < LOTS; i++) catalogue.add(new Lot(random));
        Round round = new Round();
        new Thread(new Auctioneer(round), "auctioneer").start();
        for (int i = 0; i < BUYERS; i++) new Thread(new Buyer(round, i, catalogue), "buyer-" + i).start();
        while (ROUNDS.get() < 20) Thread.sleep(20);
        System.out.println("READY");
        System.out.flush();
        long rounds = ROUNDS.get(), late = LATE.get(), results = RESULTS.get();
        while (true) {
            Thread.sleep(1000);
            long r = ROUNDS.get(), l = LATE.get(), n = RESULTS.get();
            System.out.printf("measured: %d rounds a second, a buyer learns of a result %.1f ms after it was there%n",
                    r - rounds, (l - late) / 1e6 / Math.max(1, n - results));
            rounds = r;
            late = l;
            results = n;
        }
    }
}
