// SPDX-License-Identifier: Apache-2.0
// cause: DyeWorks$RecipeBook.recipeFor looks a shade up by its code in capitals without blanks (recipes.get(normal)), but stores what it has solved by the code as it was ordered (recipes.put(shade, ...), lower case), so that the cache never has what is asked for and Solver.solve computes each recipe anew
// share: none of the recipes is ever found: all orders (315 to 545 a second) are solved anew, 210 to 390 ms of each second, more than 99 % of the planner's work (placing orders takes about a millisecond a second), though there are 120 shades only; with recipes stored by the same key as they are looked up, all are found and nothing is solved
// expect: cache-misses frame=DyeWorks$RecipeBook
// symptom: hot-method saturated-thread
// judge: NAMED: cache-misses at DyeWorks$RecipeBook.recipeFor, whose lookup (Map.get) finds nothing. SYMPTOM ONLY: hot-method of DyeWorks$Solver.solve (or Planner.run) alone, since it is said to compute, but not that it does so in vain; also vat-planner having work all the time. WRONG: string work (trim, toUpperCase) or random numbers, VatPlan.place, collections, memory, no fault
// jdk: 17
// set: thirty-fifth
// jvm: -Xmx256m
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Plans the vats of a dye works: orders name a shade, for which a recipe of six dyes is needed. */
public class DyeWorks {
    static final AtomicLong orders = new AtomicLong();
    static final AtomicLong found = new AtomicLong();
    static final AtomicLong solved = new AtomicLong();
    static final AtomicLong solveNanos = new AtomicLong();
    static final AtomicLong planNanos = new AtomicLong();

    record Order(String customer, String shade, int kilograms) {
    }

    record Recipe(double[] grams, double deviation) {
    }

    /** What each dye reflects at 31 wavelengths, as measured in the laboratory. */
    static final class Spectra {
        static final int WAVES = 31;
        static final int DYES = 6;
        final double[][] absorption = new double[DYES][WAVES];

        Spectra() {
            for (int dye = 0; dye < DYES; dye++) {
                for (int wave = 0; wave < WAVES; wave++) {
                    double distance = (wave - 5.0 * dye) / 6;
                    absorption[dye][wave] = 0.05 + Math.exp(-distance * distance);
                }
            }
        }

        double[] target(int number) {
            SplittableRandom random = new SplittableRandom(number);
            double[] target = new double[WAVES];
            for (int wave = 0; wave < WAVES; wave++) {
                target[wave] = 0.2 + random.nextDouble();
            }
            return target;
        }
    }

    /** Least squares with amounts that are not negative, by projected gradients. */
    static final class Solver {
        private final Spectra spectra;

        Solver(Spectra spectra) {
            this.spectra = spectra;
        }

        Recipe solve(String shade) {
            double[] target = spectra.target(shade.toLowerCase(Locale.ROOT).trim().hashCode());
            double[] grams = new double[Spectra.DYES];
            double deviation = 0;
            for (int turn = 0; turn < 1200; turn++) {
                double[] gradient = new double[Spectra.DYES];
                deviation = 0;
                for (int wave = 0; wave < Spectra.WAVES; wave++) {
                    double mixed = -target[wave];
                    for (int dye = 0; dye < Spectra.DYES; dye++) {
                        mixed += grams[dye] * spectra.absorption[dye][wave];
                    }
                    deviation += mixed * mixed;
                    for (int dye = 0; dye < Spectra.DYES; dye++) {
                        gradient[dye] += mixed * spectra.absorption[dye][wave];
                    }
                }
                for (int dye = 0; dye < Spectra.DYES; dye++) {
                    grams[dye] = Math.max(0, grams[dye] - 0.02 * gradient[dye]);
                }
            }
            return new Recipe(grams, deviation);
        }
    }

    static final class RecipeBook {
        private final Map<String, Recipe> recipes = new HashMap<>();
        private final Solver solver;

        RecipeBook(Solver solver) {
            this.solver = solver;
        }

        Recipe recipeFor(String shade) {
            String normal = shade.trim().toUpperCase(Locale.ROOT);
            Recipe recipe = recipes.get(normal);
            if (recipe == null) {
                long begin = System.nanoTime();
                recipe = solver.solve(normal);
                solveNanos.addAndGet(System.nanoTime() - begin);
                solved.incrementAndGet();
                recipes.put(shade, recipe);
            } else {
                found.incrementAndGet();
            }
            return recipe;
        }
    }

    /** Orders as they come in from weavers and printers. */
    static final class OrderDesk {
        private final SplittableRandom random = new SplittableRandom(77);

        Order next() {
            int shade = (int) (120 * random.nextDouble() * random.nextDouble());
            return new Order("weaver-" + random.nextInt(40), "tcx " + (11 + shade % 9) + "-" + (1000 + shade), 20 + random.nextInt(300));
        }
    }

    /** Orders of like liquor go into one vat, largest first. */
    static final class VatPlan {
        private final List<double[]> vats = new ArrayList<>();

        void place(Order order, Recipe recipe) {
            double litres = order.kilograms() * 8;
            for (double grams : recipe.grams()) {
                litres += grams / 50;
            }
            double[] best = null;
            for (double[] vat : vats) {
                if (vat[0] >= litres && (best == null || vat[0] < best[0])) {
                    best = vat;
                }
            }
            if (best == null) {
                best = new double[] {6000};
                vats.add(best);
            }
            best[0] -= litres;
            if (vats.size() > 60) {
                vats.clear();
            }
        }
    }

    static final class Planner implements Runnable {
        private final OrderDesk desk = new OrderDesk();
        private final RecipeBook book = new RecipeBook(new Solver(new Spectra()));
        private final VatPlan plan = new VatPlan();

        @Override
        public void run() {
            try {
                while (true) {
                    for (int i = 0; i < 5; i++) {
                        Order order = desk.next();
                        Recipe recipe = book.recipeFor(order.shade());
                        long begin = System.nanoTime();
                        plan.place(order, recipe);
                        planNanos.addAndGet(System.nanoTime() - begin);
                        orders.incrementAndGet();
                    }
                    TimeUnit.MILLISECONDS.sleep(6);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        new Thread(new Planner(), "vat-planner").start();
        while (orders.get() < 900) {
            Thread.sleep(20);
        }
        System.out.println("READY");
        System.out.flush();
        long[] last = {orders.get(), found.get(), solved.get(), solveNanos.get(), planNanos.get()};
        while (true) {
            Thread.sleep(1000);
            long[] now = {orders.get(), found.get(), solved.get(), solveNanos.get(), planNanos.get()};
            System.out.printf("measured: %d orders, %d recipes found, %d solved in %d ms, %d us placing orders%n", now[0] - last[0],
                    now[1] - last[1], now[2] - last[2], (now[3] - last[3]) / 1_000_000, (now[4] - last[4]) / 1000);
            System.out.flush();
            last = now;
        }
    }
}
