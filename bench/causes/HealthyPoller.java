// SPDX-License-Identifier: Apache-2.0
// healthy: a poller that sleeps by design, and a worker that is given a task now and then
// jdk: 11
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

public final class HealthyPoller {
    private static volatile int handled;

    private static void poll(BlockingQueue<Integer> tasks) {
        try {
            for (int n = 0;; n++) {
                Thread.sleep(20);
                if (n % 3 == 0) {
                    tasks.add(n);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void work(BlockingQueue<Integer> tasks) {
        try {
            for (;;) {
                int end = 20_000 + tasks.take() % 10;
                for (int i = 0; i < end; i++) {
                    handled += i;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) {
        BlockingQueue<Integer> tasks = new LinkedBlockingQueue<>();
        new Thread(() -> poll(tasks), "poller").start();
        new Thread(() -> work(tasks), "worker").start();
        System.out.println("READY");
    }
}
