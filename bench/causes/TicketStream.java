// SPDX-License-Identifier: Apache-2.0
// healthy: about 320 MB/s of short-lived objects and 15-20 young collections a second in a heap of 64 MB; but each collection takes a fraction of a millisecond (well under 1% of the time in all), nothing survives, and the objects are the decoded tickets that the booking needs.
// share: 1584000 tickets/s, 180 ns each, 19 collections/s of 4 ms in total per second.
// judge: any finding of trouble (allocation rate, GC pressure, heap too small, young generation too small) is WRONG, except a plain statement of the allocation figures that says GC costs next to nothing, or that parse takes the CPU time.
// jdk: 25
// set: twenty-seventh
// jvm: -Xmx64m -XX:+UseSerialGC
import java.lang.management.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class TicketStream {
    static final long START = System.nanoTime();
    static final LongAdder tickets = new LongAdder(), busy = new LongAdder();

    record Ticket(long id, String passenger, String from, String to, int cents) { }

    static List<Ticket> parse(byte[] page) {
        List<Ticket> list = new ArrayList<>(400);
        int at = 0;
        while (at < page.length) {
            long id = 0;
            while (page[at] != ';') id = id * 10 + page[at++] - '0';
            int p = ++at;
            while (page[at] != ';') at++;
            String passenger = new String(page, p, at - p, StandardCharsets.ISO_8859_1);
            p = ++at;
            while (page[at] != ';') at++;
            String from = new String(page, p, at - p, StandardCharsets.ISO_8859_1);
            p = ++at;
            while (page[at] != ';') at++;
            String to = new String(page, p, at - p, StandardCharsets.ISO_8859_1);
            at++;
            int cents = 0;
            while (page[at] != '\n') cents = cents * 10 + page[at++] - '0';
            at++;
            list.add(new Ticket(id, passenger, from, to, cents));
        }
        return list;
    }

    static long book(List<Ticket> list, Map<String, long[]> revenue) {
        long total = 0;
        for (Ticket t : list) {
            revenue.computeIfAbsent(t.from(), k -> new long[1])[0] += t.cents();
            total += t.cents() + t.passenger().length() + t.to().length() + (t.id() & 1);
        }
        return total;
    }

    static byte[] page(int seed) {
        Random r = new Random(seed);
        StringBuilder b = new StringBuilder();
        for (int i = 0; i < 400; i++)
            b.append(1000000 + r.nextInt(9000000)).append(";Passenger ").append(r.nextInt(100000)).append(";Station ").append(r.nextInt(90)).append(";Station ").append(r.nextInt(90)).append(';').append(100 + r.nextInt(9900)).append('\n');
        return b.toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    static void reader(byte[][] pages) {
        Map<String, long[]> revenue = new HashMap<>();
        long at = System.nanoTime(), total = 0;
        try {
            for (int i = 0; total >= 0; i++) {
                long t = System.nanoTime();
                for (int k = 0; k < 40; k++) {
                    List<Ticket> list = parse(pages[(i + k) & 15]);
                    total += book(list, revenue);
                    tickets.add(list.size());
                }
                long e = System.nanoTime();
                busy.add(e - t);
                at += 10_000_000;
                if (at > e) TimeUnit.NANOSECONDS.sleep(at - e);
                else at = e;
            }
        } catch (InterruptedException e) { }
    }

    public static void main(String[] a) throws Exception {
        long span = Long.getLong("span", 170);
        byte[][] pages = new byte[16][];
        for (int i = 0; i < 16; i++) pages[i] = page(i);
        Thread.ofPlatform().daemon().name("reader").start(() -> reader(pages));
        Thread.sleep(5000);
        System.out.println("READY");
        tickets.reset(); busy.reset();
        long gc0 = gcTime(), n0 = gcCount();
        while (System.nanoTime() - START < span * 1_000_000_000L) {
            Thread.sleep(1000);
            long n = tickets.sumThenReset(), d = busy.sumThenReset(), g = gcTime(), c = gcCount();
            System.out.printf(Locale.ROOT, "measured: %d tickets/s, %.0f ns each, %d collections of %d ms in total%n", n, n == 0 ? 0.0 : (double) d / n, c - n0, g - gc0);
            gc0 = g; n0 = c;
        }
    }

    static long gcTime() { return ManagementFactory.getGarbageCollectorMXBeans().stream().mapToLong(GarbageCollectorMXBean::getCollectionTime).sum(); }
    static long gcCount() { return ManagementFactory.getGarbageCollectorMXBeans().stream().mapToLong(GarbageCollectorMXBean::getCollectionCount).sum(); }
}
