// SPDX-License-Identifier: Apache-2.0
// healthy: the import allocates several hundred MB of strings, arrays and records a second and collects the young generation many times a second, but nearly all of it is dead at each collection, so the pauses are about a millisecond and GC takes only a few percent of the time.
// share: measures 1157143 lines/s, 61521 kB/s text, collector 31 ms/s (means over the seconds after warm-up of a run of 9 to 13 s, shared 2-core machine)
// judge: WRONG: a memory leak, GC as the bottleneck, a too small heap, excessive allocation as the fault that must be fixed, lock contention in the totals map. ACCEPTABLE as true and neutral: high allocation rate in FareImport.parse (substring, split, records) with short young collections; allocating less would give a small gain; CPU bound in parsing.
// jdk: 21
// set: twenty-fourth
// jvm: -Xmx256m
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.atomic.AtomicReference;

/** Imports fare lines of partner airlines and keeps the sums by route. */
public class FareImport {
    static final int LANES = 2;
    static final int BLOCK = 400;
    static final String[] PORTS = {"FRA", "LHR", "CDG", "JFK", "NRT", "SIN", "GRU", "DXB", "SYD", "OSL"};

    record Route(String from, String to) { }

    record Fare(Route route, LocalDate day, String booking, BigDecimal price, List<String> rules) { }

    static final class Totals {
        long fares;
        long cents;
        LocalDate latest = LocalDate.MIN;

        void add(Fare fare) {
            fares++;
            cents += fare.price().unscaledValue().longValue();
            if (fare.day().isAfter(latest)) {
                latest = fare.day();
            }
        }
    }

    static final LongAdder lines = new LongAdder();
    static final LongAdder characters = new LongAdder();
    static final AtomicReference<String> newest = new AtomicReference<>("");

    private final SplittableRandom random;
    private final Map<Route, Totals> totals = new HashMap<>();

    FareImport(int seed) {
        random = new SplittableRandom(seed);
    }

    String block() {
        StringBuilder b = new StringBuilder(BLOCK * 56);
        for (int i = 0; i < BLOCK; i++) {
            b.append(PORTS[random.nextInt(PORTS.length)]).append(';').append(PORTS[random.nextInt(PORTS.length)]).append(';');
            int month = 1 + random.nextInt(12);
            int day = 1 + random.nextInt(28);
            b.append("2026-").append(month < 10 ? "0" : "").append(month).append('-').append(day < 10 ? "0" : "").append(day).append(';');
            b.append((char) ('A' + random.nextInt(26))).append(random.nextInt(10)).append(';');
            b.append(50 + random.nextInt(2000)).append('.').append(10 + random.nextInt(90)).append(';');
            b.append("NOREFUND,SATNIGHT,ADV").append(random.nextInt(30)).append('\n');
        }
        return b.toString();
    }

    static Fare parse(String line) {
        String[] f = line.split(";");
        if (f.length != 6) {
            throw new IllegalArgumentException("fields " + f.length);
        }
        List<String> rules = new ArrayList<>();
        for (String rule : f[5].split(",")) {
            rules.add(rule.trim().toLowerCase());
        }
        return new Fare(new Route(f[0], f[1]), LocalDate.parse(f[2]), f[3], new BigDecimal(f[4]), rules);
    }

    void importBlock() {
        String text = block();
        int at = 0;
        Fare last = null;
        while (at < text.length()) {
            int end = text.indexOf('\n', at);
            Fare fare = parse(text.substring(at, end));
            totals.computeIfAbsent(fare.route(), r -> new Totals()).add(fare);
            last = fare;
            at = end + 1;
        }
        if (last != null) {
            newest.set(last.booking());
        }
        lines.add(BLOCK);
        characters.add(text.length());
    }

    static void lane(int seed) {
        FareImport job = new FareImport(seed);
        while (!Thread.currentThread().isInterrupted()) {
            job.importBlock();
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < LANES; i++) {
            int seed = i;
            Thread.ofPlatform().daemon().name("import-" + i).start(() -> lane(seed));
        }
        var collectors = java.lang.management.ManagementFactory.getGarbageCollectorMXBeans();
        System.out.println("READY");
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(170);
        long before = 0;
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long spent = collectors.stream().mapToLong(c -> c.getCollectionTime()).sum();
            System.out.printf("measured: %d lines/s, %d kB/s text, collector %d ms/s%n",
                    lines.sumThenReset(), characters.sumThenReset() / 1000, spent - before);
            before = spent;
        }
    }
}
