// SPDX-License-Identifier: Apache-2.0
// cause: LoanLedger.Loan.accrue multiplies a BigDecimal balance day after day without ever rounding, so the scale grows by 10 digits a day up to about 3600 digits, and every multiply/add works on huge BigIntegers
// share: with the fault 14583 loan days/s, with -Dfixed=true 7596113 loan days/s: 520.9 times (median of short runs at nice 19 on a 2-core machine under heavy foreign load, so absolute figures are low)
// expect: hot-code kind=many-digits
// symptom: hot-code | gc-pauses | hot-method
// judge: NAMED: BigDecimal values of unbounded scale/precision in Loan.accrue (missing rounding: setScale/MathContext); SYMPTOM ONLY: BigInteger.multiply / bigMultiplyPowerTen hot, or int[] allocation by BigInteger, without the growing scale; WRONG: GC settings, locks, thread count, random numbers
// jdk: 11
// set: twenty-eighth
// jvm: -Xmx64m -XX:+UseParallelGC
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.concurrent.atomic.LongAdder;

public class LoanLedger {
    static final boolean ALT = Boolean.getBoolean("fixed");
    static final int SPAN = Integer.getInteger("span", 170);
    static final int YEAR = 360;
    static volatile boolean open = true;
    static final LongAdder days = new LongAdder();

    static final class Loan {
        final BigDecimal rate;
        final BigDecimal fee;
        final BigDecimal opening;
        BigDecimal balance;
        BigDecimal interest = BigDecimal.ZERO;
        int day;

        Loan(int no, int offset) {
            opening = BigDecimal.valueOf(1_000_000 + no * 731L, 2);
            rate = BigDecimal.valueOf(1_234_567 + no * 13L, 10);
            fee = BigDecimal.valueOf(15 + no % 9, 2);
            balance = opening;
            for (int i = 0; i < offset; i++) {
                accrue();
            }
        }

        void accrue() {
            BigDecimal due = balance.multiply(rate);
            if (ALT) {
                due = due.setScale(10, RoundingMode.HALF_EVEN);
            }
            interest = interest.add(due);
            balance = balance.add(due).subtract(fee);
            if (++day == YEAR) {
                balance = opening;
                interest = BigDecimal.ZERO;
                day = 0;
            }
        }
    }

    static final class Branch extends Thread {
        final Loan[] loans = new Loan[300];
        int closings;

        Branch(int no) {
            super("branch-" + no);
            setDaemon(true);
        }

        @Override
        public void run() {
            for (int i = 0; i < loans.length; i++) {
                loans[i] = new Loan(i, i * 6 / 5 % YEAR);
            }
            while (open) {
                BigDecimal total = BigDecimal.ZERO;
                for (Loan l : loans) {
                    l.accrue();
                    days.increment();
                    total = total.max(l.balance);
                }
                if (total.signum() > 0) {
                    closings++;
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        long start = System.nanoTime();
        new Branch(1).start();
        new Branch(2).start();
        Thread.sleep(5000);
        System.out.println("READY");
        long end = start + SPAN * 1_000_000_000L;
        long before = days.sum();
        long at = System.nanoTime();
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long now = days.sum();
            long t = System.nanoTime();
            System.out.printf("measured: %.0f loan days/s%n", (now - before) * 1e9 / (t - at));
            before = now;
            at = t;
        }
        open = false;
    }
}
