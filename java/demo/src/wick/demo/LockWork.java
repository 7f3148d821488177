/* SPDX-License-Identifier: Apache-2.0 */
package wick.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantLock;
import wick.Wick;

/**
 * {@code /lock?rounds=N&us=M}: four threads fight for a monitor and then for a {@link ReentrantLock}, each holding it for
 * M microseconds at a time.
 */
final class LockWork implements Endpoint {
    private static final int THREADS = 4;

    private final ExecutorService pool = Wick.wrap(Executors.newCachedThreadPool(new NamedThreads("locker")));
    private final Object monitor = new Object();
    private final ReentrantLock lock = new ReentrantLock();
    private long underMonitor; // guarded by monitor
    private long underLock;    // guarded by lock

    @Override
    public String handle(Query query) throws InterruptedException, ExecutionException {
        int rounds = query.get("rounds", 10, 10_000);
        long holdNanos = query.get("us", 200, 1_000_000) * 1000L;
        List<Future<?>> fighters = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            fighters.add(pool.submit(() -> fight(rounds, holdNanos)));
        }
        for (Future<?> fighter : fighters) {
            fighter.get();
        }
        return THREADS * rounds + " turns with the monitor and with the lock";
    }

    private void fight(int rounds, long holdNanos) {
        for (int i = 0; i < rounds; i++) {
            withMonitor(holdNanos);
            withLock(holdNanos);
        }
    }

    private void withMonitor(long holdNanos) {
        synchronized (monitor) {
            underMonitor += spin(holdNanos);
        }
    }

    private void withLock(long holdNanos) {
        lock.lock();
        try {
            underLock += spin(holdNanos);
        } finally {
            lock.unlock();
        }
    }

    private static long spin(long nanos) {
        long turns = 0;
        for (long end = System.nanoTime() + nanos; System.nanoTime() < end; turns++) {
            continue;
        }
        return turns;
    }
}
