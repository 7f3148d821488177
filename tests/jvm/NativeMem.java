// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Native memory that is allocated in known amounts (nativemem.c). The argument is the library. Commands on standard input:
 *
 * <pre>
 *   leak SITE N BYTES      N blocks that are kept; SITE: number of the function in the library
 *   balance N BYTES        N that are freed at once
 *   direct N BYTES         direct buffers that are kept
 *   unsafe N BYTES         blocks of Unsafe that are kept
 *   arena N BYTES          segments of arenas of the JDK (22 and later) that are kept
 *   threads N BYTES        threads with stacks of that size, which wait until they are freed
 *   refer N                global references of JNI, which stay
 *   move BYTES             moves the end of the data segment
 *   free                   all that was kept is freed
 *   open PATH, copy N BYTES     opens a copy of the library; it leaks
 *   stress PATH MS         threads, signals, libraries and processes that come and go
 *   pairs N BYTES SPREAD   time of N pairs of malloc and free
 * </pre>
 */
public class NativeMem {
    static native void leak(int site, long n, long bytes);

    static native void balance(long n, long bytes);

    static native void refer(long n);

    static native void move(long bytes);

    static native void giveBack();

    static native boolean open(String path);

    static native void leakInCopy(long n, long bytes);

    static native void stress(String copy, long ms);

    static native long pairs(long n, long bytes, boolean spread);

    static final List<ByteBuffer> buffers = new ArrayList<>();
    static final List<Long> addresses = new ArrayList<>();
    static final List<Thread> threads = new ArrayList<>();
    static Object arena;

    /** A method of Unsafe, which javac does not show. */
    static long unsafe(String method, long argument) {
        try {
            Class<?> c = Class.forName("sun.misc.Unsafe");
            Field f = c.getDeclaredField("theUnsafe");
            f.setAccessible(true);
            Object answer = c.getMethod(method, long.class).invoke(f.get(null), argument);
            return answer == null ? 0 : (Long) answer;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    static void keepDirect(long n, int bytes) {
        for (long i = 0; i < n; i++)
            buffers.add(ByteBuffer.allocateDirect(bytes));
    }

    static void keepUnsafe(long n, long bytes) {
        for (long i = 0; i < n; i++)
            addresses.add(unsafe("allocateMemory", bytes));
    }

    static void keepThreads(long n, long bytes) {
        for (long i = 0; i < n; i++) {
            Thread t = new Thread(null, () -> {
                try {
                    Thread.sleep(1 << 30);
                } catch (InterruptedException e) {
                    return;
                }
            }, "kept", bytes);
            t.setDaemon(true);
            t.start();
            threads.add(t);
        }
    }

    static void endThreads() throws InterruptedException {
        for (Thread t : threads)
            t.interrupt();
        for (Thread t : threads)
            t.join();
        threads.clear();
    }

    static void keepReferences(long n) {
        refer(n);
    }

    static void moveInJava(long bytes) {
        move(bytes);
    }

    /** Of one java.lang.foreign.Arena, which javac does not show. */
    static void keepArena(long n, long bytes) {
        try {
            Class<?> c = Class.forName("java.lang.foreign.Arena");
            Method allocate = c.getMethod("allocate", long.class);
            if (arena == null)
                arena = c.getMethod("ofShared").invoke(null);
            for (long i = 0; i < n; i++)
                allocate.invoke(arena, bytes);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    static void closeArena() {
        try {
            if (arena != null)
                Class.forName("java.lang.foreign.Arena").getMethod("close").invoke(arena);
            arena = null;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    static void free() throws InterruptedException {
        giveBack();
        endThreads();
        closeArena();
        for (long a : addresses)
            unsafe("freeMemory", a);
        addresses.clear();
        buffers.clear();
        System.gc();
    }

    static void leakInJava(int site, long n, long bytes) {
        leak(site, n, bytes);
    }

    static String run(String[] w) throws InterruptedException {
        switch (w[0]) {
            case "leak":
                leakInJava(Integer.parseInt(w[1]), Long.parseLong(w[2]), Long.parseLong(w[3]));
                break;
            case "balance":
                balance(Long.parseLong(w[1]), Long.parseLong(w[2]));
                break;
            case "direct":
                keepDirect(Long.parseLong(w[1]), Integer.parseInt(w[2]));
                break;
            case "unsafe":
                keepUnsafe(Long.parseLong(w[1]), Long.parseLong(w[2]));
                break;
            case "arena":
                keepArena(Long.parseLong(w[1]), Long.parseLong(w[2]));
                break;
            case "threads":
                keepThreads(Long.parseLong(w[1]), Long.parseLong(w[2]));
                break;
            case "refer":
                keepReferences(Long.parseLong(w[1]));
                break;
            case "move":
                moveInJava(Long.parseLong(w[1]));
                break;
            case "free":
                free();
                break;
            case "open":
                return "done " + open(w[1]);
            case "copy":
                leakInCopy(Long.parseLong(w[1]), Long.parseLong(w[2]));
                break;
            case "stress":
                stress(w[1], Long.parseLong(w[2]));
                return "stressed";
            case "pairs":
                return "took " + pairs(Long.parseLong(w[1]), Long.parseLong(w[2]), Boolean.parseBoolean(w[3]));
            default:
                return "unknown";
        }
        return "done";
    }

    public static void main(String[] args) throws Exception {
        System.load(args[0]);
        System.out.println("up");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null;)
            System.out.println(run(line.split(" ")));
    }
}
