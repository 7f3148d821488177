// SPDX-License-Identifier: Apache-2.0
// cause: AssemblyCosting.TraceFormat.format asks each LogRecord for its source class and method, so java.util.logging.LogRecord.inferCaller builds a Throwable and walks the stack for every log line; the lines are written from the bottom of a recursion about 150 frames deep (AssemblyCosting.costOf), so each stack capture is expensive.
// share: faulty about 770 assemblies/s at mean 3.0 ms in the first 10 s and 2 200 to 3 200/s at 0.6 to 0.9 ms when warm, fixed about 9 300 assemblies/s at mean 0.2 ms in the first 10 s, 12 400/s at the end of them (factor 4 to 12).
// expect: hot-code kind=logged-callers
// symptom: waiting
// judge: NAMED: caller inference in logging (LogRecord.inferCaller / getSourceClassName / getSourceMethodName called by TraceFormat.format; Throwable.fillInStackTrace on a deep stack per log line). SYMPTOM ONLY: "logging is hot", "Throwable.fillInStackTrace is hot", or contention on the handler (java.util.logging.Handler.publish monitor) without naming the caller inference by the formatter. WRONG: exceptions thrown by the business code, disk or fsync speed of the log file, the recursion costOf as an algorithmic fault, the BigDecimal arithmetic, GC.
// jdk: 8
// set: twenty-fifth
// jvm:

import java.io.*;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.logging.*;

public class AssemblyCosting {
    static final Logger LOG = Logger.getLogger("costing.trace");
    static final boolean VARIANT = Boolean.getBoolean("fixed");
    static final AtomicLong priced = new AtomicLong();
    static final AtomicLong nanos = new AtomicLong();

    static class TraceFormat extends java.util.logging.Formatter {
        @Override
        public String format(LogRecord r) {
            StringBuilder sb = new StringBuilder(120);
            sb.append(r.getMillis()).append(' ').append(r.getLevel().getName()).append(' ');
            if (VARIANT) {
                sb.append(r.getLoggerName());
            } else {
                sb.append(r.getSourceClassName()).append('.').append(r.getSourceMethodName());
            }
            sb.append(' ').append(r.getMessage()).append('\n');
            return sb.toString();
        }
    }

    static class Part {
        final String code;
        final int quantity;
        final BigDecimal unit;
        final List<Part> needs = new ArrayList<Part>();

        Part(String code, int quantity, BigDecimal unit) {
            this.code = code;
            this.quantity = quantity;
            this.unit = unit;
        }
    }

    interface Rule {
        BigDecimal apply(Part p, int level);
    }

    static final class CostBook {
        final List<Rule> rules = new ArrayList<Rule>();

        CostBook() {
            rules.add((p, level) -> p.unit.multiply(BigDecimal.valueOf(p.quantity)));
            rules.add((p, level) -> level % 7 == 0 ? new BigDecimal("1.25") : BigDecimal.ZERO);
        }

        BigDecimal costOf(Part p, int level) {
            BigDecimal sum = BigDecimal.ZERO;
            for (Rule r : rules) {
                sum = sum.add(r.apply(p, level));
            }
            for (Part child : p.needs) {
                sum = sum.add(costOf(child, level + 1));
            }
            if (p.needs.isEmpty()) {
                LOG.fine("leaf " + p.code + " level " + level + " cost " + sum);
            }
            return sum.setScale(4, RoundingMode.HALF_UP);
        }
    }

    static Part assembly(int no) {
        Random rnd = new Random(no);
        Part root = new Part("A" + no, 1, BigDecimal.TEN);
        Part at = root;
        for (int i = 0; i < 150; i++) {
            Part next = new Part("A" + no + "-" + i, 1 + rnd.nextInt(3), BigDecimal.valueOf(rnd.nextInt(900), 2));
            at.needs.add(next);
            at = next;
        }
        for (int i = 0; i < 30; i++) {
            at.needs.add(new Part("S" + no + "-" + i, 1 + rnd.nextInt(8), BigDecimal.valueOf(rnd.nextInt(90), 2)));
        }
        return root;
    }

    static void clerk(List<Part> catalogue, int no) {
        Random rnd = new Random(no);
        CostBook book = new CostBook();
        BigDecimal total = BigDecimal.ZERO;
        while (!Thread.currentThread().isInterrupted()) {
            long t0 = System.nanoTime();
            total = total.add(book.costOf(catalogue.get(rnd.nextInt(catalogue.size())), 0));
            nanos.addAndGet(System.nanoTime() - t0);
            priced.incrementAndGet();
        }
        System.out.println("clerk total " + total);
    }

    public static void main(String[] args) throws Exception {
        final Path dir = Files.createTempDirectory("costing");
        LOG.setUseParentHandlers(false);
        LOG.setLevel(Level.FINE);
        final FileHandler file = new FileHandler(dir.toString() + "/trace%g.log", 2000000, 2, false);
        file.setLevel(Level.FINE);
        file.setFormatter(new TraceFormat());
        LOG.addHandler(file);
        final List<Part> catalogue = new ArrayList<Part>();
        for (int i = 0; i < 120; i++) {
            catalogue.add(assembly(i));
        }
        ExecutorService clerks = Executors.newFixedThreadPool(2);
        for (int i = 0; i < 2; i++) {
            final int no = i;
            clerks.submit(() -> clerk(catalogue, no));
        }
        System.out.println("READY");
        long lastCount = 0;
        long lastNanos = 0;
        for (int s = 0; s < 168; s++) {
            Thread.sleep(1000);
            long c = priced.get();
            long n = nanos.get();
            long d = Math.max(1, c - lastCount);
            System.out.println("measured: " + (c - lastCount) + " assemblies/s, mean "
                    + (n - lastNanos) / d / 1000 + " us");
            lastCount = c;
            lastNanos = n;
        }
        clerks.shutdownNow();
        clerks.awaitTermination(5, TimeUnit.SECONDS);
        file.close();
        for (File f : dir.toFile().listFiles()) {
            f.delete();
        }
        Files.delete(dir);
    }
}
