// SPDX-License-Identifier: Apache-2.0
// healthy: stages hand work on through queues, each with time to spare
// jdk: 21
// set: second
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

public final class HealthyPipeline {
    private static volatile long result;

    private static void stage(BlockingQueue<Long> in, BlockingQueue<Long> out) {
        try {
            for (;;) {
                long v = in.take();
                for (int i = 0; i < 3000; i++) {
                    v = v * 31 + i;
                }
                if (out == null) {
                    result = v;
                } else {
                    out.put(v);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        BlockingQueue<Long> a = new LinkedBlockingQueue<>(100), b = new LinkedBlockingQueue<>(100), c = new LinkedBlockingQueue<>(100);
        new Thread(() -> stage(a, b), "parse").start();
        new Thread(() -> stage(b, c), "enrich").start();
        new Thread(() -> stage(c, null), "store").start();
        System.out.println("READY");
        for (long n = 0;; n++) {
            a.put(n);
            Thread.sleep(2);
        }
    }
}
