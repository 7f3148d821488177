// SPDX-License-Identifier: Apache-2.0
// cause: PensionReserve$Discount.factor computes the factor of a month anew by BigDecimal.pow and divide each time, though there are only 5 rates and 480 months (2,400 different values, each computed thousands of times); $Valuation.presentValue calls it for each month of each contract
// share: three quarters to 90 % of the CPU time is BigDecimal arithmetic (pow, divide) for $Discount.factor
// expect: hot-code kind=big-numbers frame=PensionReserve$Discount.factor
// symptom: hot-method hot-calls hot-code
// judge: NAMED: arithmetic on big numbers (BigDecimal, BigInteger) for PensionReserve$Discount.factor (or that its calls of BigDecimal.pow / divide take most of the CPU time), with or without $Valuation.presentValue as caller. SYMPTOM ONLY: CPU time in methods of BigDecimal, BigInteger or MutableBigInteger without the program's function, or arithmetic on big numbers for $Valuation.presentValue alone. WRONG: the collector or allocation as the main cause, the queue of contracts or $Book.next, too few threads or CPUs, locks, nothing stands out
// jdk: 17
// set: thirty-fourth
// jvm: -Xmx512m
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Values the pensions that a fund has promised, for the reserve in its balance sheet. */
public class PensionReserve {
    record Contract(int number, int age, int months, BigDecimal monthly, Scenario scenario) { }

    enum Scenario {
        BASE("0.0175"), LOW("0.0090"), HIGH("0.0325"), STRESS("0.0010"), REGULATOR("0.0225");

        final BigDecimal yearly;

        Scenario(String yearly) {
            this.yearly = new BigDecimal(yearly);
        }
    }

    /** What a payment in some months is worth today. */
    static final class Discount {
        static final MathContext PRECISION = new MathContext(30, RoundingMode.HALF_EVEN);
        static final BigDecimal TWELVE = BigDecimal.valueOf(12);
        final BigDecimal growth;

        Discount(Scenario scenario) {
            growth = BigDecimal.ONE.add(scenario.yearly.divide(TWELVE, PRECISION));
        }

        BigDecimal factor(int month) {
            return BigDecimal.ONE.divide(growth.pow(month, PRECISION), PRECISION);
        }
    }

    static final class Mortality {
        final double[] survive = new double[1_441];

        Mortality() {
            double alive = 1;
            for (int m = 0; m < survive.length; m++) {
                survive[m] = alive;
                double yearlyDeath = Math.min(1, 0.00003 * Math.exp(0.095 * m / 12));
                alive *= 1 - yearlyDeath / 12;
            }
        }

        double share(int age, int month) {
            int now = age * 12;
            int then = Math.min(survive.length - 1, now + month);
            return survive[then] / survive[now];
        }
    }

    static final class Valuation {
        final Discount[] discounts = new Discount[Scenario.values().length];
        final Mortality mortality = new Mortality();

        Valuation() {
            for (Scenario s : Scenario.values()) discounts[s.ordinal()] = new Discount(s);
        }

        BigDecimal presentValue(Contract c) {
            Discount discount = discounts[c.scenario().ordinal()];
            double weighted = 0;
            for (int month = 1; month <= c.months(); month++) {
                double share = mortality.share(c.age(), month);
                weighted += share * discount.factor(month).doubleValue();
            }
            return c.monthly().multiply(BigDecimal.valueOf(weighted)).setScale(2, RoundingMode.HALF_EVEN);
        }
    }

    /** The contracts of the fund, for all scenarios, again and again for each reporting date. */
    static final class Book {
        final List<Contract> contracts = new ArrayList<>();
        final AtomicInteger position = new AtomicInteger();

        Book() {
            Random r = new Random(20_240_331);
            for (int i = 0; i < 6_000; i++) {
                int age = 40 + r.nextInt(40);
                contracts.add(new Contract(i, age, 120 + r.nextInt(361), BigDecimal.valueOf(20_000 + r.nextInt(300_000), 2),
                        Scenario.values()[i % Scenario.values().length]));
            }
        }

        Contract next() {
            return contracts.get((position.getAndIncrement() & Integer.MAX_VALUE) % contracts.size());
        }
    }

    static final class Actuary extends Thread {
        final Book book;
        final Valuation valuation;
        final LongAdder valued;
        BigDecimal reserve = BigDecimal.ZERO;

        Actuary(int number, Book book, Valuation valuation, LongAdder valued) {
            super("actuary-" + number);
            this.book = book;
            this.valuation = valuation;
            this.valued = valued;
            setDaemon(true);
        }

        @Override
        public void run() {
            while (true) {
                reserve = reserve.add(valuation.presentValue(book.next()));
                valued.increment();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Book book = new Book();
        Valuation valuation = new Valuation();
        LongAdder valued = new LongAdder();
        for (int i = 0; i < 2; i++) new Actuary(i, book, valuation, valued).start();
        Thread.sleep(2_000);
        System.out.println("READY");
        System.out.flush();
        BigDecimal check = BigDecimal.ZERO;
        while (true) {
            valued.reset();
            long begin = System.nanoTime();
            Thread.sleep(1_000);
            double span = System.nanoTime() - begin;
            long n = valued.sum();
            // the cost of the factors of one contract, timed by itself, against that of the whole contract
            Contract c = book.contracts.get(Math.floorMod(check.hashCode(), 6_000));
            long cpu = threadCpu();
            for (int m = 1; m <= c.months(); m++) check = check.max(valuation.discounts[c.scenario().ordinal()].factor(m));
            long factors = threadCpu() - cpu;
            check = check.max(valuation.presentValue(c));
            long whole = threadCpu() - cpu - factors;
            System.out.printf("measured: %.0f contracts a second; the discount factors take %.0f %% of a contract's %.2f ms of CPU time, %.1f us each%n",
                    n / span * 1e9, Math.min(100, 100.0 * factors / whole), whole / 1e6, factors / 1e3 / c.months());
            System.out.flush();
        }
    }

    static long threadCpu() {
        return java.lang.management.ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
