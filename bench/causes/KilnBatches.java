// SPDX-License-Identifier: Apache-2.0
// cause: KilnBatches.Headroom.ensure asks for a full collection (MemoryMXBean.gc()) before each firing plan, whenever more than 40 % of the heap is in use, which is always so, since the recipes alone are that much
// share: as it is 21 to 26 plans/s, 114 to 149 ms each; fixed 440 plans/s, 0.8 ms each (17 times the throughput)
// expect: explicit-gc frame=Headroom.ensure
// symptom: gc-pauses | explicit-gc | waiting
// judge: NAMED: collections are asked for explicitly (System.gc() / MemoryMXBean.gc()), from Headroom.ensure (or Kiln.plan above it). SYMPTOM ONLY: long or frequent GC pauses, GC CPU time without who asks for them. WRONG: a larger heap, less allocation, promotion, locks as first finding.
// jdk: 25
// set: twenty-seventh
// jvm: -Xmx64m -XX:+UseG1GC
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryUsage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;

public class KilnBatches {
    static final LongAdder plans = new LongAdder();
    static final LongAdder nanos = new LongAdder();

    record Step(int minute, int celsius, String gas) {
    }

    record Recipe(int number, List<Step> steps) {
    }

    static final class Headroom {
        final MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        final boolean trust = Boolean.getBoolean("fixed");

        void ensure(double share) {
            MemoryUsage u = memory.getHeapMemoryUsage();
            if (!trust && u.getUsed() > share * u.getMax())
                memory.gc();
        }
    }

    static final class Recipes {
        final Map<Integer, Recipe> all = new HashMap<>();

        Recipes() {
            Random r = new Random(5);
            for (int i = 0; i < 14_000; i++) {
                List<Step> steps = new ArrayList<>();
                for (int k = 0; k < 60; k++)
                    steps.add(new Step(k * 10, 20 + r.nextInt(1300), k % 7 == 0 ? "argon" : "air"));
                all.put(i, new Recipe(i, steps));
            }
        }
    }

    static final class Kiln {
        final Recipes recipes;
        final Headroom headroom;

        Kiln(Recipes recipes, Headroom headroom) {
            this.recipes = recipes;
            this.headroom = headroom;
        }

        double[] curve(Recipe r) {
            double[] c = new double[600];
            double now = 20;
            for (int i = 0; i < c.length; i++) {
                now += (r.steps().get(i / 10).celsius() - now) * 0.07;
                c[i] = now;
            }
            return c;
        }

        double plan(int[] numbers) {
            headroom.ensure(0.4);
            double energy = 0;
            List<double[]> curves = new ArrayList<>();
            for (int n : numbers)
                curves.add(curve(recipes.all.get(n)));
            for (int t = 0; t < 600; t++) {
                double most = 0;
                for (double[] c : curves)
                    most = Math.max(most, c[t]);
                energy += Math.pow(most / 100, 1.7);
            }
            return energy;
        }
    }

    public static void main(String[] args) throws Exception {
        long start = System.nanoTime();
        long end = start + Integer.getInteger("seconds", 170) * 1_000_000_000L;
        Kiln kiln = new Kiln(new Recipes(), new Headroom());
        for (int k = 0; k < 4; k++) {
            int seed = k;
            Thread.ofPlatform().daemon().name("planner-" + k).start(() -> {
                Random r = new Random(seed);
                double sum = 0;
                try {
                    while (sum >= 0) {
                        long t = System.nanoTime();
                        int[] numbers = r.ints(120, 0, 14_000).toArray();
                        sum += kiln.plan(numbers);
                        nanos.add(System.nanoTime() - t);
                        plans.increment();
                        Thread.sleep(8);
                    }
                } catch (InterruptedException e) {
                    System.out.println(sum);
                }
            });
        }
        Thread.sleep(5000);
        System.out.println("READY");
        long last = plans.sum();
        long lastNs = nanos.sum();
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long s = plans.sum();
            long ns = nanos.sum();
            System.out.printf("measured: %d plans/s, %.1f ms each%n", s - last, (ns - lastNs) / 1e6 / Math.max(1, s - last));
            last = s;
            lastNs = ns;
        }
        System.exit(0);
    }
}
