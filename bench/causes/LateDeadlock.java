// SPDX-License-Identifier: Apache-2.0
// cause: two locks are taken in either order, which goes well for a while
// expect: stuck cycle=holds
// jdk: 17
import java.util.concurrent.locks.ReentrantLock;

public final class LateDeadlock {
    private static final ReentrantLock STOCK = new ReentrantLock(), ORDERS = new ReentrantLock();
    private static final long BEGIN = System.nanoTime(), GOES_WELL_NS = 7_000_000_000L;
    private static volatile int sold;

    private static void take(ReentrantLock first, ReentrantLock second, int pause) throws InterruptedException {
        first.lock();
        try {
            Thread.sleep(pause);
            second.lock();
            try {
                sold++;
            } finally {
                second.unlock();
            }
        } finally {
            first.unlock();
        }
    }

    private static void sell() {
        try {
            for (;;) {
                take(STOCK, ORDERS, 5);
                Thread.sleep(20);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void restock() {
        try {
            for (;;) {
                boolean well = System.nanoTime() - BEGIN < GOES_WELL_NS;
                take(well ? STOCK : ORDERS, well ? ORDERS : STOCK, 5);
                Thread.sleep(23); // in step with the other one it would never meet it
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        new Thread(LateDeadlock::sell, "seller").start();
        new Thread(LateDeadlock::restock, "restocker").start();
        System.out.println("READY");
    }
}
