// SPDX-License-Identifier: Apache-2.0
// cause: the cache of LeasingDesk$PlanBook.planFor never hits: it is asked with the terms as they come (rate with four decimals), but stored under the terms of the plan (rate with two decimals), and BigDecimals of different scale are not equal; so Plan.of computes each plan anew
// share: 6400 of 6400 lookups a second find nothing though only 288 different plans exist; computing them anew takes some 95 % of the 0.30 CPUs used
// expect: cache-misses frame=LeasingDesk$PlanBook.planFor
// symptom: hot-code hot-method hot-calls
// judge: NAMED: a cache that never hits (cache misses, lookups that find nothing) at LeasingDesk$PlanBook.planFor, whether or not it says why (keys, Terms, BigDecimal's scale). SYMPTOM ONLY: CPU time in LeasingDesk$Plan.of, Plan.residual, Plan.presentValue or PlanBook.planFor as hot code, method or calls, without a word of the cache. WRONG: BigDecimal arithmetic, hashing or equals() as what costs, collections, allocation, locks, waiting, too few threads, anything else
// jdk: 11
// set: thirty-second
// jvm: -Xmx192m
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/** Quotes leases of machines: plans of payments by rate, months and class of machine are kept, and scaled to the price. */
public class LeasingDesk {
    static final AtomicLong quotes = new AtomicLong();
    static final AtomicLong plans = new AtomicLong();
    static final AtomicLong planningNs = new AtomicLong();
    static final CountDownLatch warm = new CountDownLatch(1500);

    static final class Terms {
        final BigDecimal rate;
        final int months;
        final int machineClass;

        Terms(BigDecimal rate, int months, int machineClass) {
            this.rate = rate;
            this.months = months;
            this.machineClass = machineClass;
        }

        @Override
        public boolean equals(Object other) {
            if (!(other instanceof Terms)) return false;
            Terms that = (Terms) other;
            return months == that.months && machineClass == that.machineClass && rate.equals(that.rate);
        }

        @Override
        public int hashCode() {
            return Objects.hash(rate, months, machineClass);
        }
    }

    static final class Plan {
        final Terms terms;
        final double factor;
        final double residual;

        private Plan(Terms terms, double factor, double residual) {
            this.terms = terms;
            this.factor = factor;
            this.residual = residual;
        }

        static Plan of(Terms asked) {
            Terms terms = new Terms(asked.rate.setScale(2, RoundingMode.HALF_UP), asked.months, asked.machineClass);
            double monthly = terms.rate.doubleValue() / 1200;
            double residual = residual(terms.machineClass, terms.months);
            double low = 0, high = 1;
            while (high - low > 1e-12) {
                double middle = (low + high) / 2;
                if (presentValue(middle, monthly, terms.months, residual) < 1) low = middle; else high = middle;
            }
            return new Plan(terms, low, residual);
        }

        private static double residual(int machineClass, int months) {
            double value = 1;
            for (int scenario = 0; scenario < 60; scenario++) {
                double worth = 1;
                for (int month = 0; month < months; month++) {
                    worth *= 1 - (0.012 + 0.0006 * machineClass) * (1 + Math.sin(scenario + month) / 9);
                }
                value = Math.min(value, worth);
            }
            return value;
        }

        private static double presentValue(double payment, double monthly, int months, double residual) {
            double sum = 0;
            for (int month = 1; month <= months; month++) {
                sum += payment / Math.pow(1 + monthly, month);
            }
            return sum + residual / Math.pow(1 + monthly, months);
        }
    }

    static final class PlanBook {
        private final Map<Terms, Plan> kept = new ConcurrentHashMap<>();

        Plan planFor(Terms terms) {
            Plan plan = kept.get(terms);
            if (plan == null) {
                long start = System.nanoTime();
                plan = Plan.of(terms);
                kept.put(plan.terms, plan);
                planningNs.addAndGet(System.nanoTime() - start);
                plans.incrementAndGet();
            }
            return plan;
        }

        int size() {
            return kept.size();
        }
    }

    static final class Desk implements Runnable {
        private static final int[] MONTHS = {24, 36, 48, 60};
        private final PlanBook book;
        private final Random random;
        private double total;

        Desk(PlanBook book, int seed) {
            this.book = book;
            this.random = new Random(seed);
        }

        private Terms nextEnquiry() {
            String published = "4." + (10 + 5 * random.nextInt(12)) + "00";
            return new Terms(new BigDecimal(published), MONTHS[random.nextInt(4)], random.nextInt(6));
        }

        private double quote(Terms terms, double price) {
            Plan plan = book.planFor(terms);
            return Math.round(price * plan.factor * 100) / 100.0;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    for (int i = 0; i < 18; i++) {
                        total += quote(nextEnquiry(), 20_000 + random.nextInt(90_000));
                        quotes.incrementAndGet();
                        warm.countDown();
                    }
                    Thread.sleep(4);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static long processCpu() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    public static void main(String[] args) throws Exception {
        PlanBook book = new PlanBook();
        for (int i = 0; i < 2; i++) new Thread(new Desk(book, i), "desk-" + i).start();
        warm.await();
        System.out.println("READY");
        System.out.flush();
        long last = System.nanoTime(), count = quotes.get(), made = plans.get(), planning = planningNs.get(), cpu = processCpu();
        while (true) {
            Thread.sleep(1000);
            long now = System.nanoTime(), c = quotes.get(), m = plans.get(), p = planningNs.get(), u = processCpu();
            System.out.printf("measured: %d quotes, %d plans computed, %d kept; planning took %.2f threads, CPUs used %.2f%n",
                c - count, m - made, book.size(), (double) (p - planning) / (now - last), (double) (u - cpu) / (now - last));
            last = now; count = c; made = m; planning = p; cpu = u;
        }
    }
}
