// SPDX-License-Identifier: Apache-2.0
// cause: the key of the tariff map, FareSettlement.FareKey.hashCode(), uses only operator and ticket class (20 different values for 8000 keys), so every HashMap lookup in TariffBook.fareOf walks a crowded bin (tree bins of keys that are not Comparable)
// share: 10 s each: faulty 243000 trips/s, mean 0.008 ms, both lanes CPU bound; fixed (hash over all four fields) 3200000 trips/s - 13 times the throughput
// expect: hot-code kind=colliding-keys
// judge: NAMED: poor / colliding hashCode of FareKey (FareSettlement$FareKey.hashCode), hash collisions in the tariff map. SYMPTOM ONLY: HashMap.get / TreeNode.find / FareKey.equals is hot, TariffBook.fareOf is hot, CPU saturated. WRONG: GC or allocation of keys, locks, map too small or not concurrent, BigDecimal arithmetic, too few threads.
// jdk: 8
// set: twenty-second
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/** Settles the trips of a transport union: each leg is priced from the tariff book and booked to its operator. */
public class FareSettlement {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final Tally TALLY = new Tally();
    static final String[] OPERATORS = {"metro", "tram", "bus-north", "bus-south", "ferry"};

    static final class FareKey {
        final String operator;
        final int fromZone;
        final int toZone;
        final int ticketClass;

        FareKey(String operator, int fromZone, int toZone, int ticketClass) {
            this.operator = operator;
            this.fromZone = fromZone;
            this.toZone = toZone;
            this.ticketClass = ticketClass;
        }

        @Override
        public int hashCode() {
            int h = operator.hashCode() * 31 + ticketClass;
            return FIXED ? (h * 31 + fromZone) * 31 + toZone : h;
        }

        @Override
        public boolean equals(Object o) {
            if (!(o instanceof FareKey)) {
                return false;
            }
            FareKey k = (FareKey) o;
            return fromZone == k.fromZone && toZone == k.toZone && ticketClass == k.ticketClass
                    && operator.equals(k.operator);
        }
    }

    static final class TariffBook {
        private final Map<FareKey, Integer> cents = new HashMap<>();

        TariffBook(Random r) {
            for (String operator : OPERATORS) {
                for (int from = 0; from < 20; from++) {
                    for (int to = 0; to < 20; to++) {
                        for (int c = 0; c < 4; c++) {
                            cents.put(new FareKey(operator, from, to, c), 140 + Math.abs(from - to) * 35 + r.nextInt(50));
                        }
                    }
                }
            }
        }

        int fareOf(String operator, int from, int to, int ticketClass) {
            Integer c = cents.get(new FareKey(operator, from, to, ticketClass));
            return c == null ? 0 : c;
        }
    }

    static final class Leg {
        final String operator;
        final int from;
        final int to;

        Leg(String operator, int from, int to) {
            this.operator = operator;
            this.from = from;
            this.to = to;
        }
    }

    /** One lane of the night run; it takes trips of its share of the cards, one after the other. */
    static final class SettlementLane implements Runnable {
        private final TariffBook book;
        private final Random random;
        private final long[] owed = new long[OPERATORS.length];

        SettlementLane(TariffBook book, long seed) {
            this.book = book;
            this.random = new Random(seed);
        }

        @Override
        public void run() {
            while (true) {
                List<Leg> trip = nextTrip();
                long start = System.nanoTime();
                settle(trip, random.nextInt(4));
                TALLY.note(System.nanoTime() - start);
            }
        }

        private List<Leg> nextTrip() {
            int n = 2 + random.nextInt(4);
            List<Leg> legs = new ArrayList<>(n);
            int at = random.nextInt(20);
            for (int i = 0; i < n; i++) {
                int to = random.nextInt(20);
                legs.add(new Leg(OPERATORS[random.nextInt(OPERATORS.length)], at, to));
                at = to;
            }
            return legs;
        }

        private void settle(List<Leg> trip, int ticketClass) {
            int sum = 0;
            int dearest = 0;
            int[] price = new int[trip.size()];
            for (int i = 0; i < price.length; i++) {
                Leg leg = trip.get(i);
                price[i] = book.fareOf(leg.operator, leg.from, leg.to, ticketClass);
                sum += price[i];
                dearest = Math.max(dearest, price[i]);
            }
            int charged = Math.min(sum, dearest + (sum - dearest) / 2);
            for (int i = 0; i < price.length; i++) {
                String operator = trip.get(i).operator;
                for (int k = 0; k < OPERATORS.length; k++) {
                    if (OPERATORS[k].equals(operator)) {
                        owed[k] += Math.round((double) charged * price[i] / Math.max(1, sum));
                    }
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        TariffBook book = new TariffBook(new Random(5));
        for (int i = 0; i < 2; i++) {
            Thread t = new Thread(new SettlementLane(book, i), "settlement-lane-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(4000);
        TALLY.take("");
        System.out.println("READY");
        long next = System.nanoTime();
        for (int second = 0; second < 170; second++) {
            next += 1_000_000_000L;
            long left = next - System.nanoTime();
            if (left > 0) {
                Thread.sleep(left / 1_000_000L, (int) (left % 1_000_000L));
            }
            System.out.println(TALLY.take("trips"));
        }
    }

    /** Service times of the running second, in logarithmic cells of one eighth. */
    static final class Tally {
        private final AtomicLongArray cells = new AtomicLongArray(512);
        private final LongAdder sum = new LongAdder();

        void note(long nanos) {
            long n = Math.max(0, nanos);
            sum.add(n);
            cells.incrementAndGet(cell(n));
        }

        static int cell(long n) {
            if (n < 8) {
                return (int) n;
            }
            int e = 63 - Long.numberOfLeadingZeros(n);
            return (e - 2) * 8 + (int) ((n >>> (e - 3)) & 7);
        }

        static double top(int c) {
            if (c < 8) {
                return (c + 1) / 1e6;
            }
            return ((9L + (c & 7)) << (c / 8 - 1)) / 1e6;
        }

        String take(String what) {
            long[] n = new long[cells.length()];
            long total = 0;
            for (int i = 0; i < n.length; i++) {
                n[i] = cells.getAndSet(i, 0);
                total += n[i];
            }
            double mean = sum.sumThenReset() / 1e6 / Math.max(1, total);
            return String.format(Locale.ROOT, "measured: %d %s/s, ms mean %.3f p50 %.3f p95 %.3f p99 %.3f max %.3f",
                    total, what, mean, at(n, total, 0.50), at(n, total, 0.95), at(n, total, 0.99), at(n, total, 1.0));
        }

        private static double at(long[] n, long total, double q) {
            long want = (long) Math.ceil(total * q);
            long seen = 0;
            for (int i = 0; i < n.length; i++) {
                seen += n[i];
                if (seen >= want && seen > 0) {
                    return top(i);
                }
            }
            return 0;
        }
    }
}
