// SPDX-License-Identifier: Apache-2.0
// healthy: a batch: main hands the ports of an edition to a crew of one thread for each CPU, shuts it down and waits for its end (awaitTermination), while both threads compute all the time
// share: nothing: the crew of two works 98 to 100 % of its time, main waits for it
// judge: RIGHT: nothing stands out, or neutral remarks on where the CPU time goes (Constituents.height, Port.extremes, Port.fit, Math.cos). WRONG: any accusation, above all waiting for the end of a pool at TideAlmanac.edition, a busy pool, too few or too many threads, starting threads or pools, a lock, collections; lacking CPUs only if the machine has no others to blame.
// jdk: 17
// set: thirty-fifth
// jvm: -Xmx160m

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Computes the tide tables of an almanac, edition by edition. */
public class TideAlmanac {
    static final int CPUS = Math.max(1, Math.min(2, Runtime.getRuntime().availableProcessors()));
    static final LongAdder ports = new LongAdder(), working = new LongAdder();
    static volatile int editions;

    static final class Constituents {
        final double[] speed = new double[20], range = new double[20], phase = new double[20];

        Constituents(int port) {
            for (int i = 0; i < 20; i++) {
                speed[i] = 0.24 + i * 0.071;
                range[i] = 2.5 / (1 + i + port % 3);
                phase[i] = (port * 37 + i * 11) % 360 * Math.PI / 180;
            }
        }

        double height(double hour) {
            double h = 0;
            for (int i = 0; i < 20; i++) h += range[i] * Math.cos(speed[i] * hour + phase[i]);
            return h;
        }
    }

    static final class Port {
        final int number;
        final Constituents tide;

        Port(int number) {
            this.number = number;
            this.tide = new Constituents(number);
        }

        /** Hours of high and low water. */
        List<double[]> extremes(int days) {
            List<double[]> found = new ArrayList<>();
            double before = tide.height(-0.25), now = tide.height(0);
            for (double hour = 0.25; hour < days * 24; hour += 0.25) {
                double after = tide.height(hour);
                if ((now - before) * (after - now) < 0) found.add(new double[] {hour - 0.25, now});
                before = now;
                now = after;
            }
            return found;
        }

        /** A parabola through the years' highest waters, by least squares. */
        double fit(List<double[]> waters) {
            double[][] a = new double[3][4];
            for (double[] w : waters)
                for (int pass = 0; pass < 40; pass++) {
                    double x = w[0] / 1000 + pass * 1e-4;
                    double[] p = {1, x, x * x};
                    for (int r = 0; r < 3; r++) {
                        for (int c = 0; c < 3; c++) a[r][c] += p[r] * p[c];
                        a[r][3] += p[r] * w[1];
                    }
                }
            for (int k = 0; k < 3; k++)
                for (int r = k + 1; r < 3; r++) {
                    double f = a[r][k] / a[k][k];
                    for (int c = k; c < 4; c++) a[r][c] -= f * a[k][c];
                }
            return a[2][3] / a[2][2];
        }

        String table(int days) {
            long begin = System.nanoTime();
            List<double[]> waters = extremes(days);
            double trend = fit(waters);
            waters.sort((p, q) -> Double.compare(q[1], p[1]));
            StringBuilder text = new StringBuilder("port ").append(number).append(", trend ").append(trend);
            for (double[] w : waters.subList(0, Math.min(12, waters.size())))
                text.append('\n').append((int) (w[0] / 24)).append(' ').append(Math.round(w[1] * 100));
            working.add(System.nanoTime() - begin);
            ports.increment();
            return text.toString();
        }
    }

    static int edition(int year) throws InterruptedException {
        ConcurrentLinkedQueue<String> tables = new ConcurrentLinkedQueue<>();
        ExecutorService crew = Executors.newFixedThreadPool(CPUS);
        for (int p = 0; p < 120; p++) {
            Port port = new Port(year * 7 + p);
            crew.execute(() -> tables.add(port.table(300)));
        }
        crew.shutdown();
        while (!crew.awaitTermination(10, TimeUnit.MINUTES)) System.err.println("edition " + year + " takes long");
        int length = 0;
        for (String table : tables) length += table.length();
        editions++;
        return length;
    }

    static void report() {
        try {
            while (true) {
                long n = ports.sum(), w = working.sum(), from = System.nanoTime();
                int e = editions;
                Thread.sleep(2000);
                double took = System.nanoTime() - from;
                System.out.printf("measured: %.0f ports/s, %d editions, the crew of %d works %.0f %% of its time%n",
                        (ports.sum() - n) / took * 1e9, editions - e, CPUS, 100.0 * (working.sum() - w) / took / CPUS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int pages = edition(1900);
        System.out.println("READY");
        System.out.flush();
        Thread reporter = new Thread(TideAlmanac::report, "reporter");
        reporter.setDaemon(true);
        reporter.start();
        for (int year = 1901;; year++) {
            pages += edition(year);
            if (pages < 0) pages = 0;
        }
    }
}
