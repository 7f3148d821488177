/* SPDX-License-Identifier: Apache-2.0 */
package wick.demo;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import wick.Wick;

/**
 * {@code /allocation-stalls?tasks=N&mib=M&filled=PERCENT}: tasks on a pool of threads (ten, or {@code --allocators}) allocate a pair of
 * large buffers each and fill them, or the given part of them, with random bytes.
 *
 * <p>With the defaults that is 3 GiB per request, 1,000 MiB of it alive at any time. Under ZGC with a
 * heap of 1 GiB the allocating threads are made to wait by the collector: a CPU profile shows random numbers as the
 * culprit, while half of the time is spent waiting in {@code ByteBuffer.allocate}. Other collectors may run out of memory
 * instead, which is answered with an error.
 */
final class AllocationStalls implements Endpoint {
    private static final int MIB = 1024 * 1024;

    private final ExecutorService pool;

    AllocationStalls(int threads) {
        pool = Wick.wrap(Executors.newFixedThreadPool(threads, new NamedThreads("allocator")));
    }

    @Override
    public String handle(Query query) throws InterruptedException, ExecutionException {
        int tasks = query.get("tasks", 30, 1000);
        int bytes = query.get("mib", 50, 1000) * MIB;
        int filled = (int) (bytes * (long) query.get("filled", 100, 100) / 100);
        List<Future<Integer>> results = new ArrayList<>();
        for (int i = 0; i < tasks; i++) {
            int seed = i;
            results.add(pool.submit(() -> allocatePair(bytes, filled, seed)));
        }
        int sum = 0;
        for (Future<Integer> result : results) {
            sum += result.get();
        }
        return tasks + " tasks of 2 x " + bytes / MIB + " MiB, sum " + sum;
    }

    private static int allocatePair(int bytes, int filled, int seed) {
        ByteBuffer left = ByteBuffer.allocate(bytes);
        ByteBuffer right = ByteBuffer.allocate(bytes);
        Random random = new Random(seed);
        fill(left, filled, random);
        fill(right, filled, random);
        return bytes == 0 ? 0 : left.get(bytes / 2) + right.get(bytes / 2);
    }

    private static void fill(ByteBuffer buffer, int filled, Random random) {
        while (buffer.position() + Integer.BYTES <= filled) {
            buffer.putInt(random.nextInt());
        }
    }
}
