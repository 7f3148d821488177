// SPDX-License-Identifier: Apache-2.0
// healthy: a batch that searches the light curves of stars for periods uses both CPUs for arithmetic in its own code, with hardly any garbage, no locks and its work evenly spread over two threads; that it takes all CPUs is what a batch is for
// share: two threads compute for 97 to 100 % of the time, 400 to 1,080 stars/s, depending on what else runs on the machine
// judge: RIGHT: nothing stands out, or a neutral statement of what computes (Periodogram.power, Folder.dispersion, Detrend.apply, Survey.examine, sines and cosines for them), also that the machine has no CPU to spare or lacks CPUs for other programs' sake. WRONG: an accusation of the program: too many threads, locks, collections, waiting at Survey.night (main waits for the end of a night), a pool that is too small, copying or allocation.
// jdk: 21
// set: thirty-third
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Searches the light curves of a night for stars that vary with a period. */
public class LightCurves {
    static final LongAdder stars = new LongAdder();
    static final LongAdder busyNanos = new LongAdder();
    static final LongAdder variables = new LongAdder();

    record Curve(int star, double[] days, double[] magnitudes) {
    }

    record Finding(int star, double period, double power, double dispersion) {
    }

    /** Simulated observations; every fifth star varies. */
    static final class Archive {
        Curve read(int star) {
            SplittableRandom random = new SplittableRandom(star);
            int count = 260 + random.nextInt(80);
            double[] days = new double[count];
            double[] magnitudes = new double[count];
            double period = 0.3 + random.nextDouble() * 4;
            double day = 0;
            for (int i = 0; i < count; i++) {
                day += 0.02 + random.nextDouble() * 0.3;
                days[i] = day;
                double signal = star % 5 == 0 ? 0.4 * Math.sin(2 * Math.PI * day / period) : 0;
                magnitudes[i] = 12 + signal + 0.002 * day + (random.nextDouble() - 0.5) * 0.2;
            }
            return new Curve(star, days, magnitudes);
        }
    }

    /** Takes a straight line out of a curve. */
    static final class Detrend {
        Curve apply(Curve curve) {
            double[] x = curve.days, y = curve.magnitudes;
            double sx = 0, sy = 0, sxx = 0, sxy = 0;
            for (int i = 0; i < x.length; i++) {
                sx += x[i];
                sy += y[i];
                sxx += x[i] * x[i];
                sxy += x[i] * y[i];
            }
            double slope = (x.length * sxy - sx * sy) / (x.length * sxx - sx * sx);
            double offset = (sy - slope * sx) / x.length;
            double[] flat = new double[y.length];
            for (int i = 0; i < flat.length; i++) {
                flat[i] = y[i] - offset - slope * x[i];
            }
            return new Curve(curve.star, x, flat);
        }
    }

    /** The periodogram of Lomb and Scargle; the angles of one frequency follow from those before by rotation. */
    static final class Periodogram {
        private static final double LOW = 0.2, STEP = 0.002;
        private static final int STEPS = 1800;

        double[] power(Curve curve) {
            int n = curve.days.length;
            double[] c = new double[n], s = new double[n], dc = new double[n], ds = new double[n];
            for (int i = 0; i < n; i++) {
                double angle = 2 * Math.PI * LOW * curve.days[i], turn = 2 * Math.PI * STEP * curve.days[i];
                c[i] = Math.cos(angle);
                s[i] = Math.sin(angle);
                dc[i] = Math.cos(turn);
                ds[i] = Math.sin(turn);
            }
            double[] power = new double[STEPS];
            for (int k = 0; k < STEPS; k++) {
                double yc = 0, ys = 0, cc = 0, ss = 0;
                for (int i = 0; i < n; i++) {
                    double y = curve.magnitudes[i];
                    yc += y * c[i];
                    ys += y * s[i];
                    cc += c[i] * c[i];
                    ss += s[i] * s[i];
                    double next = c[i] * dc[i] - s[i] * ds[i];
                    s[i] = s[i] * dc[i] + c[i] * ds[i];
                    c[i] = next;
                }
                power[k] = 0.5 * (yc * yc / cc + ys * ys / ss);
            }
            return power;
        }

        double period(int step) {
            return 1 / (LOW + step * STEP);
        }
    }

    /** Folds a curve by a period and measures how much it still scatters. */
    static final class Folder {
        private static final int BINS = 24;

        double dispersion(Curve curve, double period) {
            double[] sum = new double[BINS], squares = new double[BINS];
            int[] count = new int[BINS];
            for (int i = 0; i < curve.days.length; i++) {
                double phase = curve.days[i] / period;
                int bin = (int) ((phase - Math.floor(phase)) * BINS) % BINS;
                double y = curve.magnitudes[i];
                sum[bin] += y;
                squares[bin] += y * y;
                count[bin]++;
            }
            double result = 0;
            for (int bin = 0; bin < BINS; bin++) {
                if (count[bin] > 1) {
                    result += squares[bin] - sum[bin] * sum[bin] / count[bin];
                }
            }
            return result / curve.days.length;
        }

        /** Looks closely around a period. */
        double refine(Curve curve, double around) {
            double best = around, least = Double.MAX_VALUE;
            for (int i = -400; i <= 400; i++) {
                double period = around * (1 + i * 2e-5);
                double dispersion = dispersion(curve, period);
                if (dispersion < least) {
                    least = dispersion;
                    best = period;
                }
            }
            return best;
        }
    }

    static final class Survey {
        private final Archive archive = new Archive();
        private final Detrend detrend = new Detrend();
        private final Periodogram periodogram = new Periodogram();
        private final Folder folder = new Folder();

        Finding examine(int star) {
            Curve curve = detrend.apply(archive.read(star));
            double[] power = periodogram.power(curve);
            int best = 0;
            for (int k = 1; k < power.length; k++) {
                if (power[k] > power[best]) {
                    best = k;
                }
            }
            double period = folder.refine(curve, periodogram.period(best));
            return new Finding(star, period, power[best] / Arrays.stream(power).average().orElse(1), folder.dispersion(curve, period));
        }

        List<Finding> section(AtomicInteger next, int end) {
            List<Finding> findings = new ArrayList<>();
            long begin = System.nanoTime();
            for (int star; (star = next.getAndIncrement()) < end;) {
                Finding finding = examine(star);
                if (finding.power > 12) {
                    findings.add(finding);
                }
                stars.increment();
                long now = System.nanoTime();
                busyNanos.add(now - begin);
                begin = now;
            }
            return findings;
        }

        void night(ExecutorService workers, int number, int size) throws InterruptedException, ExecutionException {
            AtomicInteger next = new AtomicInteger(number * size % 1_000_000);
            int end = next.get() + size;
            Callable<List<Finding>> section = () -> section(next, end);
            for (Future<List<Finding>> part : workers.invokeAll(List.of(section, section))) {
                variables.add(part.get().size());
            }
        }
    }

    public static void main(String[] args) throws Exception {
        AtomicInteger number = new AtomicInteger();
        ExecutorService workers = Executors.newFixedThreadPool(2, task -> {
            Thread thread = new Thread(task, "survey-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        Thread log = new Thread(LightCurves::log, "log");
        log.setDaemon(true);
        log.start();
        Survey survey = new Survey();
        for (int night = 0;; night++) {
            survey.night(workers, night, 8000);
        }
    }

    private static void log() {
        try {
            Thread.sleep(2500);
            System.out.println("READY");
            System.out.flush();
            long lastStars = stars.sum(), lastBusy = busyNanos.sum(), last = System.nanoTime();
            while (true) {
                Thread.sleep(1000);
                long s = stars.sum(), b = busyNanos.sum(), now = System.nanoTime();
                System.out.printf("measured: %d stars/s, two threads at work for %.0f %% of the time; %d variable stars so far%n", s - lastStars, 50.0 * (b - lastBusy) / (now - last), variables.sum());
                System.out.flush();
                lastStars = s;
                lastBusy = b;
                last = now;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
