// SPDX-License-Identifier: Apache-2.0
// healthy: Both CPUs are busy because two workers value bond paths all the time in tight primitive loops with reused arrays, own random state and no shared data; the CPU time is the useful work itself.
// judge: Wrong accusations: any statement that the CPU load is a fault, that a loop or Math.exp/Math.sqrt in PathModel must be changed, a busy-wait/spin, lock contention, GC or allocation pressure, thread starvation or a wrong pool size. Saying "CPU-bound by its own work, nothing to fix" is right.
// set: eighteenth
// jdk: 8
import java.util.concurrent.atomic.*;

public class BondValuer {
    static final LongAdder paths = new LongAdder();
    static final LongAdder bonds = new LongAdder();

    static final class Bond {
        final double coupon;
        final int years;
        final double nominal;
        Bond(double coupon, int years, double nominal) {
            this.coupon = coupon;
            this.years = years;
            this.nominal = nominal;
        }
    }

    static final class Noise {
        private long state;
        Noise(long seed) { state = seed * 0x9E3779B97F4A7C15L + 1; }
        double uniform() {
            state ^= state << 13;
            state ^= state >>> 7;
            state ^= state << 17;
            return (state >>> 11) * 0x1.0p-53;
        }
        double normal() {
            double s = 0;
            for (int i = 0; i < 12; i++) s += uniform();
            return s - 6;
        }
    }

    static final class PathModel {
        private final double speed = 0.25, mean = 0.032, vol = 0.011;
        private final double dt = 1.0 / 12, root = Math.sqrt(1.0 / 12);
        private final double[] discount;
        private final Noise noise;
        PathModel(Noise noise, int months) {
            this.noise = noise;
            this.discount = new double[months + 1];
        }
        double[] simulate(double start, int months) {
            double rate = start, integral = 0;
            discount[0] = 1;
            for (int m = 1; m <= months; m++) {
                rate += speed * (mean - rate) * dt + vol * root * noise.normal();
                integral += rate * dt;
                discount[m] = Math.exp(-integral);
            }
            return discount;
        }
    }

    static final class Valuer implements Runnable {
        private static final int PATHS = 2000;
        private final Bond[] book;
        private final PathModel model;
        private final double[] value;
        volatile double total;
        Valuer(Bond[] book, long seed) {
            this.book = book;
            this.model = new PathModel(new Noise(seed), 360);
            this.value = new double[book.length];
        }
        public void run() {
            int at = 0;
            while (true) {
                value[at] = price(book[at]);
                bonds.increment();
                if (++at == book.length) {
                    at = 0;
                    total = sum();
                }
            }
        }
        private double price(Bond b) {
            double acc = 0;
            int months = b.years * 12;
            for (int p = 0; p < PATHS; p++) {
                double[] d = model.simulate(0.028, months);
                acc += cashFlows(b, d);
            }
            paths.add(PATHS);
            return acc / PATHS;
        }
        private double cashFlows(Bond b, double[] d) {
            double v = 0;
            for (int y = 1; y <= b.years; y++) v += b.coupon * b.nominal * d[y * 12];
            return v + b.nominal * d[b.years * 12];
        }
        private double sum() {
            double s = 0;
            for (double v : value) s += v;
            return s;
        }
    }

    static Bond[] book(int n, int seed) {
        Bond[] b = new Bond[n];
        for (int i = 0; i < n; i++) b[i] = new Bond(0.01 + (i * 7 + seed) % 40 / 1000.0, 1 + (i * 13 + seed) % 30, 1000);
        return b;
    }

    public static void main(String[] args) throws Exception {
        Valuer[] all = new Valuer[2];
        for (int i = 0; i < all.length; i++) {
            all[i] = new Valuer(book(300, i), i + 11);
            Thread t = new Thread(all[i], "valuer-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        for (int s = 0; s < 200; s++) {
            Thread.sleep(1000);
            System.out.println("measured: paths/s " + paths.sumThenReset() + " bonds/s " + bonds.sumThenReset() + " total " + (long) (all[0].total + all[1].total));
        }
        System.exit(0);
    }
}
