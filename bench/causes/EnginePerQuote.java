// SPDX-License-Identifier: Apache-2.0
// cause: a script engine is made, and the rule compiled, for each quote: thousands of classes that are used once
// expect: class-unloading | hot-code kind=class-loading frame=EnginePerQuote | hot-calls frame=EnginePerQuote.evaluate
// symptom: compile-queue deoptimisations gc-pauses gc-cpu hot-code hot-method promotion code-cache vm-operations memory-growth native-leak late-safepoints slow-safepoints
// jvm: -Xmx128m -XX:MaxMetaspaceSize=56m
// jdk: 8
// set: fifth
import java.util.ArrayList;
import java.util.List;
import javax.script.Bindings;
import javax.script.ScriptEngine;
import javax.script.ScriptEngineManager;
import javax.script.ScriptException;

/** Tariffs are JavaScript that the customers' desk can change. */
public final class EnginePerQuote {
    private static final String RULE =
        "function discount(n) { return n > 100 ? 0.15 : n > 20 ? 0.05 : 0.0; }"
        + "function freight(kg, zone) { return 4.5 + kg * (zone === 'EU' ? 0.8 : 1.9); }"
        + "function price(n, each, kg, zone) { return n * each * (1 - discount(n)) + freight(kg, zone); }"
        + "price(pieces, each, weight, zone);";

    private static volatile double sum;

    private static final class Quote {
        private final int pieces;
        private final double each;
        private final double weight;
        private final String zone;

        private Quote(int n) {
            pieces = 1 + n % 150;
            each = 9.99 + n % 7;
            weight = pieces * 0.3;
            zone = n % 3 == 0 ? "EU" : "US";
        }
    }

    private static double evaluate(Quote quote) throws ScriptException {
        ScriptEngine engine = new ScriptEngineManager().getEngineByName("nashorn");
        Bindings values = engine.createBindings();
        values.put("pieces", quote.pieces);
        values.put("each", quote.each);
        values.put("weight", quote.weight);
        values.put("zone", quote.zone);
        return ((Number) engine.eval(RULE, values)).doubleValue();
    }

    private static List<Quote> nextBatch(int from) {
        List<Quote> batch = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            batch.add(new Quote(from + i));
        }
        return batch;
    }

    public static void main(String[] args) throws ScriptException, InterruptedException {
        sum = evaluate(new Quote(0));
        System.out.println("READY");
        for (int n = 1;; n += 5) {
            for (Quote quote : nextBatch(n)) {
                sum += evaluate(quote);
            }
            Thread.sleep(20); // the next customer
        }
    }
}
