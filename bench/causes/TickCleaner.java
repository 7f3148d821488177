// SPDX-License-Identifier: Apache-2.0
// healthy: a parser for market tick lines that allocates several hundred MB per second of short-lived strings and records; nearly nothing survives, so the many young collections are very short and cost only a few percent of the time at most.
// share: about 810 000 ticks/s, collections 2 ms per second.
// judge: WRONG would be: GC pressure or allocation rate as the cause of bad performance, a memory leak, heap too small, a lock problem on the queue, the producer being starved. Acceptable as true and neutral: high allocation rate (String, byte[], Tick in TickCleaner.parse and the feed), frequent but short young collections, parsing takes most of the CPU, the pauses between batches are the feed's own pace.
// jdk: 25
// set: twenty-fifth
// jvm: -Xmx192m -XX:+UseSerialGC

import java.lang.management.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class TickCleaner {
    sealed interface Line permits Tick, Bad {
    }

    record Tick(String paper, long time, int cents, int pieces, String venue) implements Line {
    }

    record Bad(String text, String reason) implements Line {
    }

    static final String[] VENUES = {"XETR", "XPAR", "XAMS", "XWAR", "XLON"};

    static final class Bar {
        long volume;
        long turnover;
        int high = Integer.MIN_VALUE;
        int low = Integer.MAX_VALUE;

        synchronized void add(Tick t) {
            volume += t.pieces();
            turnover += (long) t.pieces() * t.cents();
            high = Math.max(high, t.cents());
            low = Math.min(low, t.cents());
        }
    }

    final BlockingQueue<List<String>> inbox = new ArrayBlockingQueue<>(2);
    final Map<String, Bar> bars = new ConcurrentHashMap<>();
    final AtomicLong parsed = new AtomicLong();
    final AtomicLong rejected = new AtomicLong();

    static Line parse(String text) {
        String[] f = text.split(",");
        if (f.length != 5) {
            return new Bad(text, "fields");
        }
        String paper = f[0].strip().toUpperCase(Locale.ROOT);
        int dot = f[2].indexOf('.');
        if (dot < 0) {
            return new Bad(text, "price");
        }
        int cents = Integer.parseInt(f[2].substring(0, dot)) * 100 + Integer.parseInt(f[2].substring(dot + 1));
        return new Tick(paper, Long.parseLong(f[1]), cents, Integer.parseInt(f[3]), f[4].strip());
    }

    void feed() {
        Random rnd = new Random(4);
        long time = 1_700_000_000_000L;
        try {
            while (true) {
                List<String> batch = new ArrayList<>(1000);
                for (int i = 0; i < 1000; i++) {
                    time += rnd.nextInt(3);
                    StringBuilder sb = new StringBuilder(64);
                    sb.append(" p").append(rnd.nextInt(400)).append(',').append(time).append(',');
                    if (rnd.nextInt(500) == 0) {
                        sb.append("n/a");
                    } else {
                        sb.append(5 + rnd.nextInt(300)).append('.').append(10 + rnd.nextInt(90));
                    }
                    sb.append(',').append(1 + rnd.nextInt(900)).append(", ").append(VENUES[rnd.nextInt(5)]);
                    batch.add(sb.toString());
                }
                inbox.put(batch);
                Thread.sleep(1);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void clean() {
        try {
            while (true) {
                for (String text : inbox.take()) {
                    switch (parse(text)) {
                        case Tick t -> {
                            bars.computeIfAbsent(t.paper(), k -> new Bar()).add(t);
                            parsed.incrementAndGet();
                        }
                        case Bad b -> rejected.addAndGet(b.reason().isEmpty() ? 0 : 1);
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static long collectionMillis() {
        long ms = 0;
        for (GarbageCollectorMXBean b : ManagementFactory.getGarbageCollectorMXBeans()) {
            ms += Math.max(0, b.getCollectionTime());
        }
        return ms;
    }

    public static void main(String[] args) throws Exception {
        TickCleaner cleaner = new TickCleaner();
        List<Thread> threads = List.of(
                Thread.ofPlatform().daemon().name("feed").start(cleaner::feed),
                Thread.ofPlatform().daemon().name("cleaner").start(cleaner::clean));
        System.out.println("READY");
        long last = 0;
        long lastMs = collectionMillis();
        for (int s = 0; s < 168; s++) {
            Thread.sleep(1000);
            long c = cleaner.parsed.get();
            long ms = collectionMillis();
            System.out.println("measured: " + (c - last) + " ticks/s, collections " + (ms - lastMs) + " ms/s, papers "
                    + cleaner.bars.size());
            last = c;
            lastMs = ms;
        }
        threads.forEach(Thread::interrupt);
        long volume = 0;
        for (Bar b : cleaner.bars.values()) {
            volume += b.volume;
        }
        System.out.println("done, volume " + volume + ", rejected " + cleaner.rejected.get());
    }
}
