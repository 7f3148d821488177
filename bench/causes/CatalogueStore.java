// SPDX-License-Identifier: Apache-2.0
// healthy: the heap looks full (a bounded LRU product cache keeps some 100 MB live of 256 MB, and byte arrays and strings dominate a histogram) but the cache is bounded by count, stays constant after loading, full collections are rare, and lookups take microseconds.
// share: measures lookups per second (about 5900), mean lookup time (1.5 to 2 us), hit share (0.99), cache entries (50000, constant) and used heap
// judge: WRONG: memory leak, unbounded cache, heap too small, GC pressure as a problem, contention on the cache's lock as a bottleneck, the Thread.sleep pacing of the shop threads as a fault. ACCEPTABLE as neutral: about 100 MB is held in the LinkedHashMap in CatalogueStore.ProductCache and stays constant; load rate is modest and CPU mostly idle; a few young collections.
// jdk: 11
// set: twenty-third
// jvm: -Xmx256m -XX:+UseParallelGC
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

public class CatalogueStore {
    static final int CAPACITY = 50_000;
    static final int PRODUCTS = 60_000;

    static final class Product {
        final int id;
        final String title;
        final byte[] sheet;
        final int[] stock = new int[12];

        Product(int id, String title, byte[] sheet) {
            this.id = id;
            this.title = title;
            this.sheet = sheet;
        }
    }

    static final class ProductCache {
        private final LinkedHashMap<Integer, Product> map = new LinkedHashMap<>(CAPACITY * 2, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<Integer, Product> eldest) {
                return size() > CAPACITY;
            }
        };
        long hits;
        long misses;

        synchronized Product find(int id) {
            Product p = map.get(id);
            if (p == null) {
                misses++;
            } else {
                hits++;
            }
            return p;
        }

        synchronized void keep(Product p) {
            map.put(p.id, p);
        }

        synchronized int size() {
            return map.size();
        }

        synchronized double hitShare() {
            long all = hits + misses;
            double share = all == 0 ? 1.0 : hits / (double) all;
            hits = 0;
            misses = 0;
            return share;
        }
    }

    final ProductCache cache = new ProductCache();
    final AtomicLong lookups = new AtomicLong();
    final AtomicLong nanos = new AtomicLong();
    final AtomicLong seen = new AtomicLong();

    static Product read(int id) {
        StringBuilder sb = new StringBuilder(2000);
        sb.append("product ").append(id).append(';');
        long h = id * 2654435761L;
        while (sb.length() < 1750) {
            h = h * 6364136223846793005L + 1442695040888963407L;
            sb.append("attr").append(h >>> 60).append('=').append(h >>> 48).append(';');
        }
        return new Product(id, "Article no. " + id, sb.toString().getBytes(StandardCharsets.UTF_8));
    }

    Product lookup(int id) {
        Product p = cache.find(id);
        if (p == null) {
            p = read(id);
            cache.keep(p);
        }
        return p;
    }

    int popular(Random rnd) {
        double g = Math.abs(rnd.nextGaussian()) * PRODUCTS / 3.0;
        return (int) Math.min(PRODUCTS - 1, g);
    }

    void shop(int seed) {
        Random rnd = new Random(seed);
        try {
            while (true) {
                for (int i = 0; i < 10; i++) {
                    int id = popular(rnd);
                    long t = System.nanoTime();
                    Product p = lookup(id);
                    nanos.addAndGet(System.nanoTime() - t);
                    lookups.incrementAndGet();
                    int sum = 0;
                    for (byte b : p.sheet) {
                        sum += b;
                    }
                    seen.addAndGet(sum + p.title.length());
                }
                Thread.sleep(10);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        CatalogueStore store = new CatalogueStore();
        for (int i = CAPACITY - 1; i >= 0; i--) {
            store.cache.keep(read(i));
        }
        for (int i = 0; i < 6; i++) {
            int seed = i;
            Thread t = new Thread(() -> store.shop(seed), "shop-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        long lastN = 0, lastT = 0;
        Runtime rt = Runtime.getRuntime();
        for (int s = 1; s <= 170; s++) {
            Thread.sleep(1000);
            long n = store.lookups.get(), t = store.nanos.get();
            long dn = n - lastN;
            System.out.printf("measured: lookups/s=%d mean_us=%.2f hit_share=%.4f entries=%d used_mb=%d%n", dn,
                    dn == 0 ? 0.0 : (t - lastT) / 1000.0 / dn, store.cache.hitShare(), store.cache.size(),
                    (rt.totalMemory() - rt.freeMemory()) >> 20);
            lastN = n;
            lastT = t;
        }
        System.exit(0);
    }
}
