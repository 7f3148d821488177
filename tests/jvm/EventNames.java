// SPDX-License-Identifier: Apache-2.0

import java.util.concurrent.SynchronousQueue;
import wick.Scope;
import wick.Wick;

/**
 * A thread that names itself anew for each of twelve steps, "work-0" to "work-11", and in each opens a span, waits for the monitor
 * of a thread that is called "owner-0" to "owner-11" then, and runs a loop without a safepoint poll. It rests before it takes the
 * next name, so that what it did was written under this one.
 */
public final class EventNames {
    private static final int STEPS = 12;
    private static final Object LOCK = new Object();
    private static volatile int sink;
    private static volatile boolean over;

    private static int countedLoop(int n, int x) {
        for (int i = 0; i < n; i++) {
            x ^= x << 13;
            x ^= x >>> 17;
            x ^= x << 5;
        }
        return x;
    }

    private static void own(SynchronousQueue<Integer> steps) {
        try {
            for (int i = 0; i < STEPS; i++) {
                Thread.currentThread().setName("owner-" + i);
                synchronized (LOCK) {
                    steps.put(i);
                    Thread.sleep(150);
                }
                steps.put(i); /* the worker had the monitor */
                Thread.sleep(300);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void work(SynchronousQueue<Integer> steps) {
        try {
            sink = countedLoop(200_000_000, 1);
            Thread.sleep(300);
            for (int i = 0; i < STEPS; i++) {
                steps.take();
                Thread.currentThread().setName("work-" + i);
                try (Scope s = Wick.span("step", 7, i + 1)) {
                    synchronized (LOCK) {
                        sink++;
                    }
                    steps.take();
                    sink = countedLoop(200_000_000, i + 1);
                }
                Thread.sleep(300);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void collect() {
        try {
            while (!over) {
                Thread.sleep(50);
                System.gc();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 300; i++) {
            sink = countedLoop(20_000, i + 1);
        }
        SynchronousQueue<Integer> steps = new SynchronousQueue<>();
        Thread worker = new Thread(() -> work(steps), "never seen");
        Thread[] others = {new Thread(() -> own(steps), "not seen"), new Thread(EventNames::collect, "collects")};
        System.out.println("up");
        System.in.read();
        worker.start();
        for (Thread t : others) {
            t.start();
        }
        worker.join();
        over = true;
        System.out.println("done");
        System.in.read();
    }
}
