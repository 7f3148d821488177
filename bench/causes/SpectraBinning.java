// SPDX-License-Identifier: Apache-2.0
// healthy: four runs of 900 spectra a second are processed by parallel streams in a ForkJoinPool of two threads; tasks are large (tens of microseconds to milliseconds), the two workers share the work evenly, and each run is done long before the next one comes.
// share: about 20 % of the time there is a run in work, by both threads: 0.35 to 0.45 CPUs; a run takes 50 of the 250 ms that there are; main waits for its result only in that time.
// judge: Right: nothing stands out, or neutral statements of where CPU time goes (Spectrum.cleaned, PeakFinder.find, PeakFinder.fitted, Math.exp or log, collecting of streams). WRONG: any accusation: fork-join overhead, pool-busy, main waiting for a future (main, process) as a fault, spinning, collections, sleep of main. Remarks about a crowded machine are all right if it is crowded.
// jdk: 8
// set: thirty-first
// jvm: -Xmx160m

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A mass spectrometer delivers a run of spectra four times a second: peaks are found and binned by compound. */
public class SpectraBinning {
    static final int POINTS = 2400;
    static final int SPECTRA = 900;

    static final class Spectrum {
        final int scan;
        final float[] intensity;

        Spectrum(int scan, float[] intensity) {
            this.scan = scan;
            this.intensity = intensity;
        }

        /** Smoothed, without its baseline. */
        float[] cleaned() {
            float[] smooth = new float[POINTS];
            for (int i = 4; i < POINTS - 4; i++) {
                float sum = 0;
                for (int k = -4; k <= 4; k++) {
                    sum += intensity[i + k] * (5 - Math.abs(k));
                }
                smooth[i] = sum / 25;
            }
            float[] low = new float[POINTS];
            for (int from = 0; from < POINTS; from += 60) {
                float least = Float.MAX_VALUE;
                for (int i = from; i < from + 60; i++) {
                    least = Math.min(least, smooth[i]);
                }
                for (int i = from; i < from + 60; i++) {
                    low[i] = smooth[i] - least;
                }
            }
            return low;
        }
    }

    static final class Peak {
        final int scan;
        final int position;
        final double mass;
        final double area;

        Peak(int scan, int position, double mass, double area) {
            this.scan = scan;
            this.position = position;
            this.mass = mass;
            this.area = area;
        }

        int compound() {
            return (int) (mass / 12.5);
        }
    }

    static final class PeakFinder {
        private final double threshold;

        PeakFinder(double threshold) {
            this.threshold = threshold;
        }

        List<Peak> find(Spectrum s) {
            float[] y = s.cleaned();
            List<Peak> peaks = new ArrayList<>();
            for (int i = 5; i < POINTS - 5; i++) {
                if (y[i] > threshold && y[i] > y[i - 1] && y[i] >= y[i + 1]) {
                    peaks.add(fitted(s.scan, y, i));
                }
            }
            return peaks;
        }

        /** Centre and area of a Gaussian through the top, by logarithms. */
        private Peak fitted(int scan, float[] y, int top) {
            double a = Math.log(Math.max(1e-6, y[top - 1]));
            double b = Math.log(Math.max(1e-6, y[top]));
            double c = Math.log(Math.max(1e-6, y[top + 1]));
            double curve = a - 2 * b + c;
            double shift = curve == 0 ? 0 : 0.5 * (a - c) / curve;
            double width = curve < 0 ? Math.sqrt(-1 / curve) : 1;
            double area = 0;
            for (int k = -5; k <= 5; k++) {
                double d = (k - shift) / width;
                area += y[top] * Math.exp(-0.5 * d * d);
            }
            return new Peak(scan, top, 50 + (top + shift) * 0.4, area);
        }
    }

    static final class Compound {
        final int number;
        final long peaks;
        final double area;

        Compound(int number, long peaks, double area) {
            this.number = number;
            this.peaks = peaks;
            this.area = area;
        }
    }

    /** One run of the instrument. */
    static final class Run {
        private final List<Spectrum> spectra;
        private final PeakFinder finder = new PeakFinder(6);

        Run(List<Spectrum> spectra) {
            this.spectra = spectra;
        }

        List<Compound> compounds() {
            Map<Integer, List<Peak>> byCompound = spectra.parallelStream()
                    .flatMap(s -> finder.find(s).stream())
                    .collect(Collectors.groupingBy(Peak::compound));
            return byCompound.entrySet().parallelStream()
                    .map(e -> new Compound(e.getKey(), e.getValue().size(),
                            e.getValue().stream().mapToDouble(p -> p.area).sum()))
                    .sorted(Comparator.comparingDouble((Compound c) -> -c.area))
                    .limit(40)
                    .collect(Collectors.toList());
        }
    }

    static List<Spectrum> spectra(long seed) {
        Random random = new Random(seed);
        double[] shape = new double[POINTS];
        for (int p = 0; p < 50; p++) {
            int at = 20 + random.nextInt(POINTS - 40);
            double height = 20 + 200 * random.nextDouble();
            IntStream.rangeClosed(-12, 12).forEach(k -> shape[at + k] += height * Math.exp(-k * k / 18.0));
        }
        List<Spectrum> all = new ArrayList<>();
        for (int scan = 0; scan < SPECTRA; scan++) {
            float[] y = new float[POINTS];
            for (int i = 0; i < POINTS; i++) {
                y[i] = (float) (shape[i] * (0.8 + 0.4 * random.nextDouble()) + 5 * random.nextDouble() + 10);
            }
            all.add(new Spectrum(scan, y));
        }
        return Collections.unmodifiableList(all);
    }

    static List<Compound> process(ForkJoinPool pool, Run run) throws InterruptedException, ExecutionException {
        return pool.submit(run::compounds).get();
    }

    public static void main(String[] args) throws Exception {
        List<Run> runs = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            runs.add(new Run(spectra(i)));
        }
        ForkJoinPool pool = new ForkJoinPool(2);
        for (int i = 0; i < 40; i++) {
            process(pool, runs.get(i % runs.size()));
        }
        System.out.println("READY");
        System.out.flush();
        long period = 250_000_000L;
        long next = System.nanoTime();
        long said = next;
        long busy = 0;
        long worst = 0;
        int done = 0;
        while (true) {
            long begin = System.nanoTime();
            List<Compound> found = process(pool, runs.get(done % runs.size()));
            long took = System.nanoTime() - begin;
            busy += took;
            worst = Math.max(worst, took);
            done++;
            long now = System.nanoTime();
            if (now - said >= 1_000_000_000L) {
                System.out.printf("measured: run %d, %d compounds, working %.0f %% of the time, the slowest run %.0f ms of the 250 there are%n",
                        done, found.size(), 100.0 * busy / (now - said), worst / 1e6);
                said = now;
                busy = 0;
                worst = 0;
            }
            next = Math.max(next + period, now);
            long rest = next - now;
            if (rest > 0) {
                Thread.sleep(rest / 1_000_000, (int) (rest % 1_000_000));
            }
        }
    }
}
