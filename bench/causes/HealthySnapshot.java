// SPDX-License-Identifier: Apache-2.0
// healthy: every two seconds a list of 60000 prices is made anew and published whole; readers take no lock
// jdk: 11
// set: ninth
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

public final class HealthySnapshot {
    private static final int ARTICLES = 60_000;
    private static final LongAdder READS = new LongAdder();
    private static final LongAdder LATE = new LongAdder();
    private static volatile Map<String, Integer> prices = Map.of();
    private static volatile long last;
    private static volatile long rebuilding;

    private static Map<String, Integer> rebuild(int version) {
        Map<String, Integer> fresh = new HashMap<>(ARTICLES * 2);
        for (int i = 0; i < ARTICLES; i++) {
            fresh.put("article-" + i, 100 + (i * 31 + version) % 5000);
        }
        return fresh;
    }

    private static void refresh() {
        try {
            for (int version = 1;; version++) {
                Thread.sleep(2000);
                long start = System.nanoTime();
                prices = rebuild(version);
                rebuilding += System.nanoTime() - start;
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void basket(int customer) {
        Map<String, Integer> current = prices;
        long sum = 0;
        for (int i = 0; i < 20; i++) {
            sum += current.getOrDefault("article-" + (customer * 131 + i) % ARTICLES, 0);
        }
        last = sum;
    }

    private static void serve(int worker) {
        try {
            for (int customer = worker;; customer += 3) {
                long start = System.nanoTime();
                basket(customer);
                READS.increment();
                if (System.nanoTime() - start > 50_000_000L) {
                    LATE.increment();
                }
                Thread.sleep(5); // the next customer
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        prices = rebuild(0);
        new Thread(HealthySnapshot::refresh, "refresh").start();
        for (int i = 0; i < 3; i++) {
            int worker = i;
            new Thread(() -> serve(worker), "basket-" + i).start();
        }
        System.out.println("READY");
        long start = System.nanoTime();
        for (;;) {
            Thread.sleep(1000);
            System.out.println("measured: " + LATE.sum() + " of " + READS.sum() + " baskets took over 50 ms, "
                    + 100 * rebuilding / (System.nanoTime() - start) + " % of the time is rebuilding");
        }
    }
}
