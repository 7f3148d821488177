// SPDX-License-Identifier: Apache-2.0
// healthy: a timer thread wakes 50 times a second and hands small tasks to a pool
// jdk: 8
// set: third
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

public final class HealthyTicker {
    private static volatile double result;

    public static void main(String[] args) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(4);
        System.out.println("READY");
        for (int n = 0;; n++) {
            int number = n;
            Future<?> f = pool.submit(() -> {
                result += Math.sqrt(number);
            });
            Thread.sleep(20);
            f.get();
        }
    }
}
