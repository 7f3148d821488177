// SPDX-License-Identifier: Apache-2.0
// cause: BoxOfficeBaskets$BasketStore.weigh serialises the whole basket of a customer (some hundred objects) by an ObjectOutputStream after each change, only to count its bytes and to compare them with a quota
// share: @SHARE@
// expect: hot-code kind=serialisation frame=BoxOfficeBaskets$
// symptom: hot-code hot-calls hot-method
// judge: NAMED: serialisation (or class-descriptors) for BoxOfficeBaskets$BasketStore.weigh, or ObjectOutputStream.writeObject called from there. SYMPTOM ONLY: hot-calls or "computes" at BoxOfficeBaskets$BasketStore.weigh (or save) without a word of serialising; a hot method in ObjectOutputStream without the function; reflection; collections of what it allocates without the function. WRONG: BoxOfficeBaskets$Basket.total, Pricing or SeatPlan as the cause, locks, the queue of the counters, input and output
// jdk: 21
// set: thirty-fifth
// jvm: -Xmx256m
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** The baskets of those who buy tickets of a theatre. */
public class BoxOfficeBaskets {
    static final LongAdder changes = new LongAdder();
    static final LongAdder saveNanos = new LongAdder();
    static final LongAdder workNanos = new LongAdder();
    static final LongAdder refused = new LongAdder();

    enum Rate { FULL, STUDENT, SENIOR, CHILD }

    static final class Seat implements Serializable {
        private static final long serialVersionUID = 1;
        final String block;
        final int row;
        final int place;

        Seat(String block, int row, int place) {
            this.block = block;
            this.row = row;
            this.place = place;
        }
    }

    static final class Ticket implements Serializable {
        private static final long serialVersionUID = 1;
        final Seat seat;
        final Rate rate;
        final long cents;
        String holder;

        Ticket(Seat seat, Rate rate, long cents, String holder) {
            this.seat = seat;
            this.rate = rate;
            this.cents = cents;
            this.holder = holder;
        }
    }

    static final class Performance implements Serializable {
        private static final long serialVersionUID = 1;
        final String title;
        final long begins;
        final List<Ticket> tickets = new ArrayList<>();

        Performance(String title, long begins) {
            this.title = title;
            this.begins = begins;
        }
    }

    static final class Basket implements Serializable {
        private static final long serialVersionUID = 1;
        final List<Performance> performances = new ArrayList<>();
        long changed;

        long total() {
            long cents = 0;
            for (Performance performance : performances) {
                for (Ticket ticket : performance.tickets) {
                    cents += ticket.cents;
                }
            }
            return cents;
        }
    }

    /** What a seat costs. */
    static final class Pricing {
        long cents(Seat seat, Rate rate) {
            long base = 9000 - seat.row * 120L - Math.abs(seat.place - 15) * 40L;
            return switch (rate) {
                case FULL -> base;
                case STUDENT -> base * 6 / 10;
                case SENIOR -> base * 8 / 10;
                case CHILD -> base / 2;
            };
        }
    }

    /** Keeps the baskets, none of which may be larger than a session of the shop. */
    static final class BasketStore {
        private static final long QUOTA = 256 * 1024;
        private final Map<Integer, Basket> baskets = new ConcurrentHashMap<>();

        Basket open(int customer) {
            return baskets.computeIfAbsent(customer, key -> new Basket());
        }

        boolean save(int customer, Basket basket) {
            if (weigh(basket) > QUOTA) {
                return false;
            }
            basket.changed++;
            baskets.put(customer, basket);
            return true;
        }

        private long weigh(Basket basket) {
            long[] bytes = new long[1];
            OutputStream counting = new OutputStream() {
                @Override
                public void write(int b) {
                    bytes[0]++;
                }

                @Override
                public void write(byte[] b, int off, int len) {
                    bytes[0] += len;
                }
            };
            try (ObjectOutputStream out = new ObjectOutputStream(counting)) {
                out.writeObject(basket);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return bytes[0];
        }
    }

    /** A counter of the shop: customers choose and give back seats. */
    static final class Counter implements Runnable {
        private static final String[] TITLES = {"Hamlet", "Nora", "Faust", "The Seagull", "Tartuffe"};
        private final int first;
        private final BasketStore store;
        private final Pricing pricing = new Pricing();
        private final Random random;

        Counter(int first, BasketStore store) {
            this.first = first;
            this.store = store;
            this.random = new Random(first);
        }

        private void change(int customer) {
            long a = System.nanoTime();
            Basket basket = store.open(customer);
            while (basket.performances.size() < TITLES.length) {
                basket.performances.add(new Performance(TITLES[basket.performances.size()], 1_760_000_000L + random.nextInt(1_000_000)));
            }
            List<Ticket> tickets = basket.performances.get(random.nextInt(TITLES.length)).tickets;
            if (tickets.size() >= 12) {
                tickets.subList(0, 3).clear();
            }
            while (tickets.size() < 10) {
                Seat seat = new Seat("block-" + (char) ('A' + random.nextInt(6)), random.nextInt(30), random.nextInt(30));
                Rate rate = Rate.values()[random.nextInt(4)];
                tickets.add(new Ticket(seat, rate, pricing.cents(seat, rate), "guest-" + random.nextInt(10000)));
            }
            Seat extra = new Seat("block-G", random.nextInt(10), random.nextInt(30));
            tickets.add(new Ticket(extra, Rate.FULL, pricing.cents(extra, Rate.FULL), "guest"));
            long cents = basket.total();
            long b = System.nanoTime();
            if (!store.save(customer, basket) || cents < 0) {
                refused.increment();
            }
            workNanos.add(b - a);
            saveNanos.add(System.nanoTime() - b);
            changes.increment();
        }

        @Override
        public void run() {
            try {
                for (;;) {
                    for (int i = 0; i < 100; i++) {
                        change(first + random.nextInt(500));
                    }
                    Thread.sleep(10);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        BasketStore store = new BasketStore();
        for (int i = 0; i < 2; i++) {
            Thread counter = new Thread(new Counter(i * 1000, store), "counter-" + i);
            counter.setDaemon(true);
            counter.start();
        }
        for (int second = 0; ; second++) {
            Thread.sleep(1000);
            long n = Math.max(1, changes.sumThenReset());
            long save = saveNanos.sumThenReset();
            long work = workNanos.sumThenReset();
            System.out.printf(Locale.ROOT, "measured: %d changes of baskets; saving %.1f us each (%.1f %% of the work, %.0f ms), changing %.1f us; %d refused%n",
                    n, save / 1e3 / n, 100.0 * save / Math.max(1, save + work), save / 1e6, work / 1e3 / n, refused.sumThenReset());
            if (second == 3) {
                System.out.println("READY");
            }
            System.out.flush();
        }
    }
}
