// SPDX-License-Identifier: Apache-2.0
// cause: SpectrometerLab.CALIBRATION is a ThreadLocal that is meant to compute the calibration once per thread, but every spectrum runs on a new virtual thread, so that Calibration.<init> is computed for each spectrum.
// share: about 80 % of the CPU time; fixed is 4 to 7 times better (1000 against 5500 spectra/s; machine was loaded by others)
// judge: Must name the construction of the Calibration (SpectrometerLab$Calibration.<init>, by ThreadLocal.get / setInitialValue in SpectrometerLab.evaluate) as repeated for each task or virtual thread. Only "CPU-bound", "Math.exp is hot" without that caller, "much allocation" or "too few carrier threads" is a symptom.
// expect: hot-code kind=thread-locals
// symptom: unstarted-threads waiting
// set: twentieth
// jdk: 25
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

public class SpectrometerLab {
    static final class Calibration {
        private final double[] response = new double[6000];
        private final double[] wavelength = new double[6000];

        Calibration() {
            for (int i = 0; i < response.length; i++) {
                double w = 200 + i * 0.15;
                wavelength[i] = w + 0.02 * Math.sin(w / 17);
                double dip = (w - 430) / 90;
                double slope = (w - 760) / 210;
                response[i] = 0.2 + Math.exp(-dip * dip) + 0.7 * Math.exp(-slope * slope) + Math.log1p(w) / 50;
            }
        }

        double corrected(int channel, int counts) {
            return counts / response[channel] * (wavelength[channel] / 550);
        }
    }

    static final ThreadLocal<Calibration> CALIBRATION = ThreadLocal.withInitial(Calibration::new);
    static final Calibration COMMON = new Calibration();
    static final boolean SHARED = Boolean.getBoolean("fixed");
    static final LongAdder spectra = new LongAdder();
    static volatile double strongest;

    static double evaluate(int seed) {
        Calibration c = SHARED ? COMMON : CALIBRATION.get();
        double best = 0;
        int x = seed | 1;
        for (int channel = 0; channel < 6000; channel++) {
            x ^= x << 13;
            x ^= x >>> 17;
            x ^= x << 5;
            best = Math.max(best, c.corrected(channel, 100 + (x >>> 22)));
        }
        return best;
    }

    static void measure(Semaphore instruments) {
        try {
            Thread.sleep(5);
            strongest = evaluate(ThreadLocalRandom.current().nextInt());
            spectra.increment();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            instruments.release();
        }
    }

    static void orders() {
        Semaphore instruments = new Semaphore(60);
        try (var lab = Executors.newVirtualThreadPerTaskExecutor()) {
            while (true) {
                instruments.acquire();
                lab.submit(() -> measure(instruments));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread.ofPlatform().daemon().name("orders").start(SpectrometerLab::orders);
        System.out.println("READY");
        for (int s = 0; s < 220; s++) {
            Thread.sleep(1000);
            System.out.println("measured: " + spectra.sumThenReset() + " spectra/s");
        }
    }
}
