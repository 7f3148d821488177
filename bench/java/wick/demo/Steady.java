/* SPDX-License-Identifier: Apache-2.0 */
package wick.demo;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.LongAdder;

/**
 * The work of {@link CpuBench} without an end: threads work until the standard input ends, and each line on it is answered
 * with the rounds done so far. So a profiler can come and go in one warmed-up JVM, and what it costs is not mixed up with
 * what the JIT compiler did differently from one JVM to the next.
 *
 * <p>Arguments: threads, depth of the stacks, seconds of warm-up, and "churn" for threads that live a few milliseconds only.
 */
public final class Steady {
    private static final LongAdder ROUNDS = new LongAdder();
    private static volatile boolean stopped;

    private Steady() {}

    public static void main(String[] args) throws Exception {
        int threads = Integer.parseInt(args[0]);
        int depth = Integer.parseInt(args[1]);
        boolean churn = args.length > 3 && args[3].equals("churn");
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(() -> work(depth, churn), "steady-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        Thread.sleep(Long.parseLong(args[2]) * 1000);
        System.out.println("READY");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        while (in.readLine() != null) {
            System.out.println("ANSWER " + ROUNDS.sum());
        }
        stopped = true;
    }

    private static void work(int depth, boolean churn) {
        try {
            while (!stopped) {
                if (churn) {
                    Thread shortLived = new Thread(() -> rounds(50, depth), "short-lived");
                    shortLived.start();
                    shortLived.join();
                } else {
                    rounds(10, depth);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void rounds(int count, int depth) {
        try {
            CpuWork.run(count, depth);
            ROUNDS.add(count);
        } catch (java.security.NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
