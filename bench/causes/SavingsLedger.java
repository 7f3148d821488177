// SPDX-License-Identifier: Apache-2.0
// cause: SavingsLedger.accrue multiplies the balance by the daily factor with BigDecimal.multiply and never rounds between days, so the scale grows by 10 digits a day and after some hundred days each BigDecimal/BigInteger multiply and add works on thousands of digits (quadratic work over the term).
// share: faulty: 112 accounts/s; fixed: 4965 accounts/s; ratio 44.3 (means over the seconds after warm-up of a run of 9 to 13 s, shared 2-core machine)
// expect: hot-code kind=many-digits
// symptom: hot-code hot-method hot-calls
// judge: NAMED: unbounded growth of the BigDecimal scale/precision in SavingsLedger.accrue (no setScale or MathContext per day). SYMPTOM ONLY: CPU time in BigInteger.multiply / BigDecimal.multiply / BigInteger.add; high allocation of int[]. WRONG: BigDecimal as such being too slow; a GC problem or a memory leak; lock contention; too few threads.
// jdk: 11
// set: twenty-fourth
// jvm:
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Recomputes savings accounts over their whole term and makes a yearly statement for each. */
public class SavingsLedger {
    static final boolean ALT = Boolean.getBoolean("fixed");
    static final int DAYS = 3 * 365;
    static final int WORKERS = 2;

    static final class Account {
        final int number;
        final BigDecimal opening;
        final BigDecimal monthly;
        final int rateBasisPoints;

        Account(int number, BigDecimal opening, BigDecimal monthly, int rateBasisPoints) {
            this.number = number;
            this.opening = opening;
            this.monthly = monthly;
            this.rateBasisPoints = rateBasisPoints;
        }
    }

    static final class Statement {
        final int number;
        final List<BigDecimal> yearEnds = new ArrayList<>();
        BigDecimal interest = BigDecimal.ZERO;

        Statement(int number) {
            this.number = number;
        }
    }

    static final BlockingQueue<Account> work = new ArrayBlockingQueue<>(256);
    static final LongAdder done = new LongAdder();
    static final LongAdder cents = new LongAdder();
    static volatile boolean open = true;

    static BigDecimal dailyFactor(int basisPoints) {
        BigDecimal yearly = BigDecimal.valueOf(basisPoints, 4);
        return BigDecimal.ONE.add(yearly.divide(BigDecimal.valueOf(365), 10, RoundingMode.HALF_EVEN));
    }

    static BigDecimal accrue(BigDecimal balance, BigDecimal factor) {
        BigDecimal next = balance.multiply(factor);
        return ALT ? next.setScale(10, RoundingMode.HALF_EVEN) : next;
    }

    static Statement run(Account account) {
        Statement statement = new Statement(account.number);
        BigDecimal factor = dailyFactor(account.rateBasisPoints);
        BigDecimal balance = account.opening;
        BigDecimal paid = account.opening;
        for (int day = 1; day <= DAYS; day++) {
            balance = accrue(balance, factor);
            if (day % 30 == 0) {
                balance = balance.add(account.monthly);
                paid = paid.add(account.monthly);
            }
            if (day % 365 == 0) {
                statement.yearEnds.add(balance.setScale(2, RoundingMode.HALF_EVEN));
            }
        }
        BigDecimal last = statement.yearEnds.get(statement.yearEnds.size() - 1);
        statement.interest = last.subtract(paid);
        return statement;
    }

    static void feed() {
        SplittableRandom random = new SplittableRandom(77);
        int number = 1000;
        try {
            while (open) {
                work.put(new Account(number++,
                        BigDecimal.valueOf(random.nextLong(10_000, 9_000_000), 2),
                        BigDecimal.valueOf(random.nextLong(0, 50_000), 2),
                        random.nextInt(50, 475)));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void worker() {
        try {
            while (open) {
                Account account = work.take();
                Statement statement = run(account);
                cents.add(statement.interest.unscaledValue().longValue());
                done.increment();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void start(String name, Runnable body) {
        Thread t = new Thread(body, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        start("feeder", SavingsLedger::feed);
        for (int i = 0; i < WORKERS; i++) {
            start("ledger-" + i, SavingsLedger::worker);
        }
        System.out.println("READY");
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(170);
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            System.out.printf("measured: %d accounts/s, interest so far %d cents%n", done.sumThenReset(), cents.sum());
        }
        open = false;
    }
}
