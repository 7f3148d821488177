// SPDX-License-Identifier: Apache-2.0
// cause: OrderBookGate.admit checks the limit with ConcurrentLinkedQueue.size(), which walks the whole queue, for every single order; during an auction window the queue grows to thousands of orders, so admission is quadratic
// share: 10 s each: faulty 89600 orders/s, mean 0.022 ms, both sessions CPU bound; fixed (counter instead of size()) 1055000 orders/s - 11.8 times (there it reaches the limit of 60000 orders per auction)
// expect: hot-code kind=searching-collections frame=OrderIntake$OrderBookGate.admit
// symptom: hot-method hot-calls
// judge: NAMED: ConcurrentLinkedQueue.size() is O(n) and called per order in OrderBookGate.admit (OrderIntake$OrderBookGate). SYMPTOM ONLY: OrderBookGate.admit is hot, CPU saturated, queue is long, ConcurrentLinkedQueue.succ/size frames hot without saying that size() walks the queue. WRONG: lock contention, GC or allocation, parsing of orders, the auction thread is too slow, queue unbounded.
// jdk: 17
// set: twenty-second
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/** Order entry of a periodic auction: sessions admit orders, every 60 ms the auction takes all that came in. */
public class OrderIntake {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final Tally TALLY = new Tally();
    static final String[] SYMBOLS = {"ALV", "BAS", "BMW", "CON", "DTE", "EOAN", "FRE", "HEI", "IFX", "LIN"};

    record Order(String symbol, boolean buy, int quantity, int limit) {
    }

    static final class OrderBookGate {
        private static final int MOST = 60_000;
        private final ConcurrentLinkedQueue<Order> pending = new ConcurrentLinkedQueue<>();
        private final AtomicInteger held = new AtomicInteger();

        boolean admit(Order order) {
            int before = FIXED ? held.get() : pending.size();
            if (before >= MOST) {
                return false;
            }
            held.incrementAndGet();
            pending.add(order);
            return true;
        }

        Order take() {
            Order o = pending.poll();
            if (o != null) {
                held.decrementAndGet();
            }
            return o;
        }
    }

    static final class Session implements Runnable {
        private final OrderBookGate gate;
        private final Random random;

        Session(OrderBookGate gate, long seed) {
            this.gate = gate;
            this.random = new Random(seed);
        }

        @Override
        public void run() {
            StringBuilder line = new StringBuilder(80);
            try {
                while (true) {
                    line.setLength(0);
                    line.append("35=D|55=").append(SYMBOLS[random.nextInt(SYMBOLS.length)]);
                    line.append("|54=").append(1 + random.nextInt(2));
                    line.append("|38=").append(1 + random.nextInt(500));
                    line.append("|44=").append(9_000 + random.nextInt(2_000)).append('|');
                    String message = line.toString();
                    long start = System.nanoTime();
                    Order order = parse(message);
                    while (!gate.admit(order)) {
                        Thread.sleep(1);
                    }
                    TALLY.note(System.nanoTime() - start);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private static Order parse(String m) {
            return new Order(field(m, "55="), field(m, "54=").equals("1"),
                    Integer.parseInt(field(m, "38=")), Integer.parseInt(field(m, "44=")));
        }

        private static String field(String m, String tag) {
            int at = m.indexOf(tag) + tag.length();
            return m.substring(at, m.indexOf('|', at));
        }
    }

    static final class Auction implements Runnable {
        private final OrderBookGate gate;
        private final long[] interest = new long[4_000];

        Auction(OrderBookGate gate) {
            this.gate = gate;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Thread.sleep(60);
                    for (Order o = gate.take(); o != null; o = gate.take()) {
                        int level = (o.limit() - 9_000) + (o.buy() ? 0 : 2_000);
                        interest[level] += o.quantity();
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        OrderBookGate gate = new OrderBookGate();
        start("auction", new Auction(gate));
        start("session-1", new Session(gate, 1));
        start("session-2", new Session(gate, 2));
        Thread.sleep(4000);
        TALLY.take("");
        System.out.println("READY");
        long next = System.nanoTime();
        for (int second = 0; second < 170; second++) {
            next += 1_000_000_000L;
            long left = next - System.nanoTime();
            if (left > 0) {
                Thread.sleep(left / 1_000_000L, (int) (left % 1_000_000L));
            }
            System.out.println(TALLY.take("orders"));
        }
    }

    static void start(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
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
