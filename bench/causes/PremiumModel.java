// SPDX-License-Identifier: Apache-2.0
// healthy: two valuation threads spend most of the used CPU in Valuation.value / Valuation.path, a Monte Carlo valuation of one contract; that computing is the product itself, each contract is valued once, requests come paced and hardly queue
// share: target 40 valuations/s with p99 below 200 ms; reaches 40/s, mean 14 to 16 ms, p99 23 to 55 ms, using about half a CPU
// judge: RIGHT: no fault / healthy, CPU goes to useful computing (mentioning Valuation.path as where the CPU goes, without calling it a fault, is right). WRONG: any statement of a fault: hot loop as a bug, CPU saturation, queue or pool too small, GC, Random contention, Math.exp/log to be replaced.
// jdk: 8
// set: twenty-second
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** Values life insurance contracts by simulation as the sales desk asks for them, 40 a second. */
public class PremiumModel {
    static final Tally TALLY = new Tally();
    static final int PATHS = 2_500;

    static final class Contract {
        final long asked = System.nanoTime();
        final int age;
        final int years;
        final double sum;

        Contract(int age, int years, double sum) {
            this.age = age;
            this.years = years;
            this.sum = sum;
        }
    }

    static final class Valuation implements Runnable {
        private final BlockingQueue<Contract> desk;
        private final SplittableRandom random;
        private double booked;

        Valuation(BlockingQueue<Contract> desk, long seed) {
            this.desk = desk;
            this.random = new SplittableRandom(seed);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Contract c = desk.take();
                    booked += value(c);
                    TALLY.note(System.nanoTime() - c.asked);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private double value(Contract c) {
            double sum = 0;
            double squares = 0;
            for (int i = 0; i < PATHS; i++) {
                double v = path(c);
                sum += v;
                squares += v * v;
            }
            double mean = sum / PATHS;
            return mean + 0.5 * Math.sqrt(Math.max(0, squares / PATHS - mean * mean) / PATHS);
        }

        /** One simulated course of a contract: yearly interest and death by Gompertz' law. */
        private double path(Contract c) {
            double discount = 1;
            double rate = 0.025;
            for (int year = 0; year < c.years; year++) {
                double gauss = Math.sqrt(-2 * Math.log(1 - random.nextDouble())) * Math.cos(2 * Math.PI * random.nextDouble());
                rate += 0.15 * (0.02 - rate) + 0.006 * gauss;
                discount *= Math.exp(-rate);
                double dying = 1 - Math.exp(-0.00003 * Math.exp(0.1 * (c.age + year)));
                if (random.nextDouble() < dying) {
                    return c.sum * discount;
                }
            }
            return 0;
        }
    }

    /** The sales desk asks at a steady pace. */
    static void sales(BlockingQueue<Contract> desk) {
        SplittableRandom r = new SplittableRandom(3);
        long next = System.nanoTime();
        while (true) {
            next += 15_000_000L + r.nextInt(20_000_000);
            for (long left = next - System.nanoTime(); left > 0; left = next - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            desk.add(new Contract(25 + r.nextInt(30), 15 + r.nextInt(25), 50_000 + r.nextInt(200_000)));
        }
    }

    static void start(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<Contract> desk = new LinkedBlockingQueue<>();
        start("valuation-1", new Valuation(desk, 1));
        start("valuation-2", new Valuation(desk, 2));
        start("sales-desk", () -> sales(desk));
        Thread.sleep(3000);
        TALLY.take("");
        System.out.println("READY");
        long next = System.nanoTime();
        for (int second = 0; second < 170; second++) {
            next += 1_000_000_000L;
            long left = next - System.nanoTime();
            if (left > 0) {
                Thread.sleep(left / 1_000_000L, (int) (left % 1_000_000L));
            }
            System.out.println(TALLY.take("valuations"));
        }
    }

    /** Service times of the running second, in logarithmic cells of one eighth. */
    static final class Tally {
        private final AtomicLongArray cells = new AtomicLongArray(512);
        private final LongAdder sum = new LongAdder();

        void note(long nanos) {
            long n = Math.max(0, nanos);
            sum.add(n);
            cells.incrementAndGet(cell(n));
        }

        static int cell(long n) {
            if (n < 8) {
                return (int) n;
            }
            int e = 63 - Long.numberOfLeadingZeros(n);
            return (e - 2) * 8 + (int) ((n >>> (e - 3)) & 7);
        }

        static double top(int c) {
            if (c < 8) {
                return (c + 1) / 1e6;
            }
            return ((9L + (c & 7)) << (c / 8 - 1)) / 1e6;
        }

        String take(String what) {
            long[] n = new long[cells.length()];
            long total = 0;
            for (int i = 0; i < n.length; i++) {
                n[i] = cells.getAndSet(i, 0);
                total += n[i];
            }
            double mean = sum.sumThenReset() / 1e6 / Math.max(1, total);
            return String.format(Locale.ROOT, "measured: %d %s/s, ms mean %.3f p50 %.3f p95 %.3f p99 %.3f max %.3f",
                    total, what, mean, at(n, total, 0.50), at(n, total, 0.95), at(n, total, 0.99), at(n, total, 1.0));
        }

        private static double at(long[] n, long total, double q) {
            long want = (long) Math.ceil(total * q);
            long seen = 0;
            for (int i = 0; i < n.length; i++) {
                seen += n[i];
                if (seen >= want && seen > 0) {
                    return top(i);
                }
            }
            return 0;
        }
    }
}
