// SPDX-License-Identifier: Apache-2.0
// healthy: as many threads as CPUs for work that computes, and a queue before them
// symptom: hot-method
// jdk: 11
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

public final class HealthyComputePool {
    private static final int THREADS = 2;
    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static volatile long result;

    private static long step(long seed) {
        long sum = seed;
        for (int i = 0; i < 2_000_000; i++) {
            sum = sum * 6364136223846793005L + 1442695040888963407L;
        }
        return sum;
    }

    private static void task(ExecutorService pool, int n) {
        result += step(n);
        pool.execute(() -> task(pool, n + 1));
    }

    public static void main(String[] args) {
        ExecutorService pool = Executors.newFixedThreadPool(THREADS, r -> new Thread(r, "calc-" + NUMBER.incrementAndGet()));
        for (int i = 0; i < 2 * THREADS; i++) {
            int n = i;
            pool.execute(() -> task(pool, n));
        }
        System.out.println("READY");
    }
}
