// SPDX-License-Identifier: Apache-2.0
// healthy: It parses 175,000 log lines a second on two threads and drops some 150 MB/s of garbage with several young collections a second, but each takes about 1 ms, what is in use after collections stays at 5 MB, the queue is nearly always empty and there is CPU to spare.
// share: measures lines/s (175,000, as offered), lag of a block 0.3 ms on average, reports; 8 young collections a second of 1 ms each, no full ones.
// judge: WRONG: any accusation of collections, of the heap (gc-pauses, gc-cpu, promotion, live-set, allocation-stall), of the queue or a busy pool, of AccessDigest$Parser.parse as a fault, of a cache that misses (Totals.add gets and puts in a HashMap that mostly hits). ACCEPTABLE: neutral remarks on where the CPU time goes (making lines in Tail.line, building strings, parsing), or that nothing stands out.
// jdk: 8
// set: twenty-fourth
// jvm:
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

public class AccessDigest {
    static final AtomicLong parsed = new AtomicLong();
    static final AtomicLong reports = new AtomicLong();
    static final AtomicLong lag = new AtomicLong();

    static final class Block {
        final String[] lines;
        final long due;

        Block(String[] lines, long due) {
            this.lines = lines;
            this.due = due;
        }
    }

    static final class Entry {
        final String host;
        final String path;
        final int status;
        final long bytes;

        Entry(String host, String path, int status, long bytes) {
            this.host = host;
            this.path = path;
            this.status = status;
            this.bytes = bytes;
        }
    }

    static final class Parser {
        Entry parse(String line) {
            List<String> fields = new ArrayList<>();
            int from = 0;
            for (int at = line.indexOf(' '); at >= 0; at = line.indexOf(' ', from)) {
                fields.add(line.substring(from, at));
                from = at + 1;
            }
            fields.add(line.substring(from));
            return new Entry(fields.get(0), fields.get(2), Integer.parseInt(fields.get(3)), Long.parseLong(fields.get(4)));
        }
    }

    static final class Totals {
        private final Map<String, long[]> paths = new HashMap<>();
        private long failures;

        void add(Entry entry) {
            long[] sums = paths.get(entry.path);
            if (sums == null) {
                sums = new long[2];
                paths.put(entry.path, sums);
            }
            sums[0]++;
            sums[1] += entry.bytes;
            if (entry.status >= 500) failures++;
        }

        List<String> top(int count) {
            List<Map.Entry<String, long[]>> all = new ArrayList<>(paths.entrySet());
            Collections.sort(all, new Comparator<Map.Entry<String, long[]>>() {
                @Override
                public int compare(Map.Entry<String, long[]> a, Map.Entry<String, long[]> b) {
                    return Long.compare(b.getValue()[0], a.getValue()[0]);
                }
            });
            List<String> lines = new ArrayList<>();
            for (Map.Entry<String, long[]> entry : all.subList(0, Math.min(count, all.size()))) {
                lines.add(entry.getKey() + " " + entry.getValue()[0] + " requests, " + entry.getValue()[1] + " bytes");
            }
            lines.add("failures " + failures);
            return lines;
        }
    }

    static final class Collector extends Thread {
        private final BlockingQueue<Block> blocks;
        private final Parser parser = new Parser();
        private Totals totals = new Totals();
        private int seen;

        Collector(int number, BlockingQueue<Block> blocks) {
            super("digest-" + number);
            this.blocks = blocks;
            setDaemon(true);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Block block = blocks.take();
                    for (String line : block.lines) totals.add(parser.parse(line));
                    parsed.addAndGet(block.lines.length);
                    lag.addAndGet(System.nanoTime() - block.due);
                    if (++seen % 50 == 0) {
                        if (totals.top(20).size() > 1) reports.incrementAndGet();
                        totals = new Totals();
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class Tail implements Runnable {
        private final BlockingQueue<Block> blocks;
        private final Random random = new Random(21);

        Tail(BlockingQueue<Block> blocks) {
            this.blocks = blocks;
        }

        private String line() {
            return "10.0." + random.nextInt(256) + '.' + random.nextInt(256) + " GET /catalogue/item/" + random.nextInt(400)
                    + ' ' + (random.nextInt(100) == 0 ? 503 : 200) + ' ' + random.nextInt(90_000);
        }

        @Override
        public void run() {
            long next = System.nanoTime();
            try {
                while (true) {
                    next += 4_000_000L;
                    long now = System.nanoTime();
                    if (next > now) LockSupport.parkNanos(next - now);
                    String[] lines = new String[700];
                    for (int i = 0; i < lines.length; i++) lines[i] = line();
                    blocks.put(new Block(lines, System.nanoTime()));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<Block> blocks = new ArrayBlockingQueue<>(64);
        for (int i = 0; i < 2; i++) new Collector(i, blocks).start();
        Thread tail = new Thread(new Tail(blocks), "tail");
        tail.setDaemon(true);
        tail.start();
        System.out.println("READY");
        for (int second = 0; second < 170; second++) {
            long n = parsed.get();
            long l = lag.get();
            Thread.sleep(1000);
            long count = (parsed.get() - n) / 700;
            System.out.printf("measured: %d lines/s, mean lag of a block %.2f ms, %d reports%n", parsed.get() - n,
                    count == 0 ? 0.0 : (lag.get() - l) / 1e6 / count, reports.get());
        }
        System.exit(0);
    }
}
