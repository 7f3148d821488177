// SPDX-License-Identifier: Apache-2.0
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Scanner;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.ArrayDeque;
import wick.Scope;
import wick.Wick;

/**
 * Threads whose scopes other readers are to see. Prints {@code up}; a line of input is a command, answered by {@code done ...}:
 *
 * <pre>
 *   span NAME HIGH LOW SPAN   the thread "driven" opens a span (numbers are hexadecimal)
 *   elsewhere ...             the same by another copy of the library
 *   label KEY VALUE           it opens a label
 *   close                     it closes what it has opened last
 *   free                      the thread "free" begins: spans op0, op1, op2 of which everything follows from their number
 *   virtual N LIBRARY AGENT   N virtual threads compare, by native code, what their carriers publish with what they are doing
 * </pre>
 */
@SuppressWarnings({"try", "deprecation"})
public class Publishes {
    static final SynchronousQueue<String[]> COMMANDS = new SynchronousQueue<>();
    static volatile long sink;
    static Method elsewhere;

    /** The span id that the calling thread publishes, 0 for none. */
    static native long seen(String agent);

    static long number(String s) {
        return Long.parseUnsignedLong(s, 16);
    }

    static AutoCloseable open(String[] c) throws Exception {
        return c[0].equals("elsewhere") ? openElsewhere(c) : c[0].equals("span") ? Wick.span(c[1], number(c[2]), number(c[3]), number(c[4])) : Wick.label(c[1], c[2]);
    }

    /** A span by another copy of the library, in a class loader of its own. */
    static AutoCloseable openElsewhere(String[] c) throws Exception {
        if (elsewhere == null) {
            URL jar = Wick.class.getProtectionDomain().getCodeSource().getLocation();
            elsewhere = Class.forName("wick.Wick", true, new URLClassLoader(new URL[] {jar}, null))
                    .getMethod("span", String.class, long.class, long.class, long.class);
        }
        return (AutoCloseable) elsewhere.invoke(null, c[1], number(c[2]), number(c[3]), number(c[4]));
    }

    static void driven() {
        ArrayDeque<AutoCloseable> open = new ArrayDeque<>();
        try {
            while (true) {
                String[] c = COMMANDS.take();
                if (c[0].equals("close")) {
                    open.pop().close();
                } else {
                    open.push(open(c));
                }
                System.out.println("done " + open.size());
            }
        } catch (Exception e) {
            e.printStackTrace(System.out);
        }
    }

    static void compute(int n) {
        long x = sink | 1;
        for (int i = 0; i < n; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
        }
        sink = x;
    }

    static void free() {
        for (long n = 1;; n++) {
            try (Scope s = Wick.span("op" + n % 3, n, ~n, n << 8 | n % 3)) {
                compute(20_000);
                try (Scope inner = Wick.span("inner", 0, n << 8 | 7); Scope l = Wick.label("remainder", "r" + n % 3)) {
                    compute(20_000);
                }
            }
        }
    }

    static void begin(String name, Runnable body) {
        Thread t = new Thread(body, name);
        t.setDaemon(true);
        t.start();
    }

    // --- virtual threads ---

    static final AtomicLong LOOKS = new AtomicLong();
    static final AtomicLong WRONG = new AtomicLong();
    static volatile String agent;

    static void expect(long span) {
        long is = seen(agent);
        LOOKS.incrementAndGet();
        if (is != span) {
            WRONG.incrementAndGet();
            if (WRONG.get() < 5) {
                System.out.println("wrong: " + Long.toHexString(is) + " instead of " + Long.toHexString(span));
            }
        }
    }

    static void pause(int i) {
        try {
            if (i % 3 == 0) {
                Thread.sleep(1);
            } else {
                Thread.yield();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void virtual(long own) {
        expect(0); // also after another one ended within its scope, on this carrier
        for (int i = 0; i < 5; i++) {
            try (Scope s = Wick.span("virtual", own, own << 8 | i)) {
                expect(own << 8 | i);
                pause(i);
                expect(own << 8 | i);
                pause(i + 1);
                try (Scope inner = Wick.span("inner", 0, own << 8 | 0x80 | i)) {
                    expect(own << 8 | 0x80 | i);
                    pause(i);
                    expect(own << 8 | 0x80 | i);
                }
                expect(own << 8 | i);
            }
            expect(0);
            pause(i);
            expect(0);
        }
        Wick.span("left open", own, own);
    }

    static Object runVirtual(int count) throws Exception {
        CountDownLatch done = new CountDownLatch(count);
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        Method start = Class.forName("java.lang.Thread$Builder").getMethod("start", Runnable.class);
        for (long i = 1; i <= count; i++) {
            long own = i;
            start.invoke(builder, (Runnable) () -> {
                try {
                    virtual(own);
                } finally {
                    done.countDown();
                }
            });
        }
        done.await();
        return LOOKS.get() + " looks, wrong " + WRONG.get();
    }

    public static void main(String[] args) throws Exception {
        Scanner in = new Scanner(System.in);
        begin("driven", Publishes::driven);
        Wick.isRecording(); // the first use of the library begins to publish
        System.out.println("up");
        while (in.hasNextLine()) {
            String[] c = in.nextLine().split(" ");
            if (c[0].equals("free")) {
                begin("free", Publishes::free);
                System.out.println("done");
            } else if (c[0].equals("virtual")) {
                System.load(c[2]);
                agent = c[3];
                System.out.println("done " + runVirtual(Integer.parseInt(c[1])));
            } else {
                COMMANDS.put(c);
            }
        }
    }
}
