// SPDX-License-Identifier: Apache-2.0
// healthy: a model of glaciers writes what it has reached as serialised objects, each checkpoint with a stream of its own, as each has to be read by itself; each stream describes its few classes once for hundreds of objects, and both writing and reading back take a small part of the CPU time, most of which is the model's
// share: serialising takes a fifth of the CPU time or less, 0.1 CPUs at most; a stream describes 5 classes for 1602 objects (each object has a reference of 5 bytes to its description)
// judge: RIGHT: nothing stands out, or only neutral remarks of where it computes (IceSheet.step, IceSheet.flow) or that checkpoints are serialised at Checkpoint.write / Checkpoint.read. WRONG: any accusation: class descriptors again and again, serialisation as a fault, a new stream each time, compression, file writing, waiting of the archive thread for its queue, sleep, saturated thread (glacier-model), collections
// jdk: 25
// set: thirty-fifth
// jvm: -Xmx128m
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;

/** Lets glaciers flow down their valleys, year by year, and keeps checkpoints from which a run can go on. */
public class GlacierModel {
    static final LongAdder YEARS = new LongAdder();
    static final LongAdder MODEL_TIME = new LongAdder();
    static final LongAdder CHECKPOINTS = new LongAdder();
    static final LongAdder OBJECTS = new LongAdder();
    static final LongAdder BYTES = new LongAdder();
    static final LongAdder SERIAL_TIME = new LongAdder();

    static final class Station implements Serializable {
        private static final long serialVersionUID = 1;
        final int number;
        final double thickness;
        final double speed;
        final Weather weather;

        Station(int number, double thickness, double speed, Weather weather) {
            this.number = number;
            this.thickness = thickness;
            this.speed = speed;
            this.weather = weather;
        }
    }

    static final class Weather implements Serializable {
        private static final long serialVersionUID = 1;
        final float snow;
        final float melt;

        Weather(float snow, float melt) {
            this.snow = snow;
            this.melt = melt;
        }
    }

    /** What has been reached: one glacier in one year. */
    static final class Checkpoint implements Serializable {
        private static final long serialVersionUID = 1;
        final int glacier;
        final int year;
        final List<Station> stations = new ArrayList<>();

        Checkpoint(int glacier, int year) {
            this.glacier = glacier;
            this.year = year;
        }

        byte[] write() throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream(32768);
            try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
                out.writeObject(this);
            }
            return bytes.toByteArray();
        }

        static Checkpoint read(byte[] bytes) throws IOException {
            try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
                return (Checkpoint) in.readObject();
            } catch (ClassNotFoundException e) {
                throw new IOException(e);
            }
        }

        double volume() {
            double volume = 0;
            for (Station station : stations)
                volume += station.thickness;
            return volume;
        }
    }

    /** The ice of one glacier on a line of cells from its top to its tongue. */
    static final class IceSheet {
        private static final int CELLS = 1600;
        private final int number;
        private double[] thickness = new double[CELLS];
        private double[] next = new double[CELLS];
        private final double[] speed = new double[CELLS];
        private int year;

        IceSheet(int number) {
            this.number = number;
            for (int i = 0; i < CELLS; i++)
                thickness[i] = Math.max(0, 120 - i * 0.1 + number);
        }

        void step(int days) {
            for (int day = 0; day < days; day++) {
                for (int i = 0; i < CELLS; i++)
                    speed[i] = flow(thickness[i], i + 1 < CELLS ? thickness[i + 1] : 0);
                for (int i = 0; i < CELLS; i++) {
                    double gain = (snow(i) - melt(i)) / days;
                    double from = i > 0 ? speed[i - 1] : 0;
                    next[i] = Math.max(0, thickness[i] + gain + (from - speed[i]) * 0.01);
                }
                double[] swap = thickness;
                thickness = next;
                next = swap;
            }
            year++;
            YEARS.increment();
        }

        private double flow(double here, double below) {
            double slope = 0.12 + Math.max(-0.1, Math.min(0.1, (here - below) / 100));
            return 2e-6 * Math.pow(slope, 3) * Math.pow(here, 1.9);
        }

        private double snow(int cell) {
            return 1.6 - cell * 0.0006;
        }

        private double melt(int cell) {
            return 0.2 + cell * 0.0014 + 0.1 * Math.sin(year * 0.57 + number);
        }

        Checkpoint checkpoint() {
            Checkpoint checkpoint = new Checkpoint(number, year);
            for (int i = 0; i < CELLS; i += 2)
                checkpoint.stations.add(new Station(i, thickness[i], speed[i], new Weather((float) snow(i), (float) melt(i))));
            return checkpoint;
        }
    }

    /** Keeps the last checkpoint of each glacier, once it is known that it can be read. */
    static final class Archive implements Runnable {
        private final BlockingQueue<Checkpoint> inbox = new ArrayBlockingQueue<>(64);
        private final AtomicReferenceArray<byte[]> latest;

        Archive(int glaciers) {
            latest = new AtomicReferenceArray<>(glaciers);
        }

        void keep(Checkpoint checkpoint) throws InterruptedException {
            inbox.put(checkpoint);
        }

        @Override
        public void run() {
            while (true)
                try {
                    Checkpoint checkpoint = inbox.take();
                    long begin = System.nanoTime();
                    byte[] bytes = checkpoint.write();
                    if (Checkpoint.read(bytes).volume() != checkpoint.volume())
                        System.err.println("cannot be read: " + checkpoint.glacier);
                    else
                        latest.set(checkpoint.glacier, bytes);
                    SERIAL_TIME.add(System.nanoTime() - begin);
                    CHECKPOINTS.increment();
                    OBJECTS.add(2 + 2 * checkpoint.stations.size());
                    BYTES.add(bytes.length);
                } catch (IOException e) {
                    System.err.println("archive: " + e);
                } catch (InterruptedException e) {
                    return;
                }
        }
    }

    public static void main(String[] args) throws Exception {
        List<IceSheet> glaciers = new ArrayList<>();
        for (int i = 0; i < 12; i++)
            glaciers.add(new IceSheet(i));
        Archive archive = new Archive(glaciers.size());
        new Thread(archive, "archive").start();
        new Thread(() -> {
            try {
                while (true)
                    for (IceSheet glacier : glaciers) {
                        long begin = System.nanoTime();
                        glacier.step(60);
                        MODEL_TIME.add(System.nanoTime() - begin);
                        archive.keep(glacier.checkpoint());
                        Thread.sleep(8);
                    }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "glacier-model").start();
        for (int second = 0;; second++) {
            long years = YEARS.sum(), model = MODEL_TIME.sum(), points = CHECKPOINTS.sum(), objects = OBJECTS.sum(), bytes = BYTES.sum(), serial = SERIAL_TIME.sum();
            Thread.sleep(1000);
            points = CHECKPOINTS.sum() - points;
            System.out.printf("measured: %d years in %.0f ms; %d checkpoints of %d objects and %d bytes each in %.0f ms, %d in the inbox%n", YEARS.sum() - years,
                (MODEL_TIME.sum() - model) / 1e6, points, (OBJECTS.sum() - objects) / Math.max(1, points), (BYTES.sum() - bytes) / Math.max(1, points),
                (SERIAL_TIME.sum() - serial) / 1e6, archive.inbox.size());
            if (second == 3) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
