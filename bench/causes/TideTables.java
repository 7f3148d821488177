// SPDX-License-Identifier: Apache-2.0
// healthy: the old generation is about 70 percent full with tide tables from the start, but the set is loaded once, read only and of constant size, the queries allocate little, and no full collection recurs.
// share: measures 56683 answers/s, mean 3.20 us, heap used 138 MB (means over the seconds after warm-up of a run of 9 to 13 s, shared 2-core machine)
// judge: WRONG: a memory leak, heap pressure or GC thrashing, an unbounded cache, a too small heap, hot spot in binary search as a fault. ACCEPTABLE as true and neutral: large constant live set of Entry/long[] data held by TideTables.ports; little headroom if more ports are loaded; query threads sleep between requests.
// jdk: 8
// set: twenty-fourth
// jvm: -Xmx256m -Xms256m
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Tide prediction service: answers when the next high water is for a port. */
public class TideTables {
    static final int PORTS = 900;
    static final int TIDES = 2_820;
    static final int QUERIES = 6;

    static final class Entry {
        final long minute;
        final short centimetres;
        final boolean high;

        Entry(long minute, short centimetres, boolean high) {
            this.minute = minute;
            this.centimetres = centimetres;
            this.high = high;
        }
    }

    static final class Port {
        final String name;
        final long[] minutes = new long[TIDES];
        final Entry[] entries = new Entry[TIDES];
        final Map<Integer, Integer> firstOfDay = new HashMap<>();

        Port(String name, Random random) {
            this.name = name;
            long minute = random.nextInt(373);
            for (int i = 0; i < TIDES; i++) {
                boolean high = (i & 1) == 0;
                minute += 368 + random.nextInt(10);
                minutes[i] = minute;
                entries[i] = new Entry(minute, (short) (high ? 350 + random.nextInt(120) : random.nextInt(90)), high);
                firstOfDay.putIfAbsent((int) (minute / 1440), i);
            }
        }

        Entry next(long minute, boolean high) {
            int at = Arrays.binarySearch(minutes, minute);
            int i = at >= 0 ? at : -at - 1;
            while (i < TIDES && entries[i].high != high) {
                i++;
            }
            return i < TIDES ? entries[i] : null;
        }

        int highestOfDay(int day) {
            Integer first = firstOfDay.get(day);
            int best = 0;
            for (int i = first == null ? TIDES : first; i < TIDES && minutes[i] / 1440 == day; i++) {
                best = Math.max(best, entries[i].centimetres);
            }
            return best;
        }
    }

    private final Map<String, Port> ports = new HashMap<>();
    private final List<String> names = new ArrayList<>();
    private final LongAdder answers = new LongAdder();
    private final LongAdder nanos = new LongAdder();
    private final LongAdder levels = new LongAdder();

    TideTables() {
        Random random = new Random(4711);
        for (int i = 0; i < PORTS; i++) {
            String name = "port-" + i;
            names.add(name);
            ports.put(name, new Port(name, random));
        }
    }

    void query(int seed) {
        Random random = new Random(seed);
        try {
            while (true) {
                long t0 = System.nanoTime();
                for (int i = 0; i < 50; i++) {
                    Port port = ports.get(names.get(random.nextInt(PORTS)));
                    long minute = random.nextInt(700 * 1440);
                    Entry entry = port.next(minute, random.nextBoolean());
                    if (entry != null) {
                        levels.add(entry.centimetres + port.highestOfDay((int) (entry.minute / 1440)));
                    }
                }
                nanos.add(System.nanoTime() - t0);
                answers.add(50);
                Thread.sleep(5);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        TideTables tables = new TideTables();
        for (int i = 0; i < QUERIES; i++) {
            int seed = i;
            Thread t = new Thread(() -> tables.query(seed), "query-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(170);
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long n = tables.answers.sumThenReset();
            long ns = tables.nanos.sumThenReset();
            Runtime rt = Runtime.getRuntime();
            System.out.printf("measured: %d answers/s, mean %.2f us, heap used %d MB%n", n,
                    n == 0 ? 0.0 : ns / 1e3 / n, (rt.totalMemory() - rt.freeMemory()) >> 20);
        }
    }
}
