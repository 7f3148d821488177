// SPDX-License-Identifier: Apache-2.0
// cause: LevyDesk$FormulaCompiler.compile makes a hidden class of the formula for every single assessment (ClassFile API, defineHiddenClass in FormulaCompiler.define), though there are only 40 formulas; each class is used a dozen times, dropped and unloaded by the next collection
// share: about 5000 classes made and unloaded a second on average ("unloaded" in the measured lines); 85 to 92 % of the time of an assessment is making the class; nearly every second a full collection because of metaspace, about 10 % of the time in all
// expect: class-unloading | hot-code kind=class-loading frame=LevyDesk$FormulaCompiler
// symptom: hot-calls gc-pauses gc-cpu
// judge: NAMED: classes come and go / are unloaded (class-unloading), or are generated and defined all the time (class-loading, at LevyDesk$FormulaCompiler.compile or .define, or in java.lang.classfile / defineHiddenClass called there). SYMPTOM ONLY: collections (gc-pauses, gc-cpu, metadata threshold) without classes; compilation or interpretation; hot-calls at LevyDesk$FormulaCompiler without saying that classes are made. WRONG: a larger heap, a leak, computing in LevyDesk$Parcels, lack of CPUs, nothing stands out.
// jdk: 25
// set: thirty-sixth
// jvm: -Xmx400m -XX:+UseSerialGC -XX:MaxMetaspaceSize=40m

import java.lang.classfile.*;
import java.lang.constant.*;
import java.lang.invoke.*;
import java.lang.management.*;
import java.util.*;
import java.util.concurrent.atomic.*;

public class LevyDesk {
    static final AtomicLong assessments = new AtomicLong(), compileNanos = new AtomicLong(), allNanos = new AtomicLong();

    /** A levy's formula as the municipality publishes it: bands with a rate and a surcharge each. */
    record Formula(String name, double[] limits, double[] rates, double surcharge) { }

    record Parcel(long number, String formula, double area, double frontage, int storeys) { }

    static final class Statutes {
        private final Map<String, Formula> formulas = new HashMap<>();

        Statutes() {
            Random random = new Random(11);
            for (int i = 0; i < 40; i++) {
                double[] limits = new double[12], rates = new double[12];
                for (int b = 0; b < 12; b++) {
                    limits[b] = (b + 1) * 150.0 + random.nextInt(40);
                    rates[b] = 0.4 + random.nextDouble();
                }
                formulas.put("F" + i, new Formula("F" + i, limits, rates, 12 + random.nextInt(30)));
            }
        }

        Formula named(String name) { return formulas.get(name); }
    }

    /** Turns a formula into code, which is much faster than going through its bands. */
    static final class FormulaCompiler {
        private static final ClassDesc NAME = ClassDesc.of("CompiledLevy");
        private static final MethodTypeDesc TYPE = MethodTypeDesc.of(ConstantDescs.CD_double, ConstantDescs.CD_double, ConstantDescs.CD_double);
        private final MethodHandles.Lookup lookup = MethodHandles.lookup();

        MethodHandle compile(Formula formula) throws ReflectiveOperationException {
            byte[] code = ClassFile.of().build(NAME, c -> c.withMethodBody("levy", TYPE, ClassFile.ACC_PUBLIC | ClassFile.ACC_STATIC, b -> emit(b, formula)));
            return define(code);
        }

        MethodHandle define(byte[] code) throws ReflectiveOperationException {
            MethodHandles.Lookup in = lookup.defineHiddenClass(code, true);
            return in.findStatic(in.lookupClass(), "levy", MethodType.methodType(double.class, double.class, double.class));
        }

        private static void emit(CodeBuilder b, Formula formula) {
            double below = 0;
            b.loadConstant(formula.surcharge()).dload(2).dmul().dstore(4);
            for (int i = 0; i < formula.limits().length; i++) {
                double limit = formula.limits()[i], rate = formula.rates()[i], from = below;
                Label next = b.newLabel();
                b.dload(0).loadConstant(from).dcmpl().ifle(next);
                b.dload(0).loadConstant(limit).invokestatic(ClassDesc.of("java.lang.Math"), "min", TYPE);
                b.loadConstant(from).dsub().loadConstant(rate).dmul().dload(4).dadd().dstore(4);
                b.labelBinding(next);
                below = limit;
            }
            b.dload(4).dreturn();
        }
    }

    /** The cadastre. */
    static final class Parcels {
        private final Map<Long, Parcel> all = new HashMap<>();
        private final int count;

        Parcels(int count) {
            this.count = count;
            Random random = new Random(5);
            for (long n = 0; n < count; n++) {
                all.put(n, new Parcel(n, "F" + random.nextInt(40), 100 + random.nextInt(1500), 5 + random.nextInt(60), 1 + random.nextInt(6)));
            }
        }

        Parcel any(Random random) { return all.get((long) random.nextInt(count)); }
    }

    static final class Clerk implements Runnable {
        final Statutes statutes;
        final Parcels parcels;
        final FormulaCompiler compiler = new FormulaCompiler();
        final Random random;
        double total;

        Clerk(Statutes statutes, Parcels parcels, int n) {
            this.statutes = statutes;
            this.parcels = parcels;
            random = new Random(n);
        }

        @Override public void run() {
            try {
                for (int n = 1; ; n++) {
                    long from = System.nanoTime();
                    total += assess(parcels.any(random));
                    allNanos.addAndGet(System.nanoTime() - from);
                    assessments.incrementAndGet();
                    if (n % 4 == 0) Thread.sleep(1);
                }
            } catch (Throwable e) {
                System.out.println("clerk ends: " + e);
            }
        }

        double assess(Parcel parcel) throws Throwable {
            long from = System.nanoTime();
            MethodHandle levy = compiler.compile(statutes.named(parcel.formula()));
            compileNanos.addAndGet(System.nanoTime() - from);
            double sum = 0;
            for (int month = 0; month < 12; month++) {
                double area = parcel.area() * parcel.storeys() * (1 + month * 0.001);
                sum += (double) levy.invokeExact(area, parcel.frontage());
            }
            return sum / 12;
        }
    }

    public static void main(String[] args) throws Exception {
        Statutes statutes = new Statutes();
        Parcels parcels = new Parcels(600_000);
        for (int i = 0; i < 2; i++) new Thread(new Clerk(statutes, parcels, i), "clerk-" + i).start();
        ClassLoadingMXBean classes = ManagementFactory.getClassLoadingMXBean();
        long done = 0, gone = 0, compiling = 0, all = 0, collected = 0;
        for (int s = 1; ; s++) {
            long from = System.nanoTime();
            Thread.sleep(1000);
            double t = (System.nanoTime() - from) / 1e9;
            long d = assessments.get(), u = classes.getUnloadedClassCount(), c = compileNanos.get(), a = allNanos.get(), g = 0;
            for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) g += bean.getCollectionTime();
            System.out.printf("measured: %.0f assessments/s, %d classes unloaded (%d loaded now), making classes %.0f %% of an assessment, collections %d ms%n",
                (d - done) / t, u - gone, classes.getLoadedClassCount(), (c - compiling) * 100.0 / Math.max(1, a - all), g - collected);
            done = d;
            gone = u;
            compiling = c;
            all = a;
            collected = g;
            if (s == 4) System.out.println("READY");
            System.out.flush();
        }
    }
}
