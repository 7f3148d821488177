// SPDX-License-Identifier: Apache-2.0
// cause: DeskDeadlines.in, called by Desk.quotes for each household, makes a java.util.Timer for the 800 ms deadline of that request alone, so that each request starts a thread and ends it by cancel(); that costs far more than the four quotes, which take some microseconds.
// share: faulty 784 households quoted a second, mean 3360.4 us; fixed 139556 households quoted a second, mean 20.7 us (178.0 times better in throughput; medians of 11 s runs on a crowded machine of 2 CPUs)
// expect: hot-code frame=PolicyQuoteDesk$DeskDeadlines.in kind=starting-threads | waiting frame=PolicyQuoteDesk$DeskDeadlines.in kind=thread-start
// symptom: hot-code hot-calls waiting
// judge: NAMED: PolicyQuoteDesk starts a thread (a java.util.Timer) for each request, in DeskDeadlines.in (new Timer), called by Desk.quotes; use one shared timer or scheduler. SYMPTOM ONLY: CPU time in the kernel or in clone/mmap/munmap; many short-lived threads 'quote-deadline'; time in Timer.schedule or Object.notify; waits of the brokers for the start of threads without saying of which. WRONG: the rating arithmetic (Rater.rate), sorting of quotes, too many brokers, garbage collection as the cause, deadlines that expire.
// jdk: 17
// set: twenty-ninth
// jvm:
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

public class PolicyQuoteDesk {
    static final boolean REVISED = Boolean.getBoolean("fixed");
    static final LongAdder QUOTES = new LongAdder();
    static final LongAdder NANOS = new LongAdder();
    static final LongAdder EXPIRED = new LongAdder();

    static final class Household {
        final int postcode;
        final int rooms;
        final int builtIn;
        final int[] claims;

        Household(Random r) {
            postcode = 10000 + r.nextInt(80000);
            rooms = 1 + r.nextInt(9);
            builtIn = 1890 + r.nextInt(130);
            claims = new int[r.nextInt(6)];
            for (int i = 0; i < claims.length; i++) {
                claims[i] = 100 + r.nextInt(9000);
            }
        }
    }

    static final class Quote {
        final String product;
        final long cents;

        Quote(String product, long cents) {
            this.product = product;
            this.cents = cents;
        }
    }

    interface Deadline {
        boolean passed();

        void done();
    }

    interface Deadlines {
        Deadline in(long millis);
    }

    static final class DeskDeadlines implements Deadlines {
        public Deadline in(long millis) {
            final AtomicBoolean over = new AtomicBoolean();
            final Timer timer = new Timer("quote-deadline", true);
            timer.schedule(new TimerTask() {
                @Override
                public void run() {
                    over.set(true);
                }
            }, millis);
            return new Deadline() {
                public boolean passed() {
                    return over.get();
                }

                public void done() {
                    timer.cancel();
                }
            };
        }
    }

    static final class HouseDeadlines implements Deadlines {
        private final ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(1, r -> {
            Thread t = new Thread(r, "house-deadline");
            t.setDaemon(true);
            return t;
        });

        HouseDeadlines() {
            clock.setRemoveOnCancelPolicy(true);
        }

        public Deadline in(long millis) {
            final AtomicBoolean over = new AtomicBoolean();
            final ScheduledFuture<?> end = clock.schedule(() -> over.set(true), millis, TimeUnit.MILLISECONDS);
            return new Deadline() {
                public boolean passed() {
                    return over.get();
                }

                public void done() {
                    end.cancel(false);
                }
            };
        }
    }

    static final class Rater {
        private final Map<Integer, Integer> zoneOf = new HashMap<>();
        private final double[] ageFactor = new double[200];

        Rater() {
            for (int p = 100; p < 1000; p++) {
                zoneOf.put(p, (p * 37) % 12);
            }
            for (int a = 0; a < ageFactor.length; a++) {
                ageFactor[a] = 1.0 + Math.log1p(a) / 14;
            }
        }

        Quote rate(String product, int level, Household h) {
            int zone = zoneOf.get(h.postcode / 100);
            double base = 42.0 + 9.5 * h.rooms + 4.0 * zone;
            base *= ageFactor[Math.max(0, 2026 - h.builtIn)];
            double loss = 0;
            for (int i = 0; i < h.claims.length; i++) {
                loss += h.claims[i] / (2.0 + i);
            }
            double risk = 1 + loss / 20000;
            for (int year = 0; year < 40; year++) {
                risk += Math.sqrt(risk * (year + level)) / 9000;
            }
            return new Quote(product, Math.round(100 * base * risk * (1 + level / 5.0)));
        }
    }

    static final class Desk {
        private static final String[] PRODUCTS = {"basic", "plus", "family", "premium"};
        private final Rater rater = new Rater();
        private final Deadlines deadlines;

        Desk(Deadlines deadlines) {
            this.deadlines = deadlines;
        }

        List<Quote> quotes(Household h) {
            Deadline deadline = deadlines.in(800);
            try {
                List<Quote> all = new ArrayList<>();
                for (int i = 0; i < PRODUCTS.length; i++) {
                    if (deadline.passed()) {
                        EXPIRED.increment();
                        break;
                    }
                    all.add(rater.rate(PRODUCTS[i], i, h));
                }
                all.sort((a, b) -> Long.compare(a.cents, b.cents));
                return all;
            } finally {
                deadline.done();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        int span = Integer.getInteger("span", 170);
        long end = System.nanoTime() + span * 1_000_000_000L;
        Desk desk = new Desk(REVISED ? new HouseDeadlines() : new DeskDeadlines());
        for (int b = 0; b < 3; b++) {
            Random r = new Random(b);
            Thread t = new Thread(() -> {
                long sum = 0;
                while (System.nanoTime() < end) {
                    Household h = new Household(r);
                    long from = System.nanoTime();
                    sum += desk.quotes(h).get(0).cents;
                    NANOS.add(System.nanoTime() - from);
                    QUOTES.increment();
                }
                if (sum == 1) {
                    System.out.println(sum);
                }
            }, "broker-" + b);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long n = QUOTES.sumThenReset();
            long ns = NANOS.sumThenReset();
            System.out.printf("measured: %d households quoted a second, mean %.1f us, %d expired%n",
                n, n == 0 ? 0 : ns / 1e3 / n, EXPIRED.sum());
        }
    }
}
