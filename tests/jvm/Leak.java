// SPDX-License-Identifier: Apache-2.0
import java.lang.ref.SoftReference;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A service that leaks in one way, 20 times a second. It only allocates, and drops what it allocated, until a line comes
 * on its standard input, so that the leak begins with the recording; and it leaks no more after 20 s and a bit
 * (MOST_TICKS), so that one that is stopped late has not come to its limits. With an OutOfMemoryError it goes on, full as
 * it is, and fails again and again. -Dticks=N has it leak for longer.
 *
 * <pre>
 *   map BYTES          entries of a map
 *   soft BYTES         entries of a map, by soft references, by the clock and not by how often it gets a CPU; 56 MiB at most
 *   listeners BYTES    listeners in a list
 *   locals BYTES       a ThreadLocal of each thread of a pool holds more and more
 *   threads            threads that sleep
 *   loaders            class loaders, each with a class of its own
 *   direct BYTES       direct buffers
 *   files FILE         mappings of a file, read
 *   malloc BYTES LIB   blocks of native code (nativemem.c)
 *   mmap BYTES LIB     mappings of native code
 *   slices BYTES       slices of 64 bytes, each of a byte buffer of its own
 *   room BYTES         lists of one element with room for a thousand
 *   texts BYTES        strings of ten different texts
 *   none BYTES         nothing: it allocates, and drops what it allocated
 *   bursts BYTES       nothing in the long run: what it keeps, with direct buffers, is dropped every two seconds
 * </pre>
 */
public class Leak {
    static final Map<Integer, byte[]> map = new HashMap<>();
    static final Map<Integer, SoftReference<byte[]>> soft = new HashMap<>();
    static final List<Runnable> listeners = new ArrayList<>();
    static final List<Object> kept = new ArrayList<>();
    static final ThreadLocal<List<byte[]>> local = ThreadLocal.withInitial(ArrayList::new);
    static final int WARM_TICKS = 60, MOST_TICKS = Integer.getInteger("ticks", 560);
    static volatile Object sink;
    static byte[] reserve = new byte[2 << 20]; // what a JVM that is full needs to be attached to
    static long sum, began;

    static final class Listener implements Runnable {
        final byte[] state;

        Listener(int size) { state = new byte[size]; }

        @Override
        public void run() { sum += state.length; }
    }

    static final class Message {
        final ByteBuffer head;

        Message(ByteBuffer head) { this.head = head; }
    }

    /** Allocates the bytes in pieces of 4 KiB. */
    static void each(int bytes, Runnable one) {
        for (int i = 0; i < bytes; i += 4096)
            one.run();
    }

    static void putIntoMap() { map.put(map.size(), new byte[4096]); }

    static void putSoft(long bytes) {
        while (soft.size() * 4096L < Math.min(bytes, 56 << 20))
            soft.put(soft.size(), new SoftReference<>(new byte[4096]));
    }

    static void addListener() { listeners.add(new Listener(4096)); }

    static void addToLocal() { local.get().add(new byte[4096]); }

    static void addSlice() {
        ByteBuffer message = ByteBuffer.allocate(4096);
        message.limit(64);
        kept.add(new Message(message.slice()));
    }

    static void addList() {
        List<Object> list = new ArrayList<>(1024);
        list.add(list);
        kept.add(list);
    }

    static void addText() {
        char[] text = new char[4096];
        java.util.Arrays.fill(text, (char) ('0' + kept.size() % 10));
        kept.add(new String(text));
    }

    static void drop() { sink = new byte[4096]; }

    static ByteBuffer direct(int bytes) {
        ByteBuffer b = ByteBuffer.allocateDirect(bytes);
        for (int i = 0; i < bytes; i += 4096)
            b.put(i, (byte) 1);
        return b;
    }

    static void startThread() {
        Thread t = new Thread(null, () -> {
            deep(2000);
            try {
                Thread.sleep(1 << 30);
            } catch (InterruptedException e) {
                return;
            }
        }, "worker", 1 << 20);
        t.setDaemon(true);
        t.start();
    }

    static int deep(int n) { return n == 0 ? 1 : 1 + deep(n - 1); }

    static void mapFile(String file, int at) throws Exception {
        try (FileChannel c = FileChannel.open(Paths.get(file), StandardOpenOption.READ)) {
            long begin = (long) at << 20;
            if (begin + (1 << 20) > c.size())
                return;
            ByteBuffer b = c.map(FileChannel.MapMode.READ_ONLY, begin, 1 << 20);
            for (int i = 0; i < b.capacity(); i += 4096)
                sum += b.get(i);
            kept.add(b);
        }
    }

    /** Pieces of 4 KiB by that function of nativemem.c, so that all of them are touched. */
    static void callNative(int site, int bytes) { NativeMem.leakInJava(site, bytes / 4096, 4096); }

    static void leak(String way, int bytes, int i, byte[] payload, String file, Random random) throws Exception {
        switch (way) {
        case "map": each(bytes, Leak::putIntoMap); break;
        case "soft": putSoft((System.nanoTime() - began) / 50_000_000 * bytes); break;
        case "listeners": each(bytes, Leak::addListener); break;
        case "locals": each(bytes, Leak::addToLocal); break;
        case "slices": each(bytes, Leak::addSlice); break;
        case "room": each(bytes, Leak::addList); break;
        case "texts": each(bytes, Leak::addText); break;
        case "threads": startThread(); break;
        case "loaders":
            for (int k = 0; k < 5; k++)
                kept.add(new Memory.Loader(payload));
            break;
        case "direct": kept.add(direct(bytes)); break;
        case "files": mapFile(file, i); break;
        case "malloc": callNative(0, bytes); break;
        case "mmap": callNative(6, bytes); break;
        case "bursts":
            if (i % 40 < 20)
                kept.add(direct(bytes + random.nextInt(bytes)));
            else if (i % 40 == 20)
                kept.clear();
            each(bytes, Leak::drop);
            break;
        default: each(bytes, Leak::drop); break;
        }
    }

    /** Until the line comes; code is loaded and compiled until then. */
    static void warmUp(int bytes) throws Exception {
        for (int i = 0; i < WARM_TICKS || System.in.available() == 0; i++) {
            each(bytes, Leak::drop);
            if (i == WARM_TICKS)
                System.out.println("warm");
            Thread.sleep(50);
        }
    }

    /** A request that does not fit. */
    static void fail() {
        try {
            sink = new byte[1 << 30];
        } catch (OutOfMemoryError e) {
            sum++;
        }
    }

    public static void main(String[] args) throws Exception {
        String way = args[0], file = args.length > 1 ? args[1] : "";
        int bytes = args.length > 1 && !way.equals("files") ? Integer.parseInt(args[1]) : 0;
        byte[] payload = way.equals("loaders") ? Memory.payload() : null;
        Random random = new Random(1);
        if (args.length > 2)
            System.load(args[2]);
        System.out.println("up");
        warmUp(bytes);
        began = System.nanoTime();
        for (int i = 0;; i++) {
            try {
                if (reserve == null && i % 10 == 0)
                    fail();
                else if (reserve != null && i < MOST_TICKS)
                    leak(way, bytes, i, payload, file, random);
            } catch (OutOfMemoryError e) {
                reserve = null;
                System.out.println("full");
            }
            if (i < MOST_TICKS && (i % 20 == 19 && !way.equals("bursts") || i % 40 == 39))
                System.gc();
            if (i % 20 == 0)
                System.out.println("tick " + i);
            Thread.sleep(50);
        }
    }
}
