// SPDX-License-Identifier: Apache-2.0
// cause: TrailFormat.format() calls LogRecord.getSourceClassName()/getSourceMethodName(), so java.util.logging on JDK 8 runs LogRecord.inferCaller(), which fills in a Throwable with the whole stack (about 150 nested account frames) for every audit line; this costs far more than the posting itself.
// share: faulty 257338 postings/s, mean 7.8 us; fixed 2333562 postings/s, mean 0.87 us; 9.1 times better (10 s each, 2 busy cores)
// expect: hot-code kind=logged-callers
// symptom: hot-calls
// judge: NAMED: the log formatter TrailFormat.format() asks for the source class/method, which makes LogRecord.inferCaller() create a Throwable and walk the deep stack for each record; drop the caller from the format or set it explicitly. SYMPTOM ONLY: time is spent in Throwable.fillInStackTrace; logging is slow; many Throwable or StackTraceElement objects are allocated. WRONG: exceptions thrown by the program, the recursion Account.post() as the cause, the lock in the Trail handler, disk output (there is none), garbage collection.
// jdk: 8
// set: twenty-sixth
// jvm:
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

public class LedgerAudit {
    static final boolean VARIANT = Boolean.getBoolean("fixed");
    static final long END = System.nanoTime() + 170_000_000_000L;
    static final Logger audit = Logger.getLogger("ledger.audit");
    static final AtomicLong posted = new AtomicLong();
    static final AtomicLong spentNanos = new AtomicLong();

    static final class TrailFormat extends Formatter {
        @Override
        public String format(LogRecord record) {
            StringBuilder line = new StringBuilder(120);
            line.append(record.getMillis()).append(' ').append(record.getLevel().getName()).append(' ');
            if (VARIANT) {
                line.append(record.getLoggerName()).append(' ').append("posting");
            } else {
                line.append(record.getSourceClassName()).append(' ').append(record.getSourceMethodName());
            }
            line.append(' ').append(record.getMessage());
            return line.append('\n').toString();
        }
    }

    static final class Trail extends Handler {
        private final String[] recent = new String[4096];
        private int next;
        private long chars;

        @Override
        public void publish(LogRecord record) {
            String line = getFormatter().format(record);
            synchronized (this) {
                recent[next++ & 4095] = line;
                chars += line.length();
            }
        }

        synchronized long chars() {
            return chars;
        }

        @Override
        public void flush() {
        }

        @Override
        public void close() {
        }
    }

    static final class Account {
        final int number;
        final Account parent;
        long balanceCents;
        int entries;

        Account(int number, Account parent) {
            this.number = number;
            this.parent = parent;
        }

        long post(long cents, Account source) {
            balanceCents += cents;
            entries++;
            if (parent != null) {
                return parent.post(cents, source);
            }
            audit.log(Level.INFO, "posted " + cents + " from " + source.number + " total " + balanceCents);
            return balanceCents;
        }
    }

    static final class Clerk extends Thread {
        final List<Account> leaves = new ArrayList<>();
        final Random random;

        Clerk(int id) {
            super("clerk-" + id);
            random = new Random(id);
            Account root = new Account(id * 100_000, null);
            for (int branch = 0; branch < 20; branch++) {
                Account account = root;
                for (int level = 1; level < 150; level++) {
                    account = new Account(root.number + branch * 1000 + level, account);
                }
                leaves.add(account);
            }
        }

        @Override
        public void run() {
            long sink = 0;
            while (System.nanoTime() < END) {
                long start = System.nanoTime();
                for (int i = 0; i < 50; i++) {
                    Account leaf = leaves.get(random.nextInt(leaves.size()));
                    sink += leaf.post(1 + random.nextInt(10_000), leaf);
                }
                spentNanos.addAndGet(System.nanoTime() - start);
                posted.addAndGet(50);
            }
            if (sink == 42) {
                System.out.println(sink);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Trail trail = new Trail();
        trail.setFormatter(new TrailFormat());
        audit.setUseParentHandlers(false);
        audit.addHandler(trail);
        Clerk[] clerks = {new Clerk(1), new Clerk(2)};
        for (Clerk clerk : clerks) {
            clerk.start();
        }
        System.out.println("READY");
        long lastCount = 0;
        long lastSpent = 0;
        while (System.nanoTime() < END) {
            Thread.sleep(1000);
            long count = posted.get();
            long spent = spentNanos.get();
            long n = count - lastCount;
            System.out.printf("measured: %d postings/s, mean %.2f us, trail %d MB%n", n,
                    n == 0 ? 0.0 : (spent - lastSpent) / 1e3 / n, trail.chars() >> 20);
            lastCount = count;
            lastSpent = spent;
        }
        for (Clerk clerk : clerks) {
            clerk.join(2000);
        }
        System.exit(0);
    }
}
