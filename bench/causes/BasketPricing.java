// SPDX-License-Identifier: Apache-2.0
// cause: the map that a worker uses again for each basket once held the whole catalogue, and clear() passes over its million empty slots: BasketPricing.total
// share: 95 to 99 % of a basket is clear() in total()
// expect: hot-method frame=BasketPricing.total | hot-method caller=BasketPricing.total | hot-calls frame=BasketPricing.total | hot-calls caller=BasketPricing.total | hot-code frame=BasketPricing.total | endpoint-cpu frame=BasketPricing.total
// judge: right is what names total() or HashMap.clear() called by it
// symptom: hot-method hot-calls hot-code
// jvm: -Xmx256m
// jdk: 17
// set: tenth
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;

/** Stored baskets are totalled again after the catalogue has changed. */
public final class BasketPricing {
    private static final LongAdder CLEARING = new LongAdder();
    private static final LongAdder ALL = new LongAdder();
    private static final LongAdder BASKETS = new LongAdder();

    private final Map<String, Integer> quantities = new HashMap<>();
    private final Map<String, Integer> cents = new HashMap<>();

    private void importCatalogue(int articles) {
        for (int i = 0; i < articles; i++) {
            quantities.merge("A" + i, 1, Integer::sum);
        }
        for (int i = 0; i < 2000; i++) {
            cents.put("A" + i, 99 + i % 500 * 10);
        }
    }

    private long total(String[] lines) {
        long cleared = System.nanoTime();
        quantities.clear();
        CLEARING.add(System.nanoTime() - cleared);
        for (String article : lines) {
            quantities.merge(article, 1, Integer::sum);
        }
        long sum = 0;
        for (String article : lines) {
            int n = quantities.getOrDefault(article, 0);
            sum += n >= 3 ? cents.get(article) * 9L / 10 : cents.get(article);
        }
        return sum;
    }

    private static String[] basket(Random random) {
        String[] lines = new String[40];
        for (int i = 0; i < lines.length; i++) {
            lines[i] = "A" + random.nextInt(2000);
        }
        return lines;
    }

    private void work(int worker) {
        Random random = new Random(worker);
        long checksum = 1;
        try {
            for (int n = 1; checksum != 0; n++) {
                long start = System.nanoTime();
                checksum += total(basket(random));
                ALL.add(System.nanoTime() - start);
                BASKETS.increment();
                if (n % 20 == 0) {
                    Thread.sleep(2); // the next page of baskets
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        for (int i = 0; i < 2; i++) {
            int worker = i;
            BasketPricing pricing = new BasketPricing();
            pricing.importCatalogue(500_000);
            new Thread(() -> pricing.work(worker), "pricing-" + i).start();
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            long all = ALL.sumThenReset();
            System.out.println("measured: " + 100 * CLEARING.sumThenReset() / (all + 1) + " % of a basket is clear() in total(), "
                    + all / (BASKETS.sumThenReset() + 1) / 1000 + " us a basket");
        }
    }
}
