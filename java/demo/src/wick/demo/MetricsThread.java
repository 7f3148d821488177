/* SPDX-License-Identifier: Apache-2.0 */
package wick.demo;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Map;
import java.util.TreeMap;

/**
 * What every service has in the background: a thread that collects figures about it ten times a second, by a thread dump,
 * which stops all threads at a safepoint.
 */
final class MetricsThread implements Runnable {
    private static final int PERIOD_MS = 100;

    private volatile String latest = "";

    /** Starts the thread. */
    static MetricsThread start() {
        MetricsThread metrics = new MetricsThread();
        NamedThreads.daemon("metrics", metrics).start();
        return metrics;
    }

    /** The newest figures, one line of text: how many threads are in which state. */
    String latest() {
        return latest;
    }

    @Override
    public void run() {
        try {
            while (true) {
                latest = collect(ManagementFactory.getThreadMXBean());
                Thread.sleep(PERIOD_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String collect(ThreadMXBean threads) {
        Map<Thread.State, Integer> states = new TreeMap<>();
        for (ThreadInfo thread : threads.dumpAllThreads(false, false)) {
            if (thread != null) {
                states.merge(thread.getThreadState(), 1, Integer::sum);
            }
        }
        return states.toString();
    }
}
