/* SPDX-License-Identifier: Apache-2.0 */
package wick.demo;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The work of {@code /cpu} without the service around it, for measurements: prints how many rounds a second of CPU time is
 * worth, {@code RESULT cpu_bench value=V unit=rounds/cpu-s}.
 *
 * <p>CPU time is that of the whole process while the work runs, so the cost of a profiler inside it counts, and what other
 * processes take does not. A warm-up of the same length as the measurement comes first.
 *
 * <p>Options: {@code --seconds}, {@code --threads}, {@code --depth} (of the stacks).
 */
public final class CpuBench {
    private CpuBench() {}

    public static void main(String[] args) throws Exception {
        Options options = new Options("cpu-bench", "seconds", "5", "threads", "2", "depth", "50").parse(args);
        long nanos = Math.max(1, options.number("seconds")) * 1_000_000_000L;
        int threads = Math.max(1, options.number("threads"));
        ExecutorService pool = Executors.newFixedThreadPool(threads, new NamedThreads("bench"));
        rounds(pool, threads, options.number("depth"), nanos);
        long before = processCpuNanos();
        long rounds = rounds(pool, threads, options.number("depth"), nanos);
        double cpuSeconds = (processCpuNanos() - before) / 1e9;
        System.out.printf(Locale.ROOT, "RESULT cpu_bench value=%.2f unit=rounds/cpu-s cpu_s=%.3f rounds=%d%n",
                rounds / cpuSeconds, cpuSeconds, rounds);
        pool.shutdown();
    }

    private static long rounds(ExecutorService pool, int threads, int depth, long nanos) throws Exception {
        long end = System.nanoTime() + nanos;
        List<Callable<Long>> tasks = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            tasks.add(() -> roundsUntil(end, depth));
        }
        long rounds = 0;
        for (Future<Long> result : pool.invokeAll(tasks)) {
            rounds += result.get();
        }
        return rounds;
    }

    private static long roundsUntil(long end, int depth) throws Exception {
        long rounds = 0;
        while (System.nanoTime() < end) {
            CpuWork.run(10, depth);
            rounds += 10;
        }
        return rounds;
    }

    private static long processCpuNanos() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }
}
