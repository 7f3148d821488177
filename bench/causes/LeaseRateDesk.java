// SPDX-License-Identifier: Apache-2.0
// cause: LeaseRateDesk$RateBook.amend makes terms = terms.andThen(amendment) for each of the 600 and more amendments since the start, also for regions amended before, so that RateBook.apply goes through hundreds of Function.andThen wrappers (600 to 940), one in another, for each quote.
// share: faulty 530,000 to 890,000 quotes/s (2200 to 2700 ns each), fixed (chain of the latest amendment of each of 16 regions) 6.1 to 9.4 million quotes/s (75 to 102 ns each): 7 times or more.
// expect: hot-code kind=nested-wrappers frame=LeaseRateDesk$RateBook.apply
// symptom: hot-method hot-calls
// judge: NAMED: LeaseRateDesk$RateBook.apply (or amend) goes through a long chain of Function.andThen wrappers nested in one another; the chain keeps growing. SYMPTOM ONLY: Amendment.apply or Function.andThen's lambda is hot, RateBook.apply takes most CPU time, deep stacks. WRONG: Desk.price (annuity, Math.pow) as the cause; the dealers, the inbox queue, locks, allocation or GC; too few desks.
// jdk: 11
// set: thirtieth
// jvm:

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

public class LeaseRateDesk {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int SPAN = Integer.getInteger("span", 170);
    static final int REGIONS = 16;

    static final class Quote {
        final int region;
        final int months;
        final double value;
        double rate = 0.04;
        double monthly;

        Quote(int region, int months, double value) {
            this.region = region;
            this.months = months;
            this.value = value;
        }
    }

    static final class Amendment implements Function<Quote, Quote> {
        final int region;
        final double rate;

        Amendment(int region, double rate) {
            this.region = region;
            this.rate = rate;
        }

        @Override
        public Quote apply(Quote q) {
            if (q.region == region) {
                q.rate = rate;
            }
            return q;
        }
    }

    static final class RateBook {
        private final Map<Integer, Amendment> current = new TreeMap<>();
        private volatile Function<Quote, Quote> terms = Function.identity();
        private int editions;

        synchronized void amend(Amendment a) {
            editions++;
            if (FIXED) {
                current.put(a.region, a);
                Function<Quote, Quote> next = Function.identity();
                for (Amendment c : current.values()) {
                    next = next.andThen(c);
                }
                terms = next;
            } else {
                terms = terms.andThen(a);
            }
        }

        Quote apply(Quote q) {
            return terms.apply(q);
        }

        synchronized int editions() {
            return editions;
        }
    }

    static final class Desk implements Runnable {
        final BlockingQueue<List<Quote>> inbox;
        final RateBook book;
        final LongAdder quoted;
        final LongAdder nanos;

        Desk(BlockingQueue<List<Quote>> inbox, RateBook book, LongAdder quoted, LongAdder nanos) {
            this.inbox = inbox;
            this.book = book;
            this.quoted = quoted;
            this.nanos = nanos;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    List<Quote> fleet = inbox.take();
                    long t = System.nanoTime();
                    for (Quote q : fleet) {
                        price(book.apply(q));
                    }
                    nanos.add(System.nanoTime() - t);
                    quoted.add(fleet.size());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        void price(Quote q) {
            double residual = q.value;
            for (int m = 0; m < q.months; m++) {
                residual *= 0.984;
            }
            double r = q.rate / 12;
            double growth = Math.pow(1 + r, q.months);
            q.monthly = (q.value * growth - residual) * r / (growth - 1);
        }
    }

    static final class Dealers implements Runnable {
        final BlockingQueue<List<Quote>> inbox;
        final Random random = new Random(7);

        Dealers(BlockingQueue<List<Quote>> inbox) {
            this.inbox = inbox;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    List<Quote> fleet = new ArrayList<>(200);
                    for (int i = 0; i < 200; i++) {
                        fleet.add(new Quote(random.nextInt(REGIONS), 24 + random.nextInt(37), 9000 + random.nextInt(60000)));
                    }
                    inbox.put(fleet);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static void start(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        RateBook book = new RateBook();
        Random market = new Random(3);
        for (int i = 0; i < 600; i++) {
            book.amend(new Amendment(i % REGIONS, 0.03 + market.nextDouble() / 40));
        }
        BlockingQueue<List<Quote>> inbox = new ArrayBlockingQueue<>(16);
        LongAdder quoted = new LongAdder();
        LongAdder nanos = new LongAdder();
        start("dealers", new Dealers(inbox));
        start("desk-1", new Desk(inbox, book, quoted, nanos));
        start("desk-2", new Desk(inbox, book, quoted, nanos));
        System.out.println("READY");
        for (int s = 0; s < SPAN; s++) {
            Thread.sleep(500);
            book.amend(new Amendment(market.nextInt(REGIONS), 0.03 + market.nextDouble() / 40));
            Thread.sleep(500);
            long n = quoted.sumThenReset();
            long t = nanos.sumThenReset();
            System.out.println("measured: " + n + " quotes/s, mean " + (n == 0 ? 0 : t / n) + " ns each, edition " + book.editions());
        }
        System.exit(0);
    }
}
