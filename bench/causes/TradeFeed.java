// SPDX-License-Identifier: Apache-2.0
// healthy: The feed parsers allocate some hundred MB/s of short-lived strings and records, but nearly everything dies young, so the frequent young collections are short (around 1-2 ms) and GC takes only about 1 %; the offered load is met each second.
// judge: Wrong accusations: GC pressure or allocation rate as the fault, memory leak, heap too small, String.split/substring/StringBuilder in FeedParser as the bottleneck to fix, waiting of the feed threads between packets (paced by design), contention on LongAdder or the book.
// set: eighteenth
// jdk: 21
// jvm: -Xmx96m
import java.lang.management.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.LockSupport;

public class TradeFeed {
    static final LongAdder trades = new LongAdder();
    static final LongAdder busy = new LongAdder();
    static final LongAdder late = new LongAdder();

    record Trade(String symbol, long qty, double price, char side, String venue, List<String> flags) {}

    static final class Packets {
        private static final String[] SYMBOLS = {"ALV", "BAS", "BMW", "DTE", "SAP", "SIE", "VOW", "MRK", "RWE", "IFX"};
        private final Random random;
        Packets(long seed) { random = new Random(seed); }
        String next(int rows) {
            StringBuilder sb = new StringBuilder(rows * 48);
            for (int i = 0; i < rows; i++) {
                sb.append(SYMBOLS[random.nextInt(SYMBOLS.length)]).append('|');
                sb.append(1 + random.nextInt(5000)).append('|').append(10 + random.nextInt(30000) / 100.0).append('|');
                sb.append(random.nextBoolean() ? 'B' : 'S').append("|XETR|A,").append(random.nextInt(9)).append(",N\n");
            }
            return sb.toString();
        }
    }

    static final class FeedParser {
        List<Trade> parse(String packet) {
            List<Trade> list = new ArrayList<>();
            for (String row : packet.split("\n")) list.add(trade(row.split("\\|")));
            return list;
        }
        private Trade trade(String[] f) {
            return new Trade(f[0], Long.parseLong(f[1]), Double.parseDouble(f[2]), f[3].charAt(0), f[4], List.of(f[5].split(",")));
        }
    }

    static final class Book {
        private final Map<String, double[]> last = new HashMap<>();
        void apply(Trade t) {
            double[] v = last.computeIfAbsent(t.symbol(), k -> new double[3]);
            v[0] = t.price();
            v[1] += t.side() == 'B' ? t.qty() : -t.qty();
            v[2] += t.qty() * t.price();
        }
    }

    static final class Feed implements Runnable {
        private static final long PERIOD = 2_000_000;
        private final Packets packets;
        private final FeedParser parser = new FeedParser();
        private final Book book = new Book();
        Feed(long seed) { packets = new Packets(seed); }

        @Override public void run() {
            long due = System.nanoTime();
            while (true) {
                long t0 = System.nanoTime();
                List<Trade> batch = parser.parse(packets.next(400));
                for (Trade t : batch) book.apply(t);
                trades.add(batch.size());
                busy.add(System.nanoTime() - t0);
                due += PERIOD;
                long wait = due - System.nanoTime();
                if (wait > 0) {
                    LockSupport.parkNanos(wait);
                } else if (wait < -20 * PERIOD) {
                    late.increment();
                    due = System.nanoTime();
                }
            }
        }
    }

    static long[] gc() {
        long[] r = new long[2];
        for (GarbageCollectorMXBean b : ManagementFactory.getGarbageCollectorMXBeans()) {
            if (b.getName().contains("Concurrent")) continue;
            r[0] += b.getCollectionCount();
            r[1] += b.getCollectionTime();
        }
        return r;
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 2; i++) {
            Thread t = new Thread(new Feed(i + 40), "feed-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        long[] before = gc();
        for (int s = 0; s < 200; s++) {
            Thread.sleep(1000);
            long[] now = gc();
            System.out.println("measured: trades/s " + trades.sumThenReset() + " busy % of 2 threads " + busy.sumThenReset() / 20_000_000
                + " resets " + late.sumThenReset() + " gcs " + (now[0] - before[0]) + " gc ms " + (now[1] - before[1]));
            before = now;
        }
        System.exit(0);
    }
}
