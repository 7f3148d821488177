// SPDX-License-Identifier: Apache-2.0
// cause: TariffBook.premium creates a new JavaScript engine (ScriptEngineManager + Nashorn) and compiles the tariff formula anew for every quote
// share: mean latency of a quote 7.8 ms (about 99 % of the agent's time), fixed 0.09 ms; 110 to 140 quotes/s, fixed about 280 (paced)
// judge: NAMED only if the finding says that TariffBook.premium (or TariffBook.engine) creates a script engine / compiles or evaluates the script source anew for each quote instead of keeping it. Only "high CPU in Nashorn", "many classes loaded", "metaspace / JIT compiler / GC busy" without the per-quote engine or compile is a symptom. Blaming the agents' pacing sleep, the quote archive, the heap size or a lock is wrong.
// expect: hot-code kind=factories frame=TariffBook.premium
// symptom: class-unloading hot-code saturated-thread gc-cpu gc-pauses
// jdk: 8
// set: seventeenth
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import javax.script.*;

public class PremiumRater {
    static final boolean OPT = Boolean.getBoolean("fixed");
    static final LongAdder quotes = new LongAdder();
    static final LongAdder nanos = new LongAdder();

    static final class Vehicle {
        final String model;
        final int age;
        final int power;
        final int kmPerYear;

        Vehicle(Random r) {
            model = "M" + r.nextInt(300);
            age = r.nextInt(20);
            power = 40 + r.nextInt(200);
            kmPerYear = 4000 + r.nextInt(30000);
        }
    }

    /** Tariff formulas of the actuaries, one text for each line of business. */
    static final class TariffBook {
        private final Map<String, String> formulas = new HashMap<>();
        private final Map<String, CompiledScript> ready = new HashMap<>();
        private ScriptEngine shared;

        TariffBook() {
            String base = "function step(v, a, b) { return v > a ? b : 1.0; }\n"
                + "function band(p) { var f = 1; for (var i = 40; i < p; i += 20) { f *= 1.04; } return f; }\n"
                + "var basis = %s;\n"
                + "var out = basis * band(power) * step(km, 15000, 1.2) * step(km, 25000, 1.15);\n"
                + "if (age > 10) { out *= 0.9; } else if (age < 2) { out *= 1.1; }\n"
                + "out;";
            formulas.put("liability", String.format(base, "210.0"));
            formulas.put("casco", String.format(base, "480.0"));
            formulas.put("legal", String.format(base, "95.0"));
        }

        ScriptEngine engine() {
            return new ScriptEngineManager().getEngineByName("nashorn");
        }

        double premium(String line, Vehicle v) throws ScriptException {
            Bindings b = new SimpleBindings();
            Object result;
            if (OPT) {
                if (shared == null) {
                    shared = engine();
                }
                CompiledScript cs = ready.get(line);
                if (cs == null) {
                    cs = ((Compilable) shared).compile(formulas.get(line));
                    ready.put(line, cs);
                }
                Bindings own = shared.getBindings(ScriptContext.ENGINE_SCOPE);
                own.put("age", v.age);
                own.put("power", v.power);
                own.put("km", v.kmPerYear);
                result = cs.eval();
            } else {
                ScriptEngine e = engine();
                e.put("age", v.age);
                e.put("power", v.power);
                e.put("km", v.kmPerYear);
                result = e.eval(formulas.get(line));
            }
            return ((Number) result).doubleValue();
        }
    }

    /** Keeps the last quotes for the call centre. */
    static final class QuoteArchive {
        private final ArrayDeque<String> last = new ArrayDeque<>();

        synchronized void keep(String text) {
            last.addLast(text);
            if (last.size() > 5000) {
                last.removeFirst();
            }
        }

        synchronized int contains(String model) {
            int n = 0;
            for (String s : last) {
                if (s.startsWith(model + " ")) {
                    n++;
                }
            }
            return n;
        }
    }

    static final class Agent implements Runnable {
        final BlockingQueue<Vehicle> desk;
        final QuoteArchive archive;
        final TariffBook book = new TariffBook();

        Agent(BlockingQueue<Vehicle> desk, QuoteArchive archive) {
            this.desk = desk;
            this.archive = archive;
        }

        public void run() {
            String[] lines = {"liability", "casco", "legal"};
            int k = 0;
            try {
                while (true) {
                    Vehicle v = desk.take();
                    String line = lines[k++ % lines.length];
                    long t0 = System.nanoTime();
                    double p = book.premium(line, v);
                    nanos.add(System.nanoTime() - t0);
                    quotes.increment();
                    archive.keep(v.model + " " + line + " " + Math.round(p * 100) / 100.0);
                }
            } catch (InterruptedException | ScriptException e) {
                System.err.println("agent stopped " + e);
            }
        }
    }

    static void daemon(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<Vehicle> desk = new ArrayBlockingQueue<>(8);
        QuoteArchive archive = new QuoteArchive();
        daemon(new Agent(desk, archive), "agent");
        daemon(() -> {
            Random r = new Random(7);
            try {
                while (true) {
                    desk.put(new Vehicle(r));
                    Thread.sleep(3);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "web-front");
        System.out.println("READY");
        for (int s = 0; s < 140; s++) {
            Thread.sleep(1000);
            int found = archive.contains("M" + s);
            long n = quotes.sumThenReset();
            long ns = nanos.sumThenReset();
            System.out.printf("measured: %d quotes/s, mean latency %.2f ms (archive hits %d)%n", n, n == 0 ? 0 : ns / 1e6 / n, found);
        }
    }
}
