// SPDX-License-Identifier: Apache-2.0
// cause: VineyardDrip$Planner.weigh logs a FINE record for each drip line, and the logger's filter VineyardDrip$Topics.isLoggable asks each record for the class and method that logged it (LogRecord.getSourceClassName, getSourceMethodName), so that java.util.logging walks the stack for every one of them, and then drops nearly all: filter by level or by the logger's name, or do not log there
// share: about 95 % of the process's CPU time (0.5 of a CPU) is in Logger.log, as measured by thread CPU time with and without, most of it in the search for the caller, below Topics.isLoggable (84 % of JFR's samples)
// expect: hot-code kind=logged-callers frame=VineyardDrip$ | hot-code kind=logging frame=VineyardDrip$
// symptom: hot-calls hot-method
// judge: NAMED: CPU time goes to logging that finds out where it is called (inferCaller, stack walking), for VineyardDrip$Planner.weigh or for the filter VineyardDrip$Topics.isLoggable; plain "logging", for one of these two, is right as well. SYMPTOM ONLY: StackWalker / StackStreamFactory / LogRecord as hot methods or "hot calls" without the program's function, or without saying that it is logging. WRONG: collections, locks, lack of CPUs, the planner's arithmetic (Soil.need), string building, exceptions.
// jdk: 25
// set: thirty-fourth
// jvm: -Xmx256m
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.*;
import java.util.concurrent.atomic.LongAdder;
import java.util.logging.*;

/** Plans the watering of a vineyard: every few milliseconds another parcel's drip lines are weighed by soil and weather. */
public class VineyardDrip {
    static final Logger LOG = Logger.getLogger("estate.drip");
    static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    static final LongAdder logging = new LongAdder(), weighed = new LongAdder(), plans = new LongAdder();

    /** What the moisture probes of one drip line say. */
    static final class Soil {
        final String name;
        double moisture, clay, slope;

        Soil(String name, Random random) {
            this.name = name;
            moisture = 0.1 + random.nextDouble() * 0.3;
            clay = random.nextDouble();
            slope = random.nextDouble() * 20;
        }

        double need(Weather weather) {
            double capacity = 0.18 + 0.22 * clay;
            double loss = weather.evaporation() * (1 + slope / 90) - weather.rain() * Math.cos(Math.toRadians(slope));
            return Math.max(0, (capacity - moisture) * 900 + loss);
        }

        void after(double litres, Weather weather) {
            moisture += litres / 9000 - weather.evaporation() / 4000 + weather.rain() / 3000;
            moisture = Math.min(0.45, Math.max(0.05, moisture));
        }
    }

    record Weather(double evaporation, double rain) {}

    /** Lets only the topics through that the estate's office needs to read. */
    static final class Topics implements Filter {
        private final Set<String> wanted;

        Topics(String... wanted) { this.wanted = Set.of(wanted); }

        @Override public boolean isLoggable(LogRecord record) {
            String owner = record.getSourceClassName();
            String topic = owner.substring(owner.lastIndexOf('$') + 1) + "." + record.getSourceMethodName();
            return wanted.contains(topic) || record.getLevel().intValue() >= Level.WARNING.intValue();
        }
    }

    /** The last lines, for the page that the office reads. */
    static final class OfficePage extends Handler {
        private final ArrayDeque<String> lines = new ArrayDeque<>();

        @Override public synchronized void publish(LogRecord record) {
            lines.addLast(record.getInstant() + " " + record.getMessage());
            if (lines.size() > 200) lines.removeFirst();
        }

        @Override public void flush() {}
        @Override public void close() {}
        synchronized int size() { return lines.size(); }
    }

    /** One parcel with its lines. */
    static final class Parcel {
        final String name;
        final List<Soil> lines = new ArrayList<>();

        Parcel(int number, Random random) {
            name = "parcel " + number;
            for (int i = 0; i < 120; i++) lines.add(new Soil(name + " line " + i, random));
        }
    }

    static final class Planner implements Runnable {
        private final List<Parcel> parcels;
        private final Random random = new Random();

        Planner(List<Parcel> parcels) { this.parcels = parcels; }

        @Override public void run() {
            try {
                for (int turn = 0; ; turn++) {
                    Weather weather = new Weather(2 + random.nextDouble() * 4, random.nextInt(5) == 0 ? random.nextDouble() * 3 : 0);
                    for (int i = 0; i < 10; i++) plan(parcels.get((turn * 10 + i) % parcels.size()), weather);
                    Thread.sleep(2);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void plan(Parcel parcel, Weather weather) {
            long before = THREADS.getCurrentThreadCpuTime();
            double total = 0;
            for (Soil soil : parcel.lines) total += weigh(soil, weather);
            logging.add(THREADS.getCurrentThreadCpuTime() - before);
            open(parcel, total);
            plans.increment();
        }

        private double weigh(Soil soil, Weather weather) {
            double litres = soil.need(weather);
            LOG.log(Level.FINE, "{0} needs water", soil.name);
            soil.after(litres, weather);
            weighed.increment();
            return litres;
        }

        private void open(Parcel parcel, double litres) {
            if (litres > 500 && random.nextInt(50) == 0) LOG.log(Level.INFO, parcel.name);
        }
    }

    /** What weighing a line costs without a log, in nanoseconds. */
    static long plainCost() {
        Parcel parcel = new Parcel(0, new Random(1));
        Weather weather = new Weather(3, 0);
        double sum = 0;
        for (int i = 0; i < 4000; i++) for (Soil soil : parcel.lines) { sum += soil.need(weather); soil.after(1, weather); }
        long before = THREADS.getCurrentThreadCpuTime();
        for (int i = 0; i < 4000; i++) for (Soil soil : parcel.lines) { sum += soil.need(weather); soil.after(1, weather); }
        return sum < 0 ? 0 : (THREADS.getCurrentThreadCpuTime() - before) / (4000 * 120);
    }

    public static void main(String[] args) throws Exception {
        var os = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        OfficePage page = new OfficePage();
        LOG.setUseParentHandlers(false);
        LOG.setLevel(Level.FINE);
        LOG.setFilter(new Topics("Planner.open", "Planner.stop"));
        LOG.addHandler(page);
        long plain = plainCost();
        List<Parcel> parcels = new ArrayList<>();
        for (int i = 1; i <= 60; i++) parcels.add(new Parcel(i, new Random(i)));
        new Thread(new Planner(parcels), "planner").start();
        long cpu = os.getProcessCpuTime(), time = System.nanoTime(), spent = 0, done = 0;
        for (int second = 1; ; second++) {
            Thread.sleep(1000);
            long c = os.getProcessCpuTime(), t = System.nanoTime(), d = weighed.sum();
            long s = logging.sum() - d * plain;
            System.out.printf(Locale.ROOT, "measured: %d lines/s, %.2f CPUs, %.0f %% of them for log records (%d ns each, the line itself %d ns), %d shown%n",
                (d - done) * 1_000_000_000L / (t - time), (c - cpu) / (double) (t - time), 100.0 * (s - spent) / Math.max(1, c - cpu),
                (s - spent) / Math.max(1, d - done), plain, page.size());
            cpu = c; time = t; spent = s; done = d;
            if (second == 3) System.out.println("READY");
            System.out.flush();
        }
    }
}
