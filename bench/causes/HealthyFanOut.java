// SPDX-License-Identifier: Apache-2.0
// healthy: requests are answered by a pool that has enough threads, at a moderate rate
// jdk: 25
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

public final class HealthyFanOut {
    private static volatile int result;

    private static int part(int n) {
        int sum = 0;
        for (int i = 0; i < 20_000; i++) {
            sum += i ^ n;
        }
        return sum;
    }

    public static void main(String[] args) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(4);
        System.out.println("READY");
        for (int n = 0;; n++) {
            List<Future<Integer>> parts = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                int part = n + i;
                parts.add(pool.submit(() -> part(part)));
            }
            for (Future<Integer> f : parts) {
                result += f.get();
            }
            Thread.sleep(20);
        }
    }
}
