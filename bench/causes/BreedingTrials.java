// SPDX-License-Identifier: Apache-2.0
// healthy: one thread waits in invokeAll for groups whose slowest task takes three times as long as the others (looks like work handed out group by group), but the settings of the next generation follow from all results of the one before, and each growth chamber takes one exposure at a time whose length the recipe gives
// share: medians of 1 s on a busy machine of 2 CPUs: 8 generations, 40 exposures, 122.50 ms each generation, best 41.77
// judge: any finding of trouble is WRONG (group by group, uneven tasks, pool idle, waiting for futures), except neutral statements that it waits for futures or timers (if it should be less)
// jdk: 25
// set: twenty-eighth
// jvm: -Xmx64m -XX:+UseSerialGC
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;

public class BreedingTrials {
    static final long SPAN = Long.getLong("span", 170) * 1000000000L;
    static final int CHAMBERS = 5;
    static final LongAdder generations = new LongAdder(), exposures = new LongAdder(), nanos = new LongAdder();
    static volatile double best;

    record Setting(double light, double warmth, double water) {
        Setting towards(Setting o, double f) {
            return new Setting(light + (o.light - light) * f, warmth + (o.warmth - warmth) * f, water + (o.water - water) * f);
        }
    }

    record Result(Setting setting, double growth) {
    }

    /** A chamber exposes its trays as long as its species needs, and its camera then measures the leaves. */
    static final class Chamber {
        final int millis;
        final Random random;
        final int[] image = new int[160 * 120];

        Chamber(int nr, int millis) {
            this.millis = millis;
            random = new Random(nr);
        }

        synchronized Result expose(Setting s) throws InterruptedException {
            Thread.sleep(millis);
            double height = 100 - Math.pow(s.light - 6, 2) - Math.pow(s.warmth - 21, 2) - Math.pow(s.water - 3, 2);
            for (int i = 0; i < image.length; i++) image[i] = (int) (height + random.nextInt(40));
            exposures.increment();
            return new Result(s, leaves());
        }

        double leaves() {
            double sum = 0;
            for (int turn = 0; turn < 40; turn++) {
                for (int i = 161; i < image.length - 161; i++) {
                    sum += Math.abs(4 * image[i] - image[i - 1] - image[i + 1] - image[i - 160] - image[i + 160]) * 1e-6 + image[i] * 1e-7;
                }
            }
            return sum;
        }
    }

    static final class Greenhouse {
        final List<Chamber> chambers = new ArrayList<>();
        final ExecutorService hands = Executors.newFixedThreadPool(CHAMBERS, Thread.ofPlatform().daemon().name("chamber-", 0).factory());

        Greenhouse() {
            int[] millis = {30, 35, 40, 45, 120};
            for (int i = 0; i < CHAMBERS; i++) chambers.add(new Chamber(i, millis[i]));
        }

        List<Result> trial(List<Setting> settings) throws Exception {
            List<Callable<Result>> tasks = new ArrayList<>();
            for (int i = 0; i < CHAMBERS; i++) {
                Chamber c = chambers.get(i);
                Setting s = settings.get(i);
                tasks.add(() -> c.expose(s));
            }
            List<Result> results = new ArrayList<>();
            for (Future<Result> f : hands.invokeAll(tasks)) results.add(f.get());
            return results;
        }
    }

    static final class Breeder {
        final Greenhouse house = new Greenhouse();
        final Random random = new Random(12);
        List<Setting> now = first();

        List<Setting> first() {
            Setting[] s = new Setting[CHAMBERS];
            Arrays.setAll(s, i -> new Setting(random.nextDouble(12), 10 + random.nextDouble(20), random.nextDouble(8)));
            return List.of(s);
        }

        /** All but the worst move towards the best; the worst is thrown over the centre of the others. */
        void generation() throws Exception {
            List<Result> r = new ArrayList<>(house.trial(now));
            r.sort(Comparator.comparingDouble(Result::growth).reversed());
            best = r.getFirst().growth();
            Setting centre = r.getFirst().setting();
            for (int i = 1; i < CHAMBERS - 1; i++) centre = centre.towards(r.get(i).setting(), 1.0 / (i + 1));
            List<Setting> next = new ArrayList<>();
            for (int i = 0; i < CHAMBERS - 1; i++) next.add(r.get(i).setting().towards(r.getFirst().setting(), 0.3));
            next.add(r.getLast().setting().towards(centre, 1.6));
            now = next;
            if (Math.abs(next.get(1).light() - next.get(0).light()) < 1e-3) now = first();
            generations.increment();
        }
    }

    public static void main(String[] args) throws Exception {
        long until = System.nanoTime() + SPAN;
        Breeder breeder = new Breeder();
        Thread.ofPlatform().daemon().name("breeder").start(() -> {
            try {
                while (true) {
                    long t = System.nanoTime();
                    breeder.generation();
                    nanos.add(System.nanoTime() - t);
                }
            } catch (Exception e) {
                e.printStackTrace();
            }
        });
        Thread.sleep(2000);
        System.out.println("READY");
        generations.sumThenReset();
        exposures.sumThenReset();
        nanos.sumThenReset();
        while (System.nanoTime() < until) {
            Thread.sleep(1000);
            long n = generations.sumThenReset();
            System.out.printf("measured: %d generations, %d exposures, %.1f ms each generation, best %.2f%n", n, exposures.sumThenReset(),
                    nanos.sumThenReset() / 1e6 / Math.max(1, n), best);
        }
    }
}
