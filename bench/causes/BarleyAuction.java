// SPDX-License-Identifier: Apache-2.0
// cause: Four settlement threads poll their almost always empty queues in a loop without waiting (ConcurrentLinkedQueue.poll), so they spin and take CPU time from the two pricing threads.
// share: throughput: about 20,000 rounds/s instead of about 58,000 (65 % lost); computed: 4 of 6 runnable threads spin
// judge: Right: busy waiting/spinning in BarleyAuction.Settlement.run (Settlement.next / ConcurrentLinkedQueue.poll on empty queues, threads settle-0..3) takes the CPU from pricing; remedy: a blocking take/poll with timeout. The CPU queueing (run-queue wait) of the pricing threads is the symptom. Wrong: the pricing arithmetic (PricingDesk.clear) as the fault, contention on the queue, GC, too few cores as the only statement.
// expect: hot-code kind=polling-queues frame=Settlement
// symptom: hot-method hot-calls
// set: nineteenth
// jdk: 11
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;

public class BarleyAuction {
    private static final boolean TAKE = Boolean.getBoolean("fixed");
    private static final LongAdder rounds = new LongAdder();
    private static final LongAdder settledCents = new LongAdder();

    static final class Deal {
        final int lot;
        final double price;
        final int tonnes;

        Deal(int lot, double price, int tonnes) {
            this.lot = lot;
            this.price = price;
            this.tonnes = tonnes;
        }
    }

    static final class Settlement implements Runnable {
        private final Queue<Deal> inbox;
        private volatile boolean open = true;

        Settlement() {
            inbox = TAKE ? new LinkedBlockingQueue<>() : new ConcurrentLinkedQueue<>();
        }

        void offer(Deal d) {
            inbox.add(d);
        }

        private Deal next() throws InterruptedException {
            if (TAKE) return ((BlockingQueue<Deal>) inbox).poll(500, TimeUnit.MILLISECONDS);
            return inbox.poll();
        }

        @Override
        public void run() {
            try {
                while (open) {
                    Deal d = next();
                    if (d != null) settledCents.add(Math.round(d.price * d.tonnes * 100) + d.lot % 3);
                }
            } catch (InterruptedException e) {
                open = false;
            }
        }
    }

    static final class PricingDesk {
        private final double[] bids = new double[200];
        private final double[] asks = new double[200];
        private final SplittableRandom r;

        PricingDesk(int seed) {
            r = new SplittableRandom(seed);
        }

        Deal clear(int lot) {
            for (int i = 0; i < bids.length; i++) {
                bids[i] = 180 + r.nextDouble() * 40;
                asks[i] = 170 + r.nextDouble() * 40;
            }
            Arrays.sort(bids);
            Arrays.sort(asks);
            int volume = 0;
            double price = 0;
            for (int i = 0; i < bids.length; i++) {
                if (bids[bids.length - 1 - i] < asks[i]) break;
                volume++;
                price = (bids[bids.length - 1 - i] + asks[i]) / 2;
            }
            return new Deal(lot, price, volume);
        }
    }

    private static void trade(int number, Settlement[] settlements) {
        PricingDesk desk = new PricingDesk(number);
        long lastSent = System.nanoTime();
        for (int lot = 0; ; lot++) {
            Deal d = desk.clear(lot);
            rounds.increment();
            long t = System.nanoTime();
            if (t - lastSent > 20_000_000L) {
                settlements[lot % settlements.length].offer(d);
                lastSent = t;
            }
        }
    }

    private static void launch(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        Settlement[] settlements = new Settlement[4];
        for (int i = 0; i < settlements.length; i++) {
            settlements[i] = new Settlement();
            launch("settle-" + i, settlements[i]);
        }
        for (int i = 0; i < 2; i++) {
            int number = i;
            launch("pricing-" + i, () -> trade(number, settlements));
        }
        Thread.sleep(4000);
        System.out.println("READY");
        long before = rounds.sum();
        long at = System.nanoTime();
        for (int left = Integer.getInteger("secs", 165); left > 0; left--) {
            Thread.sleep(1000);
            long now = rounds.sum();
            long t = System.nanoTime();
            System.out.printf(Locale.ROOT, "measured: %.0f rounds/s%n", (now - before) * 1e9 / (t - at));
            before = now;
            at = t;
        }
        System.exit(0);
    }
}
