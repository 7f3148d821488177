// SPDX-License-Identifier: Apache-2.0
// healthy: rates are scripts (javax.script, with a small engine of the program's own) that are compiled once when a campsite hands them in and then evaluated for every enquiry, for which the program is there; an evaluation takes a microsecond or so, one rate in a second or so is really changed and compiled anew, and 0.2 to 0.5 of 2 CPUs are used
// share: nothing to name; compiling takes less than 1 % of the CPU time, as measured
// judge: NAMED: no fault (nothing stands out; or only neutral remarks that CPU time goes to evaluating rates, scripts or to what the program computes). SYMPTOM ONLY: none. WRONG: any accusation, above all that scripts or engines are compiled or made anew, script evaluation (CampsiteRates$Formula.eval, Rates.price) as a fault, class loading, locks, collections.
// jdk: 25
// set: thirty-fourth
// jvm: -Xmx256m
import java.io.*;
import java.lang.management.ManagementFactory;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;
import javax.script.*;

/** Answers enquiries for nights on campsites: each campsite has its own rates, as scripts. */
public class CampsiteRates {
    static final LongAdder priced = new LongAdder(), evaluations = new LongAdder(), compiling = new LongAdder(), edits = new LongAdder();

    interface Node { double value(Bindings guests); }

    /** A script that has been compiled: a tree of nodes. */
    static final class Formula extends CompiledScript {
        private final ScriptEngine engine;
        private final Node root;

        Formula(ScriptEngine engine, Node root) { this.engine = engine; this.root = root; }

        @Override public Object eval(ScriptContext context) { return root.value(context.getBindings(ScriptContext.ENGINE_SCOPE)); }
        @Override public Object eval(Bindings bindings) { evaluations.increment(); return root.value(bindings); }
        @Override public ScriptEngine getEngine() { return engine; }
    }

    /** The engine: numbers, names, + - * / < ? : and min(a, b), max(a, b). */
    static final class RateEngine extends AbstractScriptEngine implements Compilable {
        @Override public CompiledScript compile(String script) throws ScriptException { return new Formula(this, new Parser(script).whole()); }
        @Override public Object eval(String script, ScriptContext context) throws ScriptException { return compile(script).eval(context); }
        @Override public Bindings createBindings() { return new SimpleBindings(); }
        @Override public ScriptEngineFactory getFactory() { return null; }

        @Override public CompiledScript compile(Reader reader) throws ScriptException {
            return compile(new BufferedReader(reader).lines().reduce("", (a, b) -> a + b + " "));
        }

        @Override public Object eval(Reader reader, ScriptContext context) throws ScriptException { return compile(reader).eval(context); }
    }

    static final class Parser {
        private final StringTokenizer tokens;
        private String at;

        Parser(String text) { tokens = new StringTokenizer(text, "+-*/<?:(), ", true); next(); }

        private String next() {
            String before = at;
            do { at = tokens.hasMoreTokens() ? tokens.nextToken() : ""; } while (at.equals(" "));
            return before;
        }

        private boolean take(String token) { if (!at.equals(token)) return false; next(); return true; }

        Node whole() throws ScriptException {
            Node node = choice();
            if (!at.isEmpty()) throw new ScriptException("what is " + at + "?");
            return node;
        }

        private Node choice() throws ScriptException {
            Node a = sum();
            if (take("<")) { Node left = a, right = sum(); a = g -> left.value(g) < right.value(g) ? 1 : 0; }
            if (!take("?")) return a;
            Node test = a, yes = choice();
            if (!take(":")) throw new ScriptException(": is missing");
            Node no = choice();
            return g -> test.value(g) != 0 ? yes.value(g) : no.value(g);
        }

        private Node sum() throws ScriptException {
            Node node = product();
            while (true) {
                Node a = node;
                if (take("+")) { Node b = product(); node = g -> a.value(g) + b.value(g); }
                else if (take("-")) { Node b = product(); node = g -> a.value(g) - b.value(g); }
                else return a;
            }
        }

        private Node product() throws ScriptException {
            Node node = atom();
            while (true) {
                Node a = node;
                if (take("*")) { Node b = atom(); node = g -> a.value(g) * b.value(g); }
                else if (take("/")) { Node b = atom(); node = g -> a.value(g) / b.value(g); }
                else return a;
            }
        }

        private Node atom() throws ScriptException {
            if (take("(")) { Node node = choice(); take(")"); return node; }
            String word = next();
            if (word.isEmpty()) throw new ScriptException("ends too early");
            if (Character.isDigit(word.charAt(0))) { double number = Double.parseDouble(word); return g -> number; }
            if (!take("(")) return g -> ((Number) g.get(word)).doubleValue();
            Node a = choice();
            take(",");
            Node b = choice();
            take(")");
            return word.equals("min") ? g -> Math.min(a.value(g), b.value(g)) : g -> Math.max(a.value(g), b.value(g));
        }
    }

    /** The rates of all campsites. */
    static final class Rates {
        private final Compilable engine = new RateEngine();
        private final Map<String, CompiledScript[]> bySite = new ConcurrentHashMap<>();

        void handIn(String site, String pitch, String persons, String extras) throws ScriptException {
            long begin = System.nanoTime();
            bySite.put(site, new CompiledScript[] {engine.compile(pitch), engine.compile(persons), engine.compile(extras)});
            compiling.add(System.nanoTime() - begin);
        }

        long price(String site, Bindings guests) throws ScriptException {
            double sum = 0;
            for (CompiledScript rate : bySite.get(site)) sum += ((Number) rate.eval(guests)).doubleValue();
            return Math.round(sum * 100);
        }
    }

    static void edit(Rates rates, Random random, int site) throws ScriptException {
        int base = 9 + random.nextInt(14);
        rates.handIn("site-" + site,
            "nights * (season < 1 ? " + base + " : season < 2 ? " + base + " * 1.25 : " + base + " * 1.6) - (nights < 7 ? 0 : " + base + ")",
            "nights * (adults * " + (4 + random.nextInt(5)) + " + max(0, children - 1) * " + (2 + random.nextInt(3)) + ".5)",
            "min(nights * power * 0.45, 30) + dogs * nights * 2 + (nights < 2 ? 5 : 0) + adults * nights * 0." + random.nextInt(9));
        edits.increment();
    }

    /** Takes enquiries and offers the cheapest three sites of a region. */
    static final class Enquiries implements Runnable {
        private final Rates rates;
        private final Random random;
        private final Map<Integer, Long> offered = new HashMap<>();

        Enquiries(Rates rates, int seed) { this.rates = rates; random = new Random(seed); }

        @Override public void run() {
            Bindings guests = new SimpleBindings();
            guests.put("nights", 1 + random.nextInt(14));
            guests.put("season", random.nextInt(3));
            guests.put("adults", 1 + random.nextInt(4));
            guests.put("children", random.nextInt(4));
            guests.put("power", random.nextInt(12));
            guests.put("dogs", random.nextInt(2));
            int region = random.nextInt(10);
            TreeMap<Long, Integer> cheapest = new TreeMap<>();
            try {
                for (int site = region * 12; site < region * 12 + 12; site++) cheapest.put(rates.price("site-" + site, guests), site);
            } catch (ScriptException e) {
                System.out.println("enquiry failed: " + e.getMessage());
            }
            cheapest.entrySet().stream().limit(3).forEach(e -> offered.merge(e.getValue(), e.getKey(), Long::sum));
            priced.increment();
        }
    }

    public static void main(String[] args) throws Exception {
        var os = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        Rates rates = new Rates();
        Random random = new Random(2);
        for (int site = 0; site < 120; site++) edit(rates, random, site);
        ScheduledExecutorService desk = Executors.newScheduledThreadPool(3);
        for (int i = 0; i < 2; i++) {
            Enquiries enquiries = new Enquiries(rates, i);
            desk.scheduleWithFixedDelay(() -> { for (int n = 0; n < 160; n++) enquiries.run(); }, 5, 5, TimeUnit.MILLISECONDS);
        }
        desk.scheduleWithFixedDelay(() -> {
            try { edit(rates, random, random.nextInt(120)); } catch (ScriptException e) { System.out.println("not taken: " + e.getMessage()); }
        }, 1, 1, TimeUnit.SECONDS);
        long cpu = os.getProcessCpuTime(), time = System.nanoTime(), done = 0, compiled = 0, run = 0;
        for (int second = 1; ; second++) {
            Thread.sleep(1000);
            long c = os.getProcessCpuTime(), t = System.nanoTime(), d = priced.sum(), k = compiling.sum(), e = evaluations.sum();
            System.out.printf(Locale.ROOT, "measured: %d enquiries/s, %.2f CPUs, %d evaluations/s, compiling %.2f %% of the CPU time, %d rates handed in so far%n",
                (d - done) * 1_000_000_000L / (t - time), (c - cpu) / (double) (t - time), (e - run) * 1_000_000_000L / (t - time),
                100.0 * (k - compiled) / Math.max(1, c - cpu), edits.sum());
            cpu = c; time = t; done = d; compiled = k; run = e;
            if (second == 3) System.out.println("READY");
            System.out.flush();
        }
    }
}
