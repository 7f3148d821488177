// SPDX-License-Identifier: Apache-2.0
// cause: exports that wait for an archive hold all three workers of a pool, and quick requests queue behind them
// expect: pool-busy | waiting frame=MixedQueue.export | endpoint-wait what=/price
// symptom: waiting endpoint-wait
// jdk: 25
// cpu: 0.5
// set: sixth
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import wick.Scope;
import wick.Wick;

/**
 * Five customers export their accounts again and again: each export waits for an archive for 600 ms. Eight others ask
 * for prices, which takes less than a ms, but the same three workers serve both in the order of arrival: a price takes
 * some 200 ms, all but the last one in the queue. The workers wait and do not compute; one worker more for prices only
 * would do. The archive itself is as slow as it is by design. A tenth of the CPU time that the process may use would
 * do.
 */
public final class MixedQueue {
    private static volatile long result;

    private final AtomicInteger threads = new AtomicInteger();
    private final ExecutorService pool =
        Wick.wrap(Executors.newFixedThreadPool(3, r -> new Thread(r, "worker-" + threads.incrementAndGet())));

    private static long export(int account) throws InterruptedException {
        long sum = 0;
        for (int page = 0; page < 3; page++) {
            Thread.sleep(200); // the archive reads a page
            sum += account * 31L + page;
        }
        return sum;
    }

    private static long price(int article) {
        long sum = 0;
        for (int i = 0; i < 2000; i++) {
            sum = sum * 31 + (article ^ i);
        }
        return sum;
    }

    private void request(String name, Callable<Long> task, int pause) {
        try {
            for (;;) {
                try (Scope request = Wick.span(name)) {
                    result = pool.submit(task).get();
                }
                Thread.sleep(pause); // the next request
            }
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        MixedQueue service = new MixedQueue();
        for (int i = 0; i < 5; i++) {
            int account = i;
            new Thread(() -> service.request("POST /export", () -> export(account), 20), "exporter-" + i).start();
        }
        for (int i = 0; i < 8; i++) {
            int article = i;
            new Thread(() -> service.request("GET /price", () -> price(article), 10), "customer-" + i).start();
        }
        System.out.println("READY");
    }
}
