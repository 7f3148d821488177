// SPDX-License-Identifier: Apache-2.0
// healthy: Two calculation threads use both cores with necessary, already well arranged arithmetic (harmonic tide sums); a coordinator legitimately waits for each day's results; CPU at 100 % is the purpose of the batch.
// judge: Right: nothing wrong / CPU-bound by useful work in Harbour.height (optimising the arithmetic may be mentioned as optional, no fault). Wrong: any statement of a fault - waiting of the coordinator in invokeAll/Future.get, GC, contention, hot loop as a defect, too few threads.
// set: nineteenth
// jdk: 8
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class EstuaryForecast {
    private static final LongAdder heights = new LongAdder();
    private static final int STEPS_PER_DAY = 288;

    static final class Constituent {
        final double amplitude;
        final double degreesPerHour;
        final double phase;

        Constituent(double amplitude, double degreesPerHour, double phase) {
            this.amplitude = amplitude;
            this.degreesPerHour = degreesPerHour;
            this.phase = phase;
        }
    }

    static final class Harbour {
        private final double meanLevel;
        private final double[] amplitude;
        private final double[] speed;
        private final double[] phase;

        Harbour(int number, List<Constituent> base) {
            Random r = new Random(number);
            meanLevel = 2 + r.nextDouble();
            int n = base.size();
            amplitude = new double[n];
            speed = new double[n];
            phase = new double[n];
            for (int i = 0; i < n; i++) {
                Constituent c = base.get(i);
                amplitude[i] = c.amplitude * (0.5 + r.nextDouble());
                speed[i] = Math.toRadians(c.degreesPerHour);
                phase[i] = Math.toRadians(c.phase + r.nextInt(360));
            }
        }

        double height(double hours) {
            double h = meanLevel;
            for (int i = 0; i < amplitude.length; i++) h += amplitude[i] * Math.cos(speed[i] * hours - phase[i]);
            return h;
        }
    }

    static final class DayTable {
        final double high;
        final double low;
        final int turns;

        DayTable(double high, double low, int turns) {
            this.high = high;
            this.low = low;
            this.turns = turns;
        }
    }

    private static DayTable day(Harbour harbour, int day) {
        double high = -99;
        double low = 99;
        double last = 0;
        boolean rising = false;
        int turns = 0;
        for (int s = 0; s < STEPS_PER_DAY; s++) {
            double h = harbour.height(day * 24.0 + s / 12.0);
            if (h > high) high = h;
            if (h < low) low = h;
            boolean up = h > last;
            if (s > 1 && up != rising) turns++;
            rising = up;
            last = h;
        }
        heights.add(STEPS_PER_DAY);
        return new DayTable(high, low, turns);
    }

    private static List<Constituent> constituents() {
        double[] speeds = {28.984, 30.0, 28.44, 30.082, 15.041, 13.943, 14.959, 13.399, 57.968, 58.984,
            86.952, 27.895, 27.968, 28.513, 29.529, 29.455, 31.016, 1.016, 0.544, 0.082, 0.041, 12.854};
        List<Constituent> list = new ArrayList<>();
        for (int i = 0; i < speeds.length; i++) list.add(new Constituent(1.6 / (i + 1), speeds[i], i * 17));
        return list;
    }

    private static void coordinate(ExecutorService calculators, List<Harbour> harbours) {
        double range = 0;
        try {
            for (int d = 0; ; d++) {
                final int day = d % 36500;
                List<Callable<DayTable>> jobs = new ArrayList<>();
                for (Harbour h : harbours) jobs.add(() -> day(h, day));
                for (Future<DayTable> f : calculators.invokeAll(jobs)) {
                    DayTable t = f.get();
                    range = Math.max(range, t.high - t.low + t.turns * 1e-9);
                }
            }
        } catch (InterruptedException | ExecutionException e) {
            System.err.println("ended at range " + range + ": " + e);
        }
    }

    public static void main(String[] args) throws Exception {
        List<Constituent> base = constituents();
        List<Harbour> harbours = new ArrayList<>();
        for (int i = 0; i < 160; i++) harbours.add(new Harbour(i, base));
        AtomicInteger n = new AtomicInteger();
        ExecutorService calculators = Executors.newFixedThreadPool(2, r -> {
            Thread t = new Thread(r, "tide-calc-" + n.getAndIncrement());
            t.setDaemon(true);
            return t;
        });
        Thread c = new Thread(() -> coordinate(calculators, harbours), "tide-coordinator");
        c.setDaemon(true);
        c.start();
        Thread.sleep(3000);
        System.out.println("READY");
        long before = heights.sum();
        long at = System.nanoTime();
        for (int i = Integer.getInteger("secs", 165); i > 0; i--) {
            Thread.sleep(1000);
            long now = heights.sum();
            long t = System.nanoTime();
            System.out.printf(Locale.ROOT, "measured: %.0f heights/s%n", (now - before) * 1e9 / (t - at));
            before = now;
            at = t;
        }
        System.exit(0);
    }
}
