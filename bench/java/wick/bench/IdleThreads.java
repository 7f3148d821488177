// SPDX-License-Identifier: Apache-2.0
package wick.bench;

import java.util.concurrent.locks.LockSupport;

/** Threads that park for ever, and some that are always busy: `IdleThreads IDLE BUSY`. Ends with its input. */
public final class IdleThreads {
    static volatile long sink;

    private IdleThreads() {
    }

    private static void park() {
        while (true)
            LockSupport.park();
    }

    private static void burn() {
        long x = 1;
        while (true) {
            for (int i = 0; i < 100_000; i++)
                x = x * 31 + i;
            sink = x;
        }
    }

    private static void start(int count, String name, Runnable body) {
        for (int i = 0; i < count; i++) {
            Thread t = new Thread(null, body, name + "-" + i, 256 << 10);
            t.setDaemon(true);
            t.start();
        }
    }

    /** Entry point. */
    public static void main(String[] args) throws Exception {
        start(Integer.parseInt(args[0]), "idle", IdleThreads::park);
        start(Integer.parseInt(args[1]), "busy", IdleThreads::burn);
        Thread.sleep(2000);
        System.out.println("READY");
        while (System.in.read() >= 0) {
            // until the end of the input
        }
    }
}
