// SPDX-License-Identifier: Apache-2.0

/**
 * A thread that names itself anew for each piece of work: "work-0", "work-1" ... up to "work-11". A piece takes half a second at least,
 * and 100 ms of CPU time however crowded the machine is. Piece i runs in the method
 * work<i % 4>(). Another thread has names in other scripts, and a third makes garbage at the same time.
 */
public final class Renames {
    private static final int KINDS = 4;
    private static volatile long sink;
    private static volatile boolean over;

    private static void burn(int kind) {
        java.lang.management.ThreadMXBean threads = java.lang.management.ManagementFactory.getThreadMXBean();
        long until = System.nanoTime() + 500_000_000L;
        long cpu = threads.getCurrentThreadCpuTime() + 100_000_000L;
        while (System.nanoTime() < until || threads.getCurrentThreadCpuTime() < cpu) {
            for (int i = 0; i < 20_000; i++) {
                sink += i % (kind + 2);
            }
        }
    }

    private static void work0() {
        burn(0);
    }

    private static void work1() {
        burn(1);
    }

    private static void work2() {
        burn(2);
    }

    private static void work3() {
        burn(3);
    }

    private static void rename() {
        String[] spellings = {"plain", "\u00fcber-\u00fc", "\u540d\u524d", "\ud83d\ude00-x"};
        for (int i = 0; !over; i++) {
            Thread.currentThread().setName(spellings[i % spellings.length]);
            long until = System.nanoTime() + 100_000_000L;
            while (System.nanoTime() < until) {
                sink++;
            }
        }
    }

    private static void garbage() throws InterruptedException {
        Object[] kept = new Object[1000];
        for (int i = 0; !over; i++) {
            kept[i % kept.length] = new byte[10_000];
            if (i % 100 == 0) {
                Thread.sleep(1);
            }
            if (i % 10_000 == 0) {
                System.gc();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Runnable[] work = {Renames::work0, Renames::work1, Renames::work2, Renames::work3};
        Thread worker = new Thread(() -> {
            for (int i = 0; i < 3 * KINDS; i++) {
                Thread.currentThread().setName("work-" + i);
                work[i % KINDS].run();
            }
            over = true;
        }, "never seen");
        Thread[] others = {new Thread(Renames::rename, "renamed"), new Thread(() -> {
            try {
                garbage();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }, "garbage")};
        System.out.println("up");
        System.in.read();
        worker.start();
        for (Thread t : others) {
            t.start();
        }
        worker.join();
        System.out.println("done");
        System.in.read();
    }
}
