// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs out of memory on request, in a thread of its own, and goes on. Commands on standard input: heap, metaspace, array, overhead,
 * threads or direct, also as "again KIND"; each is answered with "failed: " and the error. "part" keeps 40 MB, and is answered with "filled".
 */
public class Exhaust {
    static final List<Object> kept = new ArrayList<>();

    static void fill() {
        for (;;)
            kept.add(new byte[4096]);
    }

    static void load() throws Exception {
        for (byte[] payload = Memory.payload();;)
            kept.add(new Memory.Loader(payload));
    }

    static void grow() {
        kept.add(new long[Integer.MAX_VALUE]);
    }

    /** Nearly fills the heap, so that collections find next to nothing, and goes on allocating. */
    static void nearlyFill() {
        java.util.Map<Integer, String> map = new java.util.HashMap<>();
        for (int i = 0;; i++)
            map.put(i, "value " + i);
    }

    /** One whose stack is larger than all addresses that there are. */
    static void startThread() {
        Thread t = new Thread(null, () -> {}, "huge", 1L << 47);
        t.start();
    }

    static void allocateDirect() {
        for (;;)
            kept.add(java.nio.ByteBuffer.allocateDirect(1 << 20));
    }

    static void fail(String kind) {
        try {
            switch (kind) {
            case "heap": fill(); break;
            case "metaspace": load(); break;
            case "overhead": nearlyFill(); break;
            case "threads": startThread(); break;
            case "direct": allocateDirect(); break;
            default: grow(); break;
            }
        } catch (OutOfMemoryError e) {
            kept.clear();
            Memory.kept.clear();
            System.out.println("failed: " + e.getMessage());
        } catch (Exception e) {
            System.out.println("another: " + e);
        }
    }

    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("up");
        for (String line; (line = in.readLine()) != null && !line.equals("quit");) {
            if (line.equals("part")) {
                for (int i = 0; i < 10000; i++)
                    kept.add(new byte[4096]);
                System.out.println("filled");
                continue;
            }
            String kind = line.substring(line.lastIndexOf(' ') + 1);
            Thread t = new Thread(() -> fail(kind), "victim");
            t.start();
            t.join();
        }
    }
}
