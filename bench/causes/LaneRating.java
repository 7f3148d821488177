// SPDX-License-Identifier: Apache-2.0
// cause: LaneRating.Lane.hashCode returns origin ^ destination; lanes run within a district of 32 depots, so about 7800 keys share only 32 hash values and every HashMap.get in RateBook.contractFor searches a treeified bin of hundreds of non-Comparable keys
// share: 10 s means, same conditions: faulty 852000 consignments/s (quiet machine 1.4 M), fixed 6506000 consignments/s (quiet machine 14 M), 7.6x
// expect: hot-code kind=colliding-keys
// judge: NAMED: poor hashCode of Lane / massive hash collisions (bins with hundreds of entries, TreeNode.find in HashMap.get on Lane keys); naming HashMap.get or TreeNode.find with Lane AND saying collisions / bad hash counts. SYMPTOM ONLY: HashMap.get (or TreeNode.find, Lane.equals, contractFor) is hot with no mention of collisions or hashing; CPU is full. WRONG: map too small / resizing, rate() arithmetic or log1p, allocation of Lane keys / GC, contention between the rating threads
// jdk: 8
// set: twenty-second
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;

/** Rates freight consignments by looking up the contract of the lane between two depots. */
public class LaneRating {
    static final boolean FIXED = Boolean.getBoolean("fixed");

    static final class Lane {
        final long origin;
        final long destination;
        Lane(long origin, long destination) { this.origin = origin; this.destination = destination; }

        @Override public boolean equals(Object o) {
            if (!(o instanceof Lane)) return false;
            Lane l = (Lane) o;
            return l.origin == origin && l.destination == destination;
        }

        @Override public int hashCode() {
            if (FIXED) {
                long h = (origin * 1000003L + destination) * 0x9E3779B97F4A7C15L;
                return (int) (h >>> 32);
            }
            return (int) (origin ^ destination);
        }
    }

    static final class Contract {
        final double perKilo;
        final double minimum;
        Contract(double perKilo, double minimum) { this.perKilo = perKilo; this.minimum = minimum; }
    }

    static final class Consignment {
        final long origin;
        final long destination;
        final double[] parcels;
        Consignment(long origin, long destination, double[] parcels) {
            this.origin = origin; this.destination = destination; this.parcels = parcels;
        }
    }

    static final class RateBook {
        private final Map<Lane, Contract> contracts = new HashMap<Lane, Contract>(32768);

        void load(Random rnd, List<long[]> lanes) {
            // depots are numbered district by district, 32 to a district; lanes are mostly regional
            for (int district = 0; district < 24; district++) {
                for (int i = 0; i < 32; i++) {
                    for (int k = 0; k < 12; k++) {
                        long a = 4096 + district * 32 + i;
                        long b = 4096 + district * 32 + rnd.nextInt(32);
                        if (contracts.put(new Lane(a, b), new Contract(0.2 + rnd.nextDouble(), 4)) == null) {
                            lanes.add(new long[] {a, b});
                        }
                    }
                }
            }
        }

        Contract contractFor(long origin, long destination) {
            return contracts.get(new Lane(origin, destination));
        }
    }

    static double rate(RateBook book, Consignment c) {
        Contract k = book.contractFor(c.origin, c.destination);
        double sum = 0;
        for (double kilo : c.parcels) sum += Math.max(k.minimum, kilo * k.perKilo);
        return sum + Math.log1p(sum) * 0.35;
    }

    public static void main(String[] args) throws Exception {
        final RateBook book = new RateBook();
        final List<long[]> lanes = new ArrayList<long[]>();
        book.load(new Random(11), lanes);
        final LongAdder rated = new LongAdder();
        final LongAdder turnover = new LongAdder();
        for (int w = 0; w < 2; w++) {
            final Random rnd = new Random(90 + w);
            Thread t = new Thread(new Runnable() {
                @Override public void run() {
                    Consignment[] manifest = new Consignment[5000];
                    for (int i = 0; i < manifest.length; i++) {
                        long[] lane = lanes.get(rnd.nextInt(lanes.size()));
                        double[] parcels = new double[40];
                        for (int p = 0; p < parcels.length; p++) parcels[p] = 1 + rnd.nextInt(60);
                        manifest[i] = new Consignment(lane[0], lane[1], parcels);
                    }
                    while (true) {
                        double total = 0;
                        for (int i = 0; i < manifest.length; i++) {
                            total += rate(book, manifest[i]);
                            if (i % 100 == 99) rated.add(100);
                        }
                        turnover.add((long) total);
                    }
                }
            }, "rating-" + w);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(4000);
        System.out.println("READY");
        rated.reset();
        for (int s = 0; s < 165; s++) {
            Thread.sleep(1000);
            System.out.println("measured: " + rated.sumThenReset() + " consignments/s");
        }
        System.exit(turnover.sum() == 1 ? 1 : 0);
    }
}
