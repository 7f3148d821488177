// SPDX-License-Identifier: Apache-2.0

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * Many virtual threads that sleep, park and compute, through calls whose targets change, so that compiled code is
 * deoptimised while they run. Written for JDK 8's language; virtual threads are asked for by name.
 */
public class VCrowd {
    static volatile long sink;
    static final ConcurrentLinkedQueue<byte[]> queue = new ConcurrentLinkedQueue<>();

    interface Step {
        int go(long x);
    }

    static int work(int depth, long seed) {
        if (depth > 0)
            return work(depth - 1, seed) + 1;
        long x = seed;
        for (int i = 0; i < 500; i++)
            x = x * 6364136223846793005L + System.nanoTime();
        sink = x;
        return (int) x;
    }

    static final Step[] STEPS = {x -> work(3, x), x -> work(5, x) ^ 1, x -> {
        LockSupport.parkNanos(1000);
        return work(2, x) ^ 2;
    }};

    static void live(long id) {
        try {
            for (long k = id;; k++) {
                Thread.sleep(1 + (k & 63));
                sink += STEPS[(int) (k % 3)].go(k);
                if ((k & 7) == 0)
                    Thread.yield();
                queue.add(new byte[64]);
                if ((k & 255) == 0)
                    queue.clear();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        System.out.println("up");
        for (int i = Integer.parseInt(args[0]); i > 0; i--) {
            long id = i;
            Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, (Runnable) () -> live(id));
        }
        Thread.sleep(600_000);
    }
}
