// SPDX-License-Identifier: Apache-2.0
// healthy: a busy product catalogue with a cache of 16 synchronized LRU segments (more than 99 % hits, locks held for well under a microsecond), rare misses that load from a slow partner store (4 ms), and a few expected exceptions for unknown articles; load is paced with bursts, pages take some 30 us
// judge: RIGHT = no fault found. Mentioning hit rate, rare exceptions or misses as facts is fine. WRONG = any claimed defect: lock contention on Segment, cache useless or leaking, exceptions too expensive, slow store as fault, pool size, GC, sleeping threads.
// jdk: 11
// set: sixteenth
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;

public class CatalogBrowser {
    static final class Article {
        final int id;
        final String title;
        final int cents;
        final List<Integer> similar;

        Article(int id, String title, int cents, List<Integer> similar) {
            this.id = id;
            this.title = title;
            this.cents = cents;
            this.similar = similar;
        }
    }

    static final class NoSuchArticle extends Exception {
        NoSuchArticle(int id) {
            super("no article " + id);
        }
    }

    /** The store of the group's head office: 4 ms away. */
    static final class Store {
        final LongAdder loads = new LongAdder();

        Article load(int id) throws NoSuchArticle, InterruptedException {
            Thread.sleep(4);
            loads.increment();
            if (id >= 3000 && id % 10 == 9) throw new NoSuchArticle(id);
            List<Integer> similar = new ArrayList<>();
            for (int k = 1; k <= 5; k++) similar.add((id + k * 3) % 3000);
            return new Article(id, "Article no " + id + " of the spring season", 100 + id * 37 % 9000, similar);
        }
    }

    static final class Segment {
        private final Map<Integer, Article> lru = new LinkedHashMap<>(512, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<Integer, Article> e) {
                return size() > 400;
            }
        };

        synchronized Article get(int id) {
            return lru.get(id);
        }

        synchronized void put(Article a) {
            lru.put(a.id, a);
        }
    }

    static final class Catalog {
        final Segment[] segments = new Segment[16];
        final Store store = new Store();
        final LongAdder hits = new LongAdder();

        Catalog() {
            for (int i = 0; i < segments.length; i++) segments[i] = new Segment();
        }

        Article find(int id) throws NoSuchArticle, InterruptedException {
            Segment s = segments[id * 0x9E3779B1 >>> 28];
            Article a = s.get(id);
            if (a != null) {
                hits.increment();
                return a;
            }
            a = store.load(id);
            s.put(a);
            return a;
        }
    }

    final Catalog catalog = new Catalog();
    final ThreadPoolExecutor pool = new ThreadPoolExecutor(12, 12, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>(500), r -> {
        Thread t = new Thread(r, "page");
        t.setDaemon(true);
        return t;
    });
    final LongAdder pages = new LongAdder();
    final LongAdder unknown = new LongAdder();
    final LongAdder micros = new LongAdder();

    String page(int id) throws NoSuchArticle, InterruptedException {
        Article a = catalog.find(id);
        StringBuilder b = new StringBuilder(900);
        b.append("<h1>").append(a.title).append("</h1><b>").append(a.cents / 100).append(',').append(a.cents % 100).append("</b><ul>");
        for (int s : a.similar) {
            Article o;
            try {
                o = catalog.find(s);
            } catch (NoSuchArticle e) {
                continue;
            }
            b.append("<li>").append(o.title).append(' ').append(o.cents).append("</li>");
        }
        return b.append("</ul>").toString();
    }

    Integer show(int id) throws InterruptedException {
        long t = System.nanoTime();
        try {
            return page(id).length();
        } catch (NoSuchArticle e) {
            unknown.increment();
            return 0;
        } finally {
            pages.increment();
            micros.add((System.nanoTime() - t) / 1000);
        }
    }

    int choose(Random r) {
        if (r.nextInt(400) == 0) return 3000 + r.nextInt(40_000);
        return (int) (Math.abs(r.nextGaussian()) * 700) % 3000;
    }

    void visitor(int id) {
        Random r = new Random(id);
        try {
            while (true) {
                int burst = r.nextInt(20) == 0 ? 300 : 30;
                List<Future<Integer>> tabs = new ArrayList<>();
                for (int i = 0; i < burst; i++) {
                    int article = choose(r);
                    if (pool.getQueue().remainingCapacity() < 40) break;
                    tabs.add(pool.submit(() -> show(article)));
                }
                for (Future<Integer> f : tabs) f.get();
                Thread.sleep(10 + r.nextInt(20));
            }
        } catch (InterruptedException | ExecutionException e) {
            System.out.println("visitor " + id + " ends: " + e);
        }
    }

    public static void main(String[] args) throws Exception {
        CatalogBrowser c = new CatalogBrowser();
        for (int i = 1; i <= 10; i++) {
            int id = i;
            Thread t = new Thread(() -> c.visitor(id), "visitor-" + id);
            t.setDaemon(true);
            t.start();
        }
        for (int s = 0; s < 150; s++) {
            Thread.sleep(1000);
            long n = c.pages.sumThenReset(), us = c.micros.sumThenReset(), h = c.catalog.hits.sumThenReset(), l = c.catalog.store.loads.sumThenReset();
            System.out.printf("measured: %d pages/s, %d us each, %.1f %% cache hits, %d loads, %d unknown%n", n, n == 0 ? 0 : us / n,
                    h + l == 0 ? 0 : 100.0 * h / (h + l), l, c.unknown.sumThenReset());
            if (s == 7) System.out.println("READY");
        }
        System.exit(0);
    }
}
