// SPDX-License-Identifier: Apache-2.0
// healthy: many log statements, but of those in the inner loops the level is off and they take suppliers, so that nothing is built; what is logged is one line for each batch of positions and a warning now and then (some 60 lines a second, with the caller given, to a file that is rotated); the CPU time is in Matcher.nearest and Headways.spread
// share: 0.2 to 0.6 CPUs, of which logging takes 2 to 6 % (50 to 200 us for each line)
// judge: RIGHT: nothing stands out, or neutral statements that name Matcher.nearest, Headways.spread or Line.run as where CPU time goes. WRONG: logging (or the search for the caller, building strings for it) as a fault, the lock of the log's handler, waiting for the log file, the sleep in Line.run, collections.
// jdk: 21
// set: thirty-sixth
// jvm: -Xmx256m
import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.logging.FileHandler;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Control room of a tram network: matches positions to the track, and watches the distances between trams. */
public class TramControl {
    private static final Logger LOG = Logger.getLogger(TramControl.class.getName());

    static final class OneLine extends Formatter {
        @Override
        public String format(LogRecord record) {
            StringBuilder line = new StringBuilder(120);
            line.append(record.getMillis()).append(' ').append(record.getLevel().getName()).append(' ')
                    .append(record.getSourceMethodName()).append(": ").append(record.getMessage()).append('\n');
            return line.toString();
        }
    }

    record Position(int tram, double x, double y, long at) { }

    static final class Matcher {
        private final double[] x;
        private final double[] y;

        Matcher(SplittableRandom random) {
            x = random.doubles(50_000, 0, 12_000).toArray();
            y = random.doubles(50_000, 0, 9_000).toArray();
        }

        int nearest(Position position) {
            int best = -1;
            double least = Double.MAX_VALUE;
            for (int i = 0; i < x.length; i++) {
                double dx = x[i] - position.x();
                double dy = y[i] - position.y();
                double distance = dx * dx + dy * dy;
                if (distance < least) {
                    least = distance;
                    best = i;
                    int candidate = i;
                    LOG.finer(() -> "tram " + position.tram() + " may be at " + candidate);
                }
            }
            if (least > 500 * 500) {
                double far = Math.sqrt(least);
                LOG.fine(() -> "tram " + position.tram() + " is " + far + " m off the track");
            }
            return best;
        }
    }

    static final class Headways {
        double spread(int[] places) {
            int[] sorted = places.clone();
            Arrays.sort(sorted);
            double sum = 0;
            double squares = 0;
            for (int i = 1; i < sorted.length; i++) {
                double gap = sorted[i] - sorted[i - 1];
                sum += gap;
                squares += gap * gap;
                LOG.finest(() -> "gap " + gap);
            }
            double mean = sum / (sorted.length - 1);
            return Math.sqrt(Math.max(0, squares / (sorted.length - 1) - mean * mean)) / mean;
        }
    }

    static final class Line implements Runnable {
        private final int number;
        private final Matcher matcher;
        private final Headways headways = new Headways();
        private final SplittableRandom random;

        Line(int number, Matcher matcher) {
            this.number = number;
            this.matcher = matcher;
            random = new SplittableRandom(number);
        }

        private void log(Level level, String method, String message) {
            long begin = System.nanoTime();
            LOG.logp(level, "TramControl$Line", method, message);
            logging.add(System.nanoTime() - begin);
            lines.increment();
        }

        private void batch() {
            int[] places = new int[40];
            long now = System.currentTimeMillis();
            for (int tram = 0; tram < places.length; tram++) {
                Position position = new Position(number * 100 + tram, random.nextDouble(12_000), random.nextDouble(9_000), now);
                places[tram] = matcher.nearest(position);
                LOG.finer(() -> "matched " + position);
            }
            double spread = headways.spread(places);
            log(Level.INFO, "batch", "line " + number + ": 40 positions matched, spread " + Math.round(spread * 100) + " %");
            if (spread > 1.25) {
                log(Level.WARNING, "batch", "line " + number + ": trams bunch");
            }
        }

        @Override
        public void run() {
            try {
                while (true) {
                    long begin = System.nanoTime();
                    batch();
                    long took = System.nanoTime() - begin;
                    working.add(took);
                    batches.increment();
                    Thread.sleep(60);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final LongAdder logging = new LongAdder();
    static final LongAdder lines = new LongAdder();
    static final LongAdder working = new LongAdder();
    static final LongAdder batches = new LongAdder();

    private static void openLog() throws IOException {
        File directory = java.nio.file.Files.createTempDirectory("tram").toFile();
        FileHandler handler = new FileHandler(directory.getPath() + "/control.%g.log", 4 << 20, 2, false);
        handler.setFormatter(new OneLine());
        LOG.setUseParentHandlers(false);
        LOG.setLevel(Level.INFO);
        LOG.addHandler(handler);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            handler.close();
            File[] files = directory.listFiles();
            for (File file : files == null ? new File[0] : files) {
                file.delete();
            }
            directory.delete();
        }));
    }

    public static void main(String[] args) throws Exception {
        openLog();
        Matcher matcher = new Matcher(new SplittableRandom(6));
        for (int i = 1; i <= 4; i++) {
            Thread thread = new Thread(new Line(i, matcher), "line-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        Thread.sleep(3000);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long n = lines.sum(), in = logging.sum(), w = working.sum(), b = batches.sum(), t = System.nanoTime();
            Thread.sleep(1000);
            double s = (System.nanoTime() - t) / 1e9;
            double work = Math.max(1, working.sum() - w);
            System.out.printf("measured: %.0f batches/s, %.2f threads at work, %.0f lines logged/s, %.0f us each, %.1f %% of the work%n", (batches.sum() - b) / s,
                    work / 1e9 / s, (lines.sum() - n) / s, (logging.sum() - in) / 1000.0 / Math.max(1, lines.sum() - n), 100 * (logging.sum() - in) / work);
        }
    }
}
