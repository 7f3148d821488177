// SPDX-License-Identifier: Apache-2.0
// healthy: most of its CPU time is java.util.logging, since the ledger of what a pharmacy hands out, one line for each package, is what the program has to write: each line is formatted once by a plain formatter, with a caller that is given and not looked for, goes to a file at once, and the fixed rate is kept with CPUs to spare.
// share: 36,000 orders/s (the rate of trays), 1.8 to 2.5 us each, no tray late after the first second; 0.15 CPUs.
// judge: WRONG: that logging (PharmacyLedger$Ledger.enter) makes it slow, that it looks for callers, logs too much or should be asynchronous; that the handler's lock or the file holds counters up; that the pauses of the counters are a cause. ACCEPTABLE: a neutral remark that its CPU time is logging (or writing to the file) in PharmacyLedger$Ledger.enter, or that the program mostly rests.
// jdk: 25
// set: thirtieth
// jvm:
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.logging.FileHandler;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;

/** Hands out packages at the counters of a mail-order pharmacy and keeps the ledger that the law asks for. */
public class PharmacyLedger {
    static final int ARTICLES = 4000;

    record Order(long number, int customer, int article, int packages) {
    }

    /** One line of the ledger: time, counter, what and how much. */
    static final class Line extends Formatter {
        @Override
        public String format(LogRecord r) {
            StringBuilder line = new StringBuilder(128);
            line.append(r.getMillis()).append('|').append(r.getSequenceNumber()).append('|').append(r.getSourceMethodName()).append('|')
                    .append(r.getMessage()).append('\n');
            return line.toString();
        }
    }

    static final class Ledger {
        private final Logger logger = Logger.getLogger("pharmacy.ledger");

        Ledger(Path folder) throws IOException {
            FileHandler handler = new FileHandler(folder + "/ledger.%g", 8 << 20, 2, false);
            handler.setFormatter(new Line());
            handler.setEncoding("UTF-8");
            logger.setUseParentHandlers(false);
            logger.setLevel(Level.INFO);
            logger.addHandler(handler);
        }

        void close() {
            for (Handler handler : logger.getHandlers())
                handler.close();
        }

        void enter(Order order, int left) {
            logger.logp(Level.INFO, "PharmacyLedger", "handOut", "order " + order.number + " customer " + order.customer + " article "
                    + order.article + " packages " + order.packages + " left " + left);
        }
    }

    /** What lies on the shelves. */
    static final class Stock {
        private final AtomicIntegerArray packages = new AtomicIntegerArray(ARTICLES);

        int take(Order order) {
            int left = packages.addAndGet(order.article, -order.packages);
            return left < 0 ? packages.addAndGet(order.article, 500) : left;
        }
    }

    static final Stock stock = new Stock();
    static final AtomicLong numbers = new AtomicLong();
    static final LongAdder orders = new LongAdder();
    static final LongAdder took = new LongAdder();
    static final LongAdder late = new LongAdder();

    static void handOut(Ledger ledger) {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        Order order = new Order(numbers.incrementAndGet(), r.nextInt(100_000), r.nextInt(ARTICLES), 1 + r.nextInt(3));
        long begin = System.nanoTime();
        ledger.enter(order, stock.take(order));
        took.add(System.nanoTime() - begin);
        orders.increment();
    }

    /** A counter gets a tray of orders ten times a second. */
    static void counter(Ledger ledger, int offset) {
        try {
            Thread.sleep(offset);
            long due = System.nanoTime();
            while (true) {
                for (int i = 0; i < 1200; i++)
                    handOut(ledger);
                due += 100_000_000;
                long rest = due - System.nanoTime();
                if (rest > 0)
                    Thread.sleep(rest / 1_000_000);
                else
                    late.increment();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        long span = Long.getLong("span", 170);
        Path folder = Files.createTempDirectory("ledger");
        Ledger ledger = new Ledger(folder);
        for (int i = 0; i < 3; i++) {
            int offset = i * 33;
            Thread t = new Thread(() -> counter(ledger, offset), "counter-" + (i + 1));
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        for (long s = 0; s < span; s++) {
            Thread.sleep(1000);
            long n = Math.max(1, orders.sumThenReset());
            System.out.printf("measured: %d orders/s, mean %.1f us each, trays late so far %d%n", n, took.sumThenReset() / 1e3 / n, late.sum());
        }
        ledger.close();
        List<Path> files;
        try (Stream<Path> list = Files.list(folder)) {
            files = list.toList();
        }
        for (Path file : files)
            Files.delete(file);
        Files.delete(folder);
        System.exit(0);
    }
}
