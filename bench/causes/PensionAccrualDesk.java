// SPDX-License-Identifier: Apache-2.0
// cause: PensionAccrualDesk$Accrual.balance multiplies a BigDecimal month by month without rounding it (booked returns it as it is), so that it grows by seven digits or more with each factor, to more than a thousand, and each multiplication goes through all of them.
// share: faulty 700 to 2740 accounts/s (mean 2030); fixed (rounded to nine decimals each month) 12000 to 35000 accounts/s (mean 21900); on a crowded machine.
// expect: hot-code frame=PensionAccrualDesk$Accrual kind=many-digits
// symptom: hot-code hot-calls hot-method
// judge: NAMED: CPU time of arithmetic on BigDecimals of hundreds of digits or more in PensionAccrualDesk$Accrual.balance (multiply, add, BigInteger below), which grow as nothing rounds them; round each month. SYMPTOM ONLY: BigInteger or BigDecimal multiplication is hot, without saying that the numbers are too long. WRONG: the lock of Totals.add, collections, two threads being too few, BigDecimal.valueOf or setScale(2) as the cause.
// jdk: 8
// set: twenty-ninth
// jvm:

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Rolls members' pension accounts forward month by month, with the fund's yield less its charges. */
public class PensionAccrualDesk {
    static final int MONTHS = 180;
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final long SPAN = Long.getLong("span", 170);
    static final LongAdder members = new LongAdder();
    static final LongAdder nanos = new LongAdder();

    /** A fund's figures of each month. */
    static final class Fund {
        final String name;
        final List<BigDecimal> yields = new ArrayList<>();
        final BigDecimal charge;

        Fund(String name, int seed) {
            this.name = name;
            Random random = new Random(seed);
            for (int i = 0; i < MONTHS; i++) {
                yields.add(BigDecimal.valueOf(10_000_000 + random.nextInt(160_001) - 60_000, 7));
            }
            charge = BigDecimal.valueOf(9_994_000 + random.nextInt(3_001), 7);
        }
    }

    /** Who saves, and how much each month. */
    static final class Member {
        final int number;
        final Fund fund;
        final BigDecimal premium;
        final int since;

        Member(int number, Fund fund, BigDecimal premium, int since) {
            this.number = number;
            this.fund = fund;
            this.premium = premium;
            this.since = since;
        }
    }

    /** Rolls accounts forward. */
    static final class Accrual {
        BigDecimal balance(Member m) {
            BigDecimal balance = BigDecimal.ZERO;
            for (int month = m.since; month < MONTHS; month++) {
                balance = balance.add(m.premium).multiply(m.fund.yields.get(month));
                if (month % 3 == 2) {
                    balance = balance.multiply(m.fund.charge);
                }
                balance = booked(balance);
            }
            return balance.setScale(2, RoundingMode.HALF_EVEN);
        }

        private BigDecimal booked(BigDecimal amount) {
            return FIXED ? amount.setScale(9, RoundingMode.HALF_EVEN) : amount;
        }
    }

    /** What the statement shows of each fund. */
    static final class Totals {
        private final Map<String, BigDecimal> byFund = new HashMap<>();

        synchronized void add(Fund fund, BigDecimal balance) {
            byFund.merge(fund.name, balance, BigDecimal::add);
        }

        synchronized BigDecimal all() {
            BigDecimal sum = BigDecimal.ZERO;
            for (BigDecimal b : byFund.values()) {
                sum = sum.add(b);
            }
            return sum;
        }
    }

    static List<Member> members(List<Fund> funds) {
        List<Member> list = new ArrayList<>();
        Random random = new Random(3);
        for (int i = 0; i < 5_000; i++) {
            BigDecimal premium = BigDecimal.valueOf(5_000 + random.nextInt(60_000), 2);
            list.add(new Member(i, funds.get(random.nextInt(funds.size())), premium, random.nextInt(36)));
        }
        return list;
    }

    public static void main(String[] args) throws Exception {
        List<Fund> funds = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            funds.add(new Fund("fund-" + i, i));
        }
        List<Member> all = members(funds);
        Totals totals = new Totals();
        Accrual accrual = new Accrual();
        AtomicInteger next = new AtomicInteger();
        long end = System.nanoTime() + SPAN * 1_000_000_000L;
        ExecutorService pool = Executors.newFixedThreadPool(2, r -> {
            Thread t = new Thread(r, "accrual");
            t.setDaemon(true);
            return t;
        });
        for (int i = 0; i < 2; i++) {
            pool.execute(() -> {
                while (System.nanoTime() < end) {
                    Member m = all.get((next.getAndIncrement() & 0x7fffffff) % all.size());
                    long start = System.nanoTime();
                    totals.add(m.fund, accrual.balance(m));
                    nanos.add(System.nanoTime() - start);
                    members.increment();
                }
            });
        }
        System.out.println("READY");
        long lastMembers = 0;
        long lastNanos = 0;
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long m = members.sum();
            long n = nanos.sum();
            System.out.printf("measured: %d accounts/s, mean %.3f ms, total %s%n", m - lastMembers,
                    (n - lastNanos) / 1e6 / Math.max(1, m - lastMembers), totals.all());
            lastMembers = m;
            lastNanos = n;
        }
        System.exit(0);
    }
}
