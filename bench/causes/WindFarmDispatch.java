// SPDX-License-Identifier: Apache-2.0
// cause: java.util.logging is left at level ALL for windfarm.setpoint (WindFarmDispatch.commissioningLog), so that WindFarmDispatch$Trace.note writes a formatted record to a file for every intermediate figure of every turbine, a dozen per turbine and cycle
// share: 95 to 99 % of each cycle (18 to 25 ms) goes to some 60,000 log records a second, about 0.35 to 0.5 CPUs; all the rest of a cycle takes 0.3 to 1 ms
// expect: hot-code what=logging frame=WindFarmDispatch$
// symptom: hot-code hot-calls
// judge: NAMED: logging (java.util.logging: Logger.logp/log, FileHandler, SimpleFormatter) for WindFarmDispatch$Trace.note, or for who calls it (SetPoint.curtail, SetPoint.turbine), too much is logged. SYMPTOM ONLY: formatting, dates, or building strings (MessageFormat, String.format) for Trace.note without saying logging; writing of files / write calls from Trace.note. WRONG: the wake model (WakeModel.deficit) as the cause, logging that finds out where it is called (inferCaller is not used: logp gives class and method), locks, disk waits, collections as the main cause
// jdk: 21
// set: thirty-second
// jvm: -Xmx256m

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;
import java.util.logging.FileHandler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.stream.Stream;

/** Computes the power set points of a wind farm from the wind at each mast, several times a second. */
public class WindFarmDispatch {

    static final LongAdder CYCLES = new LongAdder();
    static final LongAdder CYCLE_NS = new LongAdder();
    static final LongAdder RECORDS = new LongAdder();
    static final LongAdder TRACE_NS = new LongAdder();

    static final class Trace {
        private final Logger log;
        private final String unit;

        Trace(Logger log, String unit) {
            this.log = log;
            this.unit = unit;
        }

        void note(String step, String text, Object... figures) {
            long from = System.nanoTime();
            log.logp(Level.FINER, unit, step, text, figures);
            TRACE_NS.add(System.nanoTime() - from);
            RECORDS.increment();
        }
    }

    static final class Turbine {
        final int id;
        final double x;
        final double y;
        double wind;
        double deficit;
        double setPointKw;

        Turbine(int id, double x, double y) {
            this.id = id;
            this.x = x;
            this.y = y;
        }
    }

    static final class WakeModel {
        private static final double ROTOR = 63;
        private static final double SPREAD = 0.05;

        double deficit(Turbine of, Turbine[] all, double sin, double cos) {
            double sum = 0;
            for (Turbine up : all) {
                double along = (of.x - up.x) * cos + (of.y - up.y) * sin;
                if (up == of || along <= ROTOR)
                    continue;
                double across = Math.abs((of.y - up.y) * cos - (of.x - up.x) * sin);
                double radius = ROTOR + SPREAD * along;
                if (across < radius) {
                    double d = 0.56 / Math.pow(radius / ROTOR, 2);
                    sum += d * d;
                }
            }
            return Math.sqrt(sum);
        }
    }

    static final class SetPoint {
        private final Trace trace = new Trace(Logger.getLogger("windfarm.setpoint"), "SetPoint");
        private final WakeModel wakes = new WakeModel();
        private final Turbine[] turbines;
        private double direction = 1.1;

        SetPoint(Turbine[] turbines) {
            this.turbines = turbines;
        }

        double cycle(Random masts, double limitKw) {
            direction += masts.nextGaussian() * 0.01;
            double sin = Math.sin(direction), cos = Math.cos(direction), possible = 0;
            for (Turbine t : turbines)
                possible += turbine(t, 9 + masts.nextGaussian(), sin, cos);
            double factor = Math.min(1, limitKw / possible);
            for (Turbine t : turbines)
                curtail(t, factor);
            return possible * factor;
        }

        private double turbine(Turbine t, double wind, double sin, double cos) {
            t.wind = wind;
            trace.note("turbine", "turbine {0}: wind at mast {1} m/s", t.id, wind);
            t.deficit = wakes.deficit(t, turbines, sin, cos);
            trace.note("turbine", "turbine {0}: wake deficit {1} from direction {2}", t.id, t.deficit, direction);
            double effective = wind * (1 - Math.min(0.8, t.deficit));
            trace.note("turbine", "turbine {0}: effective wind {1} m/s", t.id, effective);
            t.setPointKw = Math.max(0, Math.min(3600, 0.5 * 1.225 * 12_469 * 0.44 * Math.pow(effective, 3) / 1000));
            trace.note("turbine", "turbine {0}: possible power {1} kW of {2} kW", t.id, t.setPointKw, 3600);
            return t.setPointKw;
        }

        private void curtail(Turbine t, double factor) {
            double target = t.setPointKw * factor;
            for (int step = 1; step <= 8; step++) {
                t.setPointKw += (target - t.setPointKw) * 0.5;
                trace.note("curtail", "turbine {0}: ramp {1} to {2} kW, target {3} kW", t.id, step, t.setPointKw, target);
            }
        }
    }

    static void commissioningLog(Path folder) throws IOException {
        String settings = "handlers=\n.level=INFO\nwindfarm.setpoint.level=ALL\n"
                + "java.util.logging.SimpleFormatter.format=%1$tF %1$tT.%1$tL %4$s %2$s - %5$s%n\n";
        LogManager.getLogManager().readConfiguration(new ByteArrayInputStream(settings.getBytes(StandardCharsets.ISO_8859_1)));
        FileHandler file = new FileHandler(folder + "/windfarm.%g.log", 8 << 20, 2);
        file.setLevel(Level.ALL);
        file.setFormatter(new SimpleFormatter());
        Logger.getLogger("windfarm").addHandler(file);
    }

    static void remove(Path folder) {
        LogManager.getLogManager().reset();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : (Iterable<Path>) files::iterator)
                Files.deleteIfExists(file);
            Files.deleteIfExists(folder);
        } catch (IOException e) {
            System.err.println("log folder stays: " + e);
        }
    }

    static void dispatch(SetPoint setPoint) {
        Random masts = new Random(11);
        double fed = 0;
        while (true) {
            long from = System.nanoTime();
            fed += setPoint.cycle(masts, 150_000);
            long took = System.nanoTime() - from;
            CYCLE_NS.add(took);
            CYCLES.increment();
            try {
                Thread.sleep(Math.max(1, 50 - took / 1_000_000));
            } catch (InterruptedException e) {
                System.out.println("fed " + fed);
                return;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Path folder = Files.createTempDirectory("windfarm");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(folder), "log-removal"));
        commissioningLog(folder);
        Turbine[] turbines = new Turbine[256];
        for (int i = 0; i < turbines.length; i++)
            turbines[i] = new Turbine(i + 1, i % 16 * 620, i / 16 * 710);
        SetPoint setPoint = new SetPoint(turbines);
        new Thread(() -> dispatch(setPoint), "dispatch").start();
        Thread.sleep(3000);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long n = CYCLES.sum(), ns = CYCLE_NS.sum(), r = RECORDS.sum(), t = TRACE_NS.sum();
            Thread.sleep(1000);
            n = CYCLES.sum() - n;
            ns = Math.max(1, CYCLE_NS.sum() - ns);
            System.out.printf(Locale.ROOT, "measured: %d cycles/s, %.1f ms each; %d log records/s, %.1f %% of the cycle's time%n",
                    n, ns / 1e6 / Math.max(1, n), RECORDS.sum() - r, 100.0 * (TRACE_NS.sum() - t) / ns);
            System.out.flush();
        }
    }
}
