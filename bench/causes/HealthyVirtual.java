// SPDX-License-Identifier: Apache-2.0
// healthy: hundreds of virtual threads that ask, wait for an answer, and do little
// jdk: 21
// set: second
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;

public final class HealthyVirtual {
    private static volatile int seen;

    private static void session(BlockingQueue<Integer> inbox) {
        try {
            for (;;) {
                seen += inbox.take();
                Thread.sleep(50);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        BlockingQueue<Integer> inbox = new LinkedBlockingQueue<>();
        var executor = Executors.newVirtualThreadPerTaskExecutor();
        for (int i = 0; i < 300; i++) {
            executor.submit(() -> session(inbox));
        }
        System.out.println("READY");
        for (int n = 0;; n++) {
            inbox.put(n);
            Thread.sleep(3);
        }
    }
}
