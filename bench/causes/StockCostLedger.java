// SPDX-License-Identifier: Apache-2.0
// cause: StockCostLedger$AverageCost.receive divides with a scale of value.scale() + 10, and the average it keeps has that scale, so that it grows by ten digits at each receipt, to far more than a thousand digits in a year: multiplying and dividing such BigDecimals takes the time.
// share: faulty 3,180 to 3,640 articles closed/s (550 to 625 us each), fixed (scale of 10 digits) 98,000 to 131,000/s (14 to 19 us each): 27 times or more; the same stock value.
// expect: hot-code kind=many-digits frame=StockCostLedger$AverageCost
// symptom: gc-pauses gc-cpu hot-method
// judge: NAMED: BigDecimals of hundreds of digits or more in StockCostLedger$AverageCost.receive (divide with a growing scale; issue, which multiplies them, as well): round to a fixed scale. SYMPTOM ONLY: BigDecimal or BigInteger arithmetic is hot (without that the numbers have too many digits); MutableBigInteger.divide is hot; much allocation of int[]. WRONG: the queue, ConcurrentHashMap, garbage collection or heap size as the cause; records or switch; too few threads.
// jdk: 25
// set: thirtieth
// jvm:

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.LongAdder;

public class StockCostLedger {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int SPAN = Integer.getInteger("span", 170);
    static final int ARTICLES = 400;
    static final int MOVEMENTS = 220;

    enum Kind { RECEIPT, ISSUE, COUNT }

    record Movement(Kind kind, int quantity, BigDecimal unitPrice) { }

    record Balance(long onHand, BigDecimal value, BigDecimal sold) { }

    static final class Article {
        final String code;
        final List<Movement> year = new ArrayList<>();

        Article(int n, Random random) {
            code = "A-" + (10_000 + n);
            int price = 200 + random.nextInt(90_000);
            long stock = 400;
            year.add(new Movement(Kind.RECEIPT, 400, BigDecimal.valueOf(price, 2)));
            for (int i = 1; i < MOVEMENTS; i++) {
                int dice = random.nextInt(10);
                if (dice < 6 || stock < 60) {
                    int q = 7 + random.nextInt(90);
                    stock += q;
                    year.add(new Movement(Kind.RECEIPT, q, BigDecimal.valueOf(price + random.nextInt(200), 2)));
                } else if (dice < 9) {
                    int q = 1 + random.nextInt(50);
                    stock -= q;
                    year.add(new Movement(Kind.ISSUE, q, null));
                } else {
                    year.add(new Movement(Kind.COUNT, (int) stock, null));
                }
            }
        }
    }

    static final class AverageCost {
        static final int DIGITS = 10;
        private long onHand;
        private BigDecimal average = BigDecimal.ZERO.setScale(DIGITS);
        private BigDecimal sold = BigDecimal.ZERO;

        void receive(int quantity, BigDecimal unitPrice) {
            BigDecimal value = average.multiply(BigDecimal.valueOf(onHand))
                    .add(unitPrice.multiply(BigDecimal.valueOf(quantity)));
            onHand += quantity;
            int scale = FIXED ? DIGITS : value.scale() + DIGITS;
            average = value.divide(BigDecimal.valueOf(onHand), scale, RoundingMode.HALF_EVEN);
        }

        void issue(int quantity) {
            sold = sold.add(average.multiply(BigDecimal.valueOf(quantity)));
            onHand -= quantity;
        }

        void count(int counted) {
            onHand = counted;
        }

        Balance balance() {
            return new Balance(onHand,
                    average.multiply(BigDecimal.valueOf(onHand)).setScale(2, RoundingMode.HALF_EVEN),
                    sold.setScale(2, RoundingMode.HALF_EVEN));
        }
    }

    static final class Closing implements Runnable {
        final BlockingQueue<Article> queue;
        final Map<String, Balance> balances;
        final LongAdder closed;
        final LongAdder nanos;

        Closing(BlockingQueue<Article> queue, Map<String, Balance> balances, LongAdder closed, LongAdder nanos) {
            this.queue = queue;
            this.balances = balances;
            this.closed = closed;
            this.nanos = nanos;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Article a = queue.take();
                    long t = System.nanoTime();
                    balances.put(a.code, replay(a));
                    nanos.add(System.nanoTime() - t);
                    closed.increment();
                    queue.put(a);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        Balance replay(Article a) {
            AverageCost cost = new AverageCost();
            for (Movement m : a.year) {
                switch (m.kind()) {
                    case RECEIPT -> cost.receive(m.quantity(), m.unitPrice());
                    case ISSUE -> cost.issue(m.quantity());
                    default -> cost.count(m.quantity());
                }
            }
            return cost.balance();
        }
    }

    public static void main(String[] args) throws Exception {
        Random random = new Random(5);
        BlockingQueue<Article> queue = new LinkedBlockingQueue<>();
        for (int i = 0; i < ARTICLES; i++) {
            queue.add(new Article(i, random));
        }
        Map<String, Balance> balances = new ConcurrentHashMap<>();
        LongAdder closed = new LongAdder();
        LongAdder nanos = new LongAdder();
        for (int i = 0; i < 2; i++) {
            Thread t = new Thread(new Closing(queue, balances, closed, nanos), "closing-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        for (int s = 0; s < SPAN; s++) {
            Thread.sleep(1000);
            long n = closed.sumThenReset();
            long t = nanos.sumThenReset();
            BigDecimal total = BigDecimal.ZERO;
            for (Balance b : balances.values()) {
                total = total.add(b.value());
            }
            System.out.println("measured: " + n + " articles closed/s, mean " + (n == 0 ? 0 : t / n / 1000)
                    + " us each, stock value " + total);
        }
        System.exit(0);
    }
}
