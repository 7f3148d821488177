// SPDX-License-Identifier: Apache-2.0
// healthy: serves map tiles from a 96 MB LRU cache with 32 striped locks and ~99 % hits; a miss renders a tile (some hundred microseconds of arithmetic); requests are paced, the heap is large but bounded, locks are held for a moment and hardly contended
// judge: Right = healthy (busy bounded cache with a good hit rate, big but stable heap). Wrong = accusing the locks of the stripes, a memory leak / unbounded cache, cache too small, GC, rendering as a fault, waiting threads.
// jdk: 21
// set: sixteenth
// jvm: -Xmx256m
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class TileCache {
    static final LongAdder served = new LongAdder(), rendered = new LongAdder(), micros = new LongAdder();

    record TileId(int zoom, int x, int y) {}

    static class Stripe {
        private final int max;
        private final LinkedHashMap<TileId, byte[]> lru = new LinkedHashMap<>(512, 0.75f, true) {
            @Override protected boolean removeEldestEntry(Map.Entry<TileId, byte[]> e) { return size() > max; }
        };
        Stripe(int max) { this.max = max; }
        synchronized byte[] get(TileId id) { return lru.get(id); }
        synchronized void put(TileId id, byte[] tile) { lru.put(id, tile); }
        synchronized int size() { return lru.size(); }
    }

    static class Cache {
        final Stripe[] stripes = new Stripe[32];
        Cache(int tiles) { for (int i = 0; i < 32; i++) stripes[i] = new Stripe(tiles / 32); }
        Stripe of(TileId id) { int h = id.hashCode() * 0x9E3779B1; return stripes[h >>> 27]; }
        int size() { int n = 0; for (Stripe s : stripes) n += s.size(); return n; }
    }

    static class Renderer {
        byte[] render(TileId id) {
            byte[] out = new byte[8 * 1024];
            double fx = id.x() * 0.37, fy = id.y() * 0.21;
            for (int i = 0; i < out.length; i++) {
                double h = Math.sin(fx + (i & 127) * 0.01) * Math.cos(fy + (i >> 7) * 0.02) + id.zoom() * 0.1;
                out[i] = (byte) (h * 60);
            }
            rendered.increment();
            return out;
        }
    }

    static class TileService {
        final Cache cache = new Cache(12_000);
        final Renderer renderer = new Renderer();
        byte[] tile(TileId id) {
            Stripe s = cache.of(id);
            byte[] t = s.get(id);
            if (t == null) {
                t = renderer.render(id);
                s.put(id, t);
            }
            return t;
        }
        int checksum(byte[] t) {
            int a = 1, b = 0;
            for (byte v : t) { a += v & 255; b += a; }
            return b * 31 + a;
        }
    }

    static class Visitor implements Runnable {
        final TileService service; final Random rnd; int sum;
        Visitor(TileService service, int no) { this.service = service; rnd = new Random(no); }
        TileId next() {
            boolean known = rnd.nextInt(100) < 99;
            double g = Math.abs(rnd.nextGaussian());
            int n = known ? (int) (Math.min(g, 3) * 3000) : rnd.nextInt(400_000);
            return new TileId(10 + n % 4, n / 4 % 500, n / 2000);
        }
        @Override public void run() {
            try {
                while (true) {
                    int burst = 10 + rnd.nextInt(30);
                    for (int i = 0; i < burst; i++) {
                        long t0 = System.nanoTime();
                        sum += service.checksum(service.tile(next()));
                        micros.add((System.nanoTime() - t0) / 1000);
                        served.increment();
                    }
                    Thread.sleep(5 + rnd.nextInt(10));
                }
            } catch (InterruptedException e) { /* left */ }
        }
    }

    public static void main(String[] args) throws Exception {
        TileService service = new TileService();
        for (int n = 0; n < 9_000; n++) service.tile(new TileId(10 + n % 4, n / 4 % 500, n / 2000));
        rendered.reset();
        ThreadFactory f = Thread.ofPlatform().daemon().name("http-", 0).factory();
        for (int i = 0; i < 12; i++) f.newThread(new Visitor(service, i)).start();
        for (int s = 0; s < 150; s++) {
            long d = served.sum(), r = rendered.sum(), m = micros.sum();
            Thread.sleep(1000);
            long n = served.sum() - d;
            System.out.println("measured: tiles/s=" + n + " rendered/s=" + (rendered.sum() - r) + " avgMicros=" + (n == 0 ? -1 : (micros.sum() - m) / n) + " cached=" + service.cache.size());
            if (s == 3) System.out.println("READY");
        }
        System.exit(0);
    }
}
