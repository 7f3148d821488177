// SPDX-License-Identifier: Apache-2.0
// healthy: 300 virtual threads each wait for a wholesaler's answer (60 ms plus a pause of 200 ms by contract) and run freely in parallel, unpinned; a ReentrantLock guards only a few nanoseconds of bookkeeping; the throughput equals what the pauses allow and the CPU is mostly idle.
// judge: Right: nothing wrong / waiting by design (pause between orders, wholesaler's reply time in Wholesaler.order); the figure equals 300 threads / 260 ms (about 1150 orders/s). Wrong: pinned virtual threads, carrier starvation, contention on Stock, sleeping as a defect, too few threads.
// set: nineteenth
// jdk: 21
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

public class PharmacyOrders {
    private static final LongAdder orders = new LongAdder();
    private static final int PHARMACIES = 300;
    private static final int ARTICLES = 500;

    record Order(int pharmacy, int article, int packs) { }

    sealed interface Answer permits Shipped, Partial { }

    record Shipped(Order order, long cents) implements Answer { }

    record Partial(Order order, int packs, long cents) implements Answer { }

    static final class Stock {
        private final int[] packs = new int[ARTICLES];
        private final ReentrantLock guard = new ReentrantLock();
        private long refills;

        Stock() {
            Arrays.fill(packs, 100);
        }

        int withdraw(int article, int wanted) {
            guard.lock();
            try {
                int got = Math.min(wanted, packs[article]);
                packs[article] -= got;
                if (packs[article] < 50) {
                    packs[article] += 1000;
                    refills++;
                }
                return got;
            } finally {
                guard.unlock();
            }
        }

        long refills() {
            guard.lock();
            try {
                return refills;
            } finally {
                guard.unlock();
            }
        }
    }

    static final class Wholesaler {
        private final Stock stock = new Stock();
        private final long[] price = new long[ARTICLES];

        Wholesaler(long seed) {
            SplittableRandom r = new SplittableRandom(seed);
            for (int i = 0; i < price.length; i++) price[i] = 250 + r.nextInt(9000);
        }

        Answer order(Order o) throws InterruptedException {
            Thread.sleep(60);
            int got = stock.withdraw(o.article(), o.packs());
            long cents = price[o.article()] * got;
            return got == o.packs() ? new Shipped(o, cents) : new Partial(o, got, cents);
        }

        long refills() {
            return stock.refills();
        }
    }

    private static long book(Answer answer) {
        return switch (answer) {
            case Shipped s -> s.cents();
            case Partial p -> p.cents() - p.packs();
        };
    }

    private static void pharmacy(int number, Wholesaler wholesaler) {
        SplittableRandom r = new SplittableRandom(number);
        long spent = 0;
        try {
            Thread.sleep(r.nextInt(260));
            while (true) {
                Order o = new Order(number, r.nextInt(ARTICLES), 1 + r.nextInt(12));
                spent += book(wholesaler.order(o));
                orders.increment();
                Thread.sleep(200);
            }
        } catch (InterruptedException e) {
            System.err.println("pharmacy " + number + " spent " + spent);
        }
    }

    public static void main(String[] args) throws Exception {
        Wholesaler wholesaler = new Wholesaler(11);
        ThreadFactory names = Thread.ofVirtual().name("pharmacy-", 0).factory();
        ExecutorService pharmacies = Executors.newThreadPerTaskExecutor(names);
        for (int i = 0; i < PHARMACIES; i++) {
            int number = i;
            pharmacies.submit(() -> pharmacy(number, wholesaler));
        }
        Thread.sleep(3000);
        System.out.println("READY");
        long before = orders.sum();
        long at = System.nanoTime();
        for (int i = Integer.getInteger("secs", 165); i > 0; i--) {
            Thread.sleep(1000);
            long now = orders.sum();
            long t = System.nanoTime();
            System.out.printf(Locale.ROOT, "measured: %.1f orders/s (%d refills)%n",
                    (now - before) * 1e9 / (t - at), wholesaler.refills());
            before = now;
            at = t;
        }
        System.exit(0);
    }
}
