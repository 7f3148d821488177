// SPDX-License-Identifier: Apache-2.0
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import wick.Scope;
import wick.Wick;

/**
 * Threads that have a context always, half of the time, once, or never. Prints {@code up}, then obeys lines on standard input:
 *
 * <pre>
 *   go        the threads `always`, `half` and `once` begin; answered when each has opened its first scope
 *   early     a thread of that name opens a span and a label in it and computes half of the time; answered when it has
 *   virtual   eight virtual threads compute in a scope, in turn; answered when they are done
 * </pre>
 */
@SuppressWarnings("try")
public class Contexts {
    static volatile long sink;

    static void rest(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void always(CountDownLatch begun) {
        try (Scope s = Wick.span("GET /always", 1, 1)) {
            begun.countDown();
            rest(1_000_000);
        }
    }

    static void half(CountDownLatch begun) {
        for (long n = 1;; n++) {
            try (Scope s = Wick.span("GET /half", 2, n); Scope who = Wick.label("customer", "big")) {
                begun.countDown();
                rest(30);
            }
            rest(30);
        }
    }

    static void once(CountDownLatch begun) {
        Wick.span("GET /once", 3, 3).close();
        begun.countDown();
        never();
    }

    static void never() {
        while (true)
            LockSupport.park();
    }

    static void early(CountDownLatch begun) {
        try (Scope s = Wick.span("GET /early", 5, 5); Scope who = Wick.label("customer", "early")) {
            begun.countDown();
            while (true) {
                for (long end = System.nanoTime() + 5_000_000; System.nanoTime() < end;)
                    sink++;
                rest(5);
            }
        }
    }

    static void goEarly() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        thread("early", () -> early(begun));
        begun.await();
    }

    static void thread(String name, Runnable body) {
        Thread t = new Thread(body, name);
        t.setDaemon(true);
        t.start();
    }

    static void go() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(3);
        thread("always", () -> always(begun));
        thread("half", () -> half(begun));
        thread("once", () -> once(begun));
        begun.await();
    }

    /** Compiled for Java 8, so by name. */
    static void virtual() throws Exception {
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        ThreadFactory factory = (ThreadFactory) Class.forName("java.lang.Thread$Builder").getMethod("factory").invoke(builder);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            long id = i + 1;
            Thread t = factory.newThread(() -> {
                try (Scope s = Wick.span("GET /virtual", 4, id)) {
                    for (long end = System.nanoTime() + 200_000_000; System.nanoTime() < end;)
                        sink++;
                }
            });
            t.start();
            t.join();
        }
    }

    public static void main(String[] args) throws Exception {
        thread("never", Contexts::never);
        Wick.isRecording();
        System.out.println("up");
        Scanner in = new Scanner(System.in);
        while (in.hasNextLine()) {
            String line = in.nextLine();
            if (line.equals("go"))
                go();
            else if (line.equals("early"))
                goEarly();
            else if (line.equals("virtual"))
                virtual();
            System.out.println("done " + line);
        }
    }
}
