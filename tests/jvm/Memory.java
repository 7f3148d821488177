// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Uses memory of each kind. Commands on standard input, each answered with "done":
 *
 * <pre>
 *   heap N        N more MiB of arrays are kept
 *   direct N      a direct buffer of N MiB, all touched
 *   threads N     N more threads sleep, 256 KiB of stack touched by each
 *   loaders N     N more class loaders, each with a class of its own
 *   blocks N SIZE N direct buffers of SIZE bytes
 *   keep N        each N-th of them is kept, 0: the last
 *   map N FILE    N MiB of FILE are mapped and read
 *   free          arrays and loaders are dropped
 *   gc            System.gc()
 * </pre>
 */
public class Memory {
    static final List<Object> kept = new ArrayList<>();
    static long sink;

    /** What loaders load: a class with some methods. */
    public static class Payload {
        public int a(int x) { return x + 1; }

        public int b(int x) { return a(x) * 3; }

        public String c(String s) { return "payload " + s + b(s.length()); }
    }

    static final class Loader extends ClassLoader {
        Loader(byte[] bytes) throws Exception {
            super(Memory.class.getClassLoader());
            kept.add(defineClass("Memory$Payload", bytes, 0, bytes.length).getMethods());
        }
    }

    static final List<ByteBuffer> blocks = new ArrayList<>();

    static void keep(int each) {
        List<ByteBuffer> some = new ArrayList<>();
        for (int i = 0; i < blocks.size(); i++)
            if (each == 0 ? i == blocks.size() - 1 : i % each == 0)
                some.add(blocks.get(i));
        blocks.clear();
        blocks.addAll(some);
    }

    static byte[] payload() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (InputStream in = Memory.class.getResourceAsStream("Memory$Payload.class")) {
            for (int c; (c = in.read()) >= 0;)
                out.write(c);
        }
        return out.toByteArray();
    }

    static void direct(int mib) {
        ByteBuffer b = ByteBuffer.allocateDirect(mib << 20);
        for (int i = 0; i < b.capacity(); i += 4096)
            b.put(i, (byte) 1);
        kept.add(b);
    }

    /** About 100 bytes a frame at least, so 256 KiB after some thousand. */
    static int deep(int n) {
        return n == 0 ? 1 : 1 + deep(n - 1);
    }

    static void threads(int n) throws Exception {
        for (; n > 0; n--) {
            Thread t = new Thread(null, () -> {
                deep(3000);
                synchronized (Memory.class) {
                    Memory.class.notify();
                }
                try {
                    Thread.sleep(1 << 30);
                } catch (InterruptedException e) {
                    return;
                }
            }, "sleeper", 1 << 20);
            t.setDaemon(true);
            synchronized (Memory.class) {
                t.start();
                Memory.class.wait();
            }
        }
    }

    static void map(int mib, String file) throws Exception {
        try (FileChannel c = FileChannel.open(Paths.get(file), StandardOpenOption.READ)) {
            ByteBuffer b = c.map(FileChannel.MapMode.READ_ONLY, 0, (long) mib << 20);
            for (int i = 0; i < b.capacity(); i += 4096)
                sink += b.get(i);
            kept.add(b);
        }
    }

    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("up");
        for (String line; (line = in.readLine()) != null && !line.equals("quit");) {
            String[] w = line.split(" ");
            int n = w.length > 1 ? Integer.parseInt(w[1]) : 0;
            switch (w[0]) {
            case "heap":
                for (int i = 0; i < n * 16; i++)
                    kept.add(new byte[(64 << 10) - 16]);
                break;
            case "direct": direct(n); break;
            case "threads": threads(n); break;
            case "loaders":
                for (byte[] bytes = payload(); n > 0; n--)
                    kept.add(new Loader(bytes));
                break;
            case "map": map(n, w[2]); break;
            case "blocks":
                for (int size = Integer.parseInt(w[2]); n > 0; n--)
                    blocks.add(ByteBuffer.allocateDirect(size));
                break;
            case "keep": keep(n); break;
            case "free": kept.clear(); break;
            case "gc": System.gc(); break;
            default: break;
            }
            System.out.println("done");
        }
    }
}
