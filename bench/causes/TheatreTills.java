// SPDX-License-Identifier: Apache-2.0
// cause: HousePlan.bestRow searches for seats within a monitor that all productions share (the static HousePlan.PLANS), though each production has seats of its own: one till at a time gets on
// share: 85 % of a sale (8 to 11 of 10 to 13 ms) is waiting for the monitor, 8 of 16 threads at any time; the process uses 1 of 2 CPUs, no more
// expect: waiting kind=monitor frame=TheatreTills$HousePlan | lock-contention frame=TheatreTills$HousePlan
// symptom: hot-method hot-calls
// judge: NAMED: lock contention (waiting for a monitor) at HousePlan.bestRow (called by Till.sell), or that threads wait for that monitor while its holder computes in HousePlan.bestRow or its helper HousePlan.comfort. SYMPTOM ONLY: hot method or computing in HousePlan.bestRow / HousePlan.comfort without the monitor, the tills' sleep. WRONG: too few CPUs, starvation, the pool of tills, Till.print, collections
// jdk: 25
// set: thirty-fifth
// jvm: -Xmx128m
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

/** The box office of an arena: sixteen tills sell seats for the productions of the season. */
public class TheatreTills {
    static final LongAdder SALES = new LongAdder();
    static final LongAdder SALE_TIME = new LongAdder();
    static final LongAdder SEARCH_TIME = new LongAdder();

    record Party(int size, boolean aisle, int budget) {
        static Party next() {
            ThreadLocalRandom random = ThreadLocalRandom.current();
            return new Party(random.nextInt(1, 7), random.nextInt(3) == 0, random.nextInt(20, 140));
        }
    }

    record Place(int row, int first, int count, double comfort) {
    }

    /** The seats of one production, which are sold and given back. */
    static final class HousePlan {
        private static final Object PLANS = new Object();
        private static final int ROWS = 190;
        private static final int WIDTH = 120;
        private final String production;
        private final boolean[][] sold = new boolean[ROWS][WIDTH];
        private int taken;

        HousePlan(String production, long seed) {
            this.production = production;
            SplittableRandom random = new SplittableRandom(seed);
            for (boolean[] row : sold)
                for (int seat = 0; seat < WIDTH; seat++)
                    if (random.nextInt(10) < 4) {
                        row[seat] = true;
                        taken++;
                    }
        }

        Place bestRow(Party party, LongAdder work) {
            synchronized (PLANS) {
                long begin = System.nanoTime();
                Place best = null;
                for (int row = 0; row < ROWS; row++) {
                    for (int first = 0; first + party.size() <= WIDTH; first++) {
                        if (!free(row, first, party.size()))
                            continue;
                        double comfort = comfort(row, first, party);
                        if (best == null || comfort > best.comfort())
                            best = new Place(row, first, party.size(), comfort);
                    }
                }
                if (best != null)
                    mark(best, true);
                if (taken > ROWS * WIDTH * 6 / 10)
                    release();
                work.add(System.nanoTime() - begin);
                return best;
            }
        }

        private boolean free(int row, int first, int count) {
            for (int seat = first; seat < first + count; seat++)
                if (sold[row][seat])
                    return false;
            return true;
        }

        private double comfort(int row, int first, Party party) {
            double sum = 0;
            for (int seat = first; seat < first + party.size(); seat++) {
                double side = Math.abs(seat - WIDTH / 2.0) / WIDTH, far = (row - 30.0) / ROWS;
                double heads = 0;
                for (int ahead = Math.max(0, row - 8); ahead < row; ahead++)
                    for (int near = Math.max(0, seat - 2); near <= Math.min(WIDTH - 1, seat + 2); near++)
                        if (sold[ahead][near])
                            heads += 1.0 / (row - ahead);
                sum += Math.exp(-side * side * 3 - far * far) - 0.02 * heads;
            }
            double price = 140 - row * 0.9;
            double aisle = party.aisle() && (first == 0 || first + party.size() == WIDTH) ? 0.2 : 0;
            return sum / party.size() + aisle - Math.max(0, price - party.budget()) / 200;
        }

        private void mark(Place place, boolean value) {
            for (int seat = place.first(); seat < place.first() + place.count(); seat++)
                sold[place.row()][seat] = value;
            taken += value ? place.count() : -place.count();
        }

        private void release() {
            for (int i = 0; i < ROWS * WIDTH / 10; i++) {
                int row = ThreadLocalRandom.current().nextInt(ROWS), seat = ThreadLocalRandom.current().nextInt(WIDTH);
                if (sold[row][seat]) {
                    sold[row][seat] = false;
                    taken--;
                }
            }
        }

        String production() {
            return production;
        }
    }

    static final class Till implements Runnable {
        private final List<HousePlan> season;
        private final LongAdder work;
        private long printed;

        Till(List<HousePlan> season, LongAdder work) {
            this.season = season;
            this.work = work;
        }

        private void sell() {
            HousePlan plan = season.get(ThreadLocalRandom.current().nextInt(season.size()));
            long begin = System.nanoTime();
            Place place = plan.bestRow(Party.next(), work);
            long found = System.nanoTime();
            if (place != null)
                print(plan, place);
            SEARCH_TIME.add(found - begin);
            SALE_TIME.add(System.nanoTime() - begin);
            SALES.increment();
        }

        private void print(HousePlan plan, Place place) {
            long code = plan.production().hashCode();
            for (int i = 0; i < 2000; i++)
                code = code * 6364136223846793005L + place.row() * 31L + place.first();
            printed += code & 1;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    sell();
                    Thread.sleep(ThreadLocalRandom.current().nextInt(8, 22));
                }
            } catch (InterruptedException e) {
                System.out.println("closed after " + printed);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        List<HousePlan> season = new ArrayList<>();
        for (int i = 0; i < 24; i++)
            season.add(new HousePlan("production-" + i, 77 + i));
        LongAdder work = new LongAdder();
        for (int i = 0; i < 16; i++)
            new Thread(new Till(season, work), "till-" + i).start();
        for (int second = 0;; second++) {
            long sales = SALES.sum(), time = SALE_TIME.sum(), search = SEARCH_TIME.sum(), inside = work.sum();
            Thread.sleep(1000);
            sales = SALES.sum() - sales;
            time = SALE_TIME.sum() - time;
            search = SEARCH_TIME.sum() - search;
            inside = work.sum() - inside;
            System.out.printf("measured: %d sales, %.1f ms each, %.0f %% of that waiting to search, %.2f ms each searching%n", sales,
                time / 1e6 / Math.max(1, sales), 100.0 * (search - inside) / Math.max(1, time), inside / 1e6 / Math.max(1, sales));
            if (second == 3) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
