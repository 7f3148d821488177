// SPDX-License-Identifier: Apache-2.0
// healthy: A batch values the contracts of a pension fund under one scenario of interest after another, by as many threads as there are CPUs, with chunks that are large enough; all CPU time goes to the values themselves, there are hardly any collections, no locks and no waiting
// share: @SHARE@
// judge: NAMED (right): nothing stands out, or only neutral statements (time goes to computing in PensionValuation$Actuary.value, reserve or survival; no fault of the program shows; the CPUs are all used). SYMPTOM ONLY: that the main thread waits for futures while the workers compute, as a note. WRONG: an accusation of the pool (too few threads), of saturated or too many threads, of starvation caused by the program itself, of collections, exponentials or powers as a fault, of writing the results
// jdk: 25
// set: thirty-fifth
// jvm: -Xmx256m
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** The nightly valuation of a pension fund: the reserve of each contract under scenarios of interest. */
public class PensionValuation {
    static final int CONTRACTS = 24_000;
    static final int CHUNK = 1_000;

    record Contract(int number, int age, boolean widowPension, int startAge, double yearly, double premium) {
    }

    /** A curve of interest: a rate for each year to come. */
    static final class Scenario {
        final int number;
        final double[] discount = new double[100];

        Scenario(int number) {
            this.number = number;
            Random random = new Random(number);
            double rate = 0.02;
            double factor = 1;
            for (int year = 0; year < discount.length; year++) {
                discount[year] = factor;
                rate = Math.max(-0.005, rate + 0.15 * (0.025 - rate) + 0.004 * random.nextGaussian());
                factor /= 1 + rate;
            }
        }
    }

    /** Probabilities of death by Gompertz and Makeham, with a trend. */
    static final class Mortality {
        private final double[][] survive = new double[111][40];

        Mortality() {
            for (int age = 0; age < survive.length; age++) {
                for (int year = 0; year < 40; year++) {
                    double force = 0.0002 + 0.00003 * Math.exp(0.095 * age);
                    survive[age][year] = Math.exp(-force * Math.pow(0.985, year));
                }
            }
        }

        double survival(int age, int year) {
            return age > 110 ? 0 : survive[age][Math.min(year, 39)];
        }
    }

    static final class Actuary {
        private final Mortality mortality;
        private final Scenario scenario;

        Actuary(Mortality mortality, Scenario scenario) {
            this.mortality = mortality;
            this.scenario = scenario;
        }

        double value(Contract contract) {
            double own = reserve(contract.age(), contract.startAge(), contract.yearly(), contract.premium());
            return contract.widowPension() ? own + widow(contract) : own;
        }

        private double reserve(int age, int startAge, double yearly, double premium) {
            double alive = 1;
            double sum = 0;
            for (int year = 0; age + year <= 110; year++) {
                double flow = age + year >= startAge ? yearly : -premium;
                sum += flow * alive * scenario.discount[year];
                alive *= mortality.survival(age + year, year);
            }
            return sum;
        }

        private double widow(Contract contract) {
            double alive = 1;
            double sum = 0;
            for (int year = 0; contract.age() + year <= 95; year++) {
                double dies = 1 - mortality.survival(contract.age() + year, year);
                double pension = reserve(Math.max(20, contract.age() + year - 3), 0, 0.6 * contract.yearly(), 0);
                sum += alive * dies * scenario.discount[year] * pension;
                alive *= 1 - dies;
            }
            return sum;
        }
    }

    record Part(int first, double sum, double least, double most) {
    }

    private final List<Contract> contracts = new ArrayList<>();
    private final Mortality mortality = new Mortality();
    private final ExecutorService workers;

    PensionValuation(int threads) {
        workers = Executors.newFixedThreadPool(threads, Thread.ofPlatform().daemon().name("valuation-", 0).factory());
        Random random = new Random(1);
        for (int i = 0; i < CONTRACTS; i++) {
            contracts.add(new Contract(i, 20 + random.nextInt(60), random.nextInt(3) > 0, 63 + random.nextInt(5),
                    4_000 + random.nextInt(30_000), 900 + random.nextInt(6_000)));
        }
    }

    private Part part(int first, Scenario scenario) {
        Actuary actuary = new Actuary(mortality, scenario);
        double sum = 0;
        double least = Double.MAX_VALUE;
        double most = -Double.MAX_VALUE;
        for (Contract contract : contracts.subList(first, Math.min(CONTRACTS, first + CHUNK))) {
            double value = actuary.value(contract);
            sum += value;
            least = Math.min(least, value);
            most = Math.max(most, value);
        }
        return new Part(first, sum, least, most);
    }

    double run(Scenario scenario, BufferedWriter results) throws IOException, InterruptedException, ExecutionException {
        List<Future<Part>> parts = new ArrayList<>();
        for (int first = 0; first < CONTRACTS; first += CHUNK) {
            int from = first;
            parts.add(workers.submit(() -> part(from, scenario)));
        }
        double sum = 0;
        for (Future<Part> future : parts) {
            Part part = future.get();
            sum += part.sum();
            results.write(scenario.number + ";" + part.first() + ";" + part.sum() + ";" + part.least() + ";" + part.most() + "\n");
        }
        return sum;
    }

    public static void main(String[] args) throws Exception {
        int threads = Math.min(2, Runtime.getRuntime().availableProcessors());
        PensionValuation valuation = new PensionValuation(threads);
        Path file = Files.createTempFile("valuation", ".csv");
        file.toFile().deleteOnExit();
        long begin = System.nanoTime();
        long last = begin;
        boolean ready = false;
        int before = 0;
        try (BufferedWriter results = Files.newBufferedWriter(file)) {
            for (int number = 1; ; number++) {
                double sum = valuation.run(new Scenario(number), results);
                long now = System.nanoTime();
                if (now - last >= 1_000_000_000L) {
                    System.out.printf(Locale.ROOT, "measured: scenario %d: reserve %.1f m; %.0f contracts a second, by %d threads%n",
                            number, sum / 1e6, (number - before) * (double) CONTRACTS * 1e9 / (now - last), threads);
                    last = now;
                    before = number;
                    if (!ready && now - begin > 3_000_000_000L) {
                        ready = true;
                        System.out.println("READY");
                    }
                    System.out.flush();
                }
            }
        }
    }
}
