// SPDX-License-Identifier: Apache-2.0
// cause: interest is compounded in BigDecimals that are never rounded, so that their digits grow with each month
// share: almost all CPU time is in Loan.grow's BigDecimal.multiply (numbers of thousands of digits)
// expect: hot-code kind=many-digits frame=LoanBook$Loan.grow | hot-code kind=big-numbers frame=LoanBook$Loan.grow | hot-method caller=LoanBook$Loan.grow | hot-calls frame=LoanBook$Loan.grow
// symptom: hot-method hot-calls gc-pauses gc-cpu pool-busy
// judge: right: CPU in BigDecimal/BigInteger multiplication (of ever larger numbers) called by Loan.grow. symptom: the
// judge: allocation of int[] by it, GC by it, the workers being busy. wrong: queue, locks, formatting, safepoints.
// jdk: 11
// jvm: -Xmx128m
// set: thirteenth

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

public class LoanBook {
    static class Loan {
        final long id;
        final BigDecimal principal, yearly;
        final int months;

        Loan(long id, BigDecimal principal, BigDecimal yearly, int months) {
            this.id = id;
            this.principal = principal;
            this.yearly = yearly;
            this.months = months;
        }

        BigDecimal monthly() {
            return yearly.divide(BigDecimal.valueOf(1200), 12, RoundingMode.HALF_UP);
        }

        /** What is owed after all months with the payments made. */
        BigDecimal grow(BigDecimal payment) {
            BigDecimal factor = BigDecimal.ONE.add(monthly());
            BigDecimal owed = principal;
            for (int m = 0; m < months; m++) {
                owed = owed.multiply(factor).subtract(payment);
            }
            return owed;
        }

        List<String> schedule(BigDecimal payment) {
            List<String> lines = new ArrayList<>();
            for (int year = 0; year < months / 12; year++) {
                lines.add(id + ";" + year + ";" + payment.multiply(BigDecimal.valueOf(12)).toPlainString());
            }
            return lines;
        }
    }

    static final LongAdder done = new LongAdder(), growing = new LongAdder(), all = new LongAdder();
    static final Map<Long, Integer> schedules = new ConcurrentHashMap<>();
    static final ConcurrentSkipListMap<BigDecimal, Long> risks = new ConcurrentSkipListMap<>();

    static void value(Loan loan) {
        long from = System.nanoTime();
        BigDecimal payment = loan.principal.divide(BigDecimal.valueOf(loan.months), 2, RoundingMode.HALF_UP)
                .multiply(new BigDecimal("1.4"));
        BigDecimal left = loan.grow(payment);
        growing.add(System.nanoTime() - from);
        schedules.put(loan.id, loan.schedule(payment).hashCode());
        risks.put(left.setScale(2, RoundingMode.HALF_UP), loan.id);
        if (risks.size() > 200) {
            risks.pollFirstEntry();
        }
        if (schedules.size() > 5000) {
            schedules.clear();
        }
        done.increment();
        all.add(System.nanoTime() - from);
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<Loan> queue = new ArrayBlockingQueue<>(200);
        for (int i = 0; i < 2; i++) {
            new Thread(() -> {
                try {
                    while (true) {
                        value(queue.take());
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }, "valuation-" + i).start();
        }
        new Thread(() -> {
            ThreadLocalRandom r = ThreadLocalRandom.current();
            try {
                for (long id = 0;; id++) {
                    queue.put(new Loan(id, BigDecimal.valueOf(r.nextLong(5_000_000, 90_000_000), 2),
                            BigDecimal.valueOf(r.nextInt(150, 690), 2), 12 * r.nextInt(10, 31)));
                    Thread.sleep(5);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "ledger-reader").start();
        System.out.println("READY");
        while (true) {
            Thread.sleep(1000);
            System.out.printf("measured: %d loans/s, grow %d of %d ms/s%n", done.sumThenReset(),
                    growing.sumThenReset() / 1_000_000, all.sumThenReset() / 1_000_000);
        }
    }
}
