// SPDX-License-Identifier: Apache-2.0
// cause: PensionProjection.grow multiplies the BigDecimal balance by a 10-decimal monthly factor 360 times and never rounds in between, so the scale grows by about 10 digits each month to some 3600 digits, and each multiply and add works on ever longer BigInteger magnitudes.
// share: faulty projections/s 1086, mean_us 1828; fixed projections/s 20642, mean_us 87 (means over seconds 3 to 11); throughput 19.0 times better when fixed
// expect: hot-code kind=many-digits
// symptom: hot-code late-safepoints
// judge: NAMED: BigDecimal values in PensionProjection.grow (the balance) grow without rounding (scale/precision explodes, no setScale or MathContext in the monthly loop), so BigInteger multiplication gets long. SYMPTOM ONLY: much CPU in BigInteger.multiply/multiplyToLen/add or BigDecimal.multiply; many int[] allocations; GC activity. WRONG: lock or queue contention among the workers, too few threads, a memory leak, too small a heap, statement formatting as the cause.
// jdk: 8
// set: twenty-third
// jvm:
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

public class PensionProjection {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int MONTHS = 360;

    static final class Member {
        final int id;
        final BigDecimal opening;
        final BigDecimal contribution;
        final String fund;

        Member(int id, BigDecimal opening, BigDecimal contribution, String fund) {
            this.id = id;
            this.opening = opening;
            this.contribution = contribution;
            this.fund = fund;
        }
    }

    static final class Fund {
        final String code;
        final BigDecimal[] monthlyFactor = new BigDecimal[MONTHS];

        Fund(String code, Random rnd) {
            this.code = code;
            for (int m = 0; m < MONTHS; m++) {
                long units = 10_000_000_000L + 25_000_000L + rnd.nextInt(20_000_001) - 10_000_000L;
                monthlyFactor[m] = BigDecimal.valueOf(units, 10);
            }
        }
    }

    static final class Statement {
        final int member;
        final BigDecimal finalPot;
        final BigDecimal yearlyPension;

        Statement(int member, BigDecimal finalPot, BigDecimal yearlyPension) {
            this.member = member;
            this.finalPot = finalPot;
            this.yearlyPension = yearlyPension;
        }

        String text() {
            return "member " + member + " pot " + finalPot.toPlainString() + " pension " + yearlyPension.toPlainString();
        }
    }

    final Map<String, Fund> funds = new HashMap<>();
    final List<Member> members = new ArrayList<>();
    final BlockingQueue<Member> requests = new ArrayBlockingQueue<>(64);
    final AtomicLong done = new AtomicLong();
    final AtomicLong nanos = new AtomicLong();
    final AtomicLong letters = new AtomicLong();

    PensionProjection() {
        Random rnd = new Random(4711);
        String[] codes = {"BOND", "WORLD", "GREEN", "MIXED"};
        for (String c : codes) {
            funds.put(c, new Fund(c, rnd));
        }
        for (int i = 0; i < 2000; i++) {
            members.add(new Member(i, BigDecimal.valueOf(rnd.nextInt(9_000_000), 2),
                    BigDecimal.valueOf(5_000 + rnd.nextInt(60_000), 2), codes[rnd.nextInt(codes.length)]));
        }
    }

    BigDecimal grow(Member member, Fund fund) {
        BigDecimal pot = member.opening;
        for (int m = 0; m < MONTHS; m++) {
            pot = pot.multiply(fund.monthlyFactor[m]);
            pot = pot.add(member.contribution);
            if (FIXED) {
                pot = pot.setScale(10, RoundingMode.HALF_EVEN);
            }
        }
        return pot.setScale(2, RoundingMode.HALF_EVEN);
    }

    Statement project(Member member) {
        Fund fund = funds.get(member.fund);
        BigDecimal pot = grow(member, fund);
        BigDecimal pension = pot.divide(new BigDecimal("21.5"), 2, RoundingMode.HALF_EVEN);
        return new Statement(member.id, pot, pension);
    }

    void worker() {
        try {
            while (true) {
                Member m = requests.take();
                long t = System.nanoTime();
                Statement s = project(m);
                letters.addAndGet(s.text().length());
                nanos.addAndGet(System.nanoTime() - t);
                done.incrementAndGet();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void intake() {
        Random rnd = new Random(99);
        try {
            while (true) {
                requests.put(members.get(rnd.nextInt(members.size())));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void daemon(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        PensionProjection p = new PensionProjection();
        daemon("intake", p::intake);
        daemon("projector-1", p::worker);
        daemon("projector-2", p::worker);
        System.out.println("READY");
        long lastDone = 0, lastNanos = 0;
        for (int s = 1; s <= 170; s++) {
            Thread.sleep(1000);
            long d = p.done.get(), n = p.nanos.get();
            long dd = d - lastDone;
            System.out.printf("measured: projections/s=%d mean_us=%.0f letters_kb=%d%n", dd,
                    dd == 0 ? 0.0 : (n - lastNanos) / 1000.0 / dd, p.letters.get() / 1024);
            lastDone = d;
            lastNanos = n;
        }
        System.exit(0);
    }
}
