// SPDX-License-Identifier: Apache-2.0
// healthy: each tariff version that is handed in runs in a class loader of its own, as versions have the same class names: that is what the bench is for; loaders are dropped after the run, the collector unloads them, and loading and unloading cost some per cent of the time at most
// share: 200 classes loaded a second, and as many unloaded on average (1377 in one collection of 8 ms every 7 s, 0.1 % of the time); loading and asking for premiums is 8 to 15 % of a run, 5 % of one CPU; the bench is busy 40 % of the time with the projection
// judge: RIGHT: nothing stands out, a neutral statement that classes are unloaded (class-unloading as to watch, no fault), or neutral statements of where CPU time goes (the model's projection, TariffBench$Model.project). WRONG: an accusation of class unloading or loading, class loader leak, metaspace, collections (one of 8 ms every 7 s), the option -XX:MetaspaceSize, deoptimisations, compilers, locks, waits
// jdk: 21
// set: thirty-second
// jvm: -Xmx256m -XX:+UseSerialGC -XX:MetaspaceSize=4m

import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ClassLoadingMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.LongAdder;

/** Test bench of an insurer: runs each tariff version that actuaries hand in against a portfolio, apart from all others. */
public class TariffBench {

    static final LongAdder RUNS = new LongAdder();
    static final LongAdder RUN_NS = new LongAdder();
    static final LongAdder LOADING_NS = new LongAdder();

    public interface Tariff {
        double premium(int age, int term, double sum);
    }

    /** The tariff as it is handed in: its classes have the same names in each version. */
    public static final class TermLife implements Tariff {
        private final Mortality mortality = new Mortality();
        private final Loadings loadings = new Loadings();

        @Override public double premium(int age, int term, double sum) {
            double alive = 1, due = 0, annuity = 0, discount = 1;
            for (int year = 0; year < term; year++) {
                double dies = mortality.rate(age + year);
                annuity += alive * discount;
                discount /= 1.0125;
                due += alive * dies * discount * sum;
                alive *= 1 - dies;
            }
            return loadings.gross(due / annuity);
        }
    }

    public static final class Mortality {
        double rate(int age) {
            return 0.0002 + 0.00003 * Math.pow(1.098, age);
        }
    }

    public static final class Loadings {
        double gross(double net) {
            return net * 1.12 + 18;
        }
    }

    /** What is handed in: the classes' bytes. */
    static final class Version {
        final int number;
        final String[] names;
        final byte[][] code;

        Version(int number, String[] names, byte[][] code) {
            this.number = number;
            this.names = names;
            this.code = code;
        }
    }

    static final class VersionLoader extends ClassLoader {
        private final Version version;

        VersionLoader(Version version, ClassLoader parent) {
            super(parent);
            this.version = version;
        }

        @Override protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                for (int i = 0; i < version.names.length; i++)
                    if (version.names[i].equals(name)) {
                        Class<?> known = findLoadedClass(name);
                        return known != null ? known : defineClass(name, version.code[i], 0, version.code[i].length);
                    }
            }
            return super.loadClass(name, resolve);
        }
    }

    static final class Portfolio {
        final int[] age = new int[4000];
        final int[] term = new int[age.length];
        final double[] sum = new double[age.length];

        Portfolio() {
            Random customers = new Random(8);
            for (int i = 0; i < age.length; i++) {
                age[i] = 20 + customers.nextInt(40);
                term[i] = 5 + customers.nextInt(30);
                sum[i] = 10_000 * (1 + customers.nextInt(40));
            }
        }
    }

    /** Income and claims of a whole portfolio over scenarios, with the premiums of the version. */
    static final class Model {
        private final Portfolio portfolio = new Portfolio();

        double[] premiums(Tariff tariff) {
            double[] premium = new double[64];
            for (int i = 0; i < premium.length; i++)
                premium[i] = tariff.premium(portfolio.age[i], portfolio.term[i], portfolio.sum[i]);
            return premium;
        }

        double project(double[] premium) {
            double worst = Double.MAX_VALUE;
            for (int scenario = 0; scenario < 160; scenario++) {
                double result = 0;
                for (int i = 0; i < portfolio.age.length; i++) {
                    double shock = 1 + 0.006 * scenario + 0.0001 * (portfolio.age[i] - 40) * scenario;
                    double claims = portfolio.sum[i] * 0.0012 * shock * Math.exp((portfolio.age[i] - 40) / 14.0);
                    result += premium[i % premium.length] - claims;
                }
                worst = Math.min(worst, result);
            }
            return worst;
        }
    }

    static final class Bench implements Runnable {
        private final BlockingQueue<Version> inbox;
        private final Model model = new Model();
        private double worst;

        Bench(BlockingQueue<Version> inbox) {
            this.inbox = inbox;
        }

        @Override public void run() {
            try {
                while (true)
                    test(inbox.take());
            } catch (InterruptedException | ReflectiveOperationException e) {
                System.err.println("bench: " + e + ", worst " + worst);
            }
        }

        private void test(Version version) throws ReflectiveOperationException {
            long from = System.nanoTime();
            VersionLoader loader = new VersionLoader(version, TariffBench.class.getClassLoader());
            Tariff tariff = (Tariff) loader.loadClass(version.names[0]).getConstructor().newInstance();
            double[] premiums = model.premiums(tariff);
            LOADING_NS.add(System.nanoTime() - from);
            worst = Math.min(worst, model.project(premiums));
            RUN_NS.add(System.nanoTime() - from);
            RUNS.increment();
        }
    }

    static byte[] code(String name) throws IOException {
        try (InputStream in = TariffBench.class.getResourceAsStream("/" + name.replace('.', '/') + ".class")) {
            return in.readAllBytes();
        }
    }

    static long collections() {
        long ms = 0;
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans())
            ms += Math.max(0, bean.getCollectionTime());
        return ms;
    }

    public static void main(String[] args) throws Exception {
        String[] names = {TermLife.class.getName(), Mortality.class.getName(), Loadings.class.getName()};
        byte[][] code = new byte[names.length][];
        for (int i = 0; i < names.length; i++)
            code[i] = code(names[i]);
        BlockingQueue<Version> inbox = new ArrayBlockingQueue<>(50);
        new Thread(new Bench(inbox), "bench").start();
        new Thread(() -> {
            try {
                for (int number = 1; ; number++) {
                    if (inbox.size() < 10)
                        inbox.put(new Version(number, names, code));
                    Thread.sleep(14);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "inbox").start();
        Thread.sleep(4000);
        System.out.println("READY");
        System.out.flush();
        ClassLoadingMXBean classes = ManagementFactory.getClassLoadingMXBean();
        while (true) {
            long n = RUNS.sum(), ns = RUN_NS.sum(), loading = LOADING_NS.sum(), gone = classes.getUnloadedClassCount(), gc = collections();
            long from = System.nanoTime();
            Thread.sleep(1000);
            n = Math.max(1, RUNS.sum() - n);
            ns = Math.max(1, RUN_NS.sum() - ns);
            System.out.printf(Locale.ROOT, "measured: %d versions/s, %.2f ms each, %.1f %% of it to load them and ask for premiums; %d classes loaded now, %d unloaded, %d ms of collections; bench busy %.0f %%%n",
                    n, ns / 1e6 / n, 100.0 * (LOADING_NS.sum() - loading) / ns, classes.getLoadedClassCount(),
                    classes.getUnloadedClassCount() - gone, collections() - gc, 100.0 * ns / (System.nanoTime() - from));
            System.out.flush();
        }
    }
}
