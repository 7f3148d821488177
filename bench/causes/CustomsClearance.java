// SPDX-License-Identifier: Apache-2.0
// cause: CustomsClearance$ReleaseStep.note calls Logger.log without source class and method while the format prints the caller (%2$s), so LogRecord.inferCaller creates a Throwable and walks the stack for each record, under a stack of about 960 frames (480 chained steps), which makes each of the 4 records per consignment cost tens of microseconds.
// share: faulty 7,200-8,800 consignments/s (mean 113-139 us), fixed (logp with explicit class and method, same text to the same file) 28,600-30,600 consignments/s (mean 33 us); on a quiet machine 40,000: 3.5 to 5 times better (3,000-3,300 against 11,400-12,400 on the loaded machine)
// expect: hot-code kind=logged-callers
// symptom: hot-code
// judge: NAMED: caller inference of java.util.logging (LogRecord.inferCaller / getSourceMethodName / SimpleFormatter asking for the caller) for calls from ReleaseStep.note, that is filling and walking a deep stack trace per log record. SYMPTOM ONLY: 'logging is expensive', 'Throwable.fillInStackTrace is hot' without the logging caller lookup; 'deep call stack'. WRONG: disk or file I/O of the log as the cause, exceptions thrown as control flow by the business code, DutyStep arithmetic, lock contention on the handler (one thread only), GC.
// jdk: 8
// set: twenty-third
// jvm:
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.FileHandler;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

public class CustomsClearance {
    private static final boolean FIXED = Boolean.getBoolean("fixed");
    private static final Logger LOG = Logger.getLogger(CustomsClearance.class.getName());
    private static final AtomicLong CLEARED = new AtomicLong();
    private static final AtomicLong NANOS = new AtomicLong();

    static final class Consignment {
        final int id;
        final String origin;
        final double[] weights;
        double duty;
        int flags;

        Consignment(int id, String origin, double[] weights) {
            this.id = id;
            this.origin = origin;
            this.weights = weights;
        }
    }

    interface Step {
        void handle(Consignment c, Chain next);
    }

    static final class Chain {
        private final List<Step> steps;
        private final int at;

        Chain(List<Step> steps, int at) {
            this.steps = steps;
            this.at = at;
        }

        void proceed(Consignment c) {
            if (at < steps.size()) {
                steps.get(at).handle(c, new Chain(steps, at + 1));
            }
        }
    }

    static final class DutyStep implements Step {
        private final double factor;

        DutyStep(double factor) {
            this.factor = factor;
        }

        @Override
        public void handle(Consignment c, Chain next) {
            double sum = 0;
            for (double w : c.weights) {
                sum += w * factor;
            }
            c.duty += sum;
            next.proceed(c);
        }
    }

    static final class OriginStep implements Step {
        private final String blocked;

        OriginStep(String blocked) {
            this.blocked = blocked;
        }

        @Override
        public void handle(Consignment c, Chain next) {
            if (c.origin.equals(blocked)) {
                c.flags++;
            }
            next.proceed(c);
        }
    }

    static final class ReleaseStep implements Step {
        @Override
        public void handle(Consignment c, Chain next) {
            note("released", c);
            note(c.flags > 0 ? "inspection requested" : "no inspection", c);
            note("duty " + Math.round(c.duty), c);
            note("archived", c);
            next.proceed(c);
        }

        private void note(String what, Consignment c) {
            if (FIXED) {
                LOG.logp(Level.INFO, "CustomsClearance$ReleaseStep", "note", "{0} consignment {1}",
                        new Object[] {what, c.id});
            } else {
                LOG.log(Level.INFO, "{0} consignment {1}", new Object[] {what, c.id});
            }
        }
    }

    static List<Step> procedure() {
        List<Step> steps = new ArrayList<>();
        for (int i = 0; i < 480; i++) {
            if (i % 3 == 0) {
                steps.add(new OriginStep("X" + i));
            } else {
                steps.add(new DutyStep(0.01 + i / 1000.0));
            }
        }
        steps.add(new ReleaseStep());
        return steps;
    }

    static void openLog() throws IOException {
        final File dir = File.createTempFile("customs", "");
        dir.delete();
        dir.mkdirs();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            for (File f : dir.listFiles()) {
                f.delete();
            }
            dir.delete();
        }));
        FileHandler handler = new FileHandler(dir.getPath() + "/clearance%g.log", 4000000, 2, false);
        handler.setFormatter(new SimpleFormatter());
        LOG.setUseParentHandlers(false);
        LOG.addHandler(handler);
    }

    static void clear(List<Step> steps, long seed, long end) {
        Random random = new Random(seed);
        String[] origins = {"NO", "CH", "TR", "X3", "BR", "X12"};
        int id = 0;
        while (System.nanoTime() < end) {
            double[] w = new double[6];
            for (int i = 0; i < w.length; i++) {
                w[i] = random.nextInt(1000) / 10.0;
            }
            Consignment c = new Consignment(++id, origins[random.nextInt(origins.length)], w);
            long t = System.nanoTime();
            new Chain(steps, 0).proceed(c);
            NANOS.addAndGet(System.nanoTime() - t);
            CLEARED.incrementAndGet();
        }
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("java.util.logging.SimpleFormatter.format", "%1$tF %4$s %2$s %5$s%n");
        openLog();
        final List<Step> steps = procedure();
        final long end = System.nanoTime() + 170L * 1000000000L;
        Thread worker = new Thread("clearance") {
            @Override
            public void run() {
                clear(steps, 5, end);
            }
        };
        worker.start();
        System.out.println("READY");
        long n0 = 0;
        long t0 = 0;
        while (worker.isAlive()) {
            worker.join(1000);
            long n = CLEARED.get();
            long t = NANOS.get();
            long d = Math.max(1, n - n0);
            System.out.println("measured: " + (n - n0) + " consignments/s, mean " + (t - t0) / d / 1000 + " us");
            n0 = n;
            t0 = t;
        }
    }
}
