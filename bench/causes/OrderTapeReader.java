// SPDX-License-Identifier: Apache-2.0
// healthy: it allocates many short-lived strings and has frequent young collections, but nearly all objects die young, each collection is short and GC takes only 1 to 2 percent of the time; the CPU goes into useful decoding and matching.
// judge: wrong: blaming GC, heap size, allocation rate or a memory leak as the fault; blaming substring/parse/HashMap use in decode or match as a defect; blaming the 20 ms pauses in the feed (the exchange sends a block each 20 ms)
// set: eighteenth
// jdk: 8
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

public class OrderTapeReader {
    static final AtomicLong orders = new AtomicLong();
    static final AtomicLong trades = new AtomicLong();
    static final AtomicLong lateNanos = new AtomicLong();
    static final AtomicLong blocks = new AtomicLong();

    static final class Order {
        final String symbol;
        final boolean buy;
        final long cents;
        int units;

        Order(String symbol, boolean buy, long cents, int units) {
            this.symbol = symbol;
            this.buy = buy;
            this.cents = cents;
            this.units = units;
        }
    }

    static final class Book {
        final ArrayDeque<Order> buys = new ArrayDeque<>();
        final ArrayDeque<Order> sells = new ArrayDeque<>();
        long traded;
    }

    static final class Block {
        final long due;
        final List<String> lines;

        Block(long due, List<String> lines) {
            this.due = due;
            this.lines = lines;
        }
    }

    private final BlockingQueue<Block> tape = new ArrayBlockingQueue<>(32);
    private final Map<String, Book> depth = new HashMap<>();
    private long seed = 17;

    private int next(int bound) {
        seed = seed * 6364136223846793005L + 1442695040888963407L;
        return (int) ((seed >>> 33) % bound);
    }

    private List<String> block() {
        List<String> lines = new ArrayList<>(2000);
        for (int i = 0; i < 2000; i++) {
            lines.add("SYM" + next(300) + "|" + (next(2) == 0 ? "B" : "S") + "|" + (9000 + next(2000)) + "|"
                    + (1 + next(50)));
        }
        return lines;
    }

    private void feed() {
        long due = System.nanoTime();
        try {
            while (true) {
                due += TimeUnit.MILLISECONDS.toNanos(20);
                List<String> lines = block();
                long wait = due - System.nanoTime();
                if (wait > 0) {
                    LockSupport.parkNanos(wait);
                }
                tape.put(new Block(due, lines));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Order decode(String line) {
        int a = line.indexOf('|');
        int b = line.indexOf('|', a + 1);
        int c = line.indexOf('|', b + 1);
        return new Order(line.substring(0, a), line.charAt(a + 1) == 'B',
                Long.parseLong(line.substring(b + 1, c)), Integer.parseInt(line.substring(c + 1)));
    }

    private void match(Order o) {
        Book book = depth.computeIfAbsent(o.symbol, k -> new Book());
        ArrayDeque<Order> other = o.buy ? book.sells : book.buys;
        while (o.units > 0 && !other.isEmpty()) {
            Order first = other.peekFirst();
            boolean fits = o.buy ? first.cents <= o.cents : first.cents >= o.cents;
            if (!fits) {
                break;
            }
            int units = Math.min(first.units, o.units);
            first.units -= units;
            o.units -= units;
            book.traded += units * first.cents;
            trades.incrementAndGet();
            if (first.units == 0) {
                other.removeFirst();
            }
        }
        if (o.units > 0) {
            ArrayDeque<Order> own = o.buy ? book.buys : book.sells;
            own.addLast(o);
            if (own.size() > 40) {
                own.removeFirst();
            }
        }
    }

    private void matchLoop() {
        try {
            while (true) {
                Block b = tape.take();
                for (String line : b.lines) {
                    match(decode(line));
                }
                orders.addAndGet(b.lines.size());
                lateNanos.addAndGet(System.nanoTime() - b.due);
                blocks.incrementAndGet();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static long gcMillis() {
        long ms = 0;
        for (GarbageCollectorMXBean b : ManagementFactory.getGarbageCollectorMXBeans()) {
            ms += b.getCollectionTime();
        }
        return ms;
    }

    public static void main(String[] args) throws Exception {
        OrderTapeReader r = new OrderTapeReader();
        for (Runnable job : new Runnable[] {r::feed, r::matchLoop}) {
            Thread t = new Thread(job, "tape-" + orders.incrementAndGet());
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        long before = orders.get();
        long late = 0;
        long nb = 0;
        long gc = gcMillis();
        for (int s = 0; s < 240; s++) {
            Thread.sleep(1000);
            long now = orders.get();
            long l = lateNanos.get();
            long b = blocks.get();
            long g = gcMillis();
            System.out.println("measured: orders/s=" + (now - before) + " block_done_us="
                    + (l - late) / Math.max(1, b - nb) / 1000 + " gc_ms/s=" + (g - gc) + " trades=" + trades.get());
            before = now;
            late = l;
            nb = b;
            gc = g;
        }
    }
}
