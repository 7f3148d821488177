// SPDX-License-Identifier: Apache-2.0
// cause: Leg.hashCode is "from ^ to"; neighbouring stops have neighbouring numbers, so some 15,000 legs share a few dozen hash values and every lookup in the fare HashMap searches a huge bin.
// share: 1233 quotes/s without, 670019 quotes/s with -Dfixed=true (543.6 times; means over 7 and 7 s after READY; e.g. "1022 quotes/s, mean fare 30.43" against "646834 quotes/s, mean fare 30.30"); faulty runs varied from 400 to 12000 quotes/s with the machine, fixed from 630000 to 2600000
// expect: hot-code kind=colliding-keys frame=RailFareTable$Tariff.fare
// symptom: hot-code hot-method
// judge: Must name Leg.hashCode (few distinct values, collisions in the fares HashMap keyed by Leg) as the cause of the time in HashMap.getNode/TreeNode.find; "HashMap.get is hot" or "quoting is CPU-bound" alone is only the symptom.
// set: twenty-first
// jdk: 25
import java.util.*;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

/** Quotes train journeys: the fare is the sum over the legs, each leg's price is looked up in the tariff table. */
public class RailFareTable {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int LINES = 100;
    static final int STOPS = 80;
    static final LongAdder QUOTES = new LongAdder();
    static final LongAdder CENTS = new LongAdder();

    /** A stretch between two stops; the same in both directions. */
    static final class Leg {
        private final int from;
        private final int to;

        Leg(int from, int to) {
            this.from = from;
            this.to = to;
        }

        @Override
        public boolean equals(Object o) {
            return o instanceof Leg l && (l.from == from && l.to == to || l.from == to && l.to == from);
        }

        @Override
        public int hashCode() {
            return FIXED ? 31 * Math.min(from, to) + 7919 * Math.max(from, to) : from ^ to;
        }
    }

    sealed interface Discount permits NoDiscount, Percent, Capped { }

    record NoDiscount() implements Discount { }

    record Percent(int percent) implements Discount { }

    record Capped(long cents) implements Discount { }

    record Fare(int cents, int metres) { }

    record Journey(int line, int board, int alight, Discount discount) { }

    /** A fare for each leg of the network, including fast trains that skip the next stop. */
    static final class Tariff {
        private final Map<Leg, Fare> fares = new HashMap<>();

        Tariff() {
            Random r = new Random(11);
            for (int line = 0; line < LINES; line++) {
                for (int stop = 0; stop < STOPS - 1; stop++) {
                    int a = line * STOPS + stop;
                    put(a, a + 1, r);
                    if (stop + 2 < STOPS) {
                        put(a, a + 2, r);
                    }
                }
            }
        }

        private void put(int a, int b, Random r) {
            int metres = 900 + r.nextInt(14_000);
            fares.put(new Leg(a, b), new Fare(40 + metres / 90, metres));
        }

        Fare fare(int a, int b) {
            Fare f = fares.get(new Leg(a, b));
            if (f == null) {
                throw new NoSuchElementException("no fare from " + a + " to " + b);
            }
            return f;
        }
    }

    static final class QuoteDesk {
        private final Tariff tariff;

        QuoteDesk(Tariff tariff) {
            this.tariff = tariff;
        }

        long quote(Journey j) {
            int base = j.line() * STOPS;
            int step = j.alight() > j.board() ? 1 : -1;
            long cents = 150;
            long metres = 0;
            for (int s = j.board(); s != j.alight(); s += step) {
                Fare f = tariff.fare(base + s, base + s + step);
                cents += f.cents();
                metres += f.metres();
            }
            if (metres > 100_000) {
                cents = cents * 92 / 100;
            }
            return switch (j.discount()) {
                case NoDiscount() -> cents;
                case Percent(int p) -> cents * (100 - p) / 100;
                case Capped(long cap) -> Math.min(cap, cents);
            };
        }
    }

    static Journey anyJourney(ThreadLocalRandom r) {
        int board = r.nextInt(STOPS);
        int alight = (board + 1 + r.nextInt(STOPS - 1)) % STOPS;
        Discount d = switch (r.nextInt(4)) {
            case 0 -> new Percent(25);
            case 1 -> new Capped(4_900);
            default -> new NoDiscount();
        };
        return new Journey(r.nextInt(LINES), board, alight, d);
    }

    static void sell(QuoteDesk desk) {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        while (true) {
            CENTS.add(desk.quote(anyJourney(r)));
            QUOTES.increment();
        }
    }

    public static void main(String[] args) throws Exception {
        QuoteDesk desk = new QuoteDesk(new Tariff());
        for (int i = 0; i < 2; i++) {
            Thread.ofPlatform().daemon().name("machine-" + i).start(() -> sell(desk));
        }
        Thread.sleep(2000);
        System.out.println("READY");
        QUOTES.sumThenReset();
        CENTS.sumThenReset();
        for (int s = 0; s < 240; s++) {
            Thread.sleep(1000);
            long n = QUOTES.sumThenReset();
            long c = CENTS.sumThenReset();
            System.out.printf("measured: %d quotes/s, mean fare %.2f%n", n, n == 0 ? 0.0 : c / 100.0 / n);
        }
        System.exit(0);
    }
}
