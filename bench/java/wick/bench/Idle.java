/* SPDX-License-Identifier: Apache-2.0 */
package wick.bench;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/**
 * A JVM that does nothing in as many threads as asked for; with "spin", one more thread reads the clock all the time
 * and remembers the longest time between two readings: what an attaching profiler makes a running thread wait. Each
 * line of input is answered with that time in microseconds and the memory of it is cleared.
 */
public final class Idle {
    private static volatile long longest;

    private Idle() {}

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < Integer.parseInt(args[0]); i++) {
            start(() -> {
                synchronized (Thread.currentThread()) {
                    while (true) {
                        Thread.currentThread().wait();
                    }
                }
            }, "idle-" + i);
        }
        if (args.length > 1 && args[1].equals("spin")) {
            start(Idle::spin, "spin");
        }
        Thread.sleep(1500);
        System.out.println("READY");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        while (in.readLine() != null) {
            System.out.println("ANSWER " + longest / 1000);
            longest = 0;
        }
    }

    private interface Work {
        void run() throws InterruptedException;
    }

    private static void start(Work work, String name) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
    }

    private static void spin() {
        for (long last = System.nanoTime(); ; ) {
            long now = System.nanoTime();
            if (now - last > longest) {
                longest = now - last;
            }
            last = now;
        }
    }
}
