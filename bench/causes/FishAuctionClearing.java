// SPDX-License-Identifier: Apache-2.0
// healthy: each second both cores are taken for a moment while all lots are cleared and the threads are idle for the rest, but that is the auction's beat: clearing is done long before the next window closes and nothing piles up.
// share: measures e.g. "200 lots cleared, window took 191 ms of 1000, turnover 30848237"
// judge: Right is: no fault (bursts at the beat of the windows, each done well within its second, idle in between by design); naming the sorting in Lot.clear, the idle pool threads, the invokeAll waiting or the single clock thread as a fault is wrong.
// set: twenty-first
// jdk: 21
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

/** Fish auction: bids are gathered for a second, then all lots of the window are cleared at once. */
public class FishAuctionClearing {
    static final int LOTS = 200;
    static final int BIDS = 4000;
    static final AtomicLong LAST_NANOS = new AtomicLong();
    static final LongAdder CLEARED = new LongAdder();
    static final LongAdder TURNOVER = new LongAdder();

    record Bid(int buyer, int kilos, int centsPerKilo, long order) { }

    record Outcome(int lot, int centsPerKilo, int kilosSold, int buyers) { }

    /** One lot of fish and the bids on it. */
    static final class Lot {
        private final int id;
        private final int kilos;
        private final List<Bid> bids = new ArrayList<>(BIDS);

        Lot(int id, int kilos) {
            this.id = id;
            this.kilos = kilos;
        }

        void gather(SplittableRandom r) {
            int around = 300 + r.nextInt(900);
            for (int i = 0; i < BIDS; i++) {
                bids.add(new Bid(r.nextInt(600), 5 + r.nextInt(40), around + r.nextInt(200) - r.nextInt(200), i));
            }
        }

        /** The highest bids win until the lot is sold; everyone pays the last winning price. */
        Outcome clear() {
            bids.sort(Comparator.comparingInt(Bid::centsPerKilo).reversed().thenComparingLong(Bid::order));
            Set<Integer> buyers = new HashSet<>();
            int left = kilos;
            int price = 0;
            for (Bid b : bids) {
                if (left <= 0) {
                    break;
                }
                left -= Math.min(left, b.kilos());
                price = b.centsPerKilo();
                buyers.add(b.buyer());
            }
            bids.clear();
            return new Outcome(id, price, kilos - left, buyers.size());
        }
    }

    static final class AuctionHall {
        private final List<Lot> lots = new ArrayList<>();
        private final ExecutorService clearing;

        AuctionHall(ExecutorService clearing) {
            this.clearing = clearing;
            for (int i = 0; i < LOTS; i++) {
                lots.add(new Lot(i, 4_000 + i * 150));
            }
        }

        void closeWindow() {
            long t0 = System.nanoTime();
            List<Callable<Outcome>> work = new ArrayList<>();
            for (Lot lot : lots) {
                work.add(() -> {
                    lot.gather(new SplittableRandom());
                    return lot.clear();
                });
            }
            try {
                for (Future<Outcome> f : clearing.invokeAll(work)) {
                    Outcome o = f.get();
                    TURNOVER.add((long) o.centsPerKilo() * o.kilosSold());
                    CLEARED.increment();
                }
            } catch (InterruptedException | ExecutionException e) {
                throw new IllegalStateException(e);
            }
            LAST_NANOS.set(System.nanoTime() - t0);
        }
    }

    static ThreadFactory named(String name) {
        return Thread.ofPlatform().daemon().name(name, 0).factory();
    }

    public static void main(String[] args) throws Exception {
        var hall = new AuctionHall(Executors.newFixedThreadPool(2, named("clearing-")));
        var clock = Executors.newSingleThreadScheduledExecutor(named("auction-clock-"));
        for (int i = 0; i < 10; i++) {
            hall.closeWindow();
        }
        clock.scheduleAtFixedRate(hall::closeWindow, 500, 1000, TimeUnit.MILLISECONDS);
        Thread.sleep(3000);
        System.out.println("READY");
        CLEARED.sumThenReset();
        TURNOVER.sumThenReset();
        for (int s = 0; s < 240; s++) {
            Thread.sleep(1000);
            System.out.printf("measured: %d lots cleared, window took %.0f ms of 1000, turnover %d%n",
                CLEARED.sumThenReset(), LAST_NANOS.get() / 1e6, TURNOVER.sumThenReset() / 100);
        }
        System.exit(0);
    }
}
