// SPDX-License-Identifier: Apache-2.0

/**
 * Virtual threads that wait and compute at the bottom of a known number of calls: after each wait only the topmost
 * frames come back to the stack. Written for JDK 8's language; virtual threads are asked for by name.
 */
public class VDeep {
    static volatile long sink;

    static void burn(long ms) {
        long end = System.nanoTime() + ms * 1_000_000, x = 1;
        while (System.nanoTime() < end)
            for (int i = 0; i < 1000; i++)
                x = x * 31 + i;
        sink += x;
    }

    static void work() {
        try {
            while (true) {
                burn(4);
                Thread.sleep(1);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Eight arguments: some of them travel on the stack. */
    static int down(int n, long a, long b, long c, long d, long e, long f, long g) {
        if (n == 0)
            work();
        else
            return down(n - 1, b, c, d, e, f, g, a) + 1;
        return 1;
    }

    public static void main(String[] args) throws Exception {
        int depth = Integer.parseInt(args[0]);
        for (int i = 0; i < 4; i++)
            Thread.class.getMethod("startVirtualThread", Runnable.class)
                    .invoke(null, (Runnable) () -> down(depth - 1, 1, 2, 3, 4, 5, 6, 7));
        System.out.println("up");
        Thread.sleep(600_000);
    }
}
