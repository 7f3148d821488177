// SPDX-License-Identifier: Apache-2.0
// healthy: the parser allocates about 200 MB/s (records, substrings, lists) and the young collector runs about twice a second, but all of it dies young: the pauses are short, GC time is a percent or so, nothing is promoted, and the feed is paced at 450000 rows/s which it keeps up with.
// share: measures 450000 rows/s of 450000 demanded, parser 10 to 15 percent busy, about two young collections/s of 1 to 5 ms
// judge: WRONG: a memory leak, GC pressure as a performance problem, a heap or young generation that is too small, allocation in Parser.parse as the cause of slowness, premature promotion, a slow feed. ACCEPTABLE: neutral remarks that the allocation rate is high (String, byte[], Row from Parser.parse), that young collections are frequent and cheap, that the feed thread sleeps between batches by design.
// jdk: 21
// set: twenty-sixth
// jvm: -Xmx256m -Xmn160m -XX:+UseParallelGC
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

public class TelemetryFeed {
    static final long END = System.nanoTime() + 170_000_000_000L;
    static final int DEVICES = 512;
    static final int ROWS_PER_BATCH = 4500;
    static final int BATCHES_PER_SECOND = 100;
    static final LongAdder rows = new LongAdder();
    static final LongAdder busyNanos = new LongAdder();

    record Row(int device, long time, String unit, double value, List<String> tags) {
    }

    static final class Summary {
        private final double[] sums = new double[DEVICES];
        private final long[] counts = new long[DEVICES];

        synchronized void merge(double[] batchSums, int[] batchCounts) {
            for (int i = 0; i < DEVICES; i++) {
                sums[i] += batchSums[i];
                counts[i] += batchCounts[i];
            }
        }
    }

    static final class Parser extends Thread {
        final BlockingQueue<String> inbox;
        final Summary summary;

        Parser(BlockingQueue<String> inbox, Summary summary) {
            super("parser");
            this.inbox = inbox;
            this.summary = summary;
            setDaemon(true);
        }

        static Row parse(String line) {
            int a = line.indexOf(',');
            int b = line.indexOf(',', a + 1);
            int c = line.indexOf(',', b + 1);
            int d = line.indexOf(',', c + 1);
            List<String> tags = new ArrayList<>();
            for (int from = d + 1; from < line.length(); ) {
                int to = line.indexOf(';', from);
                to = to < 0 ? line.length() : to;
                tags.add(line.substring(from, to));
                from = to + 1;
            }
            return new Row(Integer.parseInt(line, 0, a, 10), Long.parseLong(line, a + 1, b, 10),
                    line.substring(b + 1, c), Integer.parseInt(line, c + 1, d, 10) / 100.0, tags);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    String text = inbox.take();
                    long start = System.nanoTime();
                    double[] sums = new double[DEVICES];
                    int[] counts = new int[DEVICES];
                    int n = 0;
                    for (int from = 0; from < text.length(); n++) {
                        int to = text.indexOf('\n', from);
                        Row row = parse(text.substring(from, to));
                        sums[row.device()] += row.value() * (row.tags().contains("low") ? 0.5 : 1);
                        counts[row.device()]++;
                        from = to + 1;
                    }
                    summary.merge(sums, counts);
                    rows.add(n);
                    busyNanos.add(System.nanoTime() - start);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static String batch(SplittableRandom random) {
        StringBuilder text = new StringBuilder(ROWS_PER_BATCH * 48);
        for (int i = 0; i < ROWS_PER_BATCH; i++) {
            text.append(random.nextInt(DEVICES)).append(',').append(1_700_000_000L + i).append(",celsius,")
                    .append(random.nextInt(9000)).append(',').append(i % 7 == 0 ? "low" : "high").append(";hall")
                    .append(i % 20).append(";line").append(i % 6).append('\n');
        }
        return text.toString();
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<String> inbox = new ArrayBlockingQueue<>(40);
        new Parser(inbox, new Summary()).start();
        Thread feed = new Thread(() -> {
            SplittableRandom random = new SplittableRandom(2);
            long next = System.nanoTime();
            try {
                while (System.nanoTime() < END) {
                    inbox.put(batch(random));
                    next += 1_000_000_000L / BATCHES_PER_SECOND;
                    long rest;
                    while ((rest = next - System.nanoTime()) > 0) {
                        LockSupport.parkNanos(rest);
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "feed");
        feed.setDaemon(true);
        feed.start();
        System.out.println("READY");
        long lastRows = 0;
        long lastBusy = 0;
        while (System.nanoTime() < END) {
            Thread.sleep(1000);
            long n = rows.sum();
            long busy = busyNanos.sum();
            long gcMillis = 0;
            for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
                gcMillis += Math.max(0, bean.getCollectionTime());
            }
            System.out.printf("measured: %d rows/s (demand 450000), parser busy %d%%, batches waiting %d, GC total %d ms%n",
                    n - lastRows, (busy - lastBusy) / 10_000_000, inbox.size(), gcMillis);
            lastRows = n;
            lastBusy = busy;
        }
        System.exit(0);
    }
}
