// SPDX-License-Identifier: Apache-2.0
// cause: the balance is never rounded, so each month's multiplication is of longer numbers
// expect: hot-calls frame=LoanSchedules. | hot-code frame=LoanSchedules. | hot-method caller=LoanSchedules.
// symptom: hot-method hot-calls hot-code
// jdk: 8
// set: seventh

import java.math.BigDecimal;
import java.util.*;
import java.util.concurrent.*;

public class LoanSchedules {
    static final BigDecimal MONTHLY = new BigDecimal("1.002916667");

    static BigDecimal balanceAfter(BigDecimal balance, BigDecimal instalment) {
        return balance.multiply(MONTHLY).subtract(instalment);
    }

    static List<String> schedule(int loan, int months) {
        List<String> rows = new ArrayList<>();
        BigDecimal balance = new BigDecimal(180_000 + loan);
        for (int i = 0; i < months; i++) {
            balance = balanceAfter(balance, new BigDecimal("911.37"));
            rows.add(Long.toString(balance.longValue()));
        }
        return rows;
    }

    public static void main(String[] args) {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        for (int n = 0; n < 2; n++) {
            int first = n * 1000;
            pool.execute(() -> {
                for (int i = 0; ; i++)
                    schedule(first + i % 1000, 360);
            });
        }
        System.out.println("READY");
    }
}
