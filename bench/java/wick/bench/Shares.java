/* SPDX-License-Identifier: Apache-2.0 */
package wick.bench;

import java.io.FileInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.zip.Deflater;

/**
 * Four methods a, b, c, d that take 10, 20, 30 and 40 % of a thread's CPU time by construction.
 *
 * <p>Mode "chain": each runs the same chain of shifts, in which every step needs the result of the one before, so that no
 * compiler can fold, vectorise or overlap it, for 1, 2, 3 and 4 times as many steps. Modes "zip" and "read": each does the
 * same native work, and they are called 1, 2, 3 and 4 times as often, in a shuffled order (else a sampling interval that is a
 * multiple of the round would always meet the same method). Nothing in the loop reads a clock.
 *
 * <p>A truth by construction still rests on steps that take equally long in all methods: before READY, each method is timed by
 * the thread's CPU clock, and the figures go out with it (ns a step, a to d, the median of several timings).
 */
public final class Shares {
    private static final int STEPS = 400;
    private static final int READ_BYTES = 1 << 16;
    private static final int ZIP_BYTES = 2048;
    private static volatile long sink;

    private static byte[] data = new byte[READ_BYTES];
    private static byte[] out = new byte[READ_BYTES];
    private static Deflater deflater;
    private static FileInputStream zeros;
    private static int[] schedule;

    private Shares() {}

    static long a(long x, int n) {
        for (int i = 0; i < n; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    static long b(long x, int n) {
        for (int i = 0; i < n; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    static long c(long x, int n) {
        for (int i = 0; i < n; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    static long d(long x, int n) {
        for (int i = 0; i < n; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    static long nativeA() throws IOException {
        return nativeWork();
    }

    static long nativeB() throws IOException {
        return nativeWork();
    }

    static long nativeC() throws IOException {
        return nativeWork();
    }

    static long nativeD() throws IOException {
        return nativeWork();
    }

    private static long nativeWork() throws IOException {
        if (zeros != null) {
            return zeros.read(data);
        }
        deflater.reset();
        deflater.setInput(data, 0, ZIP_BYTES);
        deflater.finish();
        return deflater.deflate(out);
    }

    static long chainRound(long x, int n) {
        for (int k = 0; k < 200; k++) {
            x = a(x, n);
            x = b(x, 2 * n);
            x = c(x, 3 * n);
            x = d(x, 4 * n);
        }
        return x;
    }

    static long nativeRound() throws IOException {
        long sum = 0;
        for (int method : schedule) {
            switch (method) {
                case 0:
                    sum += nativeA();
                    break;
                case 1:
                    sum += nativeB();
                    break;
                case 2:
                    sum += nativeC();
                    break;
                default:
                    sum += nativeD();
                    break;
            }
        }
        return sum;
    }

    public static void main(String[] args) throws Exception {
        boolean chain = args[0].equals("chain");
        prepare(args[0]);
        Thread worker = new Thread(() -> work(chain), "shares");
        worker.setDaemon(true);
        worker.start();
        while (System.in.read() >= 0) {
            continue;
        }
    }

    private static void prepare(String mode) throws IOException {
        new Random(1).nextBytes(data);
        for (int i = 0; i < data.length; i++) {
            data[i] &= 15; // compressible, but not trivially
        }
        if (mode.equals("zip")) {
            deflater = new Deflater();
        } else if (mode.equals("read")) {
            zeros = new FileInputStream("/dev/zero");
        }
        Integer[] order = new Integer[1000];
        for (int i = 0; i < order.length; i++) {
            order[i] = i % 10 < 1 ? 0 : i % 10 < 3 ? 1 : i % 10 < 6 ? 2 : 3;
        }
        List<Integer> shuffled = Arrays.asList(order);
        Collections.shuffle(shuffled, new Random(2));
        schedule = shuffled.stream().mapToInt(Integer::intValue).toArray();
    }

    private static void work(boolean chain) {
        try {
            long x = 88172645463325252L;
            for (long end = System.nanoTime() + 3_000_000_000L; System.nanoTime() < end; ) {
                x = chain ? chainRound(x, STEPS) : x + nativeRound();
            }
            double[] perStep = calibrate(chain, x);
            System.out.printf("READY %.3f %.3f %.3f %.3f%n", perStep[0], perStep[1], perStep[2], perStep[3]);
            while (true) {
                x = chain ? chainRound(x, STEPS) : x + nativeRound();
                sink = x;
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** ns of CPU time a step (a call of native work) in a, b, c and d: the median of 15 timings. */
    private static double[] calibrate(boolean chain, long x) throws IOException {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        double[][] timings = new double[4][15];
        for (int run = 0; run < 15; run++) {
            for (int method = 0; method < 4; method++) {
                int calls = chain ? 2500 : 300;
                long before = threads.getCurrentThreadCpuTime();
                for (int i = 0; i < calls; i++) {
                    x = chain ? once(method, x) : x + onceNative(method);
                }
                long took = threads.getCurrentThreadCpuTime() - before;
                timings[method][run] = (double) took / calls / (chain ? STEPS * (method + 1) : 1);
            }
        }
        sink = x;
        double[] medians = new double[4];
        for (int method = 0; method < 4; method++) {
            Arrays.sort(timings[method]);
            medians[method] = timings[method][7];
        }
        return medians;
    }

    private static long once(int method, long x) {
        switch (method) {
            case 0:
                return a(x, STEPS);
            case 1:
                return b(x, 2 * STEPS);
            case 2:
                return c(x, 3 * STEPS);
            default:
                return d(x, 4 * STEPS);
        }
    }

    private static long onceNative(int method) throws IOException {
        switch (method) {
            case 0:
                return nativeA();
            case 1:
                return nativeB();
            case 2:
                return nativeC();
            default:
                return nativeD();
        }
    }
}
