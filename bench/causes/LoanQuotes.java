// SPDX-License-Identifier: Apache-2.0
// cause: LoanQuotes.lookup asks Class.forName for an adjuster class at every quote; for seven of eight products there is none, and the class loader remembers no misses, so each one searches the whole class path again (loader lock, file lookups) and throws ClassNotFoundException.
// share: faulty: 91596-229958, median 148149 quotes/s; fixed (lookups remembered): 756392-1564546, median 1028681 quotes/s (about 6.9 times better).
// expect: hot-code kind=class-lookup frame=LoanQuotes | hot-code kind=lookups frame=LoanQuotes | hot-code kind=class-loading frame=LoanQuotes
// symptom: hot-code | hot-method | lock-contention
// judge: NAMED: repeated failing class lookups (Class.forName / loadClass / ClassNotFoundException from LoanQuotes.lookup/adjusterFor) at every quote; remember the outcome. SYMPTOM ONLY: many exceptions / fillInStackTrace / CPU or locks in URLClassPath or BuiltinClassLoader / file lookups (stat) without the failing lookup by the application. WRONG: too many classes loaded, metaspace, GC/allocation as the cause, quote arithmetic, reflection newInstance.
// jdk: 25
// set: twenty-seventh
// jvm: -Xmx64m
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class LoanQuotes {
    static final long START = System.nanoTime();
    static final boolean OPTION = Boolean.getBoolean("fixed");
    static final LongAdder quotes = new LongAdder();
    static final String[] PRODUCTS = {"Car", "House", "Boat", "Study", "Farm", "Studio", "Solar", "Bridge"};

    interface Adjuster { double adjust(double rate, int months); }

    public static final class HouseAdjuster implements Adjuster {
        public double adjust(double rate, int months) { return months > 240 ? rate + 0.2 : rate; }
    }

    static final ConcurrentHashMap<String, Optional<Class<?>>> known = new ConcurrentHashMap<>();

    static Optional<Class<?>> lookup(String product) {
        try {
            return Optional.of(Class.forName("LoanQuotes$" + product + "Adjuster"));
        } catch (ClassNotFoundException e) {
            return Optional.empty();
        }
    }

    static Adjuster adjusterFor(String product) {
        Optional<Class<?>> type = OPTION ? known.computeIfAbsent(product, LoanQuotes::lookup) : lookup(product);
        if (type.isEmpty()) return null;
        try {
            return (Adjuster) type.get().getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException e) { throw new IllegalStateException(e); }
    }

    static double quote(String product, double sum, int months) {
        double rate = 3.1 + product.length() * 0.1;
        Adjuster adj = adjusterFor(product);
        if (adj != null) rate = adj.adjust(rate, months);
        double m = rate / 1200, f = 1;
        double rest = sum;
        for (int i = 0; i < months; i++) f *= 1 + m;
        double pay = sum * m * f / (f - 1);
        for (int i = 0; i < months; i++) rest -= pay - rest * m;
        return pay + rest;
    }

    static void counter(int n) {
        SplittableRandom r = new SplittableRandom(n);
        double total = 0;
        while (total > -1) {
            for (int i = 0; i < 50; i++) total = (total + quote(PRODUCTS[r.nextInt(PRODUCTS.length)], 10000 + r.nextInt(90000), 24 + r.nextInt(336))) % 1e9;
            quotes.add(50);
        }
    }

    public static void main(String[] a) throws Exception {
        long span = Long.getLong("span", 170);
        for (int i = 0; i < 2; i++) { int n = i; Thread.ofPlatform().daemon().name("counter-" + i).start(() -> counter(n)); }
        Thread.sleep(5000);
        System.out.println("READY");
        long last = quotes.sum(), lastT = System.nanoTime();
        while (System.nanoTime() - START < span * 1_000_000_000L) {
            Thread.sleep(1000);
            long n = quotes.sum(), now = System.nanoTime();
            System.out.printf(Locale.ROOT, "measured: %.0f quotes/s%n", (n - last) * 1e9 / (now - lastT));
            last = n; lastT = now;
        }
    }
}
