// SPDX-License-Identifier: Apache-2.0
// cause: the journal's formatter (JournalFormat.format) prints class and method of the caller, so java.util.logging walks the stack (LogRecord.inferCaller) for each of the messages that the checks write for every single result (Check.note): that takes most of the CPU time
// share: the notes are 90 to 94 % of the CPU time of a result; without class and method in the format the same program gets through 304,000 results a second in place of 116,000 to 128,000 (then bounded by its rests); 1 CPU used of 2
// expect: hot-code kind=logged-callers frame=LabResultChecks$
// symptom: hot-calls hot-method hot-code
// judge: NAMED: logging that finds out where it is called (inferCaller, callers, source class and method) for LabResultChecks$Check.note (or RangeCheck/DeltaCheck/PlausibilityCheck.test, Journal.publish, JournalFormat.format). SYMPTOM ONLY: logging there without the search for callers; hot-calls/hot-method in StackWalker, StackStreamFactory or Check.note. WRONG: formatting, building strings, the checks themselves, collections, CPUs, a lock of Journal.
// jdk: 25
// set: thirty-fifth
// jvm: -Xmx160m

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** A hospital's laboratory: each result of an analyser goes through a row of checks before it is released. */
public class LabResultChecks {
    static final LongAdder results = new LongAdder(), noted = new LongAdder(), timed = new LongAdder(), timedNotes = new LongAdder();

    record Result(int patient, int analyte, double value, double before) { }

    static final class JournalFormat extends Formatter {
        @Override
        public String format(LogRecord r) {
            return r.getSequenceNumber() + " " + r.getSourceClassName() + "." + r.getSourceMethodName() + " " + r.getMessage();
        }
    }

    /** The last lines of a bench, for those who have to explain why a result was withheld. */
    static final class Journal extends Handler {
        private final String[] lines = new String[4096];
        private int next;

        Journal() {
            setFormatter(new JournalFormat());
            setLevel(Level.ALL);
        }

        @Override
        public void publish(LogRecord r) {
            String line = getFormatter().format(r);
            lines[next++ & 4095] = line;
        }

        @Override
        public void flush() { }

        @Override
        public void close() { }
    }

    abstract static class Check {
        final Logger log;

        Check(Logger log) {
            this.log = log;
        }

        abstract boolean test(Result r);

        void note(Result r, String what) {
            log.log(Level.FINE, what);
            noted.increment();
        }
    }

    static final class RangeCheck extends Check {
        final double[] low = new double[64], high = new double[64];

        RangeCheck(Logger log) {
            super(log);
            for (int i = 0; i < 64; i++) {
                low[i] = i * 0.4;
                high[i] = 60 + i;
            }
        }

        @Override
        boolean test(Result r) {
            boolean in = r.value() >= low[r.analyte()] && r.value() <= high[r.analyte()];
            note(r, in ? "within range" : "out of range");
            return in;
        }
    }

    static final class DeltaCheck extends Check {
        DeltaCheck(Logger log) {
            super(log);
        }

        @Override
        boolean test(Result r) {
            double delta = Math.abs(r.value() - r.before()) / Math.max(1, r.before());
            note(r, delta > 0.8 ? "differs from the last one" : "near the last one");
            return delta <= 0.8;
        }
    }

    static final class PlausibilityCheck extends Check {
        final double[] recent = new double[32];
        int at;

        PlausibilityCheck(Logger log) {
            super(log);
        }

        @Override
        boolean test(Result r) {
            recent[at++ & 31] = r.value();
            double sum = 0, squares = 0;
            for (double v : recent) {
                sum += v;
                squares += v * v;
            }
            double mean = sum / 32, deviation = Math.sqrt(Math.max(0, squares / 32 - mean * mean));
            boolean plausible = Math.abs(r.value() - mean) < 3 * deviation + 1;
            note(r, plausible ? "plausible" : "far from the run's mean");
            return plausible;
        }
    }

    static final class Bench implements Runnable {
        final List<Check> checks = new ArrayList<>();
        final SplittableRandom random;
        final ThreadMXBean cpu = ManagementFactory.getThreadMXBean();
        int released, racks;

        Bench(int number) {
            Logger log = Logger.getAnonymousLogger();
            log.setUseParentHandlers(false);
            log.setLevel(Level.FINE);
            log.addHandler(new Journal());
            checks.add(new RangeCheck(log));
            checks.add(new DeltaCheck(log));
            checks.add(new PlausibilityCheck(log));
            random = new SplittableRandom(number);
        }

        Result measure() {
            double before = 10 + random.nextDouble() * 60;
            return new Result(random.nextInt(90_000), random.nextInt(64), before * (0.6 + random.nextDouble() * 0.8), before);
        }

        boolean release(Result r) {
            boolean good = true;
            for (Check check : checks) good &= check.test(r);
            return good;
        }

        void rack(int tubes) {
            for (int i = 0; i < tubes; i++) {
                if (release(measure())) released++;
            }
            results.add(tubes);
            if (++racks % 4 == 0) time(400);
        }

        /** What a result takes, and what the notes about it take. */
        void time(int tubes) {
            Result[] some = new Result[tubes];
            for (int i = 0; i < tubes; i++) some[i] = measure();
            long a = cpu.getCurrentThreadCpuTime();
            for (Result r : some) release(r);
            long b = cpu.getCurrentThreadCpuTime();
            for (Result r : some) for (Check check : checks) check.note(r, "timed");
            long c = cpu.getCurrentThreadCpuTime();
            timed.add(b - a);
            timedNotes.add(c - b);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    rack(4000);
                    Thread.sleep(25);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        for (int i = 0; i < 2; i++) {
            Thread t = new Thread(new Bench(i), "bench-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(2500);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long n = results.sum(), l = noted.sum(), t = timed.sum(), k = timedNotes.sum();
            Thread.sleep(1000);
            System.out.printf("measured: %d results/s, %d notes/s, the notes are %.0f %% of the CPU time of a result%n",
                    results.sum() - n, noted.sum() - l, 100.0 * (timedNotes.sum() - k) / Math.max(1, timed.sum() - t));
        }
    }
}
