// SPDX-License-Identifier: Apache-2.0
// healthy: The large product cache fills more than half of the heap on purpose, is bounded at its 60,000 entries, has a hit rate above 98 % and spares 2 ms store calls; heap use is stable, full collections do not occur and GC costs little.
// judge: Wrong accusations: memory leak, cache too large or unbounded, heap too small, GC pressure, contention in ConcurrentHashMap, slow store/too many misses (ProductStore.load sleeps 2 ms on the rare misses only), the sleeping of shop threads between page views.
// set: eighteenth
// jdk: 17
// jvm: -Xmx128m
import java.lang.management.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class ProductCatalog {
    static final LongAdder views = new LongAdder();
    static final LongAdder misses = new LongAdder();
    static final LongAdder nanos = new LongAdder();

    record Product(int id, String title, String text, int cents, byte[] thumb) {}

    static final class ProductStore {
        Product load(int id) throws InterruptedException {
            Thread.sleep(2);
            return read(id);
        }
        Product read(int id) {
            byte[] thumb = new byte[700];
            for (int i = 0; i < thumb.length; i++) thumb[i] = (byte) (id * 31 + i * i);
            return new Product(id, "Article " + id, "Solid article no " + id + " for house and garden, colour " + id % 9, 99 + id % 9000, thumb);
        }
    }

    static final class Shelf {
        private final int limit;
        private final ProductStore store;
        private final ConcurrentHashMap<Integer, Product> products;
        private final ConcurrentLinkedQueue<Integer> order = new ConcurrentLinkedQueue<>();
        private final AtomicInteger size = new AtomicInteger();

        Shelf(int limit, ProductStore store) {
            this.limit = limit;
            this.store = store;
            this.products = new ConcurrentHashMap<>(limit * 2);
        }

        void warm() { for (int i = 0; i < limit; i++) put(store.read(i)); }

        Product get(int id) throws InterruptedException {
            Product p = products.get(id);
            if (p != null) return p;
            misses.increment();
            p = store.load(id);
            put(p);
            return p;
        }

        private void put(Product p) {
            if (products.put(p.id(), p) != null) return;
            order.add(p.id());
            if (size.incrementAndGet() > limit) {
                Integer old = order.poll();
                if (old != null && products.remove(old) != null) size.decrementAndGet();
            }
        }
        int size() { return size.get(); }
    }

    static final class Shop implements Runnable {
        private final Shelf shelf;
        private final StringBuilder page = new StringBuilder(4000);
        private int weight;
        Shop(Shelf shelf) { this.shelf = shelf; }

        @Override public void run() {
            ThreadLocalRandom r = ThreadLocalRandom.current();
            try {
                while (true) {
                    long t0 = System.nanoTime();
                    page.setLength(0);
                    for (int i = 0; i < 12; i++) line(shelf.get(pick(r)));
                    weight += page.length();
                    nanos.add(System.nanoTime() - t0);
                    views.increment();
                    Thread.sleep(4);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private int pick(ThreadLocalRandom r) {
            return r.nextInt(1000) < 993 ? r.nextInt(60_000) : 60_000 + r.nextInt(300);
        }

        private void line(Product p) {
            page.append("<li>").append(p.title()).append(' ').append(p.cents() / 100).append('.').append(p.cents() % 100);
            page.append("<p>").append(p.text()).append("</p>");
            int sum = 0;
            for (byte b : p.thumb()) sum = sum * 31 + b;
            page.append("<img id=").append(sum).append("></li>");
        }
    }

    static long gcMillis() {
        long t = 0;
        for (GarbageCollectorMXBean b : ManagementFactory.getGarbageCollectorMXBeans()) t += b.getCollectionTime();
        return t;
    }

    public static void main(String[] args) throws Exception {
        Shelf shelf = new Shelf(60_000, new ProductStore());
        shelf.warm();
        for (int i = 0; i < 6; i++) {
            Thread t = new Thread(new Shop(shelf), "shop-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        long gc = gcMillis();
        for (int s = 0; s < 200; s++) {
            Thread.sleep(1000);
            long c = Math.max(1, views.sumThenReset()), n = nanos.sumThenReset(), m = misses.sumThenReset(), g = gcMillis();
            System.out.println("measured: page views/s " + c + " mean us " + n / c / 1000 + " hit rate % " + (10000 - 10000 * m / (c * 12)) / 100.0
                + " cached " + shelf.size() + " gc ms " + (g - gc));
            gc = g;
        }
        System.exit(0);
    }
}
