// SPDX-License-Identifier: Apache-2.0
// healthy: a compute batch that simulates pension contracts on two worker threads at full CPU with primitive arithmetic and little allocation; full CPU use is the purpose, work is evenly split in chunks and results are merged without contention
// judge: RIGHT = no fault found / CPU-bound by its own computation (Simulator.path), perhaps "more CPUs or a cheaper algorithm would be needed". Naming Simulator.path as where the CPU goes, as a fact, is fine. WRONG = any claimed defect: lock contention, GC, bad pool size, busy waiting, randomness contention, false sharing, JIT trouble; main thread sleeping is no fault.
// jdk: 25
// set: sixteenth
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class PensionForecast {
    record Contract(long number, int age, double capital, double monthly, int risk) {}

    record Outlook(double low, double middle, double high) {}

    static final class Simulator {
        private static final int PATHS = 300;

        Outlook outlook(Contract c, SplittableRandom r) {
            double[] ends = new double[PATHS];
            for (int i = 0; i < PATHS; i++) ends[i] = path(c, r);
            Arrays.sort(ends);
            return new Outlook(ends[PATHS / 20], ends[PATHS / 2], ends[PATHS * 19 / 20]);
        }

        private double path(Contract c, SplittableRandom r) {
            double capital = c.capital;
            double drift = 0.015 + 0.008 * c.risk;
            double swing = 0.02 + 0.035 * c.risk;
            double trend = 0;
            for (int year = c.age; year < 67; year++) {
                double g = r.nextDouble() + r.nextDouble() + r.nextDouble() + r.nextDouble() - 2;
                trend = 0.4 * trend + swing * g;
                capital = capital * Math.exp(drift + trend) + c.monthly * 12;
            }
            return capital;
        }
    }

    static final class Portfolio {
        final List<Contract> contracts = new ArrayList<>();

        Portfolio(int n) {
            var r = new SplittableRandom(5);
            for (int i = 0; i < n; i++)
                contracts.add(new Contract(i, 22 + r.nextInt(40), r.nextInt(90_000), 30 + r.nextInt(400), r.nextInt(5)));
        }

        List<List<Contract>> chunks(int size) {
            var all = new ArrayList<List<Contract>>();
            for (int i = 0; i < contracts.size(); i += size) all.add(contracts.subList(i, Math.min(contracts.size(), i + size)));
            return all;
        }
    }

    static final class Totals {
        double low, middle, high;
        int contracts;

        void add(Outlook o) {
            low += o.low;
            middle += o.middle;
            high += o.high;
            contracts++;
        }

        void add(Totals t) {
            low += t.low;
            middle += t.middle;
            high += t.high;
            contracts += t.contracts;
        }
    }

    final Portfolio portfolio = new Portfolio(24_000);
    final Simulator simulator = new Simulator();
    final ExecutorService workers = Executors.newFixedThreadPool(2, r -> Thread.ofPlatform().daemon().name("forecast").unstarted(r));
    final LongAdder computed = new LongAdder();
    final AtomicInteger runs = new AtomicInteger();

    Totals work(List<Contract> chunk, long seed) {
        var r = new SplittableRandom(seed);
        var t = new Totals();
        for (Contract c : chunk) t.add(simulator.outlook(c, r));
        computed.add(chunk.size());
        return t;
    }

    Totals runOnce(long seed) throws Exception {
        var parts = new ArrayList<Future<Totals>>();
        for (var chunk : portfolio.chunks(200)) {
            long s = seed * 31 + parts.size();
            parts.add(workers.submit(() -> work(chunk, s)));
        }
        var sum = new Totals();
        for (var p : parts) sum.add(p.get());
        return sum;
    }

    void batch() {
        try {
            for (long seed = 1; ; seed++) {
                Totals t = runOnce(seed);
                runs.incrementAndGet();
                System.out.printf("run %d: %d contracts, middle %.0f%n", seed, t.contracts, t.middle / t.contracts);
            }
        } catch (Exception e) {
            System.out.println("batch ends: " + e);
        }
    }

    public static void main(String[] args) throws Exception {
        var app = new PensionForecast();
        Thread.ofPlatform().daemon().name("batch").start(app::batch);
        for (int s = 0; s < 150; s++) {
            Thread.sleep(1000);
            System.out.println("measured: " + app.computed.sumThenReset() + " contracts/s, " + app.runs.get() + " runs so far");
            if (s == 3) System.out.println("READY");
        }
        System.exit(0);
    }
}
