// SPDX-License-Identifier: Apache-2.0
// cause: a request a second compares each plot with each other, which is all of its time and little of a CPU
// expect: endpoint-cpu frame=PlotSurvey.overlaps | hot-method frame=PlotSurvey.overlaps
// symptom: hot-method hot-calls hot-code
// jdk: 17
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;
import wick.Scope;
import wick.Wick;

public final class PlotSurvey {
    private static final int PLOTS = 4500;
    private static final LongAdder COMPARED = new LongAdder();
    private static final LongAdder ALL = new LongAdder();
    private static volatile int found;

    private static int overlaps(double[] left, double[] right) {
        long start = System.nanoTime();
        int count = 0;
        for (int i = 0; i < left.length; i++) {
            for (int j = 0; j < left.length; j++) {
                if (i != j && left[i] < right[j] && left[j] < right[i]) {
                    count++;
                }
            }
        }
        COMPARED.add(System.nanoTime() - start);
        return count;
    }

    private static int survey(long seed) {
        Random random = new Random(seed);
        double[] left = random.doubles(PLOTS, 0, 100000).toArray();
        double[] right = new double[PLOTS];
        for (int i = 0; i < PLOTS; i++) {
            right[i] = left[i] + random.nextDouble() * 20;
        }
        return overlaps(left, right);
    }

    public static void main(String[] args) throws InterruptedException {
        new Thread(() -> {
            try {
                for (long seed = 0;; seed++) {
                    long start = System.nanoTime();
                    try (Scope request = Wick.span("GET /survey")) {
                        found = survey(seed);
                    }
                    ALL.add(System.nanoTime() - start);
                    Thread.sleep(900); // the next request
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }, "http-0").start();
        System.out.println("READY");
        for (;;) {
            Thread.sleep(2000);
            System.out.println("measured: " + 100 * COMPARED.sum() / (ALL.sum() + 1) + " % of a request is overlaps()");
        }
    }
}
