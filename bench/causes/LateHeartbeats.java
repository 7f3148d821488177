// SPDX-License-Identifier: Apache-2.0
// cause: a compaction that computes for half a second shares the only thread of a scheduler with heartbeats, which are delayed
// expect: saturated-thread thread=scheduler
// symptom: hot-method hot-code hot-calls
// jdk: 8
// jvm: -Xmx256m
// set: fourth
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

public final class LateHeartbeats {
    private static final int SEGMENTS = 8;
    private static final int RECORDS = 4000;
    private static volatile int kept;

    private final Random random = new Random(1);
    private long last = System.nanoTime();
    private long latest;

    private long[] segment() {
        long[] records = new long[RECORDS];
        for (int i = 0; i < RECORDS; i++) {
            records[i] = random.nextInt(RECORDS * SEGMENTS) * 1000L + i % 1000;
        }
        return records;
    }

    private static void merge(Map<Long, Long> into, long[] records) {
        for (long record : records) {
            into.merge(record / 1000, record, Math::max);
        }
    }

    private static int write(Map<Long, Long> records) {
        StringBuilder page = new StringBuilder();
        int pages = 0;
        for (Map.Entry<Long, Long> e : records.entrySet()) {
            page.append(e.getKey()).append(':').append(e.getValue()).append('\n');
            if (page.length() > 4096) {
                pages++;
                page.setLength(0);
            }
        }
        return pages;
    }

    private void compact() {
        for (int level = 0; level < 40; level++) {
            Map<Long, Long> records = new TreeMap<>();
            for (int i = 0; i < SEGMENTS; i++) {
                merge(records, segment());
            }
            kept += write(records);
        }
    }

    private void beat() {
        long now = System.nanoTime();
        latest = Math.max(latest, now - last);
        last = now;
    }

    private void report() {
        System.out.println("longest time between heartbeats: " + latest / 1_000_000 + " ms");
        latest = 0;
    }

    public static void main(String[] args) {
        LateHeartbeats node = new LateHeartbeats();
        ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(1, r -> new Thread(r, "scheduler-1"));
        scheduler.scheduleAtFixedRate(node::beat, 50, 50, TimeUnit.MILLISECONDS);
        scheduler.scheduleAtFixedRate(node::report, 5, 5, TimeUnit.SECONDS);
        scheduler.scheduleWithFixedDelay(node::compact, 10, 10, TimeUnit.MILLISECONDS);
        System.out.println("READY");
    }
}
