// SPDX-License-Identifier: Apache-2.0
// healthy: a statement for each farm is made of a blending plan, which takes nearly all CPU time, and printed with some 20 lines of String.format, which people read and which take some percent of it; formatting is done once for each line that is printed, and no line is made that is not
// share: 4 to 10 % of 0.5 to 0.7 CPUs is printing (more while formatting is not compiled yet), at 110 statements and 2,200 lines a second; the rest is planning
// judge: RIGHT: nothing stands out, or neutral statements of where time goes: computing in GrainStatements$Blend.plan, GrainStatements$Blend.cost, GrainStatements$Blend.improve or GrainStatements$Mill.settle. WRONG (false alarm): any accusation of a fault: formatting (String.format, GrainStatements$Statement.print), building strings, dates or locales as what costs much; a saturated thread, locks, collections, allocation
// jdk: 11
// set: thirty-sixth
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;

public class GrainStatements {
    static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    static final LongAdder statements = new LongAdder();
    static final LongAdder lines = new LongAdder();
    static final LongAdder printNanos = new LongAdder();

    static final class Delivery {
        final LocalDate day;
        final double tonnes;
        final double moisture;
        final double protein;
        final int cents;

        Delivery(LocalDate day, double tonnes, double moisture, double protein, int cents) {
            this.day = day;
            this.tonnes = tonnes;
            this.moisture = moisture;
            this.protein = protein;
            this.cents = cents;
        }
    }

    static final class Farm {
        final String name;
        final List<Delivery> deliveries = new ArrayList<>();

        Farm(String name, SplittableRandom random) {
            this.name = name;
            for (int i = 0; i < 18; i++) {
                deliveries.add(new Delivery(LocalDate.of(2024, 7, 1).plusDays(i * 2), 4 + random.nextDouble() * 20,
                    12 + random.nextDouble() * 6, 9 + random.nextDouble() * 6, 18_000 + random.nextInt(6000)));
            }
        }
    }

    /** Which part of each delivery goes to which silo, so that every silo is of one quality. */
    static final class Blend {
        private static final int SILOS = 4;
        private final Farm farm;
        private final SplittableRandom random;
        private final int[] silo;

        Blend(Farm farm, SplittableRandom random) {
            this.farm = farm;
            this.random = random;
            silo = new int[farm.deliveries.size()];
        }

        private double cost(double[] tonnes, double[] wet, double[] protein) {
            java.util.Arrays.fill(tonnes, 0);
            java.util.Arrays.fill(wet, 0);
            java.util.Arrays.fill(protein, 0);
            for (int d = 0; d < silo.length; d++) {
                Delivery delivery = farm.deliveries.get(d);
                tonnes[silo[d]] += delivery.tonnes;
                wet[silo[d]] += delivery.tonnes * delivery.moisture;
                protein[silo[d]] += delivery.tonnes * delivery.protein;
            }
            double cost = 0;
            for (int s = 0; s < SILOS; s++) {
                if (tonnes[s] > 0) {
                    double m = wet[s] / tonnes[s] - 14.5, p = protein[s] / tonnes[s] - (10 + s);
                    cost += tonnes[s] * (m * m + 2 * p * p) + Math.max(0, tonnes[s] - 90) * 3;
                }
            }
            return cost;
        }

        private double improve(double best, double heat, double[] tonnes, double[] wet, double[] protein) {
            int d = random.nextInt(silo.length), old = silo[d];
            silo[d] = random.nextInt(SILOS);
            double now = cost(tonnes, wet, protein);
            if (now <= best || random.nextDouble() < Math.exp((best - now) / heat)) {
                return now;
            }
            silo[d] = old;
            return best;
        }

        double plan() {
            double[] tonnes = new double[SILOS], wet = new double[SILOS], protein = new double[SILOS];
            double best = cost(tonnes, wet, protein);
            for (double heat = 50; heat > 0.05; heat *= 0.9997) {
                best = improve(best, heat, tonnes, wet, protein);
            }
            return best;
        }
    }

    static final class Statement {
        private final StringBuilder text = new StringBuilder();

        private void line(String pattern, Object... values) {
            text.append(String.format(Locale.ROOT, pattern, values)).append('\n');
            lines.increment();
        }

        String print(Farm farm, int[] silo, double spread) {
            long tonnes = 0;
            line("%-24s quality spread %8.3f", farm.name, spread);
            for (int d = 0; d < silo.length; d++) {
                Delivery delivery = farm.deliveries.get(d);
                line("%tF  %7.2f t  %4.1f %%  %4.1f %%  silo %d  %10.2f EUR", delivery.day, delivery.tonnes, delivery.moisture, delivery.protein,
                    silo[d] + 1, delivery.cents * delivery.tonnes / 100);
                tonnes += Math.round(delivery.tonnes * 1000);
            }
            line("%,15d kg in all", tonnes);
            return text.toString();
        }
    }

    static final class Mill implements Runnable {
        private final SplittableRandom random = new SplittableRandom(8);
        private long characters;

        private String settle(int number) {
            Farm farm = new Farm("Farm " + number, random);
            Blend blend = new Blend(farm, random);
            double spread = blend.plan();
            long before = THREADS.getCurrentThreadCpuTime();
            String text = new Statement().print(farm, blend.silo, spread);
            printNanos.add(THREADS.getCurrentThreadCpuTime() - before);
            return text;
        }

        @Override
        public void run() {
            try {
                for (int number = 1; ; number++) {
                    characters += settle(number).length();
                    statements.increment();
                    if (number > 600) {
                        Thread.sleep(2);
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        Thread mill = new Thread(new Mill(), "mill");
        mill.setDaemon(true);
        mill.start();
        Thread.sleep(4000);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long n = statements.sum(), l = lines.sum(), print = printNanos.sum(), cpu = system.getProcessCpuTime(), wall = System.nanoTime();
            Thread.sleep(1000);
            cpu = system.getProcessCpuTime() - cpu;
            System.out.printf(Locale.ROOT, "measured: %d statements/s, %d lines/s; %.2f CPUs used, %.1f %% of it to print%n", statements.sum() - n, lines.sum() - l,
                cpu / (double) (System.nanoTime() - wall), 100.0 * (printNanos.sum() - print) / Math.max(1, cpu));
            System.out.flush();
        }
    }
}
