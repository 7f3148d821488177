// SPDX-License-Identifier: Apache-2.0
// cause: Tariff.price puts the shipment's figures into the text of the customer's terms and has ScriptEngine.eval(String) run it, so that Nashorn parses and compiles a new script (and defines its classes) for each shipment.
// share: 200 to 1300 shipments priced a second (faulty, rising over 40 s as Nashorn warms up); 20,000 to 117,000 (one second of 5,400) a second (fixed: one CompiledScript for each terms, the figures as bindings)
// expect: hot-code kind=factories frame=FreightRules$Tariff.price | hot-code kind=scripts frame=FreightRules$Tariff.price
// symptom: class-unloading deoptimisations gc-pauses gc-cpu compile-queue
// judge: NAMED: scripts are evaluated/compiled anew for each shipment in FreightRules$Tariff.price (ScriptEngine.eval with a text that is never the same twice); compile once and pass the values as bindings. SYMPTOM ONLY: many classes are loaded and unloaded, class definition, metaspace collections, compilation by the JIT, deoptimisations, CPU time in Nashorn without price. WRONG: the number of clerks, the full queue inbox (orders waits to put) as the cause, a larger heap, a lock, the price formulas themselves.
// jdk: 11
// set: thirtieth
// jvm:
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;
import javax.script.*;

/** Freight charges: each customer has terms of its own, as the sales staff wrote them, in JavaScript. */
public class FreightRules {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int SPAN = Integer.getInteger("span", 170);
    static volatile boolean open = true;

    static final class Shipment {
        final int customer;
        final double weight;
        final int zone;
        final double value;

        Shipment(int customer, double weight, int zone, double value) {
            this.customer = customer;
            this.weight = weight;
            this.zone = zone;
            this.value = value;
        }
    }

    static final String[] TERMS = {
        "var base = zone < 4 ? 7.5 : 11.25; var price = base + weight * 0.42; if (value > 2000) price += value * 0.002; price",
        "var price = 5; for (var left = weight; left > 0; left -= 10) price += 3.1 - zone * 0.02; Math.max(price, 9.9)",
        "function band(w) { return w < 5 ? 0 : w < 20 ? 1 : 2; } var table = [6.4, 12.9, 21.5]; table[band(weight)] * (1 + zone / 20)",
        "var fuel = 0.184; var net = weight * 0.61 + zone * 1.2; var insured = value > 500 ? value / 400 : 0; net * (1 + fuel) + insured",
        "var steps = [[2, 4.9], [10, 9.8], [30, 18.2], [1000, 39]]; var i = 0; while (weight > steps[i][0]) i++; steps[i][1] + zone",
    };

    /** The terms of all customers, for one clerk. */
    static final class Tariff {
        private final ScriptEngine engine = new ScriptEngineManager().getEngineByName("nashorn");
        private final Map<Integer, CompiledScript> known = new HashMap<>();

        double price(Shipment shipment) throws ScriptException {
            int terms = shipment.customer % TERMS.length;
            Object result;
            if (FIXED) {
                CompiledScript script = known.get(terms);
                if (script == null) known.put(terms, script = ((Compilable) engine).compile("(function() {" + body(TERMS[terms]) + "})()"));
                Bindings bindings = engine.getBindings(ScriptContext.ENGINE_SCOPE);
                bindings.put("weight", shipment.weight);
                bindings.put("zone", shipment.zone);
                bindings.put("value", shipment.value);
                result = script.eval();
            } else {
                String text = "(function() { var weight = " + shipment.weight + "; var zone = " + shipment.zone + "; var value = " + shipment.value + "; "
                        + body(TERMS[terms]) + "})()";
                result = engine.eval(text);
            }
            return ((Number) result).doubleValue();
        }

        private static String body(String terms) {
            int last = terms.lastIndexOf(';');
            int brace = terms.lastIndexOf('}');
            int at = Math.max(last, brace);
            return terms.substring(0, at + 1) + " return " + terms.substring(at + 1).trim() + ";";
        }
    }

    static final class Clerk implements Runnable {
        private final BlockingQueue<Shipment> inbox;
        private final LongAdder count;
        private final LongAdder cents;
        private final Tariff tariff = new Tariff();

        Clerk(BlockingQueue<Shipment> inbox, LongAdder count, LongAdder cents) {
            this.inbox = inbox;
            this.count = count;
            this.cents = cents;
        }

        @Override public void run() {
            try {
                while (open) {
                    double price = tariff.price(inbox.take());
                    cents.add(Math.round(price * 100));
                    count.increment();
                }
            } catch (ScriptException e) {
                e.printStackTrace();
                System.exit(1);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<Shipment> inbox = new ArrayBlockingQueue<>(64);
        LongAdder count = new LongAdder();
        LongAdder cents = new LongAdder();
        for (int i = 0; i < 2; i++) {
            Thread clerk = new Thread(new Clerk(inbox, count, cents), "clerk-" + i);
            clerk.setDaemon(true);
            clerk.start();
        }
        Thread orders = new Thread(() -> {
            Random random = new Random(5);
            try {
                while (open) {
                    inbox.put(new Shipment(random.nextInt(400), Math.round(random.nextDouble() * 4000) / 100.0, 1 + random.nextInt(9),
                            Math.round(random.nextDouble() * 300000) / 100.0));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "orders");
        orders.setDaemon(true);
        orders.start();
        Thread.sleep(3000);
        count.reset();
        System.out.println("READY");
        for (int second = 0; second < SPAN; second++) {
            Thread.sleep(1000);
            long n = count.sumThenReset();
            System.out.printf("measured: %d shipments priced, mean price %.2f%n", n, n == 0 ? 0.0 : cents.sumThenReset() / 100.0 / n);
        }
        open = false;
    }
}
