// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.Inflater;

/**
 * Threads that wait for locks of the C library (nativelocks.c) and measure themselves how long. The argument is the library.
 * Commands on standard input:
 *
 * <pre>
 *   run MS THREADS    threads of the library contend for so long; prints what all have measured since the start
 *   java MS           two Java threads contend in a native method
 *   locks MS          two Java threads contend for a monitor and for a ReentrantLock
 *   slow N            so many collections, each while a thread is in a loop; where loops do not poll they wait for it
 *   allocate          a thread allocates from now on, in the heap, where some of it stays, and by malloc
 *   open PATH         opens a copy of the library
 *   copy MS THREADS   threads of the copy contend
 *   churn PATH        begins to open and close a copy, again and again; rest ends it
 *   quick N           so many uncontended locks; prints the time they took
 * </pre>
 */
public class NativeLocks {
    static native void contend(long ms, int threads);

    static native long truth(int kind);

    static native void take(long holdUs);

    static native long quick(long n);

    static native boolean open(String path);

    static native long contendInCopy(long ms, int threads);

    static native boolean churn(String path);

    static native void rest();

    static void takeInJava() {
        take(2000);
    }

    static void inJava(long ms) throws InterruptedException {
        long end = System.nanoTime() + ms * 1_000_000;
        Thread[] threads = new Thread[2];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                while (System.nanoTime() < end)
                    takeInJava();
            }, "java-" + i);
            threads[i].start();
        }
        for (Thread t : threads)
            t.join();
    }

    static void contendFor(Object monitor, ReentrantLock lock, long end) {
        while (System.nanoTime() < end) {
            synchronized (monitor) {
                hold();
            }
            lock.lock();
            try {
                hold();
            } finally {
                lock.unlock();
            }
        }
    }

    static void hold() {
        LockSupport.parkNanos(2_000_000);
    }

    static void inLocks(long ms) throws InterruptedException {
        long end = System.nanoTime() + ms * 1_000_000;
        Object monitor = new Object();
        ReentrantLock lock = new ReentrantLock();
        Thread other = new Thread(() -> contendFor(monitor, lock, end), "locks-0");
        other.start();
        contendFor(monitor, lock, end);
        other.join();
    }

    static void allocate() {
        byte[][] kept = new byte[500][];
        for (int i = 0; true; i++) {
            kept[i % kept.length] = new byte[20_000];
            new Inflater().end();
            LockSupport.parkNanos(500_000);
        }
    }

    static volatile boolean slow;
    static volatile int sink;

    static int loop(int n, int x) {
        for (int i = 0; i < n; i++) {
            x ^= x << 13;
            x ^= x >>> 17;
            x ^= x << 5;
        }
        return x;
    }

    static void collect(int n) throws InterruptedException {
        Thread t = new Thread(() -> {
            for (int i = 0; i < 300; i++)
                sink = loop(20_000, i);
            while (slow)
                sink = loop(200_000_000, sink);
        }, "slow");
        slow = true;
        t.start();
        for (; n > 0; n--) {
            Thread.sleep(100);
            System.gc();
        }
        slow = false;
        t.join();
    }

    static String answer() {
        return "truth " + truth(0) + " " + truth(1) + " " + truth(2) + " " + truth(3);
    }

    static String run(String[] w) throws InterruptedException {
        switch (w[0]) {
            case "run":
                contend(Long.parseLong(w[1]), Integer.parseInt(w[2]));
                return answer();
            case "java":
                inJava(Long.parseLong(w[1]));
                return answer();
            case "locks":
                inLocks(Long.parseLong(w[1]));
                return answer();
            case "slow":
                collect(Integer.parseInt(w[1]));
                return "collected";
            case "allocate":
                Thread t = new Thread(NativeLocks::allocate, "allocates");
                t.setDaemon(true);
                t.start();
                return "allocating";
            case "open":
                return "opened " + open(w[1]);
            case "copy":
                return "copied " + contendInCopy(Long.parseLong(w[1]), Integer.parseInt(w[2]));
            case "churn":
                return "churning " + churn(w[1]);
            case "rest":
                rest();
                return "rested";
            case "quick":
                return "took " + quick(Long.parseLong(w[1]));
            default:
                return "unknown";
        }
    }

    public static void main(String[] args) throws Exception {
        System.load(args[0]);
        System.out.println("up");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine())
            System.out.println(run(line.split(" ")));
    }
}
