// SPDX-License-Identifier: Apache-2.0
// healthy: serves title pages of a film service from a bounded cache whose entries live 8 s and are refreshed ahead after 4 to 5 s in the background by a few virtual threads; looks suspicious because entries are dropped and built again all the time, many short virtual threads start and old objects die, but requests practically never wait for a build
// share: nothing to fix; about 3000 pages/s (paced), mean latency 1 to 2 microseconds
// judge: any finding that names a fault is wrong: cache thrashing or low hit rate, memory leak of the cache, too many virtual threads, GC pressure, cost of PageBuilder.build as a fault, contention on the map, refresh storm. Right is "no fault found" or that the refresh in the background is by design.
// jdk: 25
// set: seventeenth
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class StreamCatalog {
    static final LongAdder pages = new LongAdder();
    static final LongAdder nanos = new LongAdder();
    static final LongAdder built = new LongAdder();
    static final LongAdder waited = new LongAdder();

    record Title(int id, String name, int year, List<String> cast) { }

    record Page(int id, byte[] html, long refreshAt, long until) { }

    /** All titles of the service. */
    static final class Library {
        private final List<Title> titles = new ArrayList<>();

        Library(int n) {
            Random r = new Random(41);
            String[] names = {"Anna", "Birger", "Chloe", "Dario", "Elif", "Femi", "Greta", "Hugo"};
            for (int i = 0; i < n; i++) {
                List<String> cast = new ArrayList<>();
                for (int k = 0; k < 6; k++) {
                    cast.add(names[r.nextInt(names.length)] + " " + (char) ('A' + r.nextInt(26)) + ".");
                }
                titles.add(new Title(i, "Title " + i, 1960 + r.nextInt(65), cast));
            }
        }

        Title get(int id) {
            return titles.get(id);
        }

        int size() {
            return titles.size();
        }
    }

    static final class PageBuilder {
        private final Library library;

        PageBuilder(Library library) {
            this.library = library;
        }

        Page build(int id) {
            Title t = library.get(id);
            StringBuilder b = new StringBuilder(2048);
            b.append("<h1>").append(t.name()).append(" (").append(t.year()).append(")</h1><ul>");
            for (String c : t.cast()) {
                b.append("<li>").append(c).append("</li>");
            }
            b.append("</ul>");
            for (int i = 1; i <= 20; i++) {
                Title o = library.get((id * 17 + i * 53) % library.size());
                b.append("<a href='/t/").append(o.id()).append("'>").append(o.name()).append("</a>");
            }
            built.increment();
            long now = System.currentTimeMillis();
            return new Page(id, b.toString().getBytes(), now + 4000 + id % 1000, now + 8000);
        }
    }

    /** Pages ready to be sent, renewed before they run out. */
    static final class PageCache {
        private final ConcurrentHashMap<Integer, Page> ready = new ConcurrentHashMap<>();
        private final PageBuilder builder;

        PageCache(PageBuilder builder) {
            this.builder = builder;
        }

        Page get(int id) {
            Page p = ready.get(id);
            if (p == null || p.until() < System.currentTimeMillis()) {
                waited.increment();
                p = builder.build(id);
                ready.put(id, p);
            }
            return p;
        }

        /** One round of renewal; each due page is a small task of its own. */
        void renew() {
            long now = System.currentTimeMillis();
            for (Page p : ready.values()) {
                if (p.refreshAt() < now) {
                    Thread.ofVirtual().name("renew-" + p.id()).start(() -> ready.put(p.id(), builder.build(p.id())));
                }
            }
        }
    }

    record Viewer(PageCache cache, int titles, int seed) implements Runnable {
        @Override
        public void run() {
            Random r = new Random(seed);
            try {
                while (true) {
                    for (int i = 0; i < 8; i++) {
                        int id = r.nextInt(titles);
                        long t0 = System.nanoTime();
                        Page p = cache.get(id);
                        nanos.add(System.nanoTime() - t0);
                        if (p.html().length > 0) {
                            pages.increment();
                        }
                    }
                    Thread.sleep(10);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Library library = new Library(5000);
        PageCache cache = new PageCache(new PageBuilder(library));
        for (int i = 0; i < library.size(); i++) {
            cache.get(i);
        }
        waited.reset();
        for (int i = 0; i < 4; i++) {
            Thread.ofPlatform().daemon().name("viewer-" + i).start(new Viewer(cache, library.size(), i));
        }
        ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            r -> Thread.ofPlatform().daemon().name("renewal").unstarted(r));
        clock.scheduleWithFixedDelay(cache::renew, 200, 200, TimeUnit.MILLISECONDS);
        System.out.println("READY");
        for (int s = 0; s < 140; s++) {
            Thread.sleep(1000);
            long n = pages.sumThenReset();
            long ns = nanos.sumThenReset();
            System.out.printf("measured: %d pages/s, mean latency %.2f us, %d built, %d waited%n",
                n, n == 0 ? 0 : ns / 1e3 / n, built.sumThenReset(), waited.sumThenReset());
        }
    }
}
