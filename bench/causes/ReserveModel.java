// SPDX-License-Identifier: Apache-2.0
// healthy: two calculation threads use all the CPU without pause in a Monte Carlo model of claim reserves; the arithmetic (Gaussian draws, exp, log) is the very job, it allocates little, shares nothing in the loop and has no notable waste to remove.
// share: measures simulated paths per second (45000 to 120000 by load of the machine), mean time per path, the best estimate and the 99.5 % quantile (both stable)
// judge: WRONG: an infinite loop or busy wait, a hot spot as a fault to remove, lock contention on the merge, too few or too many threads as a fault, GC trouble, Math.exp/log misuse. ACCEPTABLE as neutral: CPU-bound by design in ReserveModel.simulatePath / Peril.loss with both cores busy; nearly no allocation; the program scales with cores; no problem found.
// jdk: 17
// set: twenty-third
// jvm:
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

public class ReserveModel {
    static final int YEARS = 15;
    static final int CHUNK = 2000;

    record Peril(String name, double noEvent, double mu, double sigma, double excess) {
        static Peril of(String name, double frequency, double mu, double sigma, double excess) {
            return new Peril(name, Math.exp(-frequency), mu, sigma, excess);
        }

        double loss(SplittableRandom rnd) {
            double total = 0;
            double p = rnd.nextDouble();
            while (p > noEvent) {
                total += Math.max(0, Math.exp(mu + sigma * gaussian(rnd)) - excess);
                p *= rnd.nextDouble();
            }
            return total;
        }
    }

    record Chunk(long number, long seed) { }

    static final class Histogram {
        private final long[] buckets = new long[400];
        private long count;
        private double sum;

        void add(double x) {
            int i = (int) Math.min(buckets.length - 1, Math.max(0, Math.log1p(x) * 20));
            buckets[i]++;
            count++;
            sum += x;
        }

        synchronized void merge(Histogram other) {
            for (int i = 0; i < buckets.length; i++) {
                buckets[i] += other.buckets[i];
            }
            count += other.count;
            sum += other.sum;
        }

        void clear() {
            Arrays.fill(buckets, 0);
            count = 0;
            sum = 0;
        }

        synchronized double quantile(double q) {
            long want = (long) (q * count);
            long seen = 0;
            for (int i = 0; i < buckets.length; i++) {
                seen += buckets[i];
                if (seen >= want) {
                    return Math.expm1((i + 1) / 20.0);
                }
            }
            return Double.NaN;
        }

        synchronized double mean() {
            return count == 0 ? 0 : sum / count;
        }
    }

    final List<Peril> perils = new ArrayList<>();
    final Histogram result = new Histogram();
    final BlockingQueue<Chunk> chunks = new LinkedBlockingQueue<>(8);
    final AtomicLong paths = new AtomicLong();
    final AtomicLong nanos = new AtomicLong();

    ReserveModel() {
        perils.add(Peril.of("storm", 1.2, 1.0, 0.9, 1.0));
        perils.add(Peril.of("flood", 0.4, 1.8, 1.1, 2.0));
        perils.add(Peril.of("fire", 3.0, 0.2, 0.7, 0.5));
        perils.add(Peril.of("liability", 2.1, 0.6, 1.3, 1.0));
        perils.add(Peril.of("theft", 5.5, -0.8, 0.5, 0.1));
    }

    static double gaussian(SplittableRandom rnd) {
        double u, v, s;
        do {
            u = 2 * rnd.nextDouble() - 1;
            v = 2 * rnd.nextDouble() - 1;
            s = u * u + v * v;
        } while (s >= 1 || s == 0);
        return u * Math.sqrt(-2 * Math.log(s) / s);
    }

    double simulatePath(SplittableRandom rnd) {
        double reserve = 0;
        double discount = 1;
        for (int y = 0; y < YEARS; y++) {
            double rate = 0.02 + 0.008 * gaussian(rnd);
            discount /= 1 + rate;
            double loss = 0;
            for (int i = 0; i < perils.size(); i++) {
                loss += perils.get(i).loss(rnd);
            }
            reserve += loss * discount;
        }
        return reserve;
    }

    void calculator() {
        Histogram own = new Histogram();
        try {
            while (true) {
                Chunk c = chunks.take();
                long t = System.nanoTime();
                SplittableRandom rnd = new SplittableRandom(c.seed());
                for (int i = 0; i < CHUNK; i++) {
                    own.add(simulatePath(rnd));
                }
                result.merge(own);
                own.clear();
                nanos.addAndGet(System.nanoTime() - t);
                paths.addAndGet(CHUNK);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void planner() {
        SplittableRandom seeds = new SplittableRandom(2024);
        try {
            for (long n = 0; ; n++) {
                chunks.put(new Chunk(n, seeds.nextLong()));
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
        ReserveModel m = new ReserveModel();
        daemon("planner", m::planner);
        daemon("calculator-1", m::calculator);
        daemon("calculator-2", m::calculator);
        System.out.println("READY");
        long lastN = 0, lastT = 0;
        for (int s = 1; s <= 170; s++) {
            Thread.sleep(1000);
            long n = m.paths.get(), t = m.nanos.get();
            long dn = n - lastN;
            System.out.printf("measured: paths/s=%d mean_us=%.2f best_estimate=%.2f var995=%.1f%n", dn,
                    dn == 0 ? 0.0 : (t - lastT) / 1000.0 / dn, m.result.mean(), m.result.quantile(0.995));
            lastN = n;
            lastT = t;
        }
        System.exit(0);
    }
}
