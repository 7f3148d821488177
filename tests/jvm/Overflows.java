// SPDX-License-Identifier: Apache-2.0

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Threads that run with signals blocked. Stacks that overflow in a loop are answered by HotSpot with signals blocked: it
 * unwinds and, with some collectors, marks the frames under a mask. Native code does so itself for as long as it likes.
 *
 * <pre>
 * Overflows [LIBRARY]
 *   burn N MS     N threads, named overflow-*, until each has used MS milliseconds of CPU time by its own clock; answers
 *                 what each has used at the end of its work, in nanoseconds, and how many overflows there were
 *   block N MS    N threads, named blocked-*, that compute for 300 ms with signals blocked, then for 20 ms without, and so on;
 *                 answers the same, with the number of such turns (needs the library)
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

    /** Computes for so many nanoseconds of CPU time with all signals blocked, then for others with none blocked. */
    static native void block(long blocked, long open);

    static boolean turn() {
        block(300_000_000, 20_000_000);
        return true;
    }

    static String burn(String kind, int count, long ms) throws InterruptedException {
        java.lang.management.ThreadMXBean bean = java.lang.management.ManagementFactory.getThreadMXBean();
        AtomicLongArray used = new AtomicLongArray(count + 1);
        Thread[] threads = new Thread[count];
        for (int i = 0; i < count; i++) {
            int me = i;
            threads[i] = new Thread(null, () -> {
                while (bean.getCurrentThreadCpuTime() < ms * 1_000_000) {
                    if (kind.equals("block") ? turn() : overflow()) {
                        used.incrementAndGet(count);
                    }
                }
                used.set(me, bean.getCurrentThreadCpuTime());
            }, (kind.equals("block") ? "blocked-" : "overflow-") + i, 1 << 20);
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
        if (args.length > 0) {
            System.load(args[0]);
        }
        java.io.BufferedReader in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        System.out.println("up");
        for (String line; (line = in.readLine()) != null;) {
            String[] w = line.split(" ");
            System.out.println(burn(w[0], Integer.parseInt(w[1]), Long.parseLong(w[2])));
        }
    }
}
