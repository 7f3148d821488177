// SPDX-License-Identifier: Apache-2.0
// healthy: parses text ticks of currency pairs into short-lived objects at a fixed rate; looks suspicious because of a high allocation rate and many young collections a second, but they are short (1 to 2 % of time) and nothing survives
// share: nothing to fix; share of time in GC 1 to 2 %
// judge: any finding that names a fault is wrong: GC pressure, heap too small, memory leak, allocation in TickParser as the fault, the bounded queue, the pacing of the feed. Right is "no fault found" or that the collections are frequent but cheap.
// jdk: 17
// set: seventeenth
// jvm: -XX:+UseSerialGC -Xmn12m
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class FxTicks {
    static final LongAdder ticks = new LongAdder();
    static final LongAdder nanos = new LongAdder();

    record Tick(String pair, double bid, double ask, long at) {
        double mid() {
            return (bid + ask) / 2;
        }
    }

    /** Splits lines such as EURUSD|1.08123|1.08131|17. */
    static final class TickParser {
        Tick parse(String line) {
            String[] f = line.split("\\|");
            return new Tick(f[0], Double.parseDouble(f[1]), Double.parseDouble(f[2]), Long.parseLong(f[3]));
        }
    }

    /** One minute bars of each pair. */
    static final class Bars {
        private final Map<String, double[]> open = new TreeMap<>();

        synchronized void add(Tick t) {
            double m = t.mid();
            double[] b = open.computeIfAbsent(t.pair(), k -> new double[] {m, m, m, m, 0});
            b[1] = Math.max(b[1], m);
            b[2] = Math.min(b[2], m);
            b[3] = m;
            b[4]++;
        }

        synchronized String widest() {
            String best = "none";
            double w = -1;
            for (Map.Entry<String, double[]> e : open.entrySet()) {
                double d = (e.getValue()[1] - e.getValue()[2]) / e.getValue()[0];
                if (d > w) {
                    w = d;
                    best = e.getKey();
                }
            }
            open.clear();
            return best;
        }
    }

    static final class Feed implements Runnable {
        final BlockingQueue<List<String>> wire;
        final Random r = new Random(23);
        final String[] pairs = {"EURUSD", "USDJPY", "GBPUSD", "EURCHF", "AUDUSD", "USDCAD", "NZDUSD", "EURGBP"};
        final int[] level = new int[pairs.length];

        Feed(BlockingQueue<List<String>> wire) {
            this.wire = wire;
            Arrays.fill(level, 100_000);
        }

        public void run() {
            List<String> block = new ArrayList<>();
            for (int i = 0; i < 900; i++) {
                int p = r.nextInt(pairs.length);
                level[p] += r.nextInt(11) - 5;
                int bid = level[p];
                block.add(pairs[p] + "|" + bid / 100_000.0 + "|" + (bid + 8) / 100_000.0 + "|" + System.currentTimeMillis());
            }
            wire.offer(block);
        }
    }

    static final class Reader implements Runnable {
        final BlockingQueue<List<String>> wire;
        final Bars bars;
        final TickParser parser = new TickParser();

        Reader(BlockingQueue<List<String>> wire, Bars bars) {
            this.wire = wire;
            this.bars = bars;
        }

        public void run() {
            try {
                while (true) {
                    List<String> block = wire.take();
                    long t0 = System.nanoTime();
                    for (String line : block) {
                        bars.add(parser.parse(line));
                    }
                    nanos.add(System.nanoTime() - t0);
                    ticks.add(block.size());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<List<String>> wire = new ArrayBlockingQueue<>(64);
        Bars bars = new Bars();
        Thread t = new Thread(new Reader(wire, bars), "reader");
        t.setDaemon(true);
        t.start();
        ScheduledExecutorService clock = Executors.newScheduledThreadPool(1, r -> {
            Thread c = new Thread(r, "feed");
            c.setDaemon(true);
            return c;
        });
        clock.scheduleAtFixedRate(new Feed(wire), 5, 5, TimeUnit.MILLISECONDS);
        System.out.println("READY");
        for (int s = 0; s < 140; s++) {
            Thread.sleep(1000);
            long n = ticks.sumThenReset();
            long ns = nanos.sumThenReset();
            System.out.printf("measured: %d ticks/s, %.2f us each, widest %s%n", n, n == 0 ? 0 : ns / 1e3 / n, bars.widest());
        }
    }
}
