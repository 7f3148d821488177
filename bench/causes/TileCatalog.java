// SPDX-License-Identifier: Apache-2.0
// healthy: An LRU cache of 28,000 tiles keeps 235 MB of a heap of 384 MB in use from the start, without growing, and each visit gets 12 tiles under one short synchronized method; 96 of 100 lookups hit, collections are rare, and latency is below a millisecond mostly.
// share: measures visits/s (500, as offered), mean latency (0.2 to 0.5 ms, a few ms in seconds with a collection), share of tiles drawn anew (1 to 4 %, falling), tiles kept (28,000 all the time).
// judge: WRONG: a leak or a growing heap (live-set, out-of-memory), cache misses, contention for the monitor of Store, collections as a fault, an oversized heap. ACCEPTABLE: the true remark that Store.tiles (LinkedHashMap) keeps most of the heap alive, without calling it a leak; neutral remarks on where the CPU time goes (Tile.digest, Painter.paint); that nothing stands out.
// jdk: 21
// set: twenty-fourth
// jvm: -Xmx384m
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

public class TileCatalog {
    static final AtomicLong served = new AtomicLong();
    static final AtomicLong spent = new AtomicLong();
    static final AtomicLong drawn = new AtomicLong();

    record Place(int zoom, int x, int y) {
    }

    record Tile(Place place, byte[] pixels) {
        int digest() {
            int sum = 0;
            for (int i = 0; i < pixels.length; i += 16) sum = sum * 31 + pixels[i];
            return sum;
        }
    }

    static final class Painter {
        Tile paint(Place place) {
            byte[] pixels = new byte[8_000];
            int seed = place.hashCode();
            for (int i = 0; i < pixels.length; i++) {
                seed = seed * 1103515245 + 12345;
                pixels[i] = (byte) (seed >>> 16);
            }
            drawn.incrementAndGet();
            return new Tile(place, pixels);
        }
    }

    static final class Store {
        private final Map<Place, Tile> tiles;

        Store(int capacity) {
            tiles = new LinkedHashMap<>(capacity * 2, 0.75f, true) {
                @Override
                protected boolean removeEldestEntry(Map.Entry<Place, Tile> eldest) {
                    return size() > capacity;
                }
            };
        }

        synchronized Tile get(Place place) {
            return tiles.get(place);
        }

        synchronized void put(Place place, Tile tile) {
            tiles.put(place, tile);
        }

        synchronized int size() {
            return tiles.size();
        }
    }

    static final class Atlas {
        private final Store store = new Store(28_000);
        private final Painter painter = new Painter();

        Tile tile(Place place) {
            Tile tile = store.get(place);
            if (tile == null) {
                tile = painter.paint(place);
                store.put(place, tile);
            }
            return tile;
        }
    }

    record Visit(List<Place> places, long due, CompletableFuture<Integer> reply) {
    }

    static final class Server implements Runnable {
        private final BlockingQueue<Visit> visits;
        private final Atlas atlas;

        Server(BlockingQueue<Visit> visits, Atlas atlas) {
            this.visits = visits;
            this.atlas = atlas;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Visit visit = visits.take();
                    int digest = 0;
                    for (Place place : visit.places()) digest ^= atlas.tile(place).digest();
                    visit.reply().complete(digest);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class Tourists implements Runnable {
        private final BlockingQueue<Visit> visits;
        private final Random random = new Random(14);

        Tourists(BlockingQueue<Visit> visits) {
            this.visits = visits;
        }

        private Place choose() {
            if (random.nextInt(100) == 0) return new Place(16, random.nextInt(2000), random.nextInt(2000));
            double r = random.nextDouble();
            int index = (int) (r * r * 26_000);
            return new Place(12, index / 160, index % 160);
        }

        @Override
        public void run() {
            long next = System.nanoTime();
            while (true) {
                next += 2_000_000L;
                long rest = next - System.nanoTime();
                if (rest > 0) LockSupport.parkNanos(rest);
                List<Place> places = new ArrayList<>();
                for (int i = 0; i < 12; i++) places.add(choose());
                Visit visit = new Visit(places, next, new CompletableFuture<>());
                visit.reply().thenAccept(digest -> {
                    spent.addAndGet(System.nanoTime() - visit.due());
                    served.incrementAndGet();
                });
                visits.offer(visit);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Atlas atlas = new Atlas();
        for (int index = 0; index < 26_000; index++) atlas.tile(new Place(12, index / 160, index % 160));
        for (int extra = 0; atlas.store.size() < 28_000; extra++) atlas.tile(new Place(15, extra, 0));
        BlockingQueue<Visit> visits = new ArrayBlockingQueue<>(2000);
        for (int i = 0; i < 3; i++) Thread.ofPlatform().daemon().name("atlas-" + i).start(new Server(visits, atlas));
        Thread.ofPlatform().daemon().name("tourists").start(new Tourists(visits));
        System.out.println("READY");
        for (int second = 0; second < 170; second++) {
            long n = served.get();
            long t = spent.get();
            long d = drawn.get();
            Thread.sleep(1000);
            long count = served.get() - n;
            System.out.printf("measured: %d visits/s, mean latency %.2f ms, %.1f %% of tiles drawn anew, %d kept%n", count,
                    count == 0 ? 0.0 : (spent.get() - t) / 1e6 / count,
                    count == 0 ? 0.0 : (drawn.get() - d) * 100.0 / 12 / count, atlas.store.size());
        }
        System.exit(0);
    }
}
