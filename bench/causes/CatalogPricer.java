// SPDX-License-Identifier: Apache-2.0
// cause: CatalogPricer.tableFor() keeps the price tables only through WeakReference values in the map, so every young collection clears all tables that no quote is using at that moment and PriceTable's constructor must build them again (roughly 0.5 ms of CPU each) many times a second.
// share: faulty 134460 quotes/s, mean 22.5 us; fixed 482538 quotes/s, mean 6.81 us; 3.6 times better (10 s each, 2 busy cores)
// expect: cache-misses callee=WeakReference.get
// symptom: hot-calls gc-pauses
// judge: NAMED: the price table cache in CatalogPricer.tableFor() holds its values by WeakReference, so each garbage collection empties it and the tables are rebuilt again and again; hold them strongly (200 tables, about 3 MB). SYMPTOM ONLY: CPU is used in the PriceTable constructor (Math.exp/Math.log); tables are built many times; many young collections. WRONG: the heap is too small as the only cause, a memory leak, GC pauses as the cause (they are short), contention on the ConcurrentHashMap, too many threads.
// jdk: 11
// set: twenty-sixth
// jvm:
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

public class CatalogPricer {
    static final boolean VARIANT = Boolean.getBoolean("fixed");
    static final long END = System.nanoTime() + 170_000_000_000L;
    static final int PRODUCTS = 200;
    static final LongAdder quotes = new LongAdder();
    static final LongAdder spentNanos = new LongAdder();
    static final AtomicLong built = new AtomicLong();
    static final ConcurrentHashMap<Integer, WeakReference<PriceTable>> tables = new ConcurrentHashMap<>();
    static final ConcurrentHashMap<Integer, PriceTable> shelf = new ConcurrentHashMap<>();

    static final class PriceTable {
        final double[] steps = new double[2000];

        PriceTable(int product) {
            double volatility = 0.1 + product % 17 / 40.0;
            for (int i = 0; i < steps.length; i++) {
                double value = 0;
                for (int term = 1; term <= 12; term++) {
                    value += Math.exp(-volatility * term) * Math.log(1 + i + term);
                }
                steps[i] = 5 + value;
            }
            built.incrementAndGet();
        }

        double unit(int quantity) {
            return steps[Math.min(quantity, steps.length - 1)];
        }
    }

    static final class Line {
        final int product;
        final int quantity;
        final String text;

        Line(int product, int quantity) {
            this.product = product;
            this.quantity = quantity;
            this.text = "item " + product + " x " + quantity;
        }
    }

    static PriceTable tableFor(int product) {
        if (VARIANT) {
            return shelf.computeIfAbsent(product, PriceTable::new);
        }
        WeakReference<PriceTable> held = tables.get(product);
        PriceTable table = held == null ? null : held.get();
        if (table == null) {
            table = new PriceTable(product);
            tables.put(product, new WeakReference<>(table));
        }
        return table;
    }

    static double quote(SplittableRandom random) {
        List<Line> basket = new ArrayList<>();
        int size = 8 + random.nextInt(10);
        for (int i = 0; i < size; i++) {
            basket.add(new Line(random.nextInt(PRODUCTS), 1 + random.nextInt(500)));
        }
        double total = 0;
        StringBuilder document = new StringBuilder();
        for (Line line : basket) {
            double price = tableFor(line.product).unit(line.quantity) * line.quantity;
            document.append(line.text).append(" = ").append((long) (price * 100)).append('\n');
            total += price;
        }
        return total + document.toString().length() / 1000.0;
    }

    static final class Agent extends Thread {
        final SplittableRandom random;
        double turnover;

        Agent(int id) {
            super("agent-" + id);
            random = new SplittableRandom(id);
        }

        @Override
        public void run() {
            while (System.nanoTime() < END) {
                long start = System.nanoTime();
                for (int i = 0; i < 20; i++) {
                    turnover += quote(random);
                }
                spentNanos.add(System.nanoTime() - start);
                quotes.add(20);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Agent[] agents = {new Agent(1), new Agent(2), new Agent(3)};
        for (Agent agent : agents) {
            agent.start();
        }
        System.out.println("READY");
        long lastCount = 0;
        long lastSpent = 0;
        long lastBuilt = 0;
        while (System.nanoTime() < END) {
            Thread.sleep(1000);
            long count = quotes.sum();
            long spent = spentNanos.sum();
            long tablesBuilt = built.get();
            long n = count - lastCount;
            System.out.printf("measured: %d quotes/s, mean %.1f us, tables built %d/s%n", n,
                    n == 0 ? 0.0 : (spent - lastSpent) / 1e3 / n, tablesBuilt - lastBuilt);
            lastCount = count;
            lastSpent = spent;
            lastBuilt = tablesBuilt;
        }
        for (Agent agent : agents) {
            agent.join(2000);
        }
        System.exit(0);
    }
}
