// SPDX-License-Identifier: Apache-2.0
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;

/** A heap with things planted in it: what holds them is known. */
public class Heap {
    static final Map<String, Entry> CACHE = new HashMap<>();
    static final List<Listener> LISTENERS = new ArrayList<>();
    static final ThreadLocal<Held> LOCAL = new ThreadLocal<>();
    static final List<String> TEXTS = new ArrayList<>();
    static final List<Slice> SLICES = new ArrayList<>();
    static final LinkedList<Integer> CHAIN = new LinkedList<>();
    static final Map<String, Object> OLD_APPLICATIONS = new HashMap<>();
    static WeakReference<Weak> weak;

    static class Entry {
        final byte[] data = new byte[1000];
    }

    static class Listener {
        final char[] data = new char[500];
    }

    static class Slice {
        final ByteBuffer part;

        Slice(ByteBuffer part) { this.part = part; }
    }

    static class Held {
        final long[] data = new long[60000];
    }

    static class Stacked {
        final int[] data = new int[20000];
    }

    static class Weak {
        final byte[] data = new byte[70000];
    }

    /** What each loader below defines anew. */
    public static class Application {
        static final short[] STATE = new short[30000];
    }

    static class Loader extends ClassLoader {
        Loader() {
            super(null);
        }

        Class<?> define() throws Exception {
            try (InputStream in = Heap.class.getResourceAsStream("Heap$Application.class")) {
                byte[] code = new byte[100000];
                int n = 0;
                for (int more; (more = in.read(code, n, code.length - n)) > 0; n += more) {
                }
                return defineClass("Heap$Application", code, 0, n);
            }
        }
    }

    static void worker(Object ready) {
        LOCAL.set(new Held());
        Stacked local = new Stacked();
        try {
            synchronized (ready) {
                ready.notify();
                ready.wait();
            }
        } catch (InterruptedException e) {
            return;
        }
        System.out.println(local.data.length);
    }

    static void plant(Object ready) throws Exception {
        for (int i = 0; i < 1500; i++) {
            CACHE.put("key-" + i, new Entry());
            LISTENERS.add(new Listener());
            TEXTS.add(new String("a text that is there again and again"));
            CHAIN.add(10000 + i);
            ByteBuffer whole = ByteBuffer.allocate(300);
            whole.limit(i % 2 == 0 ? 20 : 150); // the latter are not small
            SLICES.add(new Slice(whole.slice()));
        }
        for (int i = 0; i < 3; i++) {
            OLD_APPLICATIONS.put("version " + i, new Loader().define().getConstructor().newInstance());
        }
        weak = new WeakReference<>(new Weak());
        Thread t = new Thread(() -> worker(ready), "pool-worker");
        t.setDaemon(true);
        synchronized (ready) {
            t.start();
            ready.wait();
        }
    }

    public static void main(String[] args) throws Exception {
        plant(new Object());
        System.out.println("up");
        System.in.read();
    }
}
