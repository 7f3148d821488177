// SPDX-License-Identifier: Apache-2.0
// cause: reports compute for 150 ms at a time in virtual threads, whose only carrier then runs nothing else
// expect: endpoint-wait kind=carrier | waiting kind=carrier | unmounted-wait | saturated-thread frame=ReportsOnCarriers
// symptom: endpoint-wait hot-method hot-code hot-calls saturated-thread
// jvm: -Djdk.virtualThreadScheduler.parallelism=1 -Djdk.virtualThreadScheduler.maxPoolSize=1
// jdk: 21
// set: fifth
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import wick.Scope;
import wick.Wick;

/** Pings need 1 ms, most of it a wait; they take as long as the reports before them, some 600 ms. */
public final class ReportsOnCarriers {
    private static final int REPORTS = 4;
    private static final int PINGS = 20;
    private static final long REPORT_NS = 150_000_000;

    private static final LongAdder pings = new LongAdder();
    private static final LongAdder waited = new LongAdder();
    private static volatile double result;

    private final ConcurrentMap<Integer, Integer> seen = new ConcurrentHashMap<>();

    private static double interest(double capital, int days) {
        return capital * Math.pow(1.0 + 0.03 / 365, days);
    }

    private static double page(int seed) {
        double sum = 0;
        for (int day = 0; day < 2000; day++) {
            sum += interest(seed % 1000 + day, day % 365);
        }
        return sum;
    }

    private static double render(int seed) {
        double sum = 0;
        for (long end = System.nanoTime() + REPORT_NS; System.nanoTime() < end;) {
            sum += page(seed);
        }
        return sum;
    }

    private static void reports() {
        try {
            for (int n = 0;; n++) {
                try (Scope request = Wick.span("POST /report")) {
                    result = render(n);
                }
                Thread.sleep(Duration.ofMillis(5));
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private int lookUp(int key) throws InterruptedException {
        Thread.sleep(1); // a cache in another process
        return seen.merge(key % 100, 1, Integer::sum);
    }

    private void ping(int client) {
        try {
            for (int n = client;; n++) {
                long start = System.nanoTime();
                try (Scope request = Wick.span("GET /ping")) {
                    lookUp(n);
                }
                pings.increment();
                waited.add(System.nanoTime() - start);
                Thread.sleep(10);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        ReportsOnCarriers service = new ReportsOnCarriers();
        for (int i = 0; i < REPORTS; i++) {
            Thread.ofVirtual().name("report-" + i).start(ReportsOnCarriers::reports);
        }
        for (int i = 0; i < PINGS; i++) {
            int client = i;
            Thread.ofVirtual().name("ping-" + i).start(() -> service.ping(client));
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(5000);
            System.out.println("a ping takes " + waited.sum() / Math.max(1, pings.sum()) / 1_000_000 + " ms");
        }
    }
}
