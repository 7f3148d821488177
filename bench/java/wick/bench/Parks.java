/* SPDX-License-Identifier: Apache-2.0 */
package wick.bench;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.locks.LockSupport;

/**
 * Parks, and measures what that costs.
 *
 * <p>Each line on standard input is `permit N`, for N times a park that returns at once as the permit is there, or `pingpong N`,
 * for N rounds in which two threads unpark each other and park. The answer is the CPU time of the threads in nanoseconds.
 */
public final class Parks {
    private static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();
    private static volatile int turn;

    private Parks() {}

    private static long permit(int n) {
        Thread me = Thread.currentThread();
        long before = CLOCK.getCurrentThreadCpuTime();
        for (int i = 0; i < n; i++) {
            LockSupport.unpark(me);
            LockSupport.park();
        }
        return CLOCK.getCurrentThreadCpuTime() - before;
    }

    private static long play(int n, int me, Thread[] players) {
        long before = CLOCK.getCurrentThreadCpuTime();
        for (int i = 0; i < n; i++) {
            while (turn != me) {
                LockSupport.park();
            }
            turn = 1 - me;
            LockSupport.unpark(players[1 - me]);
        }
        return CLOCK.getCurrentThreadCpuTime() - before;
    }

    private static long pingpong(int n) throws InterruptedException {
        Thread[] players = new Thread[2];
        long[] used = new long[2];
        turn = 0;
        for (int i = 0; i < 2; i++) {
            int me = i;
            players[i] = new Thread(() -> used[me] = play(n, me, players), "player-" + i);
        }
        for (Thread player : players) {
            player.start();
        }
        for (Thread player : players) {
            player.join();
        }
        return used[0] + used[1];
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 20; i++) {
            permit(100_000);
            pingpong(2_000);
        }
        System.out.println("READY");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null;) {
            String[] words = line.split(" ");
            int n = Integer.parseInt(words[1]);
            System.out.println("ANSWER " + (words[0].equals("permit") ? permit(n) : pingpong(n)));
        }
    }
}
