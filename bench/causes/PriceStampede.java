// SPDX-License-Identifier: Apache-2.0
// cause: when the list of prices expires, each of 24 threads makes it anew, where one could: PriceStampede.rebuild
// expect: hot-method frame=PriceStampede.rebuild | hot-method caller=PriceStampede.rebuild | hot-calls frame=PriceStampede.rebuild | hot-code frame=PriceStampede.rebuild | endpoint-cpu frame=PriceStampede.rebuild
// symptom: hot-method hot-calls hot-code too-many-threads waiting
// jdk: 17
// set: ninth
import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;

/** The list is good for 300 ms and takes 8 ms of a CPU. */
public final class PriceStampede {
    private static final int ARTICLES = 60_000;
    private static final LongAdder REBUILDING = new LongAdder();
    private static final LongAdder ALL = new LongAdder();
    private static final LongAdder REBUILDS = new LongAdder();
    private static final LongAdder IN_TIME = new LongAdder();
    private static volatile long last;

    private static final class Prices {
        private final long expires = System.nanoTime() + 300_000_000L;
        private final long[] sorted;

        private Prices(long[] sorted) {
            this.sorted = sorted;
        }
    }

    private volatile Prices prices = rebuild(0);

    private static Prices rebuild(int version) {
        long start = System.nanoTime();
        long[] cents = new long[ARTICLES];
        long state = version + 1;
        for (int i = 0; i < ARTICLES; i++) {
            state = state * 6364136223846793005L + 1442695040888963407L;
            cents[i] = state >>> 40;
        }
        Arrays.sort(cents);
        REBUILDING.add(System.nanoTime() - start);
        REBUILDS.increment();
        return new Prices(cents);
    }

    private Prices current(int version) {
        Prices known = prices;
        if (System.nanoTime() < known.expires) {
            return known;
        }
        Prices fresh = rebuild(version);
        if (prices == known) {
            prices = fresh;
            IN_TIME.increment();
        }
        return fresh;
    }

    private void serve(int worker) {
        try {
            for (int request = worker;; request++) {
                long start = System.nanoTime();
                Prices list = current(request);
                long sum = 0;
                for (int i = 0; i < 50; i++) {
                    sum += list.sorted[(request * 31 + i * 1009 & 0x7fffffff) % ARTICLES];
                }
                last = sum;
                ALL.add(System.nanoTime() - start);
                Thread.sleep(3); // the next request
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        PriceStampede shop = new PriceStampede();
        for (int i = 0; i < 24; i++) {
            int worker = i;
            new Thread(() -> shop.serve(worker), "http-" + i).start();
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            System.out.println("measured: " + 100 * REBUILDING.sum() / (ALL.sum() + 1) + " % of the requests' time is "
                    + "rebuild(), " + REBUILDS.sum() + " times for " + IN_TIME.sum() + " lists");
        }
    }
}
