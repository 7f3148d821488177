// SPDX-License-Identifier: Apache-2.0
// cause: the monthly balance is multiplied as BigDecimal without ever being rounded, so its number of digits grows with every month of the contract and each multiplication works on thousands of digits
// share: without: about 340 contracts/s; fixed: about 14,300 contracts/s (42 times)
// expect: hot-code kind=many-digits frame=PensionAccrual$Contract.accrue
// symptom: hot-code hot-calls hot-method
// judge: right = names Contract.accrue / the BigDecimal.multiply there with a scale that grows without rounding (no setScale / MathContext per month); only symptom = "BigInteger.multiply / toom-cook is hot", "int[] allocation", "GC" without the unrounded growing balance
// set: twenty-first
// jdk: 17
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

public class PensionAccrual {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final long RUN_MILLIS = 220_000L;

    record Tariff(String name, BigDecimal monthlyRate, BigDecimal fee) {
        BigDecimal factor() {
            return BigDecimal.ONE.add(monthlyRate).subtract(fee);
        }
    }

    record Statement(long contract, BigDecimal saved, BigDecimal pension) {
    }

    static final class Contract {
        final long number;
        final Tariff tariff;
        final BigDecimal contribution;
        final int months;

        Contract(long number, Tariff tariff, BigDecimal contribution, int months) {
            this.number = number;
            this.tariff = tariff;
            this.contribution = contribution;
            this.months = months;
        }

        BigDecimal accrue() {
            BigDecimal factor = tariff.factor();
            BigDecimal balance = BigDecimal.ZERO;
            for (int month = 0; month < months; month++) {
                balance = balance.add(contribution).multiply(factor);
                if (FIXED) {
                    balance = balance.setScale(10, RoundingMode.HALF_EVEN);
                }
            }
            return balance;
        }

        Statement statement() {
            BigDecimal saved = accrue().setScale(2, RoundingMode.HALF_EVEN);
            BigDecimal pension = saved.divide(BigDecimal.valueOf(264), 2, RoundingMode.HALF_EVEN);
            return new Statement(number, saved, pension);
        }
    }

    /** The nightly projection over the contracts of one portfolio. */
    static final class Projection implements Runnable {
        private final List<Contract> contracts;
        final AtomicLong done = new AtomicLong();
        volatile BigDecimal total = BigDecimal.ZERO;

        Projection(List<Contract> contracts) {
            this.contracts = contracts;
        }

        @Override
        public void run() {
            while (!Thread.currentThread().isInterrupted()) {
                BigDecimal sum = BigDecimal.ZERO;
                for (Contract c : contracts) {
                    Statement s = c.statement();
                    sum = sum.add(s.pension());
                    done.incrementAndGet();
                }
                total = sum;
            }
        }
    }

    static List<Contract> portfolio() {
        List<Tariff> tariffs = List.of(
                new Tariff("classic", new BigDecimal("0.0018416667"), new BigDecimal("0.000125")),
                new Tariff("balanced", new BigDecimal("0.0027083333"), new BigDecimal("0.000250")),
                new Tariff("equity", new BigDecimal("0.0041250001"), new BigDecimal("0.000375")));
        List<Contract> list = new ArrayList<>();
        for (int i = 0; i < 600; i++) {
            BigDecimal contribution = BigDecimal.valueOf(5_000 + (i * 37L) % 40_000, 2);
            list.add(new Contract(100_000 + i, tariffs.get(i % 3), contribution, 360 + (i % 8) * 12));
        }
        return list;
    }

    public static void main(String[] args) throws Exception {
        Projection projection = new Projection(portfolio());
        Thread worker = new Thread(projection, "projection");
        worker.setDaemon(true);
        worker.start();
        Thread.sleep(3000);
        System.out.println("READY");
        long end = System.currentTimeMillis() + RUN_MILLIS;
        long last = projection.done.get();
        while (System.currentTimeMillis() < end) {
            Thread.sleep(1000);
            long n = projection.done.get();
            System.out.printf("measured: %d contracts/s, pensions %s%n", n - last, projection.total.toPlainString());
            last = n;
        }
    }
}
