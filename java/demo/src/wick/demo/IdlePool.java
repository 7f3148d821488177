/* SPDX-License-Identifier: Apache-2.0 */
package wick.demo;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A pool with far more threads than it will ever need, as they are found in the wild: all of them wait on one queue, and a
 * wall-clock profile is full of them. An occasional job keeps it realistic.
 */
final class IdlePool {
    private final ThreadPoolExecutor pool;
    private final AtomicLong jobs = new AtomicLong();

    /** Starts all threads of the pool. */
    IdlePool(int threads) {
        pool = new ThreadPoolExecutor(
                threads, threads, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), new NamedThreads("idle-worker"));
        pool.prestartAllCoreThreads();
    }

    /** Gives one of the threads a tiny job. */
    void touch() {
        pool.execute(jobs::incrementAndGet);
    }
}
