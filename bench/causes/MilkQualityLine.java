// SPDX-License-Identifier: Apache-2.0
// healthy: a pipeline of four stages (receive, decode, assess, store) with bounded queues of 64; samples come at a steady rate of some 150 a second, every stage has time to spare, the queues are all but empty and a sample is through in a few milliseconds
// share: no fault; the stages together use about a tenth to a fifth of a CPU, queues hold 1 element or less of 64 on average, 0 refused, samples are through within some milliseconds
// judge: right: nothing stands out, no fault of the program, or only neutral statements of where the little time goes ("time goes to", "to watch"), such as computing in MilkQualityLine$Assess.handle. WRONG: any accusation, such as a full queue, a saturated stage, a slow thread "assess-0" or "store", waits of stages for elements as a fault, locks, the rate at which $Intake makes samples (the tankers come so), the collector
// jdk: 11
// set: thirty-fourth
// jvm: -Xmx256m
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Spectra of milk samples on their way from the tankers to the register of the dairy. */
public class MilkQualityLine {
    static final int CAPACITY = 64;

    static final class Sample {
        final int farm;
        final long takenAt = System.nanoTime();
        byte[] raw;
        double[] spectrum;
        double fat;
        double protein;
        double cells;

        Sample(int farm, byte[] raw) {
            this.farm = farm;
            this.raw = raw;
        }
    }

    abstract static class Stage extends Thread {
        final BlockingQueue<Sample> in;
        final BlockingQueue<Sample> out;

        Stage(String name, BlockingQueue<Sample> in, BlockingQueue<Sample> out) {
            super(name);
            this.in = in;
            this.out = out;
            setDaemon(true);
        }

        abstract void handle(Sample s);

        @Override
        public void run() {
            try {
                while (true) {
                    Sample s = in.take();
                    handle(s);
                    if (out != null) out.put(s);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The instruments at the ramp; they drop what nobody takes. */
    static final class Intake implements Runnable {
        final BlockingQueue<Sample> out;
        final Random random = new Random(7);
        final LongAdder refused = new LongAdder();

        Intake(BlockingQueue<Sample> out) {
            this.out = out;
        }

        @Override
        public void run() {
            for (int i = random.nextInt(4); i >= 0; i--) {
                byte[] raw = new byte[512];
                random.nextBytes(raw);
                if (!out.offer(new Sample(random.nextInt(400), raw))) refused.increment();
            }
        }
    }

    static final class Decode extends Stage {
        Decode(BlockingQueue<Sample> in, BlockingQueue<Sample> out) {
            super("decode", in, out);
        }

        @Override
        void handle(Sample s) {
            double[] d = new double[s.raw.length / 2];
            for (int i = 0; i < d.length; i++) d[i] = ((s.raw[2 * i] & 255) << 8 | s.raw[2 * i + 1] & 255) / 65_536.0;
            s.spectrum = d;
            s.raw = null;
        }
    }

    static final class Assess extends Stage {
        final double[][] weights = new double[12][256];

        Assess(int number, BlockingQueue<Sample> in, BlockingQueue<Sample> out) {
            super("assess-" + number, in, out);
            Random r = new Random(12);
            for (double[] w : weights) for (int i = 0; i < w.length; i++) w[i] = r.nextGaussian() / 50;
        }

        @Override
        void handle(Sample s) {
            double[] smooth = s.spectrum.clone();
            for (int pass = 0; pass < 2_000; pass++) {
                double before = smooth[0];
                for (int i = 1; i < smooth.length - 1; i++) {
                    double v = smooth[i];
                    smooth[i] = (before + 2 * v + smooth[i + 1]) / 4;
                    before = v;
                }
            }
            double[] factors = new double[weights.length];
            for (int k = 0; k < weights.length; k++) {
                for (int i = 0; i < smooth.length; i++) factors[k] += weights[k][i] * smooth[i];
            }
            s.fat = 3.9 + factors[0] / 2 + factors[1] / 4;
            s.protein = 3.4 + factors[2] / 2 + factors[3] / 4;
            s.cells = 180 * Math.exp(factors[4] / 8);
        }
    }

    static final class Store extends Stage {
        final Map<Integer, double[]> register = new LinkedHashMap<>();
        final LongAdder stored = new LongAdder();
        final LongAdder nanos = new LongAdder();

        Store(BlockingQueue<Sample> in) {
            super("store", in, null);
        }

        @Override
        void handle(Sample s) {
            double[] sums = register.computeIfAbsent(s.farm, f -> new double[4]);
            sums[0]++;
            sums[1] += s.fat;
            sums[2] += s.protein;
            sums[3] += s.cells;
            stored.increment();
            nanos.add(System.nanoTime() - s.takenAt);
        }
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<Sample> received = new ArrayBlockingQueue<>(CAPACITY);
        BlockingQueue<Sample> decoded = new ArrayBlockingQueue<>(CAPACITY);
        BlockingQueue<Sample> assessed = new ArrayBlockingQueue<>(CAPACITY);
        Intake intake = new Intake(received);
        Store store = new Store(assessed);
        new Decode(received, decoded).start();
        for (int i = 0; i < 2; i++) new Assess(i, decoded, assessed).start();
        store.start();
        ScheduledExecutorService ramp = Executors.newSingleThreadScheduledExecutor(r -> {
            Thread t = new Thread(r, "ramp");
            t.setDaemon(true);
            return t;
        });
        ramp.scheduleWithFixedDelay(intake, 0, 16, TimeUnit.MILLISECONDS);
        Thread.sleep(2_000);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            store.stored.reset();
            store.nanos.reset();
            int[] depth = new int[3];
            for (int i = 0; i < 20; i++) {
                Thread.sleep(50);
                depth[0] += received.size();
                depth[1] += decoded.size();
                depth[2] += assessed.size();
            }
            System.out.printf("measured: %d samples stored, through in %.2f ms; sizes of the queues (sums of 20 looks) %s of %d; %d refused%n", store.stored.sum(),
                    store.nanos.sum() / 1e6 / Math.max(1, store.stored.sum()), Arrays.toString(depth), CAPACITY, intake.refused.sum());
            System.out.flush();
        }
    }
}
