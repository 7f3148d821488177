// SPDX-License-Identifier: Apache-2.0
// cause: CharterQuotes$TariffBook.quote keeps its one ReentrantLock during the whole calculation of a quote (TariffBook.dearest, about 2 ms of CPU), though only reading the current edition needs it; the twelve desks wait for the lock in turn
// share: about 10 of the 12 desks wait for the lock at any time, 80 to 85 % of their time; a quote waits about ten times as long as it keeps the lock (see "measured")
// expect: waiting kind=lock frame=CharterQuotes$TariffBook.quote
// symptom: hot-method hot-calls
// judge: NAMED: waiting for a lock (ReentrantLock) at CharterQuotes$TariffBook.quote, by the desks (it may add that the holder computes in TariffBook.dearest/legPrice/quote). SYMPTOM ONLY: a hot method or computing in TariffBook.dearest, legPrice or quote without the lock; only one CPU of two used; one thread that does all. WRONG: anything else as the cause (CPU starvation, collections, Desk.run's sleep, formatting in Desk.offer, the edition thread).
// jdk: 11
// set: thirty-fourth
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

public class CharterQuotes {
    static final int TOWNS = 60;

    /** Fares of one season. Never changed once made. */
    static final class Edition {
        final int number;
        final double[][] perLeg = new double[TOWNS][TOWNS];
        final double[] season = new double[366];

        Edition(int number) {
            this.number = number;
            for (int i = 0; i < TOWNS; i++) {
                for (int j = 0; j < TOWNS; j++) {
                    perLeg[i][j] = 40 + ((i * 31 + j * 17 + number) % 97) * 1.5;
                }
            }
            for (int d = 0; d < season.length; d++) {
                season[d] = 1 + 0.25 * Math.sin(d / 366.0 * 2 * Math.PI);
            }
        }
    }

    static final class Trip {
        final int[] towns;
        final int day, seats;

        Trip(int[] towns, int day, int seats) {
            this.towns = towns;
            this.day = day;
            this.seats = seats;
        }

        static Trip any(ThreadLocalRandom r) {
            int[] towns = new int[5 + r.nextInt(4)];
            for (int i = 0; i < towns.length; i++) {
                towns[i] = r.nextInt(TOWNS);
            }
            return new Trip(towns, r.nextInt(366), 20 + r.nextInt(40));
        }
    }

    static final class Quote {
        final double price;
        final int edition;

        Quote(double price, int edition) {
            this.price = price;
            this.edition = edition;
        }
    }

    static final class TariffBook {
        private final ReentrantLock lock = new ReentrantLock();
        private Edition current = new Edition(1);
        final LongAdder waitedNs = new LongAdder(), heldNs = new LongAdder(), quotes = new LongAdder();

        void publish(Edition e) {
            lock.lock();
            try {
                current = e;
            } finally {
                lock.unlock();
            }
        }

        Quote quote(Trip trip) {
            long asked = System.nanoTime();
            lock.lock();
            long got = System.nanoTime();
            try {
                Edition e = current;
                double price = 0;
                for (int way = 0; way < 200; way++) {
                    price = Math.max(price, dearest(e, trip, way));
                }
                return new Quote(price * (trip.seats > 45 ? 1.2 : 1), e.number);
            } finally {
                heldNs.add(System.nanoTime() - got);
                lock.unlock();
                waitedNs.add(got - asked);
                quotes.increment();
            }
        }

        private double dearest(Edition e, Trip trip, int way) {
            double sum = 0;
            for (int via = 0; via < TOWNS; via++) {
                double p = 0;
                for (int i = 1; i < trip.towns.length; i++) {
                    p += legPrice(e, trip.towns[i - 1], via, trip.day + way) + legPrice(e, via, trip.towns[i], trip.day + way);
                }
                sum = Math.max(sum, p);
            }
            return sum;
        }

        private static double legPrice(Edition e, int from, int to, int day) {
            return from == to ? 0 : Math.exp(Math.log(e.perLeg[from][to]) * 0.98) * e.season[day % 366];
        }
    }

    static final class Desk extends Thread {
        private final TariffBook book;
        private int letters;

        Desk(int n, TariffBook book) {
            super("desk-" + n);
            this.book = book;
            setDaemon(true);
        }

        @Override public void run() {
            ThreadLocalRandom r = ThreadLocalRandom.current();
            try {
                while (true) {
                    Trip trip = Trip.any(r);
                    letters += offer(trip, book.quote(trip)).length();
                    Thread.sleep(1);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private static String offer(Trip trip, Quote q) {
            StringBuilder b = new StringBuilder("coach for ").append(trip.seats).append(" by way of");
            for (int t : trip.towns) {
                b.append(' ').append(t);
            }
            return b.append(": EUR ").append(Math.round(q.price)).append(", tariff ").append(q.edition).toString();
        }
    }

    public static void main(String[] args) throws Exception {
        TariffBook book = new TariffBook();
        for (int i = 0; i < 12; i++) {
            new Desk(i, book).start();
        }
        Thread.sleep(2500);
        System.out.println("READY");
        System.out.flush();
        for (int edition = 2;; edition++) {
            long w = book.waitedNs.sum(), h = book.heldNs.sum(), q = book.quotes.sum(), at = System.nanoTime();
            Thread.sleep(1000);
            double s = (System.nanoTime() - at) / 1e9;
            long n = Math.max(1, book.quotes.sum() - q);
            System.out.printf(Locale.ROOT, "measured: %.0f quotes a second, each waits %.2f ms for the lock and keeps it %.2f ms; %.1f of 12 desks wait%n",
                n / s, (book.waitedNs.sum() - w) / 1e6 / n, (book.heldNs.sum() - h) / 1e6 / n, (book.waitedNs.sum() - w) / 1e9 / s);
            if (edition % 5 == 0) {
                book.publish(new Edition(edition));
            }
        }
    }
}
