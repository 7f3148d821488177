// SPDX-License-Identifier: Apache-2.0
// healthy: A map tile service whose bounded LRU cache (6000 tiles of about 5 KB) fills slowly during the first minute or two and then stays level at about 30 MB of the 64 MB heap; heap use after GC grows for a while, but the bound holds and GC stays cheap.
// share: none; 300 tiles/s as offered at mean latency about 0.06 ms (cache full at 6000, ran 126 s), CPU about 6 % of a core
// judge: Right is "no fault found", or the remark that the growing heap is the bounded TileCache filling up to its limit. Wrong: memory leak in TileCache, unbounded cache, heap too small / GC pressure as cause of slowness, contention on the cache's monitor, or TilePainter as a hot spot to be fixed (one thread, part of a core, by load).
// jdk: 21
// set: seventeenth
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;

public class AtlasPages {
    static final LongAdder served = new LongAdder(), nanos = new LongAdder(), painted = new LongAdder();

    public static void main(String[] args) throws Exception {
        TileService service = new TileService(new TileCache(6000), new TilePainter());
        ScheduledExecutorService readers = Executors.newScheduledThreadPool(3, Thread.ofPlatform().daemon().name("reader-", 0).factory());
        for (int i = 0; i < 3; i++) readers.scheduleAtFixedRate(new Reader(service, i), 100 + i * 3, 10, TimeUnit.MILLISECONDS);
        System.out.println("READY");
        for (int i = 0; i < 240; i++) {
            Thread.sleep(1000);
            long n = served.sumThenReset();
            System.out.printf("measured: %d tiles/s, mean latency %.3f ms, painted %d, cached %d%n",
                    n, nanos.sumThenReset() / 1e6 / Math.max(1, n), painted.sumThenReset(), service.cached());
        }
    }
}

record TileKey(int zoom, int x, int y) {}

class TileCache {
    private final LinkedHashMap<TileKey, byte[]> tiles;

    TileCache(int limit) {
        tiles = new LinkedHashMap<>(1024, 0.75f, true) {
            @Override protected boolean removeEldestEntry(Map.Entry<TileKey, byte[]> e) { return size() > limit; }
        };
    }

    synchronized byte[] get(TileKey key) { return tiles.get(key); }
    synchronized void put(TileKey key, byte[] tile) { tiles.put(key, tile); }
    synchronized int size() { return tiles.size(); }
}

class TilePainter {
    byte[] paint(TileKey key) {
        byte[] pixels = new byte[64 * 80];
        double fx = key.x() * 0.13, fy = key.y() * 0.17;
        for (int row = 0; row < 80; row++) {
            for (int col = 0; col < 64; col++) {
                double height = Math.sin(fx + col / 64.0) + Math.cos(fy + row / 80.0) + 0.3 * Math.sin((col * row + key.zoom()) / 300.0);
                pixels[row * 64 + col] = (byte) (height * 40);
            }
        }
        AtlasPages.painted.increment();
        return pixels;
    }
}

class TileService {
    private final TileCache cache;
    private final TilePainter painter;

    TileService(TileCache cache, TilePainter painter) {
        this.cache = cache;
        this.painter = painter;
    }

    byte[] tile(TileKey key) {
        byte[] tile = cache.get(key);
        if (tile == null) {
            tile = painter.paint(key);
            cache.put(key, tile);
        }
        return tile;
    }

    int cached() { return cache.size(); }
}

class Reader implements Runnable {
    private final TileService service;
    private final Random random;
    private int x = 500, y = 500;

    Reader(TileService service, int seed) {
        this.service = service;
        this.random = new Random(seed);
    }

    public void run() {
        long t0 = System.nanoTime();
        if (random.nextInt(25) == 0) {
            x = (int) (500 + random.nextGaussian() * 28);
            y = (int) (500 + random.nextGaussian() * 28);
        } else {
            x += random.nextInt(3) - 1;
            y += random.nextInt(3) - 1;
        }
        byte[] tile = service.tile(new TileKey(12, x, y));
        if (tile.length == 0) throw new IllegalStateException("empty tile");
        AtlasPages.nanos.add(System.nanoTime() - t0);
        AtlasPages.served.increment();
    }
}
