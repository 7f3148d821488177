// SPDX-License-Identifier: Apache-2.0
// cause: with -XX:TieredStopAtLevel=1 the curves are computed by code of C1, two to three times as slow as C2's
// expect: jvm-option
// symptom: hot-method hot-calls hot-code too-many-threads cpu-starvation
// jvm: -Xmx128m -XX:TieredStopAtLevel=1
// jdk: 21
// set: fourteenth
import java.util.Random;

/** Computes what swaps are worth by curves of rates, again whenever a rate moves. */
public final class PriceCurves {
    private static final int POINTS = 240;
    private static volatile double published;

    private static double discount(double[] rates, double years) {
        int i = Math.min(POINTS - 2, (int) (years * 4));
        double part = years * 4 - i;
        double rate = rates[i] * (1 - part) + rates[i + 1] * part;
        return 1 / (1 + rate * years + rate * rate * years * years / 2);
    }

    private static double swap(double[] rates, double fixed, int quarters) {
        double floating = 0;
        double paid = 0;
        for (int q = 1; q <= quarters; q++) {
            double d = discount(rates, q / 4.0);
            floating += d * rates[Math.min(q, POINTS - 1)] / 4;
            paid += d * fixed / 4;
        }
        return floating - paid;
    }

    private static double book(double[] rates, double[] fixed) {
        double sum = 0;
        for (int i = 0; i < fixed.length; i++) sum += swap(rates, fixed[i], 8 + i % 200);
        return sum;
    }

    public static void main(String[] args) {
        Random r = new Random(5);
        double[] rates = new double[POINTS];
        double[] fixed = new double[2000];
        for (int i = 0; i < POINTS; i++) rates[i] = 0.01 + i * 1e-4;
        for (int i = 0; i < fixed.length; i++) fixed[i] = 0.005 + r.nextDouble() * 0.03;
        System.out.println("READY");
        while (true) {
            rates[r.nextInt(POINTS)] += (r.nextDouble() - 0.5) * 1e-5;
            published = book(rates, fixed);
        }
    }
}
