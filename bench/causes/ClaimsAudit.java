// SPDX-License-Identifier: Apache-2.0
// cause: ClaimsAudit.LineFormatter.format calls LogRecord.getSourceMethodName for records logged with Logger.log without a source, so LogRecord.inferCaller makes a new Throwable and walks its stack for each record, and the records are written deep inside the recursive rule evaluation (about 200 frames), so filling in the stack trace dominates.
// share: faulty: 201265 claims/s; fixed: 1151948 claims/s; ratio 5.7 (means over the seconds after warm-up of a run of 9 to 13 s, shared 2-core machine)
// expect: hot-code kind=logged-callers
// symptom: hot-code
// judge: NAMED: caller inference of java.util.logging (LogRecord.inferCaller, reached from getSourceMethodName in LineFormatter.format) that fills in a deep stack trace for each record. SYMPTOM ONLY: logging is expensive; CPU in Throwable.fillInStackTrace with no word on the caller inference; lock contention on the handler. WRONG: exceptions thrown by the rules; slow disk; the recursion of the rules as the cause; GC; String.format.
// jdk: 8
// set: twenty-fourth
// jvm:
import java.io.BufferedWriter;
import java.io.File;
import java.io.FileWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Evaluates nested insurance rules for claims and writes an audit line for each decision reached. */
public class ClaimsAudit {
    static final boolean ALT = Boolean.getBoolean("fixed");
    static final int DEPTH = 100;
    static final Logger LOG = Logger.getLogger("claims.audit");

    static final class Claim {
        final int number;
        final int amount;
        final int[] facts = new int[DEPTH];

        Claim(int number, Random random) {
            this.number = number;
            this.amount = 100 + random.nextInt(50_000);
            for (int i = 0; i < facts.length; i++) {
                facts[i] = random.nextInt(1000);
            }
        }
    }

    static final class LineFormatter extends Formatter {
        @Override
        public String format(LogRecord r) {
            StringBuilder b = new StringBuilder(96);
            b.append(r.getMillis()).append(' ').append(r.getLevel().getName()).append(' ');
            b.append(r.getSourceMethodName()).append(' ').append(r.getMessage()).append('\n');
            return b.toString();
        }
    }

    /** Writes lines to a file that starts again from the beginning when it is full. */
    static final class RingFileHandler extends Handler {
        private final File file;
        private BufferedWriter writer;
        private long written;
        private boolean closed;

        RingFileHandler(File file) throws IOException {
            this.file = file;
            this.writer = new BufferedWriter(new FileWriter(file), 64 * 1024);
        }

        @Override
        public void publish(LogRecord record) {
            String line = getFormatter().format(record);
            synchronized (this) {
                if (closed) {
                    return;
                }
                try {
                    writer.write(line);
                    written += line.length();
                    if (written > 8L << 20) {
                        writer.close();
                        writer = new BufferedWriter(new FileWriter(file), 64 * 1024);
                        written = 0;
                    }
                } catch (IOException e) {
                    reportError("audit", e, 0);
                }
            }
        }

        @Override
        public void flush() {
        }

        @Override
        public synchronized void close() {
            closed = true;
            try {
                writer.close();
            } catch (IOException e) {
                reportError("audit", e, 0);
            }
        }
    }

    static final class Rule {
        final int fact;
        final int limit;
        final Rule inner;

        Rule(int fact, int limit, Rule inner) {
            this.fact = fact;
            this.limit = limit;
            this.inner = inner;
        }

        int evaluate(Claim claim, int score) {
            int next = claim.facts[fact] > limit ? score + 3 : score - 1;
            return inner == null ? decide(claim, next) : check(claim, next);
        }

        private int check(Claim claim, int score) {
            return inner.evaluate(claim, score ^ (limit & 1));
        }

        private int decide(Claim claim, int score) {
            boolean pay = score * 100 > claim.amount / 400;
            audit("decide", "claim " + claim.number + (pay ? " pay " : " review ") + claim.amount);
            return pay ? claim.amount : 0;
        }
    }

    static void audit(String step, String text) {
        if (ALT) {
            LOG.logp(Level.INFO, "ClaimsAudit$Rule", step, text);
        } else {
            LOG.log(Level.INFO, text);
        }
    }

    static final LongAdder claims = new LongAdder();
    static final LongAdder paid = new LongAdder();

    static void desk(int seed, List<Rule> products) {
        Random random = new Random(seed);
        List<Claim> batch = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            batch.add(new Claim(i, random));
        }
        while (true) {
            for (Claim claim : batch) {
                Rule product = products.get(claim.number % products.size());
                paid.add(product.evaluate(claim, 0));
                claims.increment();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        File file = File.createTempFile("claims", ".log");
        file.deleteOnExit();
        RingFileHandler handler = new RingFileHandler(file);
        handler.setFormatter(new LineFormatter());
        LOG.setUseParentHandlers(false);
        LOG.addHandler(handler);
        List<Rule> products = new ArrayList<>();
        for (int p = 0; p < 8; p++) {
            Rule rule = null;
            for (int i = 0; i < DEPTH; i++) {
                rule = new Rule(i, 300 + 37 * p + i, rule);
            }
            products.add(rule);
        }
        for (int i = 0; i < 2; i++) {
            int seed = i;
            Thread t = new Thread(() -> desk(seed, products), "desk-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(170);
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            System.out.printf("measured: %d claims/s, paid %d%n", claims.sumThenReset(), paid.sumThenReset());
        }
    }
}
