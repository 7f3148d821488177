// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedReader;
import java.io.InputStreamReader;

/**
 * Threads that wait for locks of the C library (nativelocks.c) and measure themselves how long. The argument is the library.
 * Commands on standard input:
 *
 * <pre>
 *   run MS THREADS    threads of the library contend for so long; prints what all have measured since the start
 *   java MS           two Java threads contend in a native method
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

    static String told() {
        return "truth " + truth(0) + " " + truth(1) + " " + truth(2);
    }

    static String run(String[] w) throws InterruptedException {
        switch (w[0]) {
            case "run":
                contend(Long.parseLong(w[1]), Integer.parseInt(w[2]));
                return told();
            case "java":
                inJava(Long.parseLong(w[1]));
                return told();
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
