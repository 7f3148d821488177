/* SPDX-License-Identifier: Apache-2.0 */
package wick.bench;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Takes locks, and measures itself how long it waited for them.
 *
 * <p>Argument: `free`, one thread that takes a monitor and a ReentrantLock no other thread takes, 500,000 times a
 * second each, and computes in between; or `fought`, four threads that take the same monitor, and four that take the
 * same ReentrantLock, hold it for a moment and compute; or `turns`, the same for the milliseconds that each line on
 * standard input names, so that all waits are over when it is answered. Each line is answered with the rounds done so
 * far and the nanoseconds spent in taking locks.
 */
public final class Contended {
    private static final int THREADS = 4;
    private static final LongAdder rounds = new LongAdder();
    private static final LongAdder waited = new LongAdder();
    private static final Object monitor = new Object();
    private static final ReentrantLock lock = new ReentrantLock();
    private static volatile boolean fighting = true;
    private static volatile long sink;

    private Contended() {}

    private static long compute(int n, long x) {
        for (int i = 0; i < n; i++) {
            x = x * 6364136223846793005L + 1442695040888963407L;
        }
        return x;
    }

    /** A million locks a second, if the machine can. */
    private static void free() throws InterruptedException {
        long x = 1;
        long begin = System.nanoTime();
        for (long done = 0;; done += 1000) {
            for (int i = 0; i < 500; i++) {
                synchronized (monitor) {
                    x = compute(200, x);
                }
                lock.lock();
                try {
                    x = compute(200, x);
                } finally {
                    lock.unlock();
                }
            }
            sink = x;
            rounds.add(1000);
            long ahead = done * 1000 - (System.nanoTime() - begin);
            if (ahead > 0) {
                Thread.sleep(1 + ahead / 1_000_000);
            } else if (ahead < -100_000_000) {
                begin = System.nanoTime() - done * 1000;
            }
        }
    }

    private static long holdMonitor(long x) {
        long before = System.nanoTime();
        synchronized (monitor) {
            waited.add(System.nanoTime() - before);
            return compute(20_000, x);
        }
    }

    private static long holdLock(long x) {
        long before = System.nanoTime();
        lock.lock();
        try {
            waited.add(System.nanoTime() - before);
            return compute(20_000, x);
        } finally {
            lock.unlock();
        }
    }

    private static void fight(boolean byMonitor) {
        long x = 1;
        while (fighting) {
            x = byMonitor ? holdMonitor(x) : holdLock(x);
            x = compute(20_000, x);
            sink = x;
            rounds.increment();
        }
    }

    private static Thread begin(String name, Runnable body) {
        Thread thread = new Thread(body, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static List<Thread> beginFight() {
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            all.add(begin("monitor-" + i, () -> fight(true)));
            all.add(begin("lock-" + i, () -> fight(false)));
        }
        return all;
    }

    private static void turn(long ms) throws InterruptedException {
        fighting = true;
        List<Thread> all = beginFight();
        Thread.sleep(ms);
        fighting = false;
        for (Thread thread : all) {
            thread.join();
        }
    }

    public static void main(String[] args) throws Exception {
        if (args[0].equals("free")) {
            begin("free", () -> {
                try {
                    free();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        } else if (args[0].equals("fought")) {
            beginFight();
        }
        Thread.sleep(3000);
        System.out.println("READY");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null;) {
            if (args[0].equals("turns")) {
                turn(Long.parseLong(line));
            }
            System.out.println("ANSWER " + rounds.sum() + " " + waited.sum());
        }
    }
}
