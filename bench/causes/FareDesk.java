// SPDX-License-Identifier: Apache-2.0
// cause: FareDesk$FareBook.reload rebuilds the whole list of fares (making and sorting them) while it holds the monitor of the FareBook, which FareBook.quote needs for every question: the sellers stand still for as long as that takes, which is most of the time
// share: 10 sellers spend 63 to 90 % of their time in quote, nearly all of it waiting for the monitor; 30 to 46 ms a quote, up to 390 ms, for a search of microseconds; reload holds the monitor 70 to 95 % of the time
// expect: waiting kind=monitor frame=FareDesk$FareBook.quote
// symptom: hot-code hot-method humongous-allocation gc-pauses gc-cpu
// judge: NAMED: threads (seller-N) wait for the monitor of FareDesk$FareBook at FareBook.quote, which the thread fare-reload holds in FareBook.reload (naming only the monitor and FareBook.quote, as the first finding, is still NAMED). SYMPTOM ONLY: CPU time is sorting, or is in FareBook.reload (FareBook.fares), without the monitor; collections of what reload makes. WRONG: FareBook.quote or Seller computes too much, too few threads or CPUs, sleeping sellers, the machine, "nothing stands out", a deadlock.
// jdk: 17
// set: thirty-fourth
// jvm: -Xmx512m
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/** Sells train tickets: fares are kept up to date, and sellers ask for the cheapest one. */
public class FareDesk {
    static final int STATIONS = 400;
    static final AtomicLong quotes = new AtomicLong();
    static final AtomicLong quoteNanos = new AtomicLong();
    static final AtomicLong longest = new AtomicLong();
    static final AtomicLong reloads = new AtomicLong();
    static final AtomicLong reloadNanos = new AtomicLong();

    record Fare(int from, int to, int train, int cents) {
        int route() {
            return from * STATIONS + to;
        }
    }

    /** What the railways publish: the day's prices, which change with the demand. */
    static final class Publication {
        final Random random = new Random(5);
        int edition;

        Fare fare(int index) {
            int route = (int) (index * 7919L % (STATIONS * STATIONS));
            return new Fare(route / STATIONS, route % STATIONS, 1000 + random.nextInt(600),
                    900 + random.nextInt(12_000) + edition % 50);
        }
    }

    /** All fares by route and price. */
    static final class FareBook {
        static final int FARES = 640_000;
        static final Comparator<Fare> ORDER =
                Comparator.comparingInt(Fare::route).thenComparingInt(Fare::cents);
        private List<Fare> fares = new ArrayList<>();

        synchronized void reload(Publication publication) {
            publication.edition++;
            List<Fare> next = new ArrayList<>(FARES);
            for (int i = 0; i < FARES; i++) {
                next.add(publication.fare(i));
            }
            next.sort(ORDER);
            fares = next;
        }

        synchronized Fare quote(int from, int to) {
            int low = 0;
            int high = fares.size() - 1;
            int route = from * STATIONS + to;
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (fares.get(middle).route() < route) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            Fare found = fares.get(low);
            return found.route() == route ? found : null;
        }
    }

    /** Keeps the book up to date. */
    static final class Reloader implements Runnable {
        final FareBook book;
        final Publication publication = new Publication();

        Reloader(FareBook book) {
            this.book = book;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    long start = System.nanoTime();
                    book.reload(publication);
                    reloadNanos.addAndGet(System.nanoTime() - start);
                    reloads.incrementAndGet();
                    Thread.sleep(40);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** A counter, at which one traveller after another needs a ticket. */
    static final class Seller implements Runnable {
        final FareBook book;
        final Random random;
        long takings;
        int without;

        Seller(FareBook book, int number) {
            this.book = book;
            this.random = new Random(number);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    sell(random.nextInt(STATIONS), random.nextInt(STATIONS));
                    Thread.sleep(4 + random.nextInt(8));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        void sell(int from, int to) {
            long start = System.nanoTime();
            Fare fare = book.quote(from, to);
            long took = System.nanoTime() - start;
            if (fare == null) {
                without++;
            } else {
                takings += fare.cents();
            }
            quoteNanos.addAndGet(took);
            quotes.incrementAndGet();
            longest.accumulateAndGet(took, Math::max);
        }
    }

    public static void main(String[] args) throws Exception {
        FareBook book = new FareBook();
        book.reload(new Publication());
        start(new Reloader(book), "fare-reload");
        for (int i = 0; i < 10; i++) {
            start(new Seller(book, i), "seller-" + i);
        }
        long time = System.nanoTime();
        long done = 0;
        long taken = 0;
        long reloaded = 0;
        for (int second = 1; ; second++) {
            Thread.sleep(1000);
            long now = System.nanoTime();
            long n = quotes.get();
            long t = quoteNanos.get();
            long r = reloadNanos.get();
            System.out.printf("measured: %d quotes, %.1f ms each, %.0f ms the longest; sellers spent %.0f %% of their time in quote; reload took %.0f %% of the time%n",
                    n - done, (t - taken) / 1e6 / Math.max(1, n - done), longest.getAndSet(0) / 1e6,
                    100.0 * (t - taken) / 10 / (now - time), 100.0 * (r - reloaded) / (now - time));
            if (second == 4) {
                System.out.println("READY");
            }
            System.out.flush();
            time = now;
            done = n;
            taken = t;
            reloaded = r;
        }
    }

    static void start(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }
}
