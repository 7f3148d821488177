// SPDX-License-Identifier: Apache-2.0
// cause: DemandModel.smooth runs one int-counted loop of 16 million steps which C2 (JDK 8) compiles without a safepoint poll, so each young collection that the tills need has to wait some 100 ms until the loop has ended, with all other threads stopped in the meantime.
// share: faulty 32,400 receipts/s at 0.053 ms each; fixed 127,400 receipts/s at 0.009 ms each
// expect: late-safepoints
// symptom: hot-method waiting
// judge: NAMED: threads are slow to reach safepoints because of the counted loop in ShelfForecast$DemandModel.smooth (thread demand). SYMPTOM ONLY: the program is stopped or waits for safepoints; smooth is hot; receipts allocate much or collections are many. WRONG: collections themselves are long or the heap is too small; the lock or map of Stock; the option for the collector; starved safepoints for lack of CPU as the only cause.
// jdk: 8
// set: twenty-sixth
// jvm: -XX:+UseParallelGC

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

public class ShelfForecast {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int HISTORY = 1 << 18;
    static final int STEPS = 1 << 24;

    static final AtomicLong receipts = new AtomicLong();
    static final AtomicLong nanos = new AtomicLong();
    static final AtomicLong forecasts = new AtomicLong();

    static final class Line {
        final String article;
        final int count;
        final long cents;

        Line(String article, int count, long cents) {
            this.article = article;
            this.count = count;
            this.cents = cents;
        }
    }

    /** Reads the text form in which a till sends a receipt. */
    static final class ReceiptReader {
        List<Line> read(String text) {
            List<Line> lines = new ArrayList<>();
            int from = 0;
            while (from < text.length()) {
                int end = text.indexOf(';', from);
                String[] parts = text.substring(from, end).split(",");
                lines.add(new Line(parts[0], Integer.parseInt(parts[1]), Long.parseLong(parts[2])));
                from = end + 1;
            }
            return lines;
        }
    }

    static final class Stock {
        private final ConcurrentHashMap<String, AtomicLong> sold = new ConcurrentHashMap<>();

        void book(Line line) {
            AtomicLong count = sold.get(line.article);
            if (count == null) {
                AtomicLong made = new AtomicLong();
                count = sold.putIfAbsent(line.article, made);
                if (count == null) {
                    count = made;
                }
            }
            count.addAndGet(line.count);
        }
    }

    /** Exponential smoothing of what was sold, for each quarter of an hour. */
    static final class DemandModel {
        private final float[] sales = new float[HISTORY];
        private float trend;

        DemandModel(long seed) {
            Random random = new Random(seed);
            for (int i = 0; i < sales.length; i++) {
                sales[i] = 40 + random.nextInt(60);
            }
        }

        float smooth(int steps) {
            float[] s = sales;
            float level = s[0];
            float spread = 1;
            for (int i = 0; i < steps; i++) {
                float miss = s[i & (HISTORY - 1)] - level;
                level += 0.02f * miss;
                spread = 0.98f * spread + 0.02f * miss * miss / (1 + level);
            }
            trend = level;
            return spread;
        }

        float smoothBySeason(int steps) {
            float[] s = sales;
            float level = s[0];
            float spread = 1;
            for (long from = 0; from < steps; from += 4096) {
                int begin = (int) from;
                for (int i = begin; i < begin + 4096; i++) {
                    float miss = s[i & (HISTORY - 1)] - level;
                    level += 0.02f * miss;
                    spread = 0.98f * spread + 0.02f * miss * miss / (1 + level);
                }
            }
            trend = level;
            return spread;
        }

        float next() {
            float spread = FIXED ? smoothBySeason(STEPS) : smooth(STEPS);
            return trend + spread;
        }
    }

    static final class Till implements Runnable {
        private final ReceiptReader reader = new ReceiptReader();
        private final Stock stock;
        private final Random random;

        Till(Stock stock, int number) {
            this.stock = stock;
            this.random = new Random(number);
        }

        private String basket() {
            StringBuilder text = new StringBuilder();
            int lines = 5 + random.nextInt(20);
            for (int i = 0; i < lines; i++) {
                text.append("art-").append(random.nextInt(4000)).append(',').append(1 + random.nextInt(5))
                    .append(',').append(99 + random.nextInt(5000)).append(';');
            }
            return text.toString();
        }

        private Map<String, Long> book(String text) {
            Map<String, Long> byArticle = new HashMap<>();
            for (Line line : reader.read(text)) {
                stock.book(line);
                byArticle.merge(line.article, line.cents * line.count, Long::sum);
            }
            return byArticle;
        }

        @Override
        public void run() {
            while (true) {
                for (int i = 0; i < 20; i++) {
                    long begin = System.nanoTime();
                    if (book(basket()).isEmpty()) {
                        throw new IllegalStateException("empty receipt");
                    }
                    nanos.addAndGet(System.nanoTime() - begin);
                    receipts.incrementAndGet();
                }
                LockSupport.parkNanos(200_000);
            }
        }
    }

    static void start(Runnable what, String name) {
        Thread thread = new Thread(what, name);
        thread.setDaemon(true);
        thread.start();
    }

    public static void main(String[] args) throws Exception {
        Stock stock = new Stock();
        DemandModel model = new DemandModel(7);
        start(() -> {
            while (true) {
                if (Float.isNaN(model.next())) {
                    throw new IllegalStateException("no forecast");
                }
                forecasts.incrementAndGet();
                LockSupport.parkNanos(3_000_000);
            }
        }, "demand");
        for (int i = 0; i < 4; i++) {
            start(new Till(stock, i), "till-" + i);
        }
        System.out.println("READY");
        long end = System.nanoTime() + 170_000_000_000L;
        while (System.nanoTime() < end) {
            long r = receipts.get();
            long n = nanos.get();
            long f = forecasts.get();
            Thread.sleep(1000);
            long done = receipts.get() - r;
            System.out.printf("measured: %d receipts/s, %.3f ms each, %d forecasts%n", done,
                (nanos.get() - n) / 1e6 / Math.max(1, done), forecasts.get() - f);
        }
        System.exit(0);
    }
}
