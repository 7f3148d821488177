// SPDX-License-Identifier: Apache-2.0
// healthy: The heap is filled to 165 of 256 MB, with the old generation nearly full, by an index of 560,000 products which is built once and stays constant; searches allocate almost nothing, so no collection takes place after the start.
// share: 7,900-8,400 searches/s (paced, 4 shoppers), mean 5.5-6.1 us per search, heap stable at 165 MB, no GC pause after READY
// judge: WRONG: memory leak, heap too small, GC pressure, too much retained memory in byte[] or Product as a fault, parkNanos as a fault, lock contention. ACCEPTABLE: a large stable live set; one full GC during the start; the threads pause between searches by design; Postings intersection in search is where the little CPU goes.
// jdk: 11
// set: twenty-third
// jvm: -Xmx256m -XX:+UseParallelGC
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

public class ProductIndex {
    private static final int PRODUCTS = 560000;
    private static final int WORDS = 12000;
    private static final AtomicLong SEARCHES = new AtomicLong();
    private static final AtomicLong NANOS = new AtomicLong();
    private static final AtomicLong FOUND = new AtomicLong();

    static final class Product {
        private final int number;
        private final byte[] title;
        private int price;

        Product(int number, byte[] title, int price) {
            this.number = number;
            this.title = title;
            this.price = price;
        }
    }

    static final class Postings {
        private int[] ids = new int[8];
        private int size;

        void add(int id) {
            if (size == ids.length) {
                ids = Arrays.copyOf(ids, size + (size >> 1));
            }
            ids[size++] = id;
        }

        void trim() {
            ids = Arrays.copyOf(ids, size);
        }
    }

    private final Product[] products = new Product[PRODUCTS];
    private final Map<String, Postings> words = new HashMap<>(WORDS * 2);
    private final String[] vocabulary = new String[WORDS];

    void build() {
        Random random = new Random(31);
        for (int w = 0; w < WORDS; w++) {
            vocabulary[w] = syllable(random) + syllable(random) + w;
            words.put(vocabulary[w], new Postings());
        }
        StringBuilder b = new StringBuilder();
        for (int p = 0; p < PRODUCTS; p++) {
            b.setLength(0);
            for (int k = 0; k < 8; k++) {
                String w = vocabulary[random.nextInt(WORDS)];
                Postings list = words.get(w);
                if (list.size == 0 || list.ids[list.size - 1] != p) {
                    list.add(p);
                }
                b.append(w).append(' ');
            }
            String title = b.toString() + (100000 + p) + " catalogue of spring, warehouse north, pallet " + p % 900
                    + ", shelf " + p % 70 + ", supplier reference " + Integer.toString(p * 31, 36);
            products[p] = new Product(p, title.getBytes(StandardCharsets.US_ASCII), 100 + random.nextInt(90000));
        }
        for (Postings list : words.values()) {
            list.trim();
        }
    }

    static String syllable(Random r) {
        return "" + (char) ('a' + r.nextInt(26)) + "aeiou".charAt(r.nextInt(5)) + (char) ('a' + r.nextInt(26));
    }

    int search(String first, String second, int maxPrice) {
        Postings a = words.get(first);
        Postings b = words.get(second);
        int i = 0;
        int j = 0;
        int hits = 0;
        while (i < a.size && j < b.size) {
            int x = a.ids[i];
            int y = b.ids[j];
            if (x == y) {
                if (products[x].price <= maxPrice) {
                    hits++;
                }
                i++;
                j++;
            } else if (x < y) {
                i++;
            } else {
                j++;
            }
        }
        return hits;
    }

    void reprice(Random random) {
        for (int i = 0; i < 20; i++) {
            Product p = products[random.nextInt(PRODUCTS)];
            p.price = Math.max(50, p.price + random.nextInt(200) - 100);
        }
    }

    void shop(long seed) {
        Random random = new Random(seed);
        while (true) {
            long t = System.nanoTime();
            int hits = search(vocabulary[random.nextInt(WORDS)], vocabulary[random.nextInt(WORDS)],
                    1000 + random.nextInt(80000));
            FOUND.addAndGet(hits);
            NANOS.addAndGet(System.nanoTime() - t);
            SEARCHES.incrementAndGet();
            if (random.nextInt(50) == 0) {
                reprice(random);
            }
            LockSupport.parkNanos(400000);
        }
    }

    public static void main(String[] args) throws Exception {
        ProductIndex index = new ProductIndex();
        index.build();
        for (int i = 0; i < 4; i++) {
            int seed = i;
            Thread t = new Thread(() -> index.shop(seed), "shopper-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        long n0 = 0;
        long t0 = 0;
        for (int s = 0; s < 170; s++) {
            Thread.sleep(1000);
            long n = SEARCHES.get();
            long t = NANOS.get();
            Runtime rt = Runtime.getRuntime();
            System.out.println("measured: " + (n - n0) + " searches/s, mean " + (t - t0) / Math.max(1, n - n0)
                    + " ns, heap " + (rt.totalMemory() - rt.freeMemory()) / 1048576 + " MB, found " + FOUND.get());
            n0 = n;
            t0 = t;
        }
    }
}
