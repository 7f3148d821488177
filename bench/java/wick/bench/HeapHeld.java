// SPDX-License-Identifier: Apache-2.0
package wick.bench;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.concurrent.locks.LockSupport;

/** A heap of records ({@link HeapDump}), and a thread that wakes every millisecond: `HeapHeld RECORDS`. A line on standard input
 *  is answered by the longest time in microseconds for which the thread did not run since the line before. */
public final class HeapHeld {
    static volatile long longest;

    private HeapHeld() {
    }

    static void tick() {
        long last = System.nanoTime();
        while (true) {
            LockSupport.parkNanos(1_000_000);
            long now = System.nanoTime();
            if (now - last > longest)
                longest = now - last;
            last = now;
        }
    }

    /** Entry point. */
    public static void main(String[] args) throws Exception {
        HeapDump.fill(Integer.parseInt(args[0]));
        Thread ticker = new Thread(HeapHeld::tick);
        ticker.setDaemon(true);
        ticker.start();
        System.out.println("READY");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        while (in.readLine() != null) {
            long us = longest / 1000;
            longest = 0;
            System.out.println("ANSWER " + us);
        }
    }
}
