// SPDX-License-Identifier: Apache-2.0
// cause: The home-made tile cache looks for the least recently used entry by walking over all of its entries each time that it is full and a new tile comes in: OrthophotoTiles.oldestKey (called by OrthophotoTiles.tile).
// share: about 80-90 % of the CPU time; fixed is about 5 to 10 times better in tiles/s (5000-10000 against 40000-50000; machine was loaded by others)
// judge: Must name OrthophotoTiles.oldestKey (or: the eviction of the tile cache) as CPU spent on a full scan per insertion. Only "CPU-bound", "HashMap iterator is hot" without the calling method, or a low hit rate of the cache as such is a symptom; rendering (OrthophotoTiles.render) is not the cause.
// expect: hot-method frame=OrthophotoTiles.oldestKey | hot-calls frame=OrthophotoTiles.oldestKey | hot-method caller=OrthophotoTiles.oldestKey | cache-misses most=OrthophotoTiles.oldestKey
// symptom: hot-method hot-calls
// set: twentieth
// jdk: 8
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

public class OrthophotoTiles {
    static final int CAPACITY = 6000;
    static final AtomicLong SERVED = new AtomicLong();

    static final class Tile {
        final byte[] pixels;
        long lastUsed;

        Tile(byte[] pixels) {
            this.pixels = pixels;
        }
    }

    private final boolean linked = Boolean.getBoolean("fixed");
    private final Map<Long, Tile> tiles;
    private long clock;

    OrthophotoTiles() {
        if (linked) {
            tiles = new LinkedHashMap<Long, Tile>(CAPACITY * 2, 0.75f, true) {
                @Override
                protected boolean removeEldestEntry(Map.Entry<Long, Tile> eldest) {
                    return size() > CAPACITY;
                }
            };
        } else {
            tiles = new HashMap<Long, Tile>(CAPACITY * 2);
        }
    }

    byte[] tile(int zoom, int x, int y) {
        Long key = ((long) zoom << 48) | ((long) x << 24) | y;
        Tile t = tiles.get(key);
        if (t == null) {
            t = new Tile(render(zoom, x, y));
            if (!linked && tiles.size() >= CAPACITY) {
                tiles.remove(oldestKey());
            }
            tiles.put(key, t);
        }
        t.lastUsed = ++clock;
        return t.pixels;
    }

    private Long oldestKey() {
        Long oldest = null;
        long min = Long.MAX_VALUE;
        for (Map.Entry<Long, Tile> e : tiles.entrySet()) {
            if (e.getValue().lastUsed < min) {
                min = e.getValue().lastUsed;
                oldest = e.getKey();
            }
        }
        return oldest;
    }

    private static byte[] render(int zoom, int x, int y) {
        byte[] out = new byte[1024];
        int h = zoom * 31 + x * 7919 + y;
        for (int pass = 0; pass < 6; pass++) {
            for (int i = 0; i < out.length; i++) {
                h = h * 1664525 + 1013904223;
                out[i] = (byte) ((out[i] + (h >>> 24)) >> 1);
            }
        }
        return out;
    }

    private void serve(long seed) {
        Random visitors = new Random(seed);
        long sum = 0;
        while (true) {
            int zoom = 12 + visitors.nextInt(5);
            int x = (int) Math.abs(visitors.nextGaussian() * 60);
            int y = (int) Math.abs(visitors.nextGaussian() * 60);
            byte[] pixels = tile(zoom, x, y);
            for (int i = 0; i < pixels.length; i += 8) {
                sum += pixels[i];
            }
            SERVED.incrementAndGet();
            if (sum == Long.MIN_VALUE) {
                System.out.println(sum);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        OrthophotoTiles service = new OrthophotoTiles();
        for (int zoom = 12; zoom < 17; zoom++) {
            for (int x = 0; x < 35; x++) {
                for (int y = 0; y < 35; y++) {
                    service.tile(zoom, x, y);
                }
            }
        }
        Thread t = new Thread(() -> service.serve(4711), "tile-http-1");
        t.setDaemon(true);
        t.start();
        System.out.println("READY");
        long before = SERVED.get();
        for (int s = 0; s < 220; s++) {
            Thread.sleep(1000);
            long now = SERVED.get();
            System.out.println("measured: " + (now - before) + " tiles/s");
            before = now;
        }
    }
}
