// SPDX-License-Identifier: Apache-2.0
// cause: BerthDispatch$Journal.note logs each step by Logger.log(level, text) from below a chain of some fifty steps, and the SimpleFormatter of its handler asks each LogRecord for its caller (though the format prints none), so that LogRecord.inferCaller walks a deep stack for every line.
// share: 10 s each: faulty 42,300 calls/s of 23.6 us, fixed 106,500 calls/s of 9.3 us: 2.5 times as many (5.7 times in another run, on a quieter machine).
// expect: hot-code kind=logged-callers frame=BerthDispatch$Journal.note
// symptom: hot-method hot-calls
// judge: NAMED: finding the caller of each log record (LogRecord.inferCaller, getSourceClassName, asked for by SimpleFormatter) for BerthDispatch$Journal.note. SYMPTOM ONLY: much logging, making of Throwables or stack traces, a hot Logger.log or SimpleFormatter.format. WRONG: the deep chain of steps itself, writing of the log to a disk, String.format alone, contention for the handler's lock as the cause.
// jdk: 8
// set: thirtieth
// jvm:
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.logging.StreamHandler;

/** Gives ships that call at a port a berth, by rules that are asked one after the other. */
public class BerthDispatch {
    static final boolean VARIANT = Boolean.getBoolean("fixed");

    static final class Call {
        final int ship;
        final int length;
        final double draught;
        final int cargo;
        int berth = -1;
        long points;

        Call(int ship, int length, double draught, int cargo) {
            this.ship = ship;
            this.length = length;
            this.draught = draught;
            this.cargo = cargo;
        }
    }

    /** The last lines, which a page of the port's intranet shows. */
    static final class Tail extends OutputStream {
        private final byte[] lines = new byte[1 << 18];
        private int at;
        long written;

        @Override
        public void write(int b) {
            lines[at++ & lines.length - 1] = (byte) b;
            written++;
        }

        @Override
        public void write(byte[] b, int from, int length) {
            for (int i = 0; i < length; i++)
                lines[at++ & lines.length - 1] = b[from + i];
            written += length;
        }
    }

    static final class Journal {
        private final Logger logger = Logger.getLogger("port.berths");
        final Tail tail = new Tail();

        Journal() {
            System.setProperty("java.util.logging.SimpleFormatter.format", "%4$s %5$s%n");
            Handler handler = new StreamHandler(tail, new SimpleFormatter());
            logger.setUseParentHandlers(false);
            logger.setLevel(Level.INFO);
            logger.addHandler(handler);
        }

        void note(String text) {
            if (VARIANT)
                logger.logp(Level.INFO, "BerthDispatch$Journal", "note", text);
            else
                logger.log(Level.INFO, text);
        }
    }

    interface Rule {
        void apply(Call call, Chain rest);
    }

    /** What is left of the rules for one call. */
    static final class Chain {
        private final List<Rule> rules;
        private final int at;

        Chain(List<Rule> rules, int at) {
            this.rules = rules;
            this.at = at;
        }

        void next(Call call) {
            if (at < rules.size())
                rules.get(at).apply(call, new Chain(rules, at + 1));
        }
    }

    static final Journal journal = new Journal();
    static final LongAdder calls = new LongAdder();
    static final LongAdder took = new LongAdder();

    static List<Rule> rules() {
        List<Rule> rules = new ArrayList<>();
        for (int i = 0; i < 24; i++) {
            int weight = i + 3;
            rules.add((call, rest) -> {
                call.points += weight * (call.length % 17) + (long) (call.draught * weight);
                rest.next(call);
                call.points ^= call.ship;
            });
        }
        rules.add((call, rest) -> {
            call.berth = (int) (Math.abs(call.points) % 18);
            journal.note("ship " + call.ship + " may use berth " + call.berth);
            rest.next(call);
        });
        rules.add((call, rest) -> {
            if (call.cargo > 30_000)
                call.berth = (call.berth + 5) % 18;
            journal.note("ship " + call.ship + " has " + call.cargo + " t for berth " + call.berth);
            rest.next(call);
        });
        rules.add((call, rest) -> journal.note("ship " + call.ship + " goes to berth " + call.berth));
        return rules;
    }

    static void desk() {
        List<Rule> rules = rules();
        ThreadLocalRandom r = ThreadLocalRandom.current();
        while (true) {
            Call call = new Call(r.nextInt(1_000_000), 60 + r.nextInt(300), 3 + r.nextDouble() * 14, r.nextInt(60_000));
            long begin = System.nanoTime();
            new Chain(rules, 0).next(call);
            took.add(System.nanoTime() - begin);
            calls.increment();
        }
    }

    public static void main(String[] args) throws Exception {
        long span = Long.getLong("span", 170);
        Thread t = new Thread(BerthDispatch::desk, "desk");
        t.setDaemon(true);
        t.start();
        System.out.println("READY");
        long before = System.nanoTime();
        for (long s = 0; s < span; s++) {
            Thread.sleep(1000);
            long now = System.nanoTime();
            double seconds = (now - before) / 1e9;
            before = now;
            long n = Math.max(1, calls.sumThenReset());
            System.out.printf("measured: %.0f calls/s, mean %.1f us, journal %d KB%n", n / seconds, took.sumThenReset() / 1e3 / n,
                    journal.tail.written / 1000);
        }
        System.exit(0);
    }
}
