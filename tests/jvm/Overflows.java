// SPDX-License-Identifier: Apache-2.0

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Threads that overflow their stacks in a loop, which HotSpot answers with signals blocked: it unwinds and, with some
 * collectors, marks the frames under a mask.
 *
 * <pre>
 * Overflows
 *   burn N MS     N threads, named overflow-*, until each has used MS milliseconds of CPU time by its own clock; answers
 *                 what each has used at the end of its work, in nanoseconds, and how many overflows there were
 * </pre>
 */
public class Overflows {
    static volatile long sink;

    static int deeper(int n) {
        return deeper(n + 1) + 1;
    }

    static boolean overflow() {
        try {
            sink += deeper(0);
            return false;
        } catch (StackOverflowError e) {
            return true;
        }
    }

    static String burn(int count, long ms) throws InterruptedException {
        java.lang.management.ThreadMXBean bean = java.lang.management.ManagementFactory.getThreadMXBean();
        AtomicLongArray used = new AtomicLongArray(count + 1);
        Thread[] threads = new Thread[count];
        for (int i = 0; i < count; i++) {
            int me = i;
            threads[i] = new Thread(null, () -> {
                while (bean.getCurrentThreadCpuTime() < ms * 1_000_000) {
                    if (overflow()) {
                        used.incrementAndGet(count);
                    }
                }
                used.set(me, bean.getCurrentThreadCpuTime());
            }, "overflow-" + i, 1 << 20);
            threads[i].start();
        }
        StringBuilder out = new StringBuilder("burnt");
        for (int i = 0; i < count; i++) {
            threads[i].join();
        }
        for (int i = 0; i <= count; i++) {
            out.append(' ').append(used.get(i));
        }
        return out.toString();
    }

    public static void main(String[] args) throws Exception {
        java.io.BufferedReader in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        System.out.println("up");
        for (String line; (line = in.readLine()) != null;) {
            String[] w = line.split(" ");
            System.out.println(burn(Integer.parseInt(w[1]), Long.parseLong(w[2])));
        }
    }
}
