// SPDX-License-Identifier: Apache-2.0
// cause: ParcelRates$ScanSection.fold (called by seal, from Archive.verify on thread archive) runs one int-counted loop of 4,000,000 steps which C2 of JDK 8 compiles without a safepoint poll, so every collection that the desks cause has to wait for the end of that loop (up to some 200 ms) while all other threads are stopped.
// share: faulty: mean latency of a quote 179 ms (8 s, 2 shared CPUs, seconds with near to 0 quotes and then more than 1200 while they are made up for); fixed: 0.94 ms at 626 quotes/s.
// expect: late-safepoints
// symptom: hot-method starved-safepoints
// judge: NAMED: threads wait long for safepoints (time to safepoint), because thread archive is slow to reach one in ScanSection.fold (or seal / Archive.verify, into which it may be inlined): a counted loop without a poll. SYMPTOM ONLY: high CPU use in fold as such, or that the world is stopped for much of the time, without who is slow. WRONG: collections or the heap are the cause (gc-pauses, larger heap, promotion), allocation in Tariff.offers, too few desks, the queue, neighbours or lack of CPU as the only cause.
// jdk: 8
// set: twenty-fourth
// jvm:
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

public class ParcelRates {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final AtomicLong served = new AtomicLong();
    static final AtomicLong spent = new AtomicLong();

    static final class Quote {
        final int from;
        final int to;
        final int grams;
        final long due;

        Quote(int from, int to, int grams, long due) {
            this.from = from;
            this.to = to;
            this.grams = grams;
            this.due = due;
        }
    }

    static final class Tariff {
        private final Map<Integer, Integer> zones = new HashMap<>();

        Tariff() {
            for (int zone = 0; zone < 500; zone++) zones.put(zone, 120 + zone * 7 % 90);
        }

        List<String> offers(Quote quote) {
            List<String> lines = new ArrayList<>();
            int base = zones.get(quote.from) + zones.get(quote.to);
            for (int service = 0; service < 120; service++) {
                StringBuilder line = new StringBuilder(160);
                line.append("service ").append(service).append(" from ").append(quote.from).append(" to ").append(quote.to);
                line.append(" cents ").append(base * (service + 3) / 4 + quote.grams / 50);
                lines.add(line.toString());
            }
            Collections.sort(lines);
            return lines;
        }
    }

    static final class Desk extends Thread {
        private final BlockingQueue<Quote> inbox;
        private final Tariff tariff;

        Desk(int number, BlockingQueue<Quote> inbox, Tariff tariff) {
            super("desk-" + number);
            this.inbox = inbox;
            this.tariff = tariff;
            setDaemon(true);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Quote quote = inbox.take();
                    if (tariff.offers(quote).size() < 120) throw new IllegalStateException();
                    spent.addAndGet(System.nanoTime() - quote.due);
                    served.incrementAndGet();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    interface Section {
        int seal(int seed);
    }

    static final class ScanSection implements Section {
        private final int[] words;
        private final int mask;
        private final int steps;

        ScanSection(int size, int steps) {
            words = new int[size];
            mask = size - 1;
            this.steps = steps;
            Random random = new Random(size);
            for (int i = 0; i < size; i++) words[i] = random.nextInt();
        }

        private int fold(int sum, int from, int to) {
            int[] data = words;
            int m = mask;
            for (int i = from; i < to; i++) {
                sum = sum * 31 ^ data[(i * 40503 + sum) & m];
            }
            return sum;
        }

        @Override
        public int seal(int seed) {
            if (!FIXED) return fold(seed, 0, steps);
            int sum = seed;
            for (long from = 0; from < steps; from += 20_000) {
                sum = fold(sum, (int) from, (int) Math.min(steps, from + 20_000));
            }
            return sum;
        }
    }

    static final class Archive {
        private final List<Section> sections = new ArrayList<>();
        private int state = 17;

        Archive(int steps) {
            for (int i = 0; i < 3; i++) sections.add(new ScanSection(1 << 20, steps));
        }

        int verify() {
            for (Section section : sections) {
                state = section.seal(state);
                LockSupport.parkNanos(40_000_000L);
            }
            return state;
        }
    }

    static void gate(BlockingQueue<Quote> inbox) {
        Random random = new Random(5);
        long next = System.nanoTime();
        while (true) {
            next += 1_600_000L;
            long now = System.nanoTime();
            if (next > now) LockSupport.parkNanos(next - now);
            if (!inbox.offer(new Quote(random.nextInt(500), random.nextInt(500), random.nextInt(9000), next))) {
                served.get();
            }
        }
    }

    static void daemon(String name, Runnable body) {
        Thread thread = new Thread(body, name);
        thread.setDaemon(true);
        thread.start();
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<Quote> inbox = new ArrayBlockingQueue<>(4096);
        Tariff tariff = new Tariff();
        for (int i = 0; i < 3; i++) new Desk(i, inbox, tariff).start();
        Archive archive = new Archive(4_000_000);
        daemon("archive", () -> {
            while (true) archive.verify();
        });
        daemon("gate", () -> gate(inbox));
        System.out.println("READY");
        for (int second = 0; second < 170; second++) {
            long n = served.get();
            long t = spent.get();
            Thread.sleep(1000);
            long count = served.get() - n;
            System.out.printf("measured: %d quotes/s, mean latency %.2f ms%n", count, count == 0 ? 0.0 : (spent.get() - t) / 1e6 / count);
        }
        System.exit(0);
    }
}
