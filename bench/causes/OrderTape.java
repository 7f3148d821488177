// SPDX-License-Identifier: Apache-2.0
// healthy: the tape reader polls its ring for some 20 microseconds and yields a few times before it parks, as one does for quick hand-over; it spins for a few per cent of its time only, parks between bursts, and is woken at once
// share: the reader works 39 %, polls its ring for 3.5 % (up to 10 % on a busy machine, most of it lent to others by Thread.yield) and is parked 50 to 57 % of the time; 0.4 CPUs
// judge: RIGHT: nothing stands out, or neutral statements of where CPU time goes (OrderTape$Averages.take, Averages.volatility). WRONG: any accusation, above all of spinning (Thread.yield, Ring.poll, Reader.pause), polling queues, waking threads, a saturated thread, waits
// jdk: 8
// set: thirty-second
// jvm: -Xmx256m

import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** Reads the tape of a small exchange: a feed writes trades into a ring, and a reader keeps averages of them. */
public class OrderTape {

    static final LongAdder TRADES = new LongAdder();
    static final LongAdder WORK_NS = new LongAdder();
    static final LongAdder LOOKING_NS = new LongAdder();
    static final LongAdder PARKED_NS = new LongAdder();
    static final LongAdder DROPPED = new LongAdder();

    static final class Trade {
        final int paper;
        final double price;
        final int lots;

        Trade(int paper, double price, int lots) {
            this.paper = paper;
            this.price = price;
            this.lots = lots;
        }
    }

    /** One writer, one reader. */
    static final class Ring {
        private static final int SIZE = 4096;
        private final AtomicReferenceArray<Trade> slots = new AtomicReferenceArray<>(SIZE);
        private final AtomicLong written = new AtomicLong();
        private long read;
        private volatile Thread parked;

        boolean offer(Trade trade) {
            int slot = (int) (written.get() & SIZE - 1);
            if (slots.get(slot) != null)
                return false;
            slots.set(slot, trade);
            written.incrementAndGet();
            return true;
        }

        void wake() {
            Thread reader = parked;
            if (reader != null)
                LockSupport.unpark(reader);
        }

        Trade poll() {
            int slot = (int) (read & SIZE - 1);
            Trade trade = slots.get(slot);
            if (trade != null) {
                slots.lazySet(slot, null);
                read++;
            }
            return trade;
        }

        boolean isEmpty() {
            return slots.get((int) (read & SIZE - 1)) == null;
        }

        void park() {
            parked = Thread.currentThread();
            while (isEmpty())
                LockSupport.park(this);
            parked = null;
        }
    }

    static final class Averages {
        private static final int PAPERS = 50;
        private static final int WINDOW = 256;
        private final double[][] prices = new double[PAPERS][WINDOW];
        private final int[] at = new int[PAPERS];
        private final double[] volatility = new double[PAPERS];
        private final double[] turnover = new double[PAPERS];

        void take(Trade trade) {
            int paper = trade.paper;
            prices[paper][at[paper]++ % WINDOW] = trade.price;
            turnover[paper] += trade.price * trade.lots;
            volatility[paper] = volatility(prices[paper]);
        }

        private static double volatility(double[] window) {
            double mean = 0, sum = 0;
            for (double price : window)
                mean += price;
            mean /= window.length;
            for (int lag = 1; lag <= 24; lag++)
                for (int i = lag; i < window.length; i++)
                    sum += (window[i] - mean) * (window[i - lag] - mean) / lag;
            return Math.sqrt(Math.abs(sum) / window.length);
        }
    }

    static final class Reader implements Runnable {
        private static final long LOOK_NS = 20_000;
        private final Ring ring;
        private final Averages averages = new Averages();

        Reader(Ring ring) {
            this.ring = ring;
        }

        @Override public void run() {
            while (true) {
                long from = System.nanoTime();
                int taken = 0;
                for (Trade trade; (trade = ring.poll()) != null; taken++)
                    averages.take(trade);
                TRADES.add(taken);
                WORK_NS.add(System.nanoTime() - from);
                pause();
            }
        }

        private void pause() {
            long from = System.nanoTime(), now = from;
            while (ring.isEmpty() && now - from < LOOK_NS)
                now = System.nanoTime();
            for (int i = 0; i < 3 && ring.isEmpty(); i++)
                Thread.yield();
            now = System.nanoTime();
            LOOKING_NS.add(now - from);
            if (ring.isEmpty()) {
                ring.park();
                PARKED_NS.add(System.nanoTime() - now);
            }
        }
    }

    static void feed(Ring ring) {
        Random market = new Random(4);
        double[] price = new double[Averages.PAPERS];
        java.util.Arrays.fill(price, 100);
        try {
            while (true) {
                int burst = 60 + market.nextInt(90);
                for (int i = 0; i < burst; i++) {
                    int paper = market.nextInt(price.length);
                    price[paper] = Math.max(1, price[paper] + market.nextGaussian() * 0.05);
                    if (!ring.offer(new Trade(paper, price[paper], 1 + market.nextInt(40))))
                        DROPPED.increment();
                }
                ring.wake();
                Thread.sleep(2);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Ring ring = new Ring();
        new Thread(new Reader(ring), "tape-reader").start();
        new Thread(() -> feed(ring), "feed").start();
        Thread.sleep(3000);
        System.out.println("READY");
        System.out.flush();
        com.sun.management.OperatingSystemMXBean system =
                (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        while (true) {
            long n = TRADES.sum(), work = WORK_NS.sum(), looking = LOOKING_NS.sum(), parked = PARKED_NS.sum(), cpu = system.getProcessCpuTime();
            long from = System.nanoTime();
            Thread.sleep(1000);
            double ns = System.nanoTime() - from;
            System.out.printf(Locale.ROOT, "measured: %d trades/s, reader works %.1f %%, looks %.1f %%, is parked %.1f %% of the time, %d dropped, %.2f CPUs%n",
                    TRADES.sum() - n, 100 * (WORK_NS.sum() - work) / ns, 100 * (LOOKING_NS.sum() - looking) / ns,
                    100 * (PARKED_NS.sum() - parked) / ns, DROPPED.sum(), (system.getProcessCpuTime() - cpu) / ns);
            System.out.flush();
        }
    }
}
