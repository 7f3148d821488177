// SPDX-License-Identifier: Apache-2.0
// healthy: map tiles are drawn and compressed on a bounded pool with an LRU cache under short locks; ~45 % of a CPU
// judge: nothing is wrong; every finding is wrong.
// jdk: 25
// jvm: -Xmx200m
// set: thirteenth

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.Deflater;

public class AtlasTiles {
    static final LongAdder tiles = new LongAdder(), hits = new LongAdder(), nanos = new LongAdder();

    static class Cache {
        private final ReentrantLock lock = new ReentrantLock();
        private final Map<Integer, byte[]> lru = new LinkedHashMap<>(512, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<Integer, byte[]> eldest) {
                return size() > 400;
            }
        };

        byte[] get(int key) {
            lock.lock();
            try {
                return lru.get(key);
            } finally {
                lock.unlock();
            }
        }

        void put(int key, byte[] tile) {
            lock.lock();
            try {
                lru.put(key, tile);
            } finally {
                lock.unlock();
            }
        }
    }

    static class Painter {
        final byte[] pixels = new byte[128 * 128];
        final byte[] packed = new byte[128 * 128 + 1000];
        final Deflater deflater = new Deflater(4);

        byte[] paint(int key) {
            int x0 = key % 64 * 128, y0 = key / 64 * 128;
            for (int y = 0; y < 128; y++) {
                for (int x = 0; x < 128; x++) {
                    int h = (x0 + x) * 13 + (y0 + y) * 7;
                    h ^= (x0 + x >> 3) * (y0 + y >> 4);
                    pixels[y * 128 + x] = (byte) (h >> 6);
                }
            }
            deflater.reset();
            deflater.setInput(pixels);
            deflater.finish();
            int n = deflater.deflate(packed);
            return java.util.Arrays.copyOf(packed, n);
        }
    }

    static final ThreadLocal<Painter> PAINTER = ThreadLocal.withInitial(Painter::new);

    static byte[] tile(Cache cache, int key) {
        byte[] tile = cache.get(key);
        if (tile != null) {
            hits.increment();
            return tile;
        }
        tile = PAINTER.get().paint(key);
        cache.put(key, tile);
        return tile;
    }

    public static void main(String[] args) throws Exception {
        Cache cache = new Cache();
        ExecutorService pool = Executors.newFixedThreadPool(3, Thread.ofPlatform().name("tiles-", 0).factory());
        for (int i = 0; i < 5; i++) {
            Thread.ofPlatform().name("viewer-" + i).start(() -> {
                ThreadLocalRandom r = ThreadLocalRandom.current();
                try {
                    while (true) {
                        int corner = r.nextInt(64 * 63);
                        long from = System.nanoTime();
                        CompletableFuture<?>[] view = new CompletableFuture<?>[4];
                        for (int t = 0; t < 4; t++) {
                            int key = corner + t % 2 + t / 2 * 64;
                            view[t] = CompletableFuture.supplyAsync(() -> tile(cache, key), pool);
                        }
                        CompletableFuture.allOf(view).join();
                        nanos.add(System.nanoTime() - from);
                        tiles.add(4);
                        Thread.sleep(25 + r.nextInt(30));
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        System.out.println("READY");
        while (true) {
            Thread.sleep(1000);
            long n = Math.max(1, tiles.sumThenReset());
            System.out.printf("measured: %d tiles/s, %d %% from the cache, a view takes %d us%n", n,
                    hits.sumThenReset() * 100 / n, nanos.sumThenReset() * 4 / n / 1000);
        }
    }
}
