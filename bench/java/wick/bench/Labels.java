/* SPDX-License-Identifier: Apache-2.0 */
package wick.bench;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import wick.Scope;
import wick.Wick;

/**
 * What one scope costs in CPU time. Each line of input names an operation and a number of threads, {@code activate 1}, and is answered
 * with the nanoseconds of CPU time of one operation: least and median of the rounds after the warm-up, of the slowest thread.
 */
@SuppressWarnings("try")
public final class Labels {
    private static final int WARM_ROUNDS = 6;
    private static final int ROUNDS = 15;
    private static final long ROUND_NS = 100_000_000;
    private static final int BATCH = 1000;
    private static final int REST_BATCHES = 20;
    private static final long REST_MS = 20; // room for a batch comes at 16,000 in 50 ms
    private static final String[] CUSTOMERS = {"big", "small", "tiny", "huge"};
    private static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();
    private static volatile long sink;

    private Labels() {}

    /** A batch of operations; the result keeps the compiler from leaving them out. */
    private interface Operation {
        long run(long n);
    }

    private static long clock(long n) {
        long x = 0;
        for (int i = 0; i < BATCH; i++) {
            x += System.nanoTime();
        }
        return x;
    }

    private static long activate(long n) {
        long x = 0;
        for (int i = 0; i < BATCH; i++) {
            try (Scope s = Wick.activate("GET /bench", n, n + i, n + i)) {
                x += i;
            }
        }
        return x;
    }

    private static long span(long n) {
        long x = 0;
        for (int i = 0; i < BATCH; i++) {
            try (Scope s = Wick.span("GET /bench", n, n + i)) {
                x += i;
            }
        }
        return x;
    }

    private static long hexSpan(long n) {
        long x = 0;
        for (int i = 0; i < BATCH; i++) {
            try (Scope s = Wick.span("GET /bench", "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7")) {
                x += i;
            }
        }
        return x;
    }

    private static long label(long n) {
        long x = 0;
        for (int i = 0; i < BATCH; i++) {
            try (Scope s = Wick.label("customer", CUSTOMERS[i & 3])) {
                x += i;
            }
        }
        return x;
    }

    private static Operation operation(String name) {
        switch (name) {
        case "clock":
            return Labels::clock;
        case "activate":
            return Labels::activate;
        case "span":
        case "restingspan":
            return Labels::span;
        case "hexspan":
            return Labels::hexSpan;
        default:
            return Labels::label;
        }
    }

    /** Nanoseconds of one operation in a round with a rest after each batch, in which the agent empties its queue. */
    private static double restingRound(Operation o) throws InterruptedException {
        long sum = 0;
        long x = 0;
        for (int i = 0; i < REST_BATCHES; i++) {
            Thread.sleep(REST_MS);
            long begin = CLOCK.getCurrentThreadCpuTime();
            x += o.run(i);
            sum += CLOCK.getCurrentThreadCpuTime() - begin;
        }
        sink = x;
        return (double) sum / (REST_BATCHES * BATCH);
    }

    /** Nanoseconds of one operation in a round of about ROUND_NS. */
    private static double round(Operation o) {
        long begin = CLOCK.getCurrentThreadCpuTime();
        long end = begin;
        long n = 0;
        long x = 0;
        while (end - begin < ROUND_NS) {
            for (int i = 0; i < 100; i++) {
                x += o.run(n);
                n += BATCH;
            }
            end = CLOCK.getCurrentThreadCpuTime();
        }
        sink = x;
        return (double) (end - begin) / n;
    }

    private static void measure(Operation o, boolean rests, double[] into) {
        try (Scope around = Wick.activate("around", 0, 1, 2)) {
            for (int i = 0; i < WARM_ROUNDS; i++) {
                round(o);
            }
            for (int i = 0; i < ROUNDS; i++) {
                into[i] = rests ? restingRound(o) : round(o);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String measure(Operation o, boolean rests, int threads) throws InterruptedException {
        double[][] ns = new double[threads][ROUNDS];
        CountDownLatch done = new CountDownLatch(threads);
        for (double[] into : ns) {
            new Thread(() -> {
                measure(o, rests, into);
                done.countDown();
            }).start();
        }
        done.await();
        double least = 0;
        double median = 0;
        for (double[] row : ns) {
            Arrays.sort(row);
            least = Math.max(least, row[0]);
            median = Math.max(median, row[ROUNDS / 2]);
        }
        return least + " " + median;
    }

    public static void main(String[] args) throws Exception {
        System.out.println("READY");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line; (line = in.readLine()) != null;) {
            String[] word = line.split(" ");
            System.out.println("ANSWER " + measure(operation(word[0]), word[0].startsWith("resting"), Integer.parseInt(word[1])));
        }
    }
}
