// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import wick.Scope;
import wick.Wick;

/**
 * Virtual threads with scopes of wick.jar open. Prints {@code up}, then obeys lines on standard input, each answered by one
 * line. Written for JDK 8's language; virtual threads are asked for by name.
 *
 * <pre>
 *   wait N         N threads that wait in a span "GET /wait" of trace 1000 + i with a label, until `go`
 *   go             lets them go on; answers how many came to their end
 *   pin MS         a thread that sleeps so long while it holds a monitor, in "GET /pin"
 *   class MS       one that does so in a class's initialiser, in "GET /class": no JDK unmounts that
 *   spin MS        one that computes, in "GET /spin"
 *   leak           one that ends with its scope open
 *   churn N        keeps N threads alive until the next line, each of which opens a span and waits a little, then gives way to a
 *                  new one; answers how many spans were closed
 *   exit           System.exit
 * </pre>
 */
@SuppressWarnings("try")
public class VScopes {
    static final BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    static volatile long sink;
    static CountDownLatch ready;
    static CountDownLatch go;
    static CountDownLatch ended;

    static final class Slow {
        static {
            rest(classMillis);
        }

        static void touch() {}
    }

    static volatile long classMillis;

    static ThreadFactory factory() throws Exception {
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        builder = Class.forName("java.lang.Thread$Builder$OfVirtual").getMethod("name", String.class, long.class)
                .invoke(builder, "task-", 0L);
        return (ThreadFactory) Class.forName("java.lang.Thread$Builder").getMethod("factory").invoke(builder);
    }

    static void rest(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void hold() {
        ready.countDown();
        try {
            go.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static String waiting(int n) throws Exception {
        ThreadFactory f = factory();
        ready = new CountDownLatch(n);
        go = new CountDownLatch(1);
        ended = new CountDownLatch(n);
        for (int i = 0; i < n; i++) {
            long id = 1000 + i;
            f.newThread(() -> {
                try (Scope s = Wick.span("GET /wait", id, id + 1); Scope l = Wick.label("half", id % 2 == 0 ? "even" : "odd")) {
                    hold();
                }
                ended.countDown();
            }).start();
        }
        ready.await();
        return n + " wait";
    }

    /** A thread that is in `operation` for so long; returns when it has begun. */
    static String in(String operation, Runnable work) throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        factory().newThread(() -> {
            try (Scope s = Wick.span(operation, 7, 8)) {
                begun.countDown();
                work.run();
            }
        }).start();
        begun.await();
        return operation;
    }

    static void pinned(long ms) {
        Object monitor = new Object();
        synchronized (monitor) {
            rest(ms);
        }
    }

    static void spin(long ms) {
        long end = System.nanoTime() + ms * 1_000_000, x = sink;
        while (System.nanoTime() < end)
            for (int i = 0; i < 1000; i++)
                x = x * 31 + i;
        sink = x;
    }

    static String leak() throws Exception {
        Thread t = factory().newThread(() -> Wick.span("GET /leak", 9, 10));
        t.start();
        t.join();
        return "leak";
    }

    static String churn(int n) throws Exception {
        ThreadFactory f = factory();
        AtomicLong closed = new AtomicLong(), alive = new AtomicLong();
        for (long i = 1; !in.ready(); i++) {
            while (alive.get() >= n && !in.ready())
                LockSupport.parkNanos(1_000_000);
            long id = i;
            alive.incrementAndGet();
            f.newThread(() -> {
                try (Scope s = Wick.span("GET /churn", id, id)) {
                    rest(id % 1000);
                }
                closed.incrementAndGet();
                alive.decrementAndGet();
            }).start();
        }
        while (alive.get() > 0)
            rest(10);
        in.readLine();
        return closed + " closed";
    }

    static String obey(String[] word) throws Exception {
        long number = word.length > 1 ? Long.parseLong(word[1]) : 0;
        switch (word[0]) {
        case "wait":
            return waiting((int) number);
        case "go":
            go.countDown();
            ended.await();
            return "gone";
        case "pin":
            return in("GET /pin", () -> pinned(number));
        case "class":
            classMillis = number;
            return in("GET /class", Slow::touch);
        case "spin":
            return in("GET /spin", () -> spin(number));
        case "leak":
            return leak();
        case "churn":
            return churn((int) number);
        case "exit":
            System.exit(0);
            return "";
        default:
            return "unknown";
        }
    }

    public static void main(String[] args) throws Exception {
        Wick.isRecording();
        System.out.println("up");
        for (String line; (line = in.readLine()) != null;)
            System.out.println("answer " + obey(line.split(" ")));
    }
}
