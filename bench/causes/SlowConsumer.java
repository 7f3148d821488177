// SPDX-License-Identifier: Apache-2.0
// cause: four producers fill a bounded queue faster than the one consumer can work off
// expect: saturated-thread thread=consumer | waiting kind=queue-full frame=SlowConsumer.produce
// symptom: waiting hot-method hot-calls hot-code
// jdk: 8
// set: second
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

public final class SlowConsumer {
    private static final BlockingQueue<int[]> QUEUE = new ArrayBlockingQueue<>(16);
    private static volatile long checksum;

    private static void produce(int seed) {
        try {
            for (int n = seed;; n++) {
                int[] batch = new int[256];
                for (int i = 0; i < batch.length; i++) {
                    batch[i] = n * 31 + i;
                }
                QUEUE.put(batch);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static long mix(int[] batch, long sum) {
        for (int round = 0; round < 200; round++) {
            for (int v : batch) {
                sum = sum * 1_000_003 + (v ^ round);
            }
        }
        return sum;
    }

    private static long fold(int[] batch, long sum) {
        for (int round = 0; round < 200; round++) {
            for (int v : batch) {
                sum ^= (sum << 7) + (v >>> 3) + round;
            }
        }
        return sum;
    }

    private static long spread(int[] batch, long sum) {
        for (int round = 0; round < 200; round++) {
            for (int v : batch) {
                sum += Long.rotateLeft(sum, 5) ^ (v + round);
            }
        }
        return sum;
    }

    private static void consume() {
        long sum = 0;
        try {
            for (;;) {
                int[] batch = QUEUE.take();
                sum = mix(batch, sum);
                sum = fold(batch, sum);
                sum = spread(batch, sum);
                checksum = sum;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) {
        new Thread(SlowConsumer::consume, "consumer").start();
        for (int i = 0; i < 4; i++) {
            int seed = i;
            new Thread(() -> produce(seed), "producer-" + i).start();
        }
        System.out.println("READY");
    }
}
