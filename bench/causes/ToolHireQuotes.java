// SPDX-License-Identifier: Apache-2.0
// healthy: the branches' own price rules are JavaScript (Nashorn), compiled once at the start for each quote desk, and called as functions ever after; that rules are scripts is what the product is for, a quote takes a fraction of a millisecond, and most of the machine is free
// share: 9000 quotes a second, 0.022 ms each, of which scripts 63 % (24 calls of 4 rules for a quote); 12 scripts compiled, all at the start; 0.23 CPUs of 2
// judge: RIGHT: nothing stands out, no fault shows, or neutral statements of where time goes (running scripts for ToolHireQuotes$RuleBook.apply, computing the search in ToolHireQuotes$Fleet.free). WRONG: an accusation: that scripts or engines are made or compiled anew (factories), class loading, deoptimisation, the compilers, code scripts as a fault that has to be fixed, a saturated thread, or anything else as a fault.
// jdk: 8
// set: thirty-first
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;
import javax.script.Compilable;
import javax.script.Invocable;
import javax.script.ScriptEngine;
import javax.script.ScriptEngineManager;
import javax.script.ScriptException;

public class ToolHireQuotes {
    static final LongAdder quotes = new LongAdder(), quoteNanos = new LongAdder(), scriptNanos = new LongAdder(), compiled = new LongAdder();

    static final String[] RULES = {
        "function weekend(price, days, day) { var p = price; for (var i = 0; i < days; i++) { if ((day + i) % 7 > 4) p = p * 0.97; } return p; }",
        "function longHire(price, days, day) { if (days > 21) return price * 0.8; if (days > 7) return price * 0.9; return price; }",
        "function season(price, days, day) { var month = Math.floor(day / 30) % 12; return month >= 3 && month <= 8 ? price * 1.15 : price; }",
        "function deposit(price, days, day) { return price + Math.max(20, price * 0.02 * Math.sqrt(days)); }",
    };
    static final String[] NAMES = {"weekend", "longHire", "season", "deposit"};

    /** The rules of one branch, compiled when the desk opens. */
    static final class RuleBook {
        private final Invocable functions;
        RuleBook() {
            try {
                ScriptEngine engine = new ScriptEngineManager().getEngineByName("nashorn");
                for (String rule : RULES) {
                    ((Compilable) engine).compile(rule).eval();
                    compiled.increment();
                }
                functions = (Invocable) engine;
            } catch (ScriptException e) {
                throw new IllegalStateException(e);
            }
        }
        double apply(double price, int days, int day) {
            double p = price;
            try {
                for (String name : NAMES) p = ((Number) functions.invokeFunction(name, p, days, day)).doubleValue();
            } catch (ScriptException | NoSuchMethodException e) {
                throw new IllegalStateException(e);
            }
            return p;
        }
    }

    static final class Tool {
        final int kind, perDay;
        final long[] booked = new long[6];
        Tool(int kind, int perDay) { this.kind = kind; this.perDay = perDay; }
        boolean free(int day, int days) {
            for (int d = day; d < day + days; d++) if ((booked[(d >> 6) % 6] & 1L << d) != 0) return false;
            return true;
        }
    }

    static final class Fleet {
        private final List<Tool> tools = new ArrayList<>();
        Fleet(Random random) {
            for (int i = 0; i < 4000; i++) {
                Tool t = new Tool(i % 40, 8 + random.nextInt(90));
                for (int k = 0; k < t.booked.length; k++) t.booked[k] = random.nextLong() & random.nextLong() & random.nextLong() & random.nextLong();
                tools.add(t);
            }
        }
        Tool free(int kind, int day, int days) {
            Tool best = null;
            for (Tool t : tools) if (t.kind == kind && t.free(day, days) && (best == null || t.perDay < best.perDay)) best = t;
            return best;
        }
    }

    static final class QuoteDesk implements Runnable {
        private final RuleBook rules = new RuleBook();
        private final Random random;
        private final Fleet fleet;
        private double sum;
        QuoteDesk(long seed) {
            random = new Random(seed);
            fleet = new Fleet(random);
        }
        double quote(int kind, int day, int days) {
            Tool tool = fleet.free(kind, day, days);
            if (tool == null) return 0;
            long begin = System.nanoTime();
            double price = 0;
            for (int variant = 0; variant < 24; variant++) price = Math.max(price, rules.apply(tool.perDay * days, days + variant % 3, day + variant / 3));
            scriptNanos.add(System.nanoTime() - begin);
            return price;
        }
        public void run() {
            try {
                for (;;) {
                    for (int i = 0; i < 10; i++) {
                        long begin = System.nanoTime();
                        sum += quote(random.nextInt(40), random.nextInt(300), 1 + random.nextInt(30));
                        quoteNanos.add(System.nanoTime() - begin);
                        quotes.increment();
                    }
                    Thread.sleep(3);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        for (int i = 0; i < 3; i++) new Thread(new QuoteDesk(i), "quote-desk-" + i).start();
        while (quotes.sum() < 6000) Thread.sleep(100);
        Thread.sleep(4000);
        System.out.println("READY");
        System.out.flush();
        for (;;) {
            long q = quotes.sum(), n = quoteNanos.sum(), s = scriptNanos.sum();
            Thread.sleep(1000);
            long dq = Math.max(1, quotes.sum() - q), dn = Math.max(1, quoteNanos.sum() - n);
            System.out.printf("measured: %d quotes, %.3f ms each, scripts %.0f %% of that; %d scripts compiled since the start%n", dq, dn / 1e6 / dq, 100.0 * (scriptNanos.sum() - s) / dn, compiled.sum());
            System.out.flush();
        }
    }
}
