// SPDX-License-Identifier: Apache-2.0
// healthy: threads sleep nearly all the time, as they should: a valve is open (DosingPlant$Valve.let) for as long as the recipe's dose takes to flow, the kettle waits for its two doses, which run at the same time in a pool that always has a thread free, stirs for a set time (Kettle.stir), and sensors sleep until the next sample is due (LevelSensor.run); nobody holds a lock and no work waits
// share: doses of 280 to 300 ms end 0.1 to 5 ms late; 200 samples a second are on time but for a few beside other load; 0.1 to 0.2 of 2 CPUs
// judge: RIGHT: nothing stands out, or only neutral sentences (time goes to waiting for a timer (Thread.sleep) in DosingPlant$Valve.let, or for futures in Kettle.fill whose tasks rest there, if that should be less; computing in LevelSensor.sample or Kettle.viscosity; no fault shows), or what is wrong with the machine. WRONG: any accusation: the sleep in Valve.let, Kettle.stir or LevelSensor.run, or the futures in Kettle.fill, as a fault; a busy pool (valve), a saturated thread, LevelSensor.sample as a fault
// jdk: 11
// set: thirty-fourth
// jvm: -Xmx256m
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Control of a paint factory's mixing kettles: a valve is open for as long as the dose takes to flow. */
public class DosingPlant {
    static final int KETTLES = 4;
    static final AtomicLong DOSES = new AtomicLong();
    static final AtomicLong DOSE_MS = new AtomicLong();
    static final AtomicLong LATE_NS = new AtomicLong();
    static final AtomicLong BATCHES = new AtomicLong();
    static final AtomicLong SAMPLES = new AtomicLong();
    static final AtomicLong MISSED = new AtomicLong();

    static final class Dose {
        final String ingredient;
        final int millilitres;

        Dose(String ingredient, int millilitres) {
            this.ingredient = ingredient;
            this.millilitres = millilitres;
        }
    }

    /** A magnetic valve with a known flow. */
    static final class Valve {
        private final int millilitresPerSecond;
        private volatile boolean open;

        Valve(int millilitresPerSecond) {
            this.millilitresPerSecond = millilitresPerSecond;
        }

        long let(Dose dose) throws InterruptedException {
            long millis = dose.millilitres * 1000L / millilitresPerSecond;
            long begin = System.nanoTime();
            open = true;
            try {
                Thread.sleep(millis);
            } finally {
                open = false;
            }
            DOSES.incrementAndGet();
            DOSE_MS.addAndGet(millis);
            LATE_NS.addAndGet(System.nanoTime() - begin - millis * 1_000_000);
            return millis;
        }

        boolean isOpen() {
            return open;
        }
    }

    /** Makes one batch after another by the recipe. */
    static final class Kettle implements Runnable {
        private final Valve binder = new Valve(900);
        private final Valve pigment = new Valve(400);
        private final ExecutorService valves;
        private final Random random;
        private final double[] viscosities = new double[64];
        private int batch;

        Kettle(ExecutorService valves, int number) {
            this.valves = valves;
            this.random = new Random(number);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    for (int layer = 0; layer < 3; layer++) {
                        fill(new Dose("binder", 200 + random.nextInt(150)), new Dose("pigment", 80 + random.nextInt(60)));
                        stir(120);
                    }
                    viscosities[batch++ % viscosities.length] = viscosity();
                    BATCHES.incrementAndGet();
                }
            } catch (InterruptedException | ExecutionException e) {
                throw new IllegalStateException(e);
            }
        }

        private void fill(Dose first, Dose second) throws InterruptedException, ExecutionException {
            List<Future<Long>> doses = new ArrayList<>();
            doses.add(valves.submit(() -> binder.let(first)));
            doses.add(valves.submit(() -> pigment.let(second)));
            for (Future<Long> dose : doses) {
                dose.get();
            }
        }

        private void stir(long millis) throws InterruptedException {
            Thread.sleep(millis);
        }

        /** From the current of the motor, by relaxation of a small model. */
        private double viscosity() {
            double value = 1 + random.nextDouble();
            for (int i = 0; i < 200_000; i++) {
                value += (Math.sqrt(value * 2.7 + i % 7) - value) * 0.01;
            }
            return value;
        }

        boolean flows() {
            return binder.isOpen() || pigment.isOpen();
        }
    }

    /** Samples a level sensor at a fixed rate, and filters what it says. */
    static final class LevelSensor implements Runnable {
        private static final long EVERY_NS = 20_000_000;
        private final Kettle kettle;
        private final double[] taps = new double[256];
        private final Random random = new Random(8);
        private volatile double level;

        LevelSensor(Kettle kettle) {
            this.kettle = kettle;
        }

        @Override
        public void run() {
            try {
                long due = System.nanoTime();
                while (true) {
                    sample();
                    due += EVERY_NS;
                    long left = due - System.nanoTime();
                    if (left > 0) {
                        Thread.sleep(left / 1_000_000, (int) (left % 1_000_000));
                    } else {
                        MISSED.incrementAndGet();
                        due = System.nanoTime();
                    }
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        private void sample() {
            System.arraycopy(taps, 0, taps, 1, taps.length - 1);
            taps[0] = (kettle.flows() ? 1 : 0) + random.nextGaussian() * 0.05;
            double power = 0;
            for (int f = 1; f <= 120; f++) {
                double re = 0;
                double im = 0;
                for (int i = 0; i < taps.length; i++) {
                    re += taps[i] * Math.cos(f * i * Math.PI / taps.length);
                    im += taps[i] * Math.sin(f * i * Math.PI / taps.length);
                }
                power += Math.sqrt(re * re + im * im) / f;
            }
            level = level * 0.9 + power * 0.1;
            SAMPLES.incrementAndGet();
        }
    }

    public static void main(String[] args) throws Exception {
        AtomicInteger number = new AtomicInteger();
        ExecutorService valves = Executors.newFixedThreadPool(2 * KETTLES, r -> new Thread(r, "valve-" + number.incrementAndGet()));
        for (int k = 0; k < KETTLES; k++) {
            Kettle kettle = new Kettle(valves, k);
            new Thread(kettle, "kettle-" + k).start();
            new Thread(new LevelSensor(kettle), "level-" + k).start();
        }
        long doses = 0, millis = 0, late = 0, batches = 0, samples = 0;
        for (int second = 1;; second++) {
            Thread.sleep(1000);
            long d = DOSES.get(), m = DOSE_MS.get(), l = LATE_NS.get(), b = BATCHES.get(), s = SAMPLES.get();
            double n = Math.max(1, d - doses);
            System.out.printf("measured: %d doses of %.0f ms each by the recipe, %.2f ms late each; %d batches, %d samples, %d missed so far%n",
                d - doses, (m - millis) / n, (l - late) / 1e6 / n, b - batches, s - samples, MISSED.get());
            doses = d;
            millis = m;
            late = l;
            batches = b;
            samples = s;
            if (second == 4) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
