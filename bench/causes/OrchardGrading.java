// SPDX-License-Identifier: Apache-2.0
// healthy: a grading line for fruit that logs a lot in its code, but next to nothing of it costs anything: the messages of each fruit are at a level that is off (guarded by a Supplier), 40 lines a second are written, by a buffered handler whose format asks for no caller; the time goes to grading pictures
// share: see the measured lines: logging takes 1 to 5 % of the time in which the line works; 0.3 to 0.6 CPUs; all fruit is graded in time
// judge: RIGHT: nothing stands out, or neutral remarks: time goes to computing in OrchardGrading$Grader.* (edges, colour, round). WRONG: any accusation: logging (OrchardGrading$Line.note, LineHandler, Grader), formatting, building strings, lambdas or exceptions, disk, locks of handlers, GC, the sleep between crates, the machine.
// jdk: 25
// set: thirty-fifth
import java.io.BufferedWriter;
import java.io.File;
import java.io.FileWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Grades apples by pictures of them, crate after crate. */
public class OrchardGrading {
    static final Logger LOG = Logger.getLogger("orchard.grading");

    /** Keeps the line's book in a file, which begins anew when it is long. */
    static final class LineHandler extends Handler {
        private final File file;
        private BufferedWriter writer;
        private long written;

        LineHandler() throws IOException {
            file = File.createTempFile("grading", ".log");
            file.deleteOnExit();
            writer = new BufferedWriter(new FileWriter(file, StandardCharsets.UTF_8), 16_384);
            setFormatter(new Formatter() {
                @Override public String format(LogRecord record) {
                    return record.getMillis() + " " + record.getLevel().getName() + " " + formatMessage(record) + "\n";
                }
            });
        }

        @Override public synchronized void publish(LogRecord record) {
            if (!isLoggable(record)) {
                return;
            }
            try {
                String line = getFormatter().format(record);
                writer.write(line);
                written += line.length();
                if (written > 5_000_000) {
                    writer.close();
                    writer = new BufferedWriter(new FileWriter(file, StandardCharsets.UTF_8), 16_384);
                    written = 0;
                }
            } catch (IOException e) {
                reportError(null, e, 0);
            }
        }

        @Override public synchronized void flush() {
            try {
                writer.flush();
            } catch (IOException e) {
                reportError(null, e, 0);
            }
        }

        @Override public synchronized void close() {
            try {
                writer.close();
            } catch (IOException e) {
                reportError(null, e, 0);
            }
        }
    }

    record Picture(int number, int size, byte[] red, byte[] green) { }

    record Grade(int number, double diameter, double colour, double round) {
        char letter() {
            return diameter > 22 && colour > 0.5 ? 'A' : diameter > 18 ? 'B' : 'C';
        }
    }

    /** The camera over the belt. */
    static final class Camera {
        private final Random random = new Random(12);
        private int number;

        Picture take() {
            int size = 64;
            byte[] red = new byte[size * size], green = new byte[size * size];
            random.nextBytes(red);
            double radius = 16 + random.nextInt(12), blush = random.nextDouble();
            for (int y = 0; y < size; y++) {
                for (int x = 0; x < size; x++) {
                    int at = y * size + x, noise = red[at] & 15;
                    boolean inside = Math.hypot(x - 32, y - 32) < radius + (noise & 1);
                    red[at] = (byte) (inside ? 60 + 60 * blush + noise / 4 : noise / 4);
                    green[at] = (byte) (inside ? 60 + 60 * (1 - blush) : noise / 4);
                }
            }
            return new Picture(++number, size, red, green);
        }
    }

    /** Grades one picture. */
    static final class Grader {
        Grade grade(Picture picture) {
            LOG.finer(() -> "picture " + picture.number() + " of " + picture.size() + " pixels");
            double[] edges = edges(picture);
            double diameter = diameter(picture), colour = colour(picture);
            LOG.finer(() -> "fruit " + picture.number() + ": diameter " + diameter + ", colour " + colour);
            Grade grade = new Grade(picture.number(), diameter, colour, round(edges, picture.size()));
            LOG.fine(() -> "fruit " + grade.number() + " is " + grade.letter() + " " + grade);
            return grade;
        }

        private double[] edges(Picture picture) {
            int size = picture.size();
            double[] edges = new double[size * size];
            for (int y = 1; y < size - 1; y++) {
                for (int x = 1; x < size - 1; x++) {
                    int at = y * size + x;
                    double dx = picture.red()[at + 1] - picture.red()[at - 1], dy = picture.red()[at + size] - picture.red()[at - size];
                    edges[at] = Math.sqrt(dx * dx + dy * dy);
                }
                if (y == size / 2 && LOG.isLoggable(Level.FINEST)) {
                    LOG.finest("half of the edges of " + picture.number());
                }
            }
            return edges;
        }

        private double diameter(Picture picture) {
            int pixels = 0;
            for (int i = 0; i < picture.red().length; i++) {
                pixels += picture.red()[i] + picture.green()[i] > 60 ? 1 : 0;
            }
            return Math.sqrt(pixels / Math.PI);
        }

        private double colour(Picture picture) {
            double sum = 0;
            for (int i = 0; i < picture.red().length; i++) {
                sum += Math.atan2(picture.red()[i], picture.green()[i] + 1);
            }
            return sum / picture.red().length;
        }

        private double round(double[] edges, int size) {
            double sum = 0, weight = 0;
            for (int i = 0; i < edges.length; i++) {
                sum += edges[i] * Math.hypot(i % size - size / 2.0, i / size - size / 2.0);
                weight += edges[i];
            }
            return weight == 0 ? 0 : sum / weight;
        }
    }

    /** One belt with its camera. */
    static final class Line implements Runnable {
        private final int number;
        private final Camera camera = new Camera();
        private final Grader grader = new Grader();
        final AtomicLong fruit = new AtomicLong(), work = new AtomicLong(), logging = new AtomicLong(), lines = new AtomicLong();

        Line(int number) {
            this.number = number;
        }

        @Override public void run() {
            try {
                for (int crate = 1;; crate++) {
                    long begin = System.nanoTime();
                    int[] letters = new int[3];
                    for (int i = 0; i < 60; i++) {
                        letters[grader.grade(camera.take()).letter() - 'A']++;
                    }
                    note(crate, letters);
                    work.addAndGet(System.nanoTime() - begin);
                    fruit.addAndGet(60);
                    Thread.sleep(45);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void note(int crate, int[] letters) {
            long begin = System.nanoTime();
            LOG.log(Level.INFO, "line {0}, crate {1}: {2} of A, {3} of B, {4} of C", new Object[] {number, crate, letters[0], letters[1], letters[2]});
            logging.addAndGet(System.nanoTime() - begin);
            lines.incrementAndGet();
        }
    }

    public static void main(String[] args) throws Exception {
        LineHandler handler = new LineHandler();
        LOG.setUseParentHandlers(false);
        LOG.setLevel(Level.INFO);
        LOG.addHandler(handler);
        Line[] belts = {new Line(1), new Line(2)};
        for (int i = 0; i < belts.length; i++) {
            new Thread(belts[i], "belt-" + (i + 1)).start();
        }
        boolean ready = false;
        long sofar = 0;
        for (int second = 1;; second++) {
            Thread.sleep(1000);
            handler.flush();
            long fruit = 0, work = 0, logging = 0, lines = 0;
            for (Line belt : belts) {
                fruit += belt.fruit.getAndSet(0);
                work += belt.work.getAndSet(0);
                logging += belt.logging.getAndSet(0);
                lines += belt.lines.getAndSet(0);
            }
            sofar += fruit;
            if (!ready && second >= 4 && sofar >= 3000) {
                ready = true;
                System.out.println("READY");
            }
            System.out.printf("measured: %d fruit, %.0f us each; %d lines logged, %.2f %% of the time of the work%n", fruit, work / 1e3 / Math.max(1, fruit), lines,
                    100.0 * logging / Math.max(1, work));
            System.out.flush();
        }
    }
}
