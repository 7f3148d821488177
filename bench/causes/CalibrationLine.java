// SPDX-License-Identifier: Apache-2.0
// healthy: a pipeline of four stages with bounded queues, which gets samples at a pace that it has no trouble to keep up with; the queues are nearly empty, and each stage waits for work most of its time
// share: by its own figures a sample is through in a millisecond or so, the queues hold a few of 256 on average; the filter works 10 to 20 % of the time, the other stages less than 5 % each
// judge: RIGHT: nothing stands out, or neutral statements of where the CPU time goes (CalibrationLine$Filter.apply, the spectrum). WRONG: an accusation: a full queue, waiting for elements of a queue, the pause of the intake, a saturated or hot stage as a fault, collections, starts of threads
// jdk: 25
// set: thirty-second
// jvm: -Xmx512m
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/** Calibrates readings of seismometers: decode, filter, find peaks, file by station. */
public class CalibrationLine {

    static final int ROOM = 256;
    static final LongAdder FILED = new LongAdder();
    static final LongAdder AGE = new LongAdder();

    record Packet(int station, byte[] bytes, long at) {
    }

    record Trace(int station, float[] values, long at) {
    }

    record Peak(int station, float height, int position, long at) {
    }

    /** One stage: a thread that takes from one queue, works, and puts into the next one. */
    static final class Stage<A, B> implements Runnable {
        private final BlockingQueue<A> in;
        private final BlockingQueue<B> out;
        private final Function<A, B> work;
        final String name;
        final LongAdder busy = new LongAdder();

        Stage(String name, BlockingQueue<A> in, BlockingQueue<B> out, Function<A, B> work) {
            this.name = name;
            this.in = in;
            this.out = out;
            this.work = work;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    A element = in.take();
                    long begin = System.nanoTime();
                    B result = work.apply(element);
                    busy.add(System.nanoTime() - begin);
                    if (out != null && result != null) out.put(result);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class Decoder implements Function<Packet, Trace> {
        @Override
        public Trace apply(Packet packet) {
            byte[] bytes = packet.bytes();
            float[] values = new float[bytes.length / 2];
            int level = 0;
            for (int i = 0; i < values.length; i++) {
                level += (short) (bytes[2 * i] << 8 | bytes[2 * i + 1] & 0xff) >> 4;
                level -= level >> 6;
                values[i] = level * 0.0031f;
            }
            return new Trace(packet.station(), values, packet.at());
        }
    }

    static final class Filter implements Function<Trace, Trace> {
        private final float[] weights = new float[41];

        Filter() {
            for (int i = 0; i < weights.length; i++) {
                double x = (i - 20) / 6.0;
                weights[i] = (float) (Math.exp(-x * x) / 10.6);
            }
        }

        @Override
        public Trace apply(Trace trace) {
            float[] in = trace.values();
            float[] out = new float[in.length - weights.length];
            for (int i = 0; i < out.length; i++) {
                float sum = 0;
                for (int k = 0; k < weights.length; k++) sum += weights[k] * in[i + k];
                out[i] = sum;
            }
            return new Trace(trace.station(), out, trace.at());
        }
    }

    static final class PeakFinder implements Function<Trace, Peak> {
        @Override
        public Peak apply(Trace trace) {
            float[] values = trace.values();
            double mean = 0, square = 0;
            int position = 0;
            for (int i = 0; i < values.length; i++) {
                mean += values[i];
                square += (double) values[i] * values[i];
                if (Math.abs(values[i]) > Math.abs(values[position])) position = i;
            }
            mean /= values.length;
            double deviation = Math.sqrt(Math.max(1e-9, square / values.length - mean * mean));
            return new Peak(trace.station(), (float) ((values[position] - mean) / deviation), position, trace.at());
        }
    }

    static final class Archive implements Function<Peak, Void> {
        private final Map<Integer, List<Peak>> byStation = new HashMap<>();

        @Override
        public Void apply(Peak peak) {
            List<Peak> peaks = byStation.computeIfAbsent(peak.station(), key -> new ArrayList<>());
            peaks.add(peak);
            if (peaks.size() > 500) peaks.subList(0, 250).clear();
            AGE.add(System.nanoTime() - peak.at());
            FILED.increment();
            return null;
        }
    }

    /** Takes packets from the stations as they come: a burst of a few at a time. */
    static final class Intake implements Runnable {
        private final BlockingQueue<Packet> out;
        private final Random random = new Random(1);
        private final byte[][] recorded = new byte[64][6000];
        private volatile int burst = 4;

        Intake(BlockingQueue<Packet> out) {
            this.out = out;
            for (byte[] bytes : recorded) random.nextBytes(bytes);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    for (int i = random.nextInt(2 * burst); i >= 0; i--)
                        out.put(new Packet(random.nextInt(120), recorded[random.nextInt(recorded.length)].clone(), System.nanoTime()));
                    TimeUnit.MILLISECONDS.sleep(4);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** How long one packet takes in all stages, in nanoseconds, once they are warm. */
    static long cost() {
        Decoder decoder = new Decoder();
        Filter filter = new Filter();
        PeakFinder finder = new PeakFinder();
        byte[] bytes = new byte[6000];
        new Random(2).nextBytes(bytes);
        long begin = 0;
        for (int i = 0; i < 3000; i++) {
            if (i == 2000) begin = System.nanoTime();
            finder.apply(filter.apply(decoder.apply(new Packet(1, bytes, 0))));
        }
        return (System.nanoTime() - begin) / 1000;
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<Packet> packets = new ArrayBlockingQueue<>(ROOM);
        BlockingQueue<Trace> traces = new ArrayBlockingQueue<>(ROOM), smooth = new ArrayBlockingQueue<>(ROOM);
        BlockingQueue<Peak> peaks = new ArrayBlockingQueue<>(ROOM);
        List<Stage<?, ?>> stages = List.of(new Stage<>("decode", packets, traces, new Decoder()),
                new Stage<>("filter", traces, smooth, new Filter()), new Stage<>("peaks", smooth, peaks, new PeakFinder()),
                new Stage<>("file", peaks, null, new Archive()));
        Intake intake = new Intake(packets);
        intake.burst = (int) Math.max(1, Math.min(12, 1_200_000 / cost()));
        for (Stage<?, ?> stage : stages) Thread.ofPlatform().name(stage.name).start(stage);
        Thread.ofPlatform().name("intake").start(intake);
        while (FILED.sum() < 500) Thread.sleep(20);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            FILED.reset();
            AGE.reset();
            for (Stage<?, ?> stage : stages) stage.busy.reset();
            long begin = System.nanoTime();
            int queued = 0;
            for (int i = 0; i < 10; i++) {
                Thread.sleep(100);
                queued += packets.size() + traces.size() + smooth.size() + peaks.size();
            }
            StringBuilder line = new StringBuilder();
            for (Stage<?, ?> stage : stages)
                line.append(String.format(", %s %.0f %%", stage.name, 100.0 * stage.busy.sum() / (System.nanoTime() - begin)));
            System.out.printf("measured: %d packets, %.2f ms each, %.1f in all queues; busy%s%n", FILED.sum(),
                    AGE.sum() / 1e6 / Math.max(1, FILED.sum()), queued / 10.0, line);
        }
    }
}
