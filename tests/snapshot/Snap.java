// SPDX-License-Identifier: Apache-2.0

import java.util.zip.CRC32;

/**
 * Threads in every state that the stepping code knows, for take: a chain of known methods each, none of them deep. Written
 * for JDK 8's language; virtual threads are asked for by name.
 */
public class Snap {
    static volatile long sink;
    static volatile Object kept;
    static final Object lock = new Object();

    abstract static class Shape {
        abstract long area(long x);
    }

    static class Square extends Shape {
        long area(long x) {
            return x * x;
        }
    }

    static class Box extends Shape {
        long area(long x) {
            return x + hold(x);
        }
    }

    static class Disc extends Shape {
        long area(long x) {
            return 3 * x * x + Integer.toString((int) x).hashCode();
        }
    }

    /** Loaded only when the thread "deopt" waits in code that relies on its absence. */
    static class Late extends Base {
        int value() {
            return 2;
        }
    }

    static class Base {
        int value() {
            return 1;
        }
    }

    static long hold(long x) {
        synchronized (lock) {
            return sink = x;
        }
    }

    static long many(Shape[] shapes, long x) {
        long sum = 0;
        for (Shape s : shapes)
            sum += s.area(x);
        return sum;
    }

    static void shapes() {
        Shape[] shapes = {new Square(), new Box(), new Disc()};
        for (long i = 0;; i++)
            sink += many(shapes, i);
    }

    /** -XX:CompileCommand=exclude: always interpreted, with compiled callees and null checks by signal. */
    static long slow(int n, String none, long[] in) {
        if (n > 0)
            return slow(n - 1, none, in) + quick(in);
        try {
            return none.length();
        } catch (NullPointerException e) {
            return quick(in);
        }
    }

    static long quick(long[] in) {
        long sum = 0;
        for (int i = 0; i < in.length; i++)
            sum = sum * 31 + in[i];
        return sum;
    }

    static void interpreted() {
        long[] in = new long[64];
        while (true)
            sink += slow(3, null, in);
    }

    static void stubs() {
        byte[] a = new byte[1 << 16], b = new byte[1 << 16];
        CRC32 crc = new CRC32();
        while (true) {
            System.arraycopy(a, 1, b, 2, 60000);
            crc.update(b, 0, b.length);
            sink += crc.getValue() + (long) Math.sin(sink) + (long) Math.pow(sink, 1.5);
        }
    }

    static void allocates() {
        for (int i = 0;; i++)
            kept = i % 64 == 0 ? new byte[1 << 16] : (Object) ("x" + i);
    }

    static void calls() {
        while (true) {
            Thread.yield();
            sink += Thread.currentThread().isInterrupted() ? 1 : StackTrace.depth();
        }
    }

    static class StackTrace {
        static int depth() {
            return new Throwable().hashCode();
        }
    }

    static int rely(Base b, int n, boolean wait) {
        if (n == 0)
            return wait ? rest(b) : b.value();
        return rely(b, n - 1, wait) + b.value();
    }

    static int rest(Base b) {
        synchronized (lock) {
            kept = b;
        }
        try {
            Thread.sleep(3_600_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return 0;
    }

    static void deopt() {
        Base b = new Base();
        for (int i = 0; i < 200_000; i++)
            sink += rely(b, 3, false);
        rely(b, 3, true);
    }

    static void burn() {
        long x = 1;
        for (int i = 0; i < 300_000; i++)
            x = x * 31 + (i ^ x);
        sink += x;
    }

    static void virtual() {
        try {
            while (true) {
                burn();
                Thread.sleep(1);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static int down(int n, long a, long b, long c, long d, long e, long f, long g) {
        if (n == 0)
            virtual();
        else
            return down(n - 1, b, c, d, e, f, g, a) + 1;
        return 1;
    }

    static Thread start(String name, Runnable run) {
        Thread t = new Thread(run, name);
        t.setDaemon(true);
        t.start();
        return t;
    }

    public static void main(String[] args) throws Exception {
        Thread deopt = start("deopt", Snap::deopt);
        start("shapes", Snap::shapes);
        start("shapes2", Snap::shapes);
        start("interp", Snap::interpreted);
        start("stubs", Snap::stubs);
        start("alloc", Snap::allocates);
        start("calls", Snap::calls);
        try {
            for (int i = 0; i < 3; i++)
                Thread.class.getMethod("startVirtualThread", Runnable.class)
                        .invoke(null, (Runnable) () -> down(5, 1, 2, 3, 4, 5, 6, 7));
        } catch (NoSuchMethodException e) {
            System.out.println("without virtual threads");
        }
        while (deopt.getState() != Thread.State.TIMED_WAITING)
            Thread.sleep(50);
        kept = new Late();
        System.out.println("up");
        while (true) {
            Thread.sleep(20);
            System.gc();
        }
    }
}
