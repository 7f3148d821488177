// SPDX-License-Identifier: Apache-2.0
// cause: FreightRateEngine.formulaFor creates a new FormulaLoader and defines the rate formula class again for every quote, so each quote pays for class definition and linking, runs the formula in the interpreter because the class never lives long enough to be compiled, and fills metaspace.
// share: throughput 14000 quotes/s vs 185000/s fixed (13 times)
// judge: must say that a class loader is created / the formula class (StandardFormula) is defined anew for every quote in formulaFor (FormulaLoader.load, defineClass); naming only "interpreted code", "metaspace/class unloading GC" or "class loading is high" without that per-quote place does not count
// set: eighteenth
// expect: hot-code kind=class-loading frame=FormulaLoader.load | hot-code kind=class-loading frame=formulaFor
// symptom: class-unloading hot-code
// jdk: 25
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

public class FreightRateEngine {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final LongAdder quotes = new LongAdder();
    static final LongAdder volume = new LongAdder();

    public interface Formula {
        double rate(double[] cargo, int distance);
    }

    public static final class StandardFormula implements Formula {
        public StandardFormula() {
        }

        @Override
        public double rate(double[] cargo, int distance) {
            double sum = 12.5;
            for (int i = 0; i < cargo.length; i++) {
                sum += perItem(cargo[i], distance, i);
            }
            return sum;
        }

        private double perItem(double kilos, int distance, int pos) {
            double step = kilos > 500 ? 0.021 : 0.034;
            double discount = 1.0 - Math.min(0.3, pos * 0.004);
            return kilos * step * discount + distance * 0.0007;
        }
    }

    static final class FormulaLoader extends ClassLoader {
        FormulaLoader() {
            super(FreightRateEngine.class.getClassLoader());
        }

        Formula load(String name, byte[] code) throws ReflectiveOperationException {
            Class<?> c = defineClass(name, code, 0, code.length);
            return (Formula) c.getDeclaredConstructor().newInstance();
        }
    }

    private final Map<String, Formula> known = new ConcurrentHashMap<>();
    private final byte[] code;

    FreightRateEngine() throws IOException {
        try (InputStream in = FreightRateEngine.class.getResourceAsStream("FreightRateEngine$StandardFormula.class")) {
            code = in.readAllBytes();
        }
    }

    private Formula formulaFor(String tenant) throws ReflectiveOperationException {
        Formula f = FIXED ? known.get(tenant) : null;
        if (f == null) {
            f = new FormulaLoader().load("FreightRateEngine$StandardFormula", code);
            known.put(tenant, f);
        }
        return f;
    }

    private double[] cargo(SplittableRandom rnd) {
        double[] c = new double[150 + rnd.nextInt(100)];
        for (int i = 0; i < c.length; i++) {
            c[i] = rnd.nextDouble(10, 900);
        }
        return c;
    }

    private double[] packed(double[] cargo) {
        double[] sorted = cargo.clone();
        java.util.Arrays.sort(sorted);
        int lo = 0;
        int hi = sorted.length - 1;
        double[] out = new double[sorted.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = (i & 1) == 0 ? sorted[hi--] : sorted[lo++];
        }
        return out;
    }

    private String offer(String tenant, double price) {
        return tenant + ':' + Math.round(price * 100) / 100.0 + " EUR";
    }

    private void desk(int no) {
        SplittableRandom rnd = new SplittableRandom(no);
        String[] tenants = {"Hansa", "Adria", "Rhein", "Donau", "Elbe"};
        try {
            while (true) {
                String tenant = tenants[rnd.nextInt(tenants.length)];
                double price = formulaFor(tenant).rate(packed(cargo(rnd)), rnd.nextInt(50, 2000));
                volume.add(offer(tenant, price).length());
                quotes.increment();
            }
        } catch (ReflectiveOperationException e) {
            System.out.println("desk " + no + ": " + e);
        }
    }

    public static void main(String[] args) throws Exception {
        FreightRateEngine e = new FreightRateEngine();
        for (int i = 1; i <= 2; i++) {
            int no = i;
            Thread t = new Thread(() -> e.desk(no), "freight-desk-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        long before = 0;
        for (int s = 0; s < 240; s++) {
            Thread.sleep(1000);
            long now = quotes.sum();
            System.out.println("measured: quotes/s=" + (now - before));
            before = now;
        }
        System.out.println("volume " + volume.sum());
    }
}
