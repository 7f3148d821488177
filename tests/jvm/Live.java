// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Keeps what it knows. Commands on standard input, each answered with "done" and the bytes that are alive at each site:
 *
 * <pre>
 *   small N     N more objects of the class Small (32 bytes) are kept, for good
 *   blocks N    N more arrays of 1 KiB in the same way
 *   large N     N more arrays of 256 KiB in the same way
 *   cache N     N arrays of 1 KiB go through a cache that holds 4,096 of them
 *   garbage N   N arrays of 1 KiB, none of which stays
 *   free        what was kept is dropped, but not the cache
 *   gc          System.gc()
 *   stacks N    N arrays of 256 bytes by as many different stacks; one in 32 is kept for good
 * </pre>
 */
public class Live {
    /** A header of 12 or, compact, 8 bytes, and 20 of fields; aligned. */
    static final class Small {
        long a0, a1;
        int b;
    }

    static volatile Object sink;
    static int paths;
    static final List<Object> kept = new ArrayList<>(1 << 21);
    static final Deque<byte[]> recent = new ArrayDeque<>();
    static final Map<String, Long> alive = new HashMap<>();

    static void small(int n) { while (n-- > 0) kept.add(new Small()); }

    static void blocks(int n) { while (n-- > 0) kept.add(new byte[1024 - 16]); }

    static void large(int n) { while (n-- > 0) kept.add(new byte[(256 << 10) - 16]); }

    static void garbage(int n) { while (n-- > 0) sink = new byte[1024 - 16]; }

    static void cache(int n) {
        while (n-- > 0) {
            recent.add(new byte[1024 - 16]);
            if (recent.size() > 4096)
                recent.remove();
        }
    }

    /** One of 2^depth paths. */
    static void path(int n, int depth) {
        if (depth == 0)
            keep(new byte[256 - 16]);
        else if ((n & 1) == 0)
            left(n >> 1, depth - 1);
        else
            right(n >> 1, depth - 1);
    }

    static void keep(Object o) {
        if (paths++ % 32 == 0)
            kept.add(o);
        else
            sink = o;
    }

    static void left(int n, int depth) { path(n, depth); }

    static void right(int n, int depth) { path(n, depth); }

    static void add(String site, long bytes) {
        alive.merge(site, bytes, Long::sum);
    }

    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("up");
        for (String line; (line = in.readLine()) != null && !line.equals("quit");) {
            String[] w = line.split(" ");
            int n = w.length > 1 ? Integer.parseInt(w[1]) : 0;
            switch (w[0]) {
            case "small": small(n); add(w[0], 32L * n); break;
            case "blocks": blocks(n); add(w[0], 1024L * n); break;
            case "large": large(n); add(w[0], (256L << 10) * n); break;
            case "cache": cache(n); alive.put(w[0], 1024L * recent.size()); break;
            case "garbage": garbage(n); break;
            case "stacks":
                for (int i = 0; i < n; i++)
                    path(i, 15);
                add("path", 256L * n / 32);
                break;
            case "free":
                kept.clear();
                alive.keySet().retainAll(java.util.Collections.singleton("cache"));
                break;
            case "gc": System.gc(); break;
            default: break;
            }
            StringBuilder s = new StringBuilder("done");
            for (Map.Entry<String, Long> e : alive.entrySet())
                s.append(' ').append(e.getKey()).append('=').append(e.getValue());
            System.out.println(s);
        }
    }
}
