// SPDX-License-Identifier: Apache-2.0
// cause: LoanBookValuer.schedule carries the running growth factor as a BigDecimal multiplied without a MathContext, so its scale grows by eight digits each month up to about 2000 digits and every monthly multiplication and setScale works on huge numbers.
// share: throughput 1950 loans/s vs 15100/s fixed (7.7 times)
// judge: must say that the BigDecimal (growth factor) in schedule is never rounded, so its digits/scale grow with each month (unlimited precision) and make multiply/setScale (BigInteger/MutableBigInteger divide) expensive; "BigDecimal is slow, use double" without the growth of digits does not count
// set: eighteenth
// expect: hot-code kind=many-digits
// symptom: hot-code
// jdk: 11
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

public class LoanBookValuer {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final AtomicLong valued = new AtomicLong();
    static final AtomicLong cents = new AtomicLong();

    static final class Loan {
        final long id;
        final BigDecimal principal;
        final BigDecimal monthlyRate;
        final int months;
        final String branch;

        Loan(long id, BigDecimal principal, BigDecimal monthlyRate, int months, String branch) {
            this.id = id;
            this.principal = principal;
            this.monthlyRate = monthlyRate;
            this.months = months;
            this.branch = branch;
        }
    }

    static final class Posting {
        final int month;
        final BigDecimal amount;

        Posting(int month, BigDecimal amount) {
            this.month = month;
            this.amount = amount;
        }
    }

    private final BlockingQueue<Loan> inbox = new ArrayBlockingQueue<>(64);

    private List<Posting> schedule(Loan loan) {
        List<Posting> out = new ArrayList<>(loan.months);
        BigDecimal step = BigDecimal.ONE.add(loan.monthlyRate);
        BigDecimal growth = BigDecimal.ONE;
        BigDecimal last = loan.principal;
        for (int m = 1; m <= loan.months; m++) {
            growth = FIXED ? growth.multiply(step, MathContext.DECIMAL128) : growth.multiply(step);
            BigDecimal value = loan.principal.multiply(growth).setScale(2, RoundingMode.HALF_EVEN);
            out.add(new Posting(m, value.subtract(last)));
            last = value;
        }
        return out;
    }

    private TreeMap<Integer, BigDecimal> byYear(List<Posting> postings) {
        TreeMap<Integer, BigDecimal> years = new TreeMap<>();
        for (Posting p : postings) {
            years.merge((p.month - 1) / 12, p.amount, BigDecimal::add);
        }
        return years;
    }

    private String statement(Loan loan, TreeMap<Integer, BigDecimal> years) {
        StringBuilder sb = new StringBuilder();
        sb.append("loan ").append(loan.id).append(" branch ").append(loan.branch).append('\n');
        years.forEach((y, v) -> sb.append(y).append('\t').append(v.toPlainString()).append('\n'));
        return sb.toString();
    }

    private long reconcile(TreeMap<Integer, BigDecimal> years) {
        BigDecimal sum = BigDecimal.ZERO;
        for (BigDecimal v : years.values()) {
            sum = sum.add(v);
        }
        return sum.movePointRight(2).longValueExact();
    }

    private void work() {
        try {
            while (true) {
                Loan loan = inbox.take();
                TreeMap<Integer, BigDecimal> years = byYear(schedule(loan));
                String text = statement(loan, years);
                cents.addAndGet(reconcile(years) + text.length());
                valued.incrementAndGet();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void load() {
        String[] branches = {"Bremen", "Kiel", "Husum", "Emden"};
        try {
            for (long id = 0; ; id++) {
                BigDecimal principal = BigDecimal.valueOf(5_000_000 + id * 7919 % 40_000_000, 2);
                BigDecimal rate = BigDecimal.valueOf(150_000 + id * 104_729 % 350_001, 8);
                inbox.put(new Loan(id, principal, rate, 240, branches[(int) (id % 4)]));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        LoanBookValuer v = new LoanBookValuer();
        Thread loader = new Thread(v::load, "book-loader");
        loader.setDaemon(true);
        loader.start();
        for (int i = 1; i <= 2; i++) {
            Thread t = new Thread(v::work, "valuer-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        long before = 0;
        for (int s = 0; s < 240; s++) {
            Thread.sleep(1000);
            long now = valued.get();
            System.out.println("measured: loans/s=" + (now - before));
            before = now;
        }
        System.out.println("cents " + cents.get());
    }
}
