// SPDX-License-Identifier: Apache-2.0
// healthy: computes harmonic tide tables without pause on one worker thread (one core full on purpose, batch work), while a publisher thread waits for finished tables; looks suspicious because of a core at 100 % in Math.cos and a thread that always waits
// share: nothing to fix; about 1300000 heights/s when the machine is otherwise idle (less beside other load), one core busy on purpose
// judge: any finding that names a fault is wrong: CPU saturation, hot loop in HarmonicModel.height, slow Math.cos, publisher waiting on the queue, too few threads. Right is "no fault found" or a statement that the CPU is used for useful computation by design (plain remark that the work is CPU bound is accepted if not called a fault).
// jdk: 8
// set: seventeenth
import java.io.*;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class TideForecast {
    static final LongAdder points = new LongAdder();
    static final LongAdder tables = new LongAdder();

    static final class Constituent {
        final double amplitude;
        final double degreesPerHour;
        final double phase;

        Constituent(double amplitude, double degreesPerHour, double phase) {
            this.amplitude = amplitude;
            this.degreesPerHour = degreesPerHour;
            this.phase = phase;
        }
    }

    /** Sum of harmonic constituents of one harbour. */
    static final class HarmonicModel {
        final String harbour;
        final Constituent[] parts = new Constituent[37];
        final double mean;

        HarmonicModel(String harbour, long seed) {
            this.harbour = harbour;
            Random r = new Random(seed);
            mean = 2 + r.nextDouble();
            for (int i = 0; i < parts.length; i++) {
                double speed = i % 2 == 0 ? 28.98 + r.nextDouble() : 14.5 + r.nextDouble();
                parts[i] = new Constituent(1.6 / (i + 1), speed, r.nextDouble() * 360);
            }
        }

        double height(double hour) {
            double h = mean;
            for (Constituent c : parts) {
                h += c.amplitude * Math.cos(Math.toRadians(c.degreesPerHour * hour - c.phase));
            }
            return h;
        }
    }

    static final class Table {
        final String harbour;
        final List<double[]> turns = new ArrayList<>();

        Table(String harbour) {
            this.harbour = harbour;
        }
    }

    /** Finds high and low waters, one month at a time. */
    static final class Forecaster implements Runnable {
        final List<HarmonicModel> models;
        final BlockingQueue<Table> done;

        Forecaster(List<HarmonicModel> models, BlockingQueue<Table> done) {
            this.models = models;
            this.done = done;
        }

        public void run() {
            double start = 0;
            try {
                while (true) {
                    for (HarmonicModel m : models) {
                        done.put(month(m, start));
                    }
                    start += 720;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        Table month(HarmonicModel m, double start) {
            Table t = new Table(m.harbour);
            double before = m.height(start - 0.01);
            double now = m.height(start);
            for (int i = 1; i <= 72000; i++) {
                double next = m.height(start + i * 0.01);
                if ((now > before) != (next > now)) {
                    t.turns.add(new double[] {start + (i - 1) * 0.01, now});
                }
                before = now;
                now = next;
            }
            points.add(72000);
            return t;
        }
    }

    /** Writes a harbour's tables to a small file when twelve months are there. */
    static final class Publisher implements Runnable {
        final BlockingQueue<Table> done;
        final Path dir;
        final Map<String, List<Table>> years = new HashMap<>();

        Publisher(BlockingQueue<Table> done, Path dir) {
            this.done = done;
            this.dir = dir;
        }

        public void run() {
            try {
                while (true) {
                    Table t = done.take();
                    tables.increment();
                    List<Table> year = years.computeIfAbsent(t.harbour, k -> new ArrayList<>());
                    year.add(t);
                    if (year.size() < 12) {
                        continue;
                    }
                    Path f = dir.resolve(t.harbour + ".txt");
                    try (PrintWriter w = new PrintWriter(Files.newBufferedWriter(f))) {
                        for (Table month : year) {
                            for (double[] p : month.turns) {
                                w.print(Math.round(p[0] * 60));
                                w.print(' ');
                                w.println(Math.round(p[1] * 100));
                            }
                        }
                    }
                    year.clear();
                }
            } catch (IOException | InterruptedException e) {
                System.err.println("publisher stopped " + e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Path dir = Files.createTempDirectory("tides");
        List<HarmonicModel> models = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            models.add(new HarmonicModel("harbour" + i, i));
        }
        BlockingQueue<Table> done = new ArrayBlockingQueue<>(4);
        Thread f = new Thread(new Forecaster(models, done), "forecaster");
        Thread p = new Thread(new Publisher(done, dir), "publisher");
        f.setDaemon(true);
        p.setDaemon(true);
        f.start();
        p.start();
        System.out.println("READY");
        for (int s = 0; s < 140; s++) {
            Thread.sleep(1000);
            System.out.printf("measured: %d heights/s, %d tables/s%n", points.sumThenReset(), tables.sumThenReset());
        }
    }
}
