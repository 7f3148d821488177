// SPDX-License-Identifier: Apache-2.0
// healthy: the code cache is small (7 MB) and four fifths full, as each sensor's formula of method handles is compiled, but it does not fill up and the compiler is never stopped; rounds are in time.
// share: measured 0.2 to 0.7 million readings/s, 5.7 of 7 MiB of compiled code in use, which stays so.
// judge: WRONG: a full code cache or a stopped compiler, deoptimisations or compiling as a fault, the sleep of 20 ms between rounds, method handles as waste. ACCEPTABLE: nothing stands out, a neutral remark that CPU time goes to the formulas, or that the reserved code cache is small or four fifths used.
// jdk: 8
// set: twenty-ninth
// jvm: -XX:ReservedCodeCacheSize=7m

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;

/** Watches the air ducts of a building: each sensor has a formula of its own, made up of parts when the panel starts. */
public class DuctFlowPanel {
    static final int SENSORS = 260;
    static final int THREADS = 2;
    static final long SPAN = Long.getLong("span", 170);
    static final LongAdder readings = new LongAdder();
    static final LongAdder alarms = new LongAdder();

    static double scale(double factor, double x) {
        return x * factor;
    }

    static double shift(double by, double x) {
        return x + by;
    }

    static double bend(double k, double x) {
        return x - k * x * x / 1000;
    }

    static double root(double k, double x) {
        return Math.sqrt(Math.abs(x) + k);
    }

    static double clip(double limit, double x) {
        return x > limit ? limit : x;
    }

    /** A sensor's formula. */
    static final class Formula {
        private final MethodHandle handle;
        final int parts;

        Formula(Random random) throws ReflectiveOperationException {
            String[] names = {"scale", "shift", "bend", "root", "clip"};
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            MethodType type = MethodType.methodType(double.class, double.class, double.class);
            MethodHandle h = MethodHandles.identity(double.class);
            parts = 3 + random.nextInt(12);
            for (int i = 0; i < parts; i++) {
                MethodHandle part = lookup.findStatic(DuctFlowPanel.class, names[random.nextInt(names.length)], type);
                h = MethodHandles.filterReturnValue(h, MethodHandles.insertArguments(part, 0, 0.5 + random.nextInt(40) / 10.0));
            }
            handle = h;
        }

        double of(double raw) {
            try {
                return (double) handle.invokeExact(raw);
            } catch (Throwable t) {
                throw new IllegalStateException(t);
            }
        }
    }

    /** What a sensor has shown lately. */
    static final class Sensor {
        final int number;
        final Formula formula;
        private double mean;
        private int above;

        Sensor(int number, Formula formula) {
            this.number = number;
            this.formula = formula;
        }

        boolean take(double raw) {
            double v = formula.of(raw);
            mean += (v - mean) / 50;
            if (v > mean * 1.5 + 1) {
                above++;
            } else {
                above = 0;
            }
            return above == 3;
        }
    }

    /** Goes round its sensors every 20 ms. */
    static final class Round extends Thread {
        private final List<Sensor> sensors;
        private final Random random;
        private final long end;

        Round(int number, List<Sensor> sensors, long end) {
            super("round-" + number);
            this.sensors = sensors;
            this.random = new Random(number);
            this.end = end;
            setDaemon(true);
        }

        @Override
        public void run() {
            try {
                while (System.nanoTime() < end) {
                    for (Sensor s : sensors) {
                        for (int i = 0; i < 60; i++) {
                            if (s.take(random.nextDouble() * 100)) {
                                alarms.increment();
                            }
                        }
                        readings.add(60);
                    }
                    Thread.sleep(20);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static String compiled() {
        long used = 0;
        long room = 0;
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            if (pool.getName().startsWith("Code")) {
                used += pool.getUsage().getUsed();
                room += pool.getUsage().getMax();
            }
        }
        return used / 1024 + " of " + room / 1024 + " KiB of compiled code";
    }

    public static void main(String[] args) throws Exception {
        List<List<Sensor>> groups = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            groups.add(new ArrayList<>());
        }
        Random random = new Random(5);
        for (int i = 0; i < SENSORS; i++) {
            groups.get(i % THREADS).add(new Sensor(i, new Formula(random)));
        }
        long end = System.nanoTime() + SPAN * 1_000_000_000L;
        for (int i = 0; i < THREADS; i++) {
            new Round(i, groups.get(i), end).start();
        }
        System.out.println("READY");
        long last = 0;
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long now = readings.sum();
            System.out.printf("measured: %d readings/s, %d alarms, %s%n", now - last, alarms.sum(), compiled());
            last = now;
        }
        System.exit(0);
    }
}
