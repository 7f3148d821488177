// SPDX-License-Identifier: Apache-2.0
// cause: The tile cache has no bound but SoftReferences, so it fills the whole heap and the collector runs full collections back to back (over half of the time) before it drops tiles.
// share: 17154 tiles/s without, 66937 tiles/s with -Dfixed=true (3.9 times; means over 7 and 7 s after READY; e.g. "18367 tiles/s, 2947 drawn, heap 51 MiB" against "67268 tiles/s, 18339 drawn, heap 37 MiB")
// expect: gc-pauses soft=0 | gc-cpu soft=0 | gc-pauses holder=TileShelf | gc-cpu holder=TileShelf
// symptom: gc-pauses gc-cpu
// judge: Must name the tile cache (TileShelf.tiles, ConcurrentHashMap of SoftReference<Tile>, softly reachable tiles fill the heap) as what drives the full collections, to be bounded by count/size; "GC time is high", "heap too small" or "drawing allocates much" alone is only the symptom.
// set: twenty-first
// jdk: 11
// jvm: -XX:+UseG1GC
import java.lang.ref.SoftReference;
import java.nio.ByteBuffer;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;

/** Serves map tiles for a hiking portal: popular tiles are kept, others are drawn from the terrain model. */
public class MapTileDesk {
    static final LongAdder SERVED = new LongAdder();
    static final LongAdder DRAWN = new LongAdder();

    static final class Contour {
        final int height;
        final float[] x;
        final float[] y;

        Contour(int height, int points) {
            this.height = height;
            this.x = new float[points];
            this.y = new float[points];
        }
    }

    /** A drawn tile: contour lines as the browser expects them. */
    static final class Tile {
        final int id;
        final List<Contour> contours = new ArrayList<>();

        Tile(int id) {
            this.id = id;
        }

        byte[] encode() {
            ByteBuffer out = ByteBuffer.allocate(12 * 1024);
            for (Contour c : contours) {
                out.putShort((short) c.height).put((byte) c.x.length);
                for (int i = 0; i < c.x.length; i++) {
                    out.put((byte) c.x[i]).put((byte) c.y[i]);
                }
            }
            return out.array();
        }
    }

    static final class Terrain {
        Tile draw(int id) {
            Tile tile = new Tile(id);
            SplittableRandom r = new SplittableRandom(id);
            for (int level = 0; level < 90; level++) {
                Contour c = new Contour(level * 20, 6 + r.nextInt(8));
                for (int i = 0; i < c.x.length; i++) {
                    c.x[i] = r.nextInt(256);
                    c.y[i] = (c.x[i] * 31 + level) % 256;
                }
                tile.contours.add(c);
            }
            DRAWN.increment();
            return tile;
        }
    }

    interface Shelf {
        Tile get(int id);
    }

    /** Keeps drawn tiles for as long as there is room. */
    static final class TileShelf implements Shelf {
        private final ConcurrentMap<Integer, SoftReference<Tile>> tiles = new ConcurrentHashMap<>();
        private final Terrain terrain;

        TileShelf(Terrain terrain) {
            this.terrain = terrain;
        }

        @Override
        public Tile get(int id) {
            SoftReference<Tile> kept = tiles.get(id);
            Tile tile = kept == null ? null : kept.get();
            if (tile == null) {
                tile = terrain.draw(id);
                tiles.put(id, new SoftReference<>(tile));
            }
            return tile;
        }
    }

    /** Keeps the last used tiles up to a number. */
    static final class NumberedShelf implements Shelf {
        private final Map<Integer, Tile> tiles;
        private final Terrain terrain;

        NumberedShelf(Terrain terrain, int limit) {
            this.terrain = terrain;
            this.tiles = new LinkedHashMap<>(limit * 2, 0.75f, true) {
                @Override
                protected boolean removeEldestEntry(Map.Entry<Integer, Tile> e) {
                    return size() > limit;
                }
            };
        }

        @Override
        public Tile get(int id) {
            synchronized (tiles) {
                Tile tile = tiles.get(id);
                if (tile != null) {
                    return tile;
                }
            }
            Tile drawn = terrain.draw(id);
            synchronized (tiles) {
                tiles.put(id, drawn);
            }
            return drawn;
        }
    }

    static void browse(Shelf shelf) {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        long points = 0;
        while (points >= 0) {
            double u = r.nextDouble();
            int id = (int) (30_000 * Math.pow(u, 16));
            points += shelf.get(id).encode().length;
            SERVED.increment();
        }
    }

    public static void main(String[] args) throws Exception {
        Terrain terrain = new Terrain();
        Shelf shelf = Boolean.getBoolean("fixed") ? new NumberedShelf(terrain, 700) : new TileShelf(terrain);
        for (int i = 0; i < 2; i++) {
            Thread t = new Thread(() -> browse(shelf), "browse-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(5000);
        System.out.println("READY");
        SERVED.sumThenReset();
        DRAWN.sumThenReset();
        for (int s = 0; s < 240; s++) {
            Thread.sleep(1000);
            Runtime rt = Runtime.getRuntime();
            System.out.printf("measured: %d tiles/s, %d drawn, heap %d MiB%n", SERVED.sumThenReset(),
                DRAWN.sumThenReset(), (rt.totalMemory() - rt.freeMemory()) >> 20);
        }
        System.exit(0);
    }
}
