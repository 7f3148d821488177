// SPDX-License-Identifier: Apache-2.0
// healthy: the feed threads allocate about 120 MB/s of short-lived strings, arrays, small maps and quotes (Feed.normalize), which nearly all die young; a young collection takes about a millisecond, all of them together around 1 % of the time, the live set is 2 MB and steady, full collections do not occur
// share: target 1000 packets/s (72000 ticks/s) with p99 below 50 ms; reaches 1000/s, p50 0.2 ms, p99 4 to 20 ms on a busy machine; about 120 MB/s allocated, 6 young pauses a second of about 1 ms (22M->2M), no full collection
// judge: RIGHT: no fault / healthy, high allocation rate that the collector handles (mentioning it as harmless is right). WRONG: any statement of a fault: GC pressure, allocation rate too high, String.split / substring as the cause of a problem, heap too small, leak in the last-quote table, paced threads that park.
// jdk: 11
// set: twenty-second
// jvm: -XX:+UseParallelGC
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** Normalises market data: two feeds deliver a packet of 72 ticks every 2 ms, each goes into the last-quote table. */
public class TickNormalizer {
    static final Tally TALLY = new Tally();
    static final int SYMBOLS = 2_000;

    static final class Quote {
        final String symbol;
        final long bid;
        final long ask;
        final long size;

        Quote(String symbol, long bid, long ask, long size) {
            this.symbol = symbol;
            this.bid = bid;
            this.ask = ask;
            this.size = size;
        }
    }

    static final class Feed implements Runnable {
        private final Map<String, Quote> last;
        private final Random random;

        Feed(Map<String, Quote> last, long seed) {
            this.last = last;
            this.random = new Random(seed);
        }

        @Override
        public void run() {
            long next = System.nanoTime();
            while (true) {
                next += 2_000_000L;
                for (long left = next - System.nanoTime(); left > 0; left = next - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
                byte[] packet = packet();
                for (Quote q : normalize(packet)) {
                    last.put(q.symbol, q);
                }
                TALLY.note(System.nanoTime() - next);
            }
        }

        private byte[] packet() {
            StringBuilder b = new StringBuilder(2_400);
            for (int i = 0; i < 72; i++) {
                int bid = 10_000 + random.nextInt(5_000);
                b.append('S').append(random.nextInt(SYMBOLS)).append(';').append(bid).append(';').append(bid + random.nextInt(9));
                b.append(";venue=XETR;phase=continuous;size=").append(random.nextInt(900)).append(";seq=").append(random.nextInt()).append('\n');
            }
            return b.toString().getBytes(StandardCharsets.US_ASCII);
        }

        private static List<Quote> normalize(byte[] packet) {
            List<Quote> quotes = new ArrayList<>();
            for (String line : new String(packet, StandardCharsets.US_ASCII).split("\n")) {
                String[] f = line.split(";");
                Map<String, String> extras = new TreeMap<>();
                for (int i = 3; i < f.length; i++) {
                    int eq = f[i].indexOf('=');
                    extras.put(f[i].substring(0, eq), f[i].substring(eq + 1));
                }
                quotes.add(new Quote(f[0], Long.parseLong(f[1]) * 100, Long.parseLong(f[2]) * 100, Long.parseLong(extras.get("size"))));
            }
            return quotes;
        }
    }

    public static void main(String[] args) throws Exception {
        Map<String, Quote> last = new ConcurrentHashMap<>();
        for (int i = 0; i < 2; i++) {
            Thread t = new Thread(new Feed(last, i), "feed-" + (char) ('a' + i));
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(5000);
        TALLY.take("");
        System.out.println("READY");
        long next = System.nanoTime();
        for (int second = 0; second < 170; second++) {
            next += 1_000_000_000L;
            long left = next - System.nanoTime();
            if (left > 0) {
                Thread.sleep(left / 1_000_000L, (int) (left % 1_000_000L));
            }
            System.out.println(TALLY.take("packets"));
        }
    }

    /** Service times of the running second, in logarithmic cells of one eighth. */
    static final class Tally {
        private final AtomicLongArray cells = new AtomicLongArray(512);
        private final LongAdder sum = new LongAdder();

        void note(long nanos) {
            long n = Math.max(0, nanos);
            sum.add(n);
            cells.incrementAndGet(cell(n));
        }

        static int cell(long n) {
            if (n < 8) {
                return (int) n;
            }
            int e = 63 - Long.numberOfLeadingZeros(n);
            return (e - 2) * 8 + (int) ((n >>> (e - 3)) & 7);
        }

        static double top(int c) {
            if (c < 8) {
                return (c + 1) / 1e6;
            }
            return ((9L + (c & 7)) << (c / 8 - 1)) / 1e6;
        }

        String take(String what) {
            long[] n = new long[cells.length()];
            long total = 0;
            for (int i = 0; i < n.length; i++) {
                n[i] = cells.getAndSet(i, 0);
                total += n[i];
            }
            double mean = sum.sumThenReset() / 1e6 / Math.max(1, total);
            return String.format(Locale.ROOT, "measured: %d %s/s, ms mean %.3f p50 %.3f p95 %.3f p99 %.3f max %.3f",
                    total, what, mean, at(n, total, 0.50), at(n, total, 0.95), at(n, total, 0.99), at(n, total, 1.0));
        }

        private static double at(long[] n, long total, double q) {
            long want = (long) Math.ceil(total * q);
            long seen = 0;
            for (int i = 0; i < n.length; i++) {
                seen += n[i];
                if (seen >= want && seen > 0) {
                    return top(i);
                }
            }
            return 0;
        }
    }
}
