// SPDX-License-Identifier: Apache-2.0
// cause: colliding-keys: FerryFares$Crossing.hashCode is a + b, so that some 100 to 300 of the 180,000 keys of FareTable.miles (a HashMap) share each hash code; each lookup in FareTable.between searches a tree of keys that cannot be compared, node by node
// share: about 75 to 90 % of the CPU time (about 1 CPU, 1 to 2 us for a lookup, 10 on a busy machine) is HashMap.get with Crossing.equals below it
// expect: hot-code kind=colliding-keys frame=FerryFares$FareTable
// symptom: hot-code hot-calls hot-method
// judge: NAMED: colliding keys / same hash codes of FerryFares$Crossing, for FareTable.between (HashMap.get, TreeNode.find). SYMPTOM ONLY: HashMap$TreeNode.find, HashMap.get or Crossing.equals as hot method or hot calls of FareTable.between without a word on hash codes. WRONG: Quoter.price or the discount arithmetic, collections, the sleep in Counter.run, locks, nothing stands out.
// jdk: 17
// set: thirty-sixth
// jvm: -Xmx256m
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;

/** Fares of an island ferry network: an itinerary's price is by the sea miles between the piers that it calls at. */
public class FerryFares {
    static final int PIERS = 600;

    /** A pair of piers; the way back is as long as the way there. */
    static final class Crossing {
        private final int a;
        private final int b;

        Crossing(int a, int b) {
            this.a = a;
            this.b = b;
        }

        @Override
        public boolean equals(Object other) {
            if (!(other instanceof Crossing)) {
                return false;
            }
            Crossing that = (Crossing) other;
            return a == that.a && b == that.b || a == that.b && b == that.a;
        }

        @Override
        public int hashCode() {
            return a + b;
        }
    }

    static final class FareTable {
        private final Map<Crossing, Integer> miles = new HashMap<>();

        FareTable(SplittableRandom random) {
            int[] x = random.ints(PIERS, 0, 400).toArray();
            int[] y = random.ints(PIERS, 0, 250).toArray();
            for (int from = 0; from < PIERS; from++) {
                for (int to = from + 1; to < PIERS; to++) {
                    miles.put(new Crossing(from, to), (int) Math.hypot(x[from] - x[to], y[from] - y[to]));
                }
            }
        }

        int between(int from, int to) {
            Integer distance = miles.get(new Crossing(from, to));
            return distance == null ? 0 : distance;
        }
    }

    record Booking(int[] piers, int adults, int children, boolean car) { }

    static final class Quoter {
        private final FareTable table;

        Quoter(FareTable table) {
            this.table = table;
        }

        long price(Booking booking) {
            long cents = 0;
            int total = 0;
            for (int i = 1; i < booking.piers().length; i++) {
                int miles = table.between(booking.piers()[i - 1], booking.piers()[i]);
                total += miles;
                cents += 450 + miles * (miles > 120 ? 11L : 14L);
            }
            long persons = booking.adults() * 2L + booking.children();
            cents = cents * persons / 2;
            if (booking.car()) {
                cents += 1900 + total * 9L;
            }
            return total > 500 ? cents * 92 / 100 : cents;
        }
    }

    /** A sales counter: asks for groups of quotes as customers compare itineraries. */
    static final class Counter implements Runnable {
        private final Quoter quoter;
        private final SplittableRandom random;

        Counter(Quoter quoter, int number) {
            this.quoter = quoter;
            random = new SplittableRandom(number);
        }

        Booking next() {
            int[] piers = new int[6 + random.nextInt(8)];
            for (int i = 0; i < piers.length; i++) {
                int pier = random.nextInt(PIERS);
                while (i > 0 && pier == piers[i - 1]) {
                    pier = random.nextInt(PIERS);
                }
                piers[i] = pier;
            }
            return new Booking(piers, 1 + random.nextInt(3), random.nextInt(4), random.nextInt(3) == 0);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    long begin = System.nanoTime();
                    for (int i = 0; i < 500; i++) {
                        sold.add(quoter.price(next()));
                        quotes.increment();
                    }
                    long took = System.nanoTime() - begin;
                    busy.add(took);
                    Thread.sleep(Math.max(1, Math.min(40, took / 1_000_000)));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final LongAdder quotes = new LongAdder();
    static final LongAdder sold = new LongAdder();
    static final LongAdder busy = new LongAdder();

    public static void main(String[] args) throws Exception {
        FareTable table = new FareTable(new SplittableRandom(5));
        Quoter quoter = new Quoter(table);
        for (int i = 1; i <= 2; i++) {
            Thread thread = new Thread(new Counter(quoter, i), "counter-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        Thread.sleep(2000);
        System.out.println("READY");
        System.out.flush();
        SplittableRandom random = new SplittableRandom(99);
        while (true) {
            long q = quotes.sum(), t = System.nanoTime(), b = busy.sum();
            Thread.sleep(1000);
            double s = (System.nanoTime() - t) / 1e9;
            long begin = System.nanoTime();
            long miles = 0;
            for (int i = 0; i < 1000; i++) {
                miles += table.between(random.nextInt(PIERS), random.nextInt(PIERS));
            }
            double lookup = (System.nanoTime() - begin) / 1000.0;
            double perQuote = (busy.sum() - b) / (double) Math.max(1, quotes.sum() - q);
            System.out.printf("measured: %.0f quotes/s, %.0f ns each, %.0f ns for a lookup (about 8.5 of them in a quote), %.2f threads busy, %d miles%n",
                    (quotes.sum() - q) / s, perQuote, lookup, (busy.sum() - b) / 1e9 / s, miles);
        }
    }
}
