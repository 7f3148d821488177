// SPDX-License-Identifier: Apache-2.0
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.Deflater;

/**
 * Everything that makes a stack hard to walk, together: classes that come and go (throw-away loaders, hidden classes),
 * code that is compiled and thrown away, threads that live for a moment, exceptions, virtual threads, collections. And
 * what the engines for memory and locks follow: objects that live for a while, native memory, threads that wait for
 * one another. All of it reaches a steady state within seconds, so that what grows after that is not the program's.
 *
 * <p>Argument: seconds; a line on its standard input ends it before. Prints a line {@code progress ...} each second and
 * {@code done ...} at the end, with what each kind of work has achieved: a thread that was lost shows as a count that
 * does not move.
 */
public class Stress {
    static final AtomicLong loaded = new AtomicLong(), deopts = new AtomicLong(), threads = new AtomicLong(),
            thrown = new AtomicLong(), virtuals = new AtomicLong(), garbage = new AtomicLong(), lost = new AtomicLong(),
            kept = new AtomicLong(), natives = new AtomicLong(), fights = new AtomicLong();
    static volatile boolean stop;
    static volatile Object sink;

    /** What throw-away loaders load again and again. */
    public static class Worker implements Runnable {
        static long state = 1;

        public void run() {
            for (int i = 0; i < 3000; i++) {
                state = mix(state, i);
            }
        }

        static long mix(long x, int i) {
            return Long.rotateLeft(x * 0x9e3779b97f4a7c15L, 13) ^ i;
        }
    }

    static class ThrowAway extends ClassLoader {
        ThrowAway() {
            super(Stress.class.getClassLoader());
        }

        Class<?> define(byte[] b) {
            return defineClass("Stress$Worker", b, 0, b.length);
        }
    }

    public interface Shape {
        double area();
    }

    static byte[] bytesOf(String name) throws Exception {
        try (InputStream in = Stress.class.getResourceAsStream(name)) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            byte[] buf = new byte[4096];
            for (int n; (n = in.read(buf)) > 0; ) {
                out.write(buf, 0, n);
            }
            return out.toByteArray();
        }
    }

    static void loaders() throws Exception {
        byte[] code = bytesOf("Stress$Worker.class");
        Method hidden = null;
        Object options = null;
        try {
            Class<?> option = Class.forName("java.lang.invoke.MethodHandles$Lookup$ClassOption");
            options = Array.newInstance(option, 0);
            hidden = MethodHandles.Lookup.class.getMethod("defineHiddenClass", byte[].class, boolean.class,
                    options.getClass());
        } catch (ReflectiveOperationException e) {
            // before JDK 15
        }
        for (int i = 0; !stop; i++) {
            Class<?> c = hidden != null && i % 2 == 0
                    ? ((MethodHandles.Lookup) hidden.invoke(MethodHandles.lookup(), code, true, options)).lookupClass()
                    : new ThrowAway().define(code);
            Runnable r = (Runnable) c.getDeclaredConstructor().newInstance();
            for (int k = 0; k < 4; k++) {
                r.run();
            }
            loaded.incrementAndGet();
            if (i % 300 == 299) {
                System.gc(); // unloads
            }
        }
    }

    public static double total(Shape[] shapes) {
        double sum = 0;
        for (Shape s : shapes) {
            sum += s.area();
        }
        return sum;
    }

    /** Each class that turns up at a call site after it was compiled for others makes the code invalid. */
    static void deoptimise() throws Exception {
        byte[] code = bytesOf("Stress$Square.class");
        byte[] caller = bytesOf("Stress$Caller.class");
        while (!stop) {
            // A caller of its own, so that there is always code that was compiled for one receiver only.
            ClassLoader l = new ClassLoader(Stress.class.getClassLoader()) {
                protected Class<?> loadClass(String n, boolean resolve) throws ClassNotFoundException {
                    synchronized (this) {
                        Class<?> c = findLoadedClass(n);
                        if (c == null && n.equals("Stress$Square")) {
                            c = defineClass(n, code, 0, code.length);
                        } else if (c == null && n.equals("Stress$Caller")) {
                            c = defineClass(n, caller, 0, caller.length);
                        }
                        return c != null ? c : super.loadClass(n, resolve);
                    }
                }
            };
            Caller0 call = (Caller0) l.loadClass("Stress$Caller").getDeclaredConstructor().newInstance();
            Shape one = (Shape) l.loadClass("Stress$Square").getDeclaredConstructor().newInstance();
            Shape[] same = {one, one, one, one};
            for (int i = 0; i < 6000; i++) {
                sink = call.total(same);
            }
            Shape[] mixed = {one, new Circle(), null, one};
            for (int i = 0; i < 50; i++) {
                try {
                    sink = call.total(mixed);
                } catch (NullPointerException e) {
                    thrown.incrementAndGet();
                }
            }
            deopts.incrementAndGet();
        }
    }

    public interface Caller0 {
        double total(Shape[] shapes);
    }

    public static class Caller implements Caller0 {
        public double total(Shape[] shapes) {
            return Stress.total(shapes) + inner(shapes);
        }

        double inner(Shape[] shapes) {
            double sum = 0;
            for (Shape s : shapes) {
                sum += s.area() * 2;
            }
            return sum;
        }
    }

    public static class Square implements Shape {
        public double area() {
            return 4;
        }
    }

    public static class Circle implements Shape {
        public double area() {
            return 3;
        }
    }

    static void spawn() throws Exception {
        for (int n = 0; !stop; n++) {
            CountDownLatch all = new CountDownLatch(8);
            for (int i = 0; i < 8; i++) {
                Thread t = new Thread(() -> {
                    new Worker().run();
                    threads.incrementAndGet();
                    all.countDown();
                }, "churn-" + n + "-" + i);
                t.start();
            }
            if (!all.await(60, TimeUnit.SECONDS)) {
                lost.incrementAndGet();
            }
        }
    }

    static int dive(int depth) {
        if (depth == 0) {
            throw new IllegalStateException("bottom");
        }
        try {
            return dive(depth - 1) + 1;
        } finally {
            thrown.incrementAndGet();
        }
    }

    static int overflow(int n) {
        return overflow(n + 1) + 1;
    }

    static void exceptions() {
        for (int i = 0; !stop; i++) {
            try {
                sink = dive(40);
            } catch (IllegalStateException e) {
                sink = e.getStackTrace();
            }
            if (i % 500 == 0) {
                try {
                    overflow(0);
                } catch (StackOverflowError e) {
                    thrown.incrementAndGet();
                }
            }
        }
    }

    static void virtual() throws Exception {
        Method start;
        try {
            start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        } catch (NoSuchMethodException e) {
            return;
        }
        while (!stop) {
            CountDownLatch all = new CountDownLatch(50);
            for (int i = 0; i < 50; i++) {
                start.invoke(null, (Runnable) () -> {
                    new Worker().run();
                    Thread.yield();
                    try {
                        Thread.sleep(1);
                    } catch (InterruptedException e) {
                        return;
                    }
                    new Worker().run();
                    virtuals.incrementAndGet();
                    all.countDown();
                });
            }
            if (!all.await(60, TimeUnit.SECONDS)) {
                lost.incrementAndGet();
            }
        }
    }

    static void allocate() {
        Object[] keep = new Object[1000];
        for (int i = 0; !stop; i++) {
            keep[i % keep.length] = new byte[1000 + i % 5000];
            garbage.incrementAndGet();
            if (i % 2000 == 0) {
                Thread.yield();
            }
        }
        sink = keep;
    }

    /** Objects of all sizes that live for up to a few collections, some of them much longer. */
    static void keep() throws Exception {
        Random random = new Random(1);
        Map<Integer, Object[]> map = new HashMap<>();
        for (int i = 0; !stop; i++) {
            Object[] entry = new Object[random.nextInt(32)];
            for (int k = 0; k < entry.length; k++) {
                entry[k] = random.nextInt(1000) == 0 ? new byte[100_000] : new int[random.nextInt(100)];
            }
            map.put((int) (Math.pow(random.nextDouble(), 4) * 8000), entry);
            kept.incrementAndGet();
            if (i % 200 == 0) {
                Thread.sleep(1);
            }
        }
        sink = map;
    }

    /** Direct buffers that the collector frees, and memory of the C library that is freed at once. */
    static void natives() throws Exception {
        ByteBuffer[] some = new ByteBuffer[64];
        byte[] text = new byte[10_000], out = new byte[20_000];
        for (int i = 0; !stop; i++) {
            some[i % some.length] = ByteBuffer.allocateDirect(1000 + i % 30_000);
            Deflater d = new Deflater();
            d.setInput(text);
            d.finish();
            natives.addAndGet(d.deflate(out) > 0 ? 1 : 0);
            d.end();
            if (i % 20 == 0) {
                Thread.sleep(1);
            }
        }
        sink = some;
    }

    static final Object MONITOR = new Object();
    static final ReentrantLock LOCK = new ReentrantLock();

    static void fight() throws Exception {
        Worker work = new Worker();
        while (!stop) {
            synchronized (MONITOR) {
                work.run();
            }
            LOCK.lock();
            try {
                work.run();
            } finally {
                LOCK.unlock();
            }
            fights.incrementAndGet();
            Thread.sleep(0, 100_000);
        }
    }

    interface Job {
        void run() throws Exception;
    }

    static Thread go(String name, Job job) {
        Thread t = new Thread(() -> {
            try {
                job.run();
            } catch (Throwable e) {
                e.printStackTrace();
                lost.incrementAndGet();
            }
        }, name);
        t.start();
        return t;
    }

    static String counts() {
        return "loaded=" + loaded + " deopts=" + deopts + " threads=" + threads + " thrown=" + thrown + " virtual="
                + virtuals + " garbage=" + garbage + " kept=" + kept + " natives=" + natives + " fights=" + fights + " lost=" + lost;
    }

    public static void main(String[] args) throws Exception {
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000L;
        Thread[] all = {go("loaders", Stress::loaders), go("deoptimise", Stress::deoptimise), go("spawn", Stress::spawn),
            go("exceptions", Stress::exceptions), go("virtual", Stress::virtual), go("allocate", Stress::allocate),
            go("keep", Stress::keep), go("natives", Stress::natives), go("fight-1", Stress::fight),
            go("fight-2", Stress::fight)};
        while (System.nanoTime() < end && System.in.available() == 0) {
            Thread.sleep(1000);
            System.out.println("progress " + counts());
        }
        stop = true;
        for (Thread t : all) {
            t.join(60_000);
            if (t.isAlive()) {
                lost.incrementAndGet();
                System.out.println("hangs: " + t.getName());
            }
        }
        System.out.println("done " + counts());
        System.exit(0);
    }
}
