// SPDX-License-Identifier: Apache-2.0
// cause: HumpYard$Classifier.classify writes ten lines for each wagon to a java.util.logging logger whose handler's format (HumpYard$LineFormat.format) has the class and method of the caller, so that each record searches the stack for it (LogRecord.inferCaller)
// share: 85 to 99 % of the humps' time is logging, 9 to 15 us a line; 68 % of CPU samples of Java code (JFR) are in LogRecord.inferCaller, 93 % in java.util.logging, 95 % in Classifier.classify
// expect: hot-code kind=logged-callers frame=HumpYard$ | hot-code kind=logging frame=HumpYard$
// symptom: hot-calls hot-method
// judge: NAMED: logging (java.util.logging) for HumpYard$Classifier.classify, above all logging that finds out where it is called (inferCaller, StackWalker), as hot-code logged-callers or logging. Also NAMED if the function is HumpYard$LineFormat.format with the search for the caller. SYMPTOM ONLY: CPU time in StackWalker/StackStreamFactory or java.util.logging methods without a function of the program; hot-calls of Classifier.classify that does not say logging; building strings for LineFormat.format. WRONG: Yard.cost, collections, waits, all else first.
// jdk: 21
// set: thirty-sixth
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** A marshalling yard: two humps sort wagons of incoming trains to tracks; the yard master can read what was done. */
public class HumpYard {
    private static final Logger LOG = Logger.getLogger("yard.hump");
    static final AtomicLong wagons = new AtomicLong();
    static final AtomicLong lines = new AtomicLong();
    static final AtomicLong logging = new AtomicLong();
    static final AtomicLong working = new AtomicLong();

    record Wagon(int number, int destination, int axles, int tons, boolean dangerous) { }

    static final class LineFormat extends Formatter {
        @Override
        public String format(LogRecord record) {
            return new StringBuilder(160).append(record.getMillis()).append(' ').append(record.getLevel().getName())
                .append(' ').append(record.getSourceClassName()).append('.').append(record.getSourceMethodName())
                .append(' ').append(record.getMessage()).toString();
        }
    }

    /** Keeps the latest lines for the yard master's screen. */
    static final class Screen extends Handler {
        private final ArrayDeque<String> latest = new ArrayDeque<>();

        Screen() {
            setFormatter(new LineFormat());
        }

        @Override
        public void publish(LogRecord record) {
            if (!isLoggable(record))
                return;
            String line = getFormatter().format(record);
            lines.incrementAndGet();
            synchronized (latest) {
                if (latest.size() == 5000)
                    latest.removeFirst();
                latest.addLast(line);
            }
        }

        @Override
        public void flush() { }

        @Override
        public void close() { }
    }

    static final class Yard {
        private final int[] filled = new int[24];
        private final int[] tons = new int[24];

        private double cost(int track, Wagon wagon) {
            double distance = Math.abs(track - wagon.destination() % 24);
            return distance * 1.5 + filled[track] * 0.2 + tons[track] / 900.0 + (wagon.dangerous() && track % 4 == 0 ? 50 : 0);
        }

        int choose(Wagon wagon) {
            int best = 0;
            for (int track = 1; track < filled.length; track++)
                if (cost(track, wagon) < cost(best, wagon))
                    best = track;
            return best;
        }

        void enter(int track, Wagon wagon) {
            filled[track] += wagon.axles();
            tons[track] += wagon.tons();
        }

        int depart(int track) {
            int axles = filled[track];
            if (axles > 160) {
                filled[track] = 0;
                tons[track] = 0;
                return axles;
            }
            return 0;
        }
    }

    static final class Classifier implements Runnable {
        private final Yard yard = new Yard();
        private final Random random;

        Classifier(long seed) {
            random = new Random(seed);
        }

        private List<Wagon> train() {
            List<Wagon> train = new ArrayList<>();
            for (int i = 0; i < 40; i++)
                train.add(new Wagon(random.nextInt(900000), random.nextInt(96), 2 + 2 * random.nextInt(3),
                    20 + random.nextInt(70), random.nextInt(20) == 0));
            return train;
        }

        void classify(Wagon wagon, int position) {
            long start = System.nanoTime();
            LOG.log(Level.INFO, "wagon at hump");
            LOG.log(Level.INFO, "brakes released");
            LOG.log(Level.INFO, "weighed");
            LOG.log(Level.INFO, wagon.dangerous() ? "danger plate read" : "no danger plate");
            long paused = System.nanoTime();
            int track = yard.choose(wagon);
            yard.enter(track, wagon);
            int axles = yard.depart(track);
            long again = System.nanoTime();
            LOG.log(Level.INFO, "track chosen");
            LOG.log(Level.INFO, "points set");
            LOG.log(Level.INFO, position == 0 ? "first of train" : "coupled off");
            LOG.log(Level.INFO, "retarder passed");
            LOG.log(Level.INFO, "wagon on track");
            LOG.log(Level.INFO, axles > 0 ? "track departs" : "track stays");
            long end = System.nanoTime();
            logging.addAndGet(end - again + paused - start);
            wagons.incrementAndGet();
        }

        @Override
        public void run() {
            while (true) {
                long start = System.nanoTime();
                for (int trains = 0; trains < 10; trains++) {
                    int position = 0;
                    for (Wagon wagon : train())
                        classify(wagon, position++);
                }
                working.addAndGet(System.nanoTime() - start);
                try {
                    Thread.sleep(30);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        LOG.setUseParentHandlers(false);
        LOG.addHandler(new Screen());
        for (int i = 0; i < 2; i++) {
            Thread hump = new Thread(new Classifier(70 + i), "hump-" + i);
            hump.setDaemon(true);
            hump.start();
        }
        var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        for (int second = 1; ; second++) {
            long n = wagons.get(), l = lines.get(), t = logging.get(), w = working.get(), cpu = system.getProcessCpuTime();
            Thread.sleep(1000);
            if (second == 4)
                System.out.println("READY");
            long count = lines.get() - l;
            System.out.printf("measured: %d wagons, %d lines of log, %.1f us each; %.0f %% of the humps' work is logging; %.2f CPUs%n",
                wagons.get() - n, count, (logging.get() - t) / 1e3 / Math.max(1, count),
                100.0 * (logging.get() - t) / Math.max(1, working.get() - w), (system.getProcessCpuTime() - cpu) / 1e9);
            System.out.flush();
        }
    }
}
