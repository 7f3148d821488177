// SPDX-License-Identifier: Apache-2.0
// healthy: 150 watcher threads long-poll on 30 auction lots, each waiting up to 10 s for the next bid by design; looks suspicious because of many threads parked for seconds on lot locks and almost no CPU
// share: nothing to fix; news of a bid reaches its watchers in well below 10 ms
// judge: any finding that names a fault is wrong: lock contention on Lot, thread pool exhaustion or too many threads, starvation, slow bids, missed signals, deadlock, the pacing of the bidder. Right is "no fault found" or that the waits are idle long-polls by design.
// jdk: 11
// set: seventeenth
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;

public class AuctionLobby {
    static final LongAdder news = new LongAdder();
    static final LongAdder newsNanos = new LongAdder();
    static final LongAdder quiet = new LongAdder();
    static final LongAdder bids = new LongAdder();

    static final class Bid {
        final int amount;
        final String bidder;
        final long at = System.nanoTime();
        long version;

        Bid(int amount, String bidder) {
            this.amount = amount;
            this.bidder = bidder;
        }
    }

    /** One lot under the hammer. */
    static final class Lot {
        final int number;
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition moved = lock.newCondition();
        private final Deque<Bid> history = new ArrayDeque<>();
        private long version;

        Lot(int number) {
            this.number = number;
        }

        boolean bid(Bid b) {
            lock.lock();
            try {
                Bid top = history.peekLast();
                if (top != null && top.amount >= b.amount) {
                    return false;
                }
                history.addLast(b);
                if (history.size() > 50) {
                    history.removeFirst();
                }
                b.version = ++version;
                moved.signalAll();
                return true;
            } finally {
                lock.unlock();
            }
        }

        int top() {
            lock.lock();
            try {
                return history.isEmpty() ? 0 : history.peekLast().amount;
            } finally {
                lock.unlock();
            }
        }

        long version() {
            lock.lock();
            try {
                return version;
            } finally {
                lock.unlock();
            }
        }

        /** Answers when the lot has moved past the version, or null after the time. */
        Bid await(long known, long seconds) throws InterruptedException {
            long left = TimeUnit.SECONDS.toNanos(seconds);
            lock.lock();
            try {
                while (version <= known) {
                    if (left <= 0) {
                        return null;
                    }
                    left = moved.awaitNanos(left);
                }
                return history.peekLast();
            } finally {
                lock.unlock();
            }
        }
    }

    static final class Watcher implements Runnable {
        final Lot lot;
        final StringBuilder page = new StringBuilder();

        Watcher(Lot lot) {
            this.lot = lot;
        }

        public void run() {
            long known = lot.version();
            try {
                while (true) {
                    Bid b = lot.await(known, 10);
                    if (b == null) {
                        quiet.increment();
                        continue;
                    }
                    newsNanos.add(System.nanoTime() - b.at);
                    news.increment();
                    known = b.version;
                    page.setLength(0);
                    page.append("{\"lot\":").append(lot.number).append(",\"top\":").append(b.amount);
                    page.append(",\"by\":\"").append(b.bidder).append("\"}");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class Bidders implements Runnable {
        final List<Lot> lots;
        final Random r = new Random(17);

        Bidders(List<Lot> lots) {
            this.lots = lots;
        }

        public void run() {
            // A third of the lots is lively, the rest is rarely bid on.
            Lot l = r.nextInt(20) > 0 ? lots.get(r.nextInt(10)) : lots.get(10 + r.nextInt(20));
            if (l.bid(new Bid(l.top() + 5 + r.nextInt(50), "paddle" + r.nextInt(400)))) {
                bids.increment();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        List<Lot> lots = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            lots.add(new Lot(i));
        }
        for (int i = 0; i < 150; i++) {
            Thread t = new Thread(new Watcher(lots.get(i % 30)), "watcher-" + i);
            t.setDaemon(true);
            t.start();
        }
        ScheduledExecutorService clock = Executors.newScheduledThreadPool(1, r -> {
            Thread t = new Thread(r, "saleroom");
            t.setDaemon(true);
            return t;
        });
        clock.scheduleAtFixedRate(new Bidders(lots), 50, 50, TimeUnit.MILLISECONDS);
        System.out.println("READY");
        for (int s = 0; s < 140; s++) {
            Thread.sleep(1000);
            long n = news.sumThenReset();
            long ns = newsNanos.sumThenReset();
            System.out.printf("measured: %d bids/s, %d news/s after %.3f ms, %d quiet polls%n",
                bids.sumThenReset(), n, n == 0 ? 0 : ns / 1e6 / n, quiet.sumThenReset());
        }
    }
}
