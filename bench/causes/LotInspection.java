// SPDX-License-Identifier: Apache-2.0
// cause: LotInspection$SamplingPlan.factorial computes factorials of up to 900 as BigInteger, anew for each binomial coefficient of each term (choose, acceptance): arithmetic on big numbers takes the CPU time, where a table of factorials or logarithms would do
// share: 6.5 ms of 6.5 ms a lot for the sampling plan, 300 lots/s; inspectors take some 0.95 CPUs (up to 2 while the machine is slow), nearly all of it in factorial
// expect: hot-code frame=LotInspection$SamplingPlan.factorial
// symptom: hot-method hot-calls
// judge: NAMED: CPU time is arithmetic on big numbers (BigInteger) for LotInspection$SamplingPlan.factorial or choose (or acceptance); a hot method or hot calls with BigInteger.multiply/MutableBigInteger AND one of these functions as the caller is also NAMED. SYMPTOM ONLY: hot BigInteger.multiplyToLen/implMultiply without the program's function, allocation or collections caused by it, saturated or too many threads. WRONG: queues, locks, waits for work of the inspectors, formatting, or nothing stands out. If it is said neutrally ("time goes to ... big numbers ... for factorial") it is still NAMED.
// jdk: 8
// set: thirty-first
// jvm: -Xmx384m

import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.LongAdder;

/** Incoming goods of a maker of pumps: how likely it is that a lot with so many defects passes the sample. */
public class LotInspection {
    static final LongAdder lots = new LongAdder();
    static final LongAdder planNanos = new LongAdder();

    static final class Lot {
        final String supplier;
        final int pieces;
        final int sample;
        final int allowed;

        Lot(String supplier, int pieces, int sample, int allowed) {
            this.supplier = supplier;
            this.pieces = pieces;
            this.sample = sample;
            this.allowed = allowed;
        }
    }

    /** A single sampling plan: so many pieces of the lot are tested, so many may be defective. */
    static final class SamplingPlan {
        private final Lot lot;

        SamplingPlan(Lot lot) {
            this.lot = lot;
        }

        static BigInteger factorial(int n) {
            BigInteger product = BigInteger.ONE;
            for (int i = 2; i <= n; i++) product = product.multiply(BigInteger.valueOf(i));
            return product;
        }

        static BigInteger choose(int n, int k) {
            if (k < 0 || k > n) return BigInteger.ZERO;
            return factorial(n).divide(factorial(k).multiply(factorial(n - k)));
        }

        /** Probability that a lot with this number of defective pieces is accepted. */
        double acceptance(int defective) {
            BigInteger ways = BigInteger.ZERO;
            for (int found = 0; found <= lot.allowed; found++) {
                ways = ways.add(choose(defective, found).multiply(choose(lot.pieces - defective, lot.sample - found)));
            }
            BigInteger all = choose(lot.pieces, lot.sample);
            return new BigDecimal(ways).divide(new BigDecimal(all), MathContext.DECIMAL64).doubleValue();
        }

        /** The share of defective pieces that passes in one of ten cases. */
        double consumersRisk() {
            int low = lot.allowed;
            int high = lot.pieces / 2;
            while (high - low > 1) {
                int middle = (low + high) >>> 1;
                if (acceptance(middle) > 0.1) low = middle;
                else high = middle;
            }
            return (double) high / lot.pieces;
        }
    }

    /** What a supplier's lots have shown so far. */
    static final class SupplierCard {
        private double worst;
        private double sum;
        private int count;

        synchronized void add(double risk) {
            worst = Math.max(worst, risk);
            sum += risk;
            count++;
        }

        synchronized String grade() {
            double mean = count == 0 ? 0 : sum / count;
            return mean < 0.05 ? "A" : mean < 0.1 ? "B" : worst < 0.3 ? "C" : "D";
        }
    }

    static final class Inspector implements Runnable {
        private final BlockingQueue<Lot> arrivals;
        private final SupplierCard card;

        Inspector(BlockingQueue<Lot> arrivals, SupplierCard card) {
            this.arrivals = arrivals;
            this.card = card;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Lot lot = arrivals.take();
                    long before = System.nanoTime();
                    double risk = new SamplingPlan(lot).consumersRisk();
                    planNanos.add(System.nanoTime() - before);
                    card.add(risk);
                    lots.increment();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Lorries bring lots as long as there is room at the gate. */
    static void gate(BlockingQueue<Lot> arrivals) {
        Random random = new Random(7);
        String[] suppliers = {"Castings", "Seals", "Bearings", "Shafts"};
        try {
            while (true) {
                for (int i = 4 + random.nextInt(5); i > 0; i--) {
                    int pieces = 300 + random.nextInt(600);
                    arrivals.offer(new Lot(suppliers[random.nextInt(4)], pieces, 20 + pieces / 12, 1 + random.nextInt(4)));
                }
                Thread.sleep(20);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<Lot> arrivals = new ArrayBlockingQueue<>(64);
        SupplierCard card = new SupplierCard();
        new Thread(() -> gate(arrivals), "gate").start();
        for (int i = 0; i < 2; i++) new Thread(new Inspector(arrivals, card), "inspector-" + i).start();
        while (lots.sum() < 60) Thread.sleep(50);
        System.out.println("READY");
        System.out.flush();
        com.sun.management.OperatingSystemMXBean system =
            (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        while (true) {
            long n = lots.sum(), p = planNanos.sum(), cpu = system.getProcessCpuTime(), began = System.nanoTime();
            Thread.sleep(1000);
            double seconds = (System.nanoTime() - began) / 1e9;
            long dn = Math.max(1, lots.sum() - n);
            System.out.printf("measured: %.0f lots/s, %.1f ms each for the sampling plan, %.2f CPUs in all, grade %s%n",
                dn / seconds, (planNanos.sum() - p) / 1e6 / dn, (system.getProcessCpuTime() - cpu) / 1e9 / seconds, card.grade());
        }
    }
}
