// SPDX-License-Identifier: Apache-2.0
// healthy: a file of fund prices comes every 2.5 s; two workers check and value it in half a second of CPU time or so, and rest until the next one. Nothing queues up, nothing waits for locks, each file is done long before the next one comes
// share: 0.15 to 0.25 CPUs used on average; a file is done in 0.6 to 1.4 s on a machine with four times as much to do as it can, sooner on others, and the next one comes 2.5 s after its end
// judge: RIGHT: nothing stands out, or neutral statements of where time goes: computing in FundPriceImport$Valuation.value, FundPriceImport$Valuation.quantile, FundPriceImport$PriceFile.parse or FundPriceImport$PriceFile.text, main's or the desk's wait for the two tasks of a file (futures, FundPriceImport$Desk.load) as what takes time if it is said not to be a fault. WRONG (false alarm): any accusation of a fault: pool-busy or too few threads in "valuation", a saturated thread, the timer "file-clock" blocked, starved CPUs caused by the program, collections, hot code that should be avoided (sorting, parsing or formatting numbers)
// jdk: 8
// set: thirty-sixth
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

public class FundPriceImport {
    static volatile int files;
    static volatile long lastMillis;
    static volatile double lastRisk;

    static final class PriceFile {
        static final int DAYS = 250;
        final int[][] cents;

        private PriceFile(int[][] cents) {
            this.cents = cents;
        }

        /** What the provider sends: a line for each fund, prices separated by semicolons. */
        static String text(Random random, int funds) {
            StringBuilder out = new StringBuilder(funds * DAYS * 7);
            for (int f = 0; f < funds; f++) {
                int price = 5000 + random.nextInt(20_000);
                for (int d = 0; d < DAYS; d++) {
                    price = Math.max(100, price + random.nextInt(201) - 100);
                    out.append(price).append(d == DAYS - 1 ? '\n' : ';');
                }
            }
            return out.toString();
        }

        static PriceFile parse(String text, int funds) {
            int[][] cents = new int[funds][DAYS];
            int fund = 0, day = 0, value = 0;
            for (int i = 0; i < text.length(); i++) {
                char c = text.charAt(i);
                if (c >= '0' && c <= '9') {
                    value = value * 10 + c - '0';
                } else {
                    cents[fund][day++] = value;
                    value = 0;
                    if (c == '\n') {
                        fund++;
                        day = 0;
                    }
                }
            }
            return new PriceFile(cents);
        }
    }

    static final class Valuation {
        private final PriceFile file;
        private final Random random = new Random(5);

        Valuation(PriceFile file) {
            this.file = file;
        }

        /** Value at risk: simulated paths of the fund from its own daily changes. */
        double value(int from, int to) {
            double worst = 0;
            for (int f = from; f < to; f++) {
                int[] prices = file.cents[f];
                double[] changes = new double[PriceFile.DAYS - 1];
                for (int d = 1; d < prices.length; d++) {
                    changes[d - 1] = Math.log(prices[d] / (double) prices[d - 1]);
                }
                double[] ends = new double[2400];
                for (int path = 0; path < ends.length; path++) {
                    double sum = 0;
                    for (int step = 0; step < 20; step++) {
                        sum += changes[random.nextInt(changes.length)];
                    }
                    ends[path] = Math.exp(sum);
                }
                worst = Math.max(worst, 1 - quantile(ends, 0.01));
            }
            return worst;
        }

        private static double quantile(double[] values, double q) {
            Arrays.sort(values);
            return values[(int) (q * values.length)];
        }
    }

    static final class Desk {
        private static final int FUNDS = 900;
        private final ExecutorService workers = Executors.newFixedThreadPool(2, named("valuation"));
        private final Random provider = new Random(11);

        void load() {
            long begin = System.nanoTime();
            PriceFile file = PriceFile.parse(PriceFile.text(provider, FUNDS), FUNDS);
            List<Future<Double>> parts = new ArrayList<>();
            for (int part = 0; part < 6; part++) {
                int from = part * FUNDS / 6, to = (part + 1) * FUNDS / 6;
                parts.add(workers.submit(() -> new Valuation(file).value(from, to)));
            }
            double risk = 0;
            try {
                for (Future<Double> part : parts) {
                    risk = Math.max(risk, part.get());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            } catch (ExecutionException e) {
                throw new IllegalStateException(e.getCause());
            }
            lastRisk = risk;
            lastMillis = (System.nanoTime() - begin) / 1_000_000;
            files++;
        }
    }

    static ThreadFactory named(String name) {
        AtomicInteger numbers = new AtomicInteger();
        return r -> {
            Thread thread = new Thread(r, name + "-" + numbers.getAndIncrement());
            thread.setDaemon(true);
            return thread;
        };
    }

    public static void main(String[] args) throws Exception {
        com.sun.management.OperatingSystemMXBean system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        Desk desk = new Desk();
        for (int i = 0; i < 3; i++) {
            desk.load();
        }
        ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(named("file-clock"));
        clock.scheduleWithFixedDelay(desk::load, 100, 2500, TimeUnit.MILLISECONDS);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long cpu = system.getProcessCpuTime(), wall = System.nanoTime();
            Thread.sleep(1000);
            System.out.printf(Locale.ROOT, "measured: %d files so far, the last one done in %d ms of the 2500 ms until the next one comes (risk %.3f); %.2f CPUs used%n",
                files, lastMillis, lastRisk, (system.getProcessCpuTime() - cpu) / (double) (System.nanoTime() - wall));
            System.out.flush();
        }
    }
}
