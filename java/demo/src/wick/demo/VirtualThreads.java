/* SPDX-License-Identifier: Apache-2.0 */
package wick.demo;

import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import wick.Wick;

/**
 * {@code /vthreads?tasks=N}: as many virtual threads, each of which computes, sleeps a little and computes again.
 *
 * <p>The only place that needs JDK 21. It is reached by reflection, so that one jar serves all JVMs from 8 on.
 */
final class VirtualThreads implements Endpoint {
    private static final int SLEEP_MS = 2;

    @Override
    public String handle(Query query) throws Exception {
        int tasks = query.get("tasks", 100, 100_000);
        ExecutorService executor = Wick.wrap(newVirtualThreadExecutor());
        try {
            List<Future<Long>> results = new ArrayList<>();
            for (int i = 0; i < tasks; i++) {
                results.add(executor.submit(VirtualThreads::computeSleepCompute));
            }
            long sum = 0;
            for (Future<Long> result : results) {
                sum += result.get();
            }
            return tasks + " virtual threads, sum " + Long.toHexString(sum);
        } finally {
            executor.shutdown();
        }
    }

    private static long computeSleepCompute() throws Exception {
        long before = CpuWork.run(1, 20);
        Thread.sleep(SLEEP_MS);
        return before + CpuWork.run(1, 20);
    }

    private static ExecutorService newVirtualThreadExecutor() throws IllegalAccessException, InvocationTargetException {
        try {
            return (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (NoSuchMethodException e) {
            throw new UnsupportedOperationException(
                    "virtual threads need JDK 21, this is " + System.getProperty("java.version"), e);
        }
    }
}
