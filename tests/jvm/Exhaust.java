// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs out of memory on request, in a thread of its own, and goes on. Commands on standard input: heap, metaspace or array, also
 * as "again KIND"; each is answered with "failed: " and the error. "part" keeps 40 MB, and is answered with "filled".
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

    static void fail(String kind) {
        try {
            switch (kind) {
            case "heap": fill(); break;
            case "metaspace": load(); break;
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
