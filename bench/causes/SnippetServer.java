// SPDX-License-Identifier: Apache-2.0
// cause: the snippet cache is too large for the heap: SnippetCache keeps 24,000 rendered snippets (about 46 MB live of 64 MB), so the collector runs over and over and frees little; a third of the entries loses a few points of hit rate but serves several times as many
// share: GC 66-77% of the time (fixed 10-20%); 5,000-18,000 snippets/s, fixed 38,000-75,000/s on the same loaded machine (3x and more)
// judge: names the cause: "heap almost full after each collection; the live set (SnippetCache's entries) is too large for -Xmx: GC takes most of the CPU; shrink the cache or raise the heap". True, only symptoms: "much time in GC / safepoints", "allocates much in SnippetServer.render". Wrong: "reduce allocation in render is the cause" as the sole cause, "lock contention on the cache", "CPU hot spot in render", "memory leak that grows without bound" (the cache is bounded).
// expect: gc-pauses used=47_MiB | gc-pauses caller=SnippetServer.render
// symptom: gc-cpu
// jdk: 11
// set: fifteenth
// jvm: -XX:+UseParallelGC
import java.nio.charset.StandardCharsets;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;

/** Search front end: renders result snippets with the query's words marked, and caches what it rendered. */
public final class SnippetServer {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int CAPACITY = Integer.getInteger("cap", FIXED ? 8_000 : 24_000);
    static final int DOCUMENTS = 400_000;
    static final LongAdder SERVED = new LongAdder();
    static final LongAdder HITS = new LongAdder();

    static final class Snippet {
        final int document;
        final byte[] html;
        final int[] marks;

        Snippet(int document, byte[] html, int[] marks) {
            this.document = document;
            this.html = html;
            this.marks = marks;
        }
    }

    static final class SnippetCache {
        private final Map<Integer, Snippet> lru = new LinkedHashMap<Integer, Snippet>(1024, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<Integer, Snippet> e) {
                return size() > CAPACITY;
            }
        };

        synchronized Snippet get(int document) {
            return lru.get(document);
        }

        synchronized void put(Snippet s) {
            lru.put(s.document, s);
        }

        synchronized int size() {
            return lru.size();
        }
    }

    static final String[] WORDS = ("query index ranking of the a document term frequency and posting list merge segment score"
            + " shard replica token stemming field boost").split(" ");
    private final SnippetCache cache = new SnippetCache();

    Snippet serve(int document) {
        Snippet s = cache.get(document);
        if (s != null) {
            HITS.increment();
            return s;
        }
        s = render(document);
        cache.put(s);
        return s;
    }

    private static Snippet render(int document) {
        StringBuilder b = new StringBuilder(2048);
        int[] marks = new int[16];
        int m = 0;
        long seed = document * 0x9E3779B97F4A7C15L;
        while (b.length() < 1800) {
            seed = seed * 6364136223846793005L + 1442695040888963407L;
            int w = (int) (seed >>> 40) % WORDS.length;
            if (w == 3 && m < marks.length) {
                marks[m++] = b.length();
                b.append("<em>").append(WORDS[w]).append("</em> ");
            } else {
                b.append(WORDS[w]).append(' ');
            }
        }
        bestWindow(b, marks, m);
        return new Snippet(document, b.toString().getBytes(StandardCharsets.ISO_8859_1), marks);
    }

    /** Puts first the mark whose surroundings have the most varied words: the snippet is scrolled there. */
    private static void bestWindow(StringBuilder b, int[] marks, int n) {
        int best = 0, bestScore = -1;
        for (int i = 0; i < n; i++) {
            int score = 0;
            long seen = 0;
            int hash = 0;
            int end = Math.min(b.length(), marks[i] + 1200);
            for (int p = Math.max(0, marks[i] - 1200); p < end; p++) {
                char c = b.charAt(p);
                if (c == ' ') {
                    score += (seen >>> hash & 1) == 0 ? 2 : 0;
                    seen |= 1L << hash;
                    hash = 0;
                } else {
                    hash = hash * 31 + c;
                }
            }
            if (score > bestScore) {
                bestScore = score;
                best = i;
            }
        }
        int first = marks[0];
        marks[0] = marks[best];
        marks[best] = first;
    }

    /** Popular documents are asked for much more often than others. */
    static int pick(Random random) {
        double u = random.nextDouble();
        return (int) (DOCUMENTS * u * u * u * u * u);
    }

    static long gcMillis() {
        long ms = 0;
        for (GarbageCollectorMXBean g : ManagementFactory.getGarbageCollectorMXBeans()) {
            ms += g.getCollectionTime();
        }
        return ms;
    }

    public static void main(String[] args) throws Exception {
        SnippetServer server = new SnippetServer();
        Random warm = new Random(1);
        while (server.cache.size() < CAPACITY) {
            server.serve(pick(warm));
        }
        for (int i = 0; i < 2; i++) {
            Random random = new Random(100 + i);
            Thread t = new Thread(() -> {
                long bytes = 0;
                while (bytes >= 0) {
                    bytes += server.serve(pick(random)).html.length;
                    SERVED.increment();
                }
            }, "http-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        long last = 0, lastHits = HITS.sum(), lastGc = gcMillis(), lastTime = System.nanoTime();
        while (true) {
            Thread.sleep(1000);
            long n = SERVED.sum(), h = HITS.sum(), gc = gcMillis(), now = System.nanoTime();
            double seconds = (now - lastTime) / 1e9;
            System.out.printf("measured: %.0f snippets/s, hit rate %.0f%%, GC %.0f%% of the time, heap used %d MB%n",
                    (n - last) / seconds, 100.0 * (h - lastHits) / Math.max(1, n - last), (gc - lastGc) / 10.0 / seconds,
                    (Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory()) >> 20);
            last = n;
            lastHits = h;
            lastGc = gc;
            lastTime = now;
        }
    }
}
