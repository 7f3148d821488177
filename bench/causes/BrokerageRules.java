// SPDX-License-Identifier: Apache-2.0
// cause: BrokerageRules$RuleBook.filledIn puts the order's values into the text of each rule, so that ScriptEngine.eval (Nashorn) gets a new text each time, parses, compiles and links it and runs it once.
// share: faulty 2 to 713 orders/s (mean 221 over 170 s); fixed (functions compiled once, values as arguments) 0.53 to 1.02 million orders/s in the last four of 8 s; on a crowded machine.
// expect: hot-code frame=BrokerageRules$RuleBook.filledIn kind=factories | hot-code frame=BrokerageRules$RuleBook.filledIn kind=scripts
// symptom: class-unloading hot-code hot-calls gc-cpu gc-pauses
// judge: NAMED: CPU time of scripts (Nashorn: evaluating, that is parsing, compiling and linking, the text anew) for BrokerageRules$RuleBook.filledIn by ScriptEngine.eval; compile once and pass the values. SYMPTOM ONLY: classes loaded and unloaded in great numbers, the JIT compilers busy, code interpreted, collections or metaspace, venue-feed waits for room in the queue. WRONG: the queue being too small, too few desks, LongAdder or string replacement as the cause, a larger heap as the fix.
// jdk: 11
// set: twenty-ninth
// jvm: -Xmx160m

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.LongAdder;
import javax.script.Compilable;
import javax.script.CompiledScript;
import javax.script.ScriptEngine;
import javax.script.ScriptEngineManager;
import javax.script.ScriptException;

/** Works out commissions of orders by rules that the brokers write themselves. */
public class BrokerageRules {
    static final int DESKS = 2;
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final long SPAN = Long.getLong("span", 170);
    static final LongAdder orders = new LongAdder();
    static final LongAdder cents = new LongAdder();

    /** An order that was carried out. */
    static final class Order {
        final String client;
        final String venue;
        final int pieces;
        final double price;

        Order(String client, String venue, int pieces, double price) {
            this.client = client;
            this.venue = venue;
            this.pieces = pieces;
            this.price = price;
        }
    }

    /** A rule as a broker has typed it, with names in braces for what the order says. */
    static final class Rule {
        final String name;
        final String text;

        Rule(String name, String text) {
            this.name = name;
            this.text = text;
        }
    }

    static List<Rule> rules() {
        List<Rule> list = new ArrayList<>();
        list.add(new Rule("base", "var v = {pieces} * {price}; var f = v * 0.0012; if (f < 4.9) { f = 4.9; } if (f > 69) { f = 69; } f;"));
        list.add(new Rule("venue", "var fees = { XETR: 1.5, XFRA: 2.9, TRAD: 0 }; ({venue} in fees) ? fees[{venue}] : 3.5;"));
        list.add(new Rule("volume", "var n = {pieces}; n > 5000 ? -2.0 : n > 1000 ? -1.0 : 0;"));
        return list;
    }

    /** Applies the rules to orders. */
    static final class RuleBook {
        private final ScriptEngine engine = new ScriptEngineManager().getEngineByName("nashorn");
        private final List<Rule> rules = rules();
        private final List<CompiledScript> ready = new ArrayList<>();

        RuleBook() throws ScriptException {
            for (Rule r : rules) {
                String text = r.text.replace("{pieces}", "pieces").replace("{price}", "price").replace("{venue}", "venue");
                ready.add(((Compilable) engine).compile("(function(pieces, price, venue) { " + bodyOf(text) + " })"));
            }
        }

        private static String bodyOf(String text) {
            int last = text.lastIndexOf("; ", text.length() - 2) + 2;
            int brace = text.lastIndexOf("} ");
            int at = Math.max(last, brace >= 0 && brace + 2 > last ? brace + 2 : 0);
            return text.substring(0, at) + "return " + text.substring(at);
        }

        double commission(Order o) throws ScriptException {
            return FIXED ? called(o) : filledIn(o);
        }

        private double filledIn(Order o) throws ScriptException {
            double sum = 0;
            for (Rule r : rules) {
                String text = r.text.replace("{pieces}", String.valueOf(o.pieces))
                        .replace("{price}", String.valueOf(o.price))
                        .replace("{venue}", "'" + o.venue + "'");
                sum += ((Number) engine.eval(text)).doubleValue();
            }
            return sum;
        }

        private final List<Object> functions = new ArrayList<>();

        private double called(Order o) throws ScriptException {
            if (functions.isEmpty()) {
                for (CompiledScript s : ready) {
                    functions.add(s.eval());
                }
            }
            double sum = 0;
            for (Object f : functions) {
                Object v = ((jdk.nashorn.api.scripting.JSObject) f).call(null, o.pieces, o.price, o.venue);
                sum += ((Number) v).doubleValue();
            }
            return sum;
        }
    }

    /** Takes orders, and enters what they cost. */
    static void desk(BlockingQueue<Order> in, RuleBook book) {
        try {
            while (true) {
                Order o = in.take();
                cents.add(Math.round(book.commission(o) * 100));
                orders.increment();
            }
        } catch (InterruptedException | ScriptException e) {
            e.printStackTrace();
        }
    }

    /** Brings orders as venues report them. */
    static void feed(BlockingQueue<Order> out) {
        Random random = new Random(11);
        String[] venues = {"XETR", "XFRA", "TRAD", "XMUN"};
        try {
            while (true) {
                double price = (100 + random.nextInt(50_000)) / 100.0;
                out.put(new Order("c" + random.nextInt(4000), venues[random.nextInt(4)], 1 + random.nextInt(8000), price));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void start(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<Order> queue = new ArrayBlockingQueue<>(200);
        for (int i = 0; i < DESKS; i++) {
            RuleBook book = new RuleBook();
            start("desk-" + i, () -> desk(queue, book));
        }
        start("venue-feed", () -> feed(queue));
        System.out.println("READY");
        long end = System.nanoTime() + SPAN * 1_000_000_000L;
        long last = 0;
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long now = orders.sum();
            System.out.printf("measured: %d orders/s, commissions %.2f%n", now - last, cents.sum() / 100.0);
            last = now;
        }
        System.exit(0);
    }
}
