// SPDX-License-Identifier: Apache-2.0
// healthy: eight bidders use both CPUs fully with pricing work and share one monitor in Ledger.post, but it is held for well under a microsecond per bid; a post takes about 1 us (measured, waiting and preemption included) of about 120 us wall time per bid, so the visible contention costs about one percent.
// judge: wrong: blaming the Ledger monitor, lock contention, too many threads, or the pricing methods (simulate/yieldCurve) as a defect; saying "CPU saturated by useful pricing work, nothing to fix" is right
// set: eighteenth
// jdk: 17
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;

public class GrainAuction {
    static final LongAdder waitedNanos = new LongAdder();

    record Lot(int id, double tonnes, double moisture, double protein) { }

    record Bid(int bidder, int lot, double price) { }

    static final class Ledger {
        private final double[] best = new double[256];
        private final int[] holder = new int[256];
        private long bids;
        private long raised;

        synchronized boolean post(Bid b) {
            bids++;
            if (b.price() <= best[b.lot()]) {
                best[b.lot()] *= 0.9999;
                return false;
            }
            best[b.lot()] = b.price();
            holder[b.lot()] = b.bidder();
            raised++;
            return true;
        }

        synchronized long[] counts() {
            return new long[] {bids, raised};
        }
    }

    private final Ledger ledger = new Ledger();
    private final List<Lot> lots = new ArrayList<>();

    GrainAuction() {
        SplittableRandom rnd = new SplittableRandom(5);
        for (int i = 0; i < 256; i++) {
            lots.add(new Lot(i, rnd.nextDouble(20, 400), rnd.nextDouble(10, 16), rnd.nextDouble(9, 15)));
        }
    }

    private double yieldCurve(Lot lot, double humidity) {
        double dry = lot.tonnes() * (100 - lot.moisture()) / 86.0;
        return dry * (1 + (lot.protein() - 11) * 0.03) - Math.max(0, humidity - 0.6) * dry * 0.2;
    }

    private double simulate(Lot lot, SplittableRandom rnd) {
        double sum = 0;
        double price = 210;
        for (int step = 0; step < 1500; step++) {
            double u = rnd.nextDouble() + rnd.nextDouble() + rnd.nextDouble() - 1.5;
            price *= 1 + u * 0.004;
            double humidity = 0.5 + u * 0.2;
            sum += price * yieldCurve(lot, humidity) * Math.exp(-step * 0.0001);
        }
        return sum / 1500;
    }

    private void bid(int bidder) {
        SplittableRandom rnd = new SplittableRandom(bidder);
        int won = 0;
        while (true) {
            Lot lot = lots.get(rnd.nextInt(lots.size()));
            double value = simulate(lot, rnd) * rnd.nextDouble(0.9, 1.0);
            long t0 = System.nanoTime();
            if (ledger.post(new Bid(bidder, lot.id(), value))) {
                won++;
            }
            waitedNanos.add(System.nanoTime() - t0);
            if ((won & 0xFFFF) == 0xFFFF) {
                won = 0;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        GrainAuction a = new GrainAuction();
        for (int i = 1; i <= 8; i++) {
            int no = i;
            Thread t = new Thread(() -> a.bid(no), "bidder-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        long before = 0;
        long waited = 0;
        for (int s = 0; s < 240; s++) {
            Thread.sleep(1000);
            long[] c = a.ledger.counts();
            long w = waitedNanos.sum();
            System.out.println("measured: bids/s=" + (c[0] - before) + " raised=" + c[1] + " post_ns="
                    + (w - waited) / Math.max(1, c[0] - before));
            before = c[0];
            waited = w;
        }
    }
}
