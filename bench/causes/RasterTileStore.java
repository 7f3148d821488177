// SPDX-License-Identifier: Apache-2.0
// healthy: 124 of 128 MiB of direct memory are in use all the time, on purpose: the arenas of the store (class Store) are allocated once at the start, the limit was set to them and 4 MiB for the JDK's own buffers, and no direct buffer is allocated, freed or refused after that; tiles are replaced within the arenas.
// share: 31 direct buffers of 124.0 MiB (97 % of -XX:MaxDirectMemorySize) at each reading, no collection asked for by java.nio.Bits; 86 % of some 12000 reads a second are hits, 6 to 10 us each; about 0.15 CPUs.
// judge: Right: nothing stands out, or neutral statements of where CPU time goes (Renderer.draw, Shard.read, CRC32), or a mere remark that direct buffers are near their limit without growth. WRONG: direct-memory as a fault or as the first thing that is wrong (release buffers earlier, use fewer, a larger limit), a native leak or growth of memory, out of memory, explicit collections, contention for the monitor of Shard, a cache that does not hit.
// jdk: 11
// set: thirty-first
// jvm: -Xmx64m -XX:MaxDirectMemorySize=128m

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.CRC32;

/**
 * A store of rendered map tiles outside of the heap. All of its memory is taken when it starts, 31 arenas of 4 MiB of
 * the 128 MiB that the JVM is given for it; the other 4 MiB are for the buffers that the JDK makes for channels.
 */
public class RasterTileStore {
    static final int ARENAS = 31;
    static final int ARENA = 4 << 20;
    static final int TILE = 32 << 10;
    static final int TILES = 9000;

    static final class Slot {
        final ByteBuffer memory;
        int tile = -1;

        Slot(ByteBuffer memory) {
            this.memory = memory;
        }
    }

    /** Draws a tile: hill shading of an artificial landscape. */
    static final class Renderer {
        void draw(int tile, ByteBuffer into) {
            into.clear();
            double x0 = tile % 100 * 6.4;
            double y0 = tile / 100 * 3.2;
            for (int y = 0; y < 128; y++) {
                double ridge = Math.sin(y0 + y * 0.05);
                for (int x = 0; x < 64; x++) {
                    double h = ridge * (x0 + x * 0.1) + (x * y & 15);
                    into.putInt((int) (h * 255));
                }
            }
            into.flip();
        }
    }

    /** A part of the store with its own lock: tiles by number, the one used least recently goes first. */
    static final class Shard {
        private final ArrayList<Slot> free = new ArrayList<>();
        private final LinkedHashMap<Integer, Slot> used = new LinkedHashMap<>(1024, 0.75f, true);
        private final Renderer renderer = new Renderer();
        private long hits;
        private long misses;

        void give(Slot slot) {
            free.add(slot);
        }

        synchronized int read(int tile, byte[] into) {
            Slot slot = used.get(tile);
            if (slot != null) {
                hits++;
            } else {
                misses++;
                slot = free.isEmpty() ? eldest() : free.remove(free.size() - 1);
                renderer.draw(tile, slot.memory);
                slot.tile = tile;
                used.put(tile, slot);
            }
            ByteBuffer view = slot.memory.duplicate();
            int n = view.remaining();
            view.get(into, 0, n);
            return n;
        }

        private Slot eldest() {
            Map.Entry<Integer, Slot> first = used.entrySet().iterator().next();
            used.remove(first.getKey());
            return first.getValue();
        }

        synchronized long[] counts() {
            long[] c = {hits, misses, used.size()};
            hits = 0;
            misses = 0;
            return c;
        }
    }

    static final class Store {
        private final Shard[] shards = new Shard[8];

        Store() {
            for (int i = 0; i < shards.length; i++) {
                shards[i] = new Shard();
            }
            int n = 0;
            for (int a = 0; a < ARENAS; a++) {
                ByteBuffer arena = ByteBuffer.allocateDirect(ARENA);
                for (int at = 0; at < ARENA; at += TILE) {
                    arena.limit(at + TILE).position(at);
                    shards[n++ % shards.length].give(new Slot(arena.slice()));
                }
            }
        }

        int read(int tile, byte[] into) {
            return shards[tile % shards.length].read(tile, into);
        }
    }

    /** Viewers of maps ask for what many ask for, and now and then for something else. */
    static final class Viewer implements Runnable {
        private final Store store;
        private final Random random;
        private final CountDownLatch warm;
        static final LongAdder reads = new LongAdder();
        static final LongAdder nanos = new LongAdder();

        Viewer(Store store, int number, CountDownLatch warm) {
            this.store = store;
            this.random = new Random(number);
            this.warm = warm;
        }

        private int next() {
            double r = random.nextDouble();
            return (int) (TILES * Math.pow(r, 8));
        }

        @Override
        public void run() {
            byte[] screen = new byte[TILE];
            try {
                while (true) {
                    long begin = System.nanoTime();
                    for (int i = 0; i < 120; i++) {
                        CRC32 sum = new CRC32();
                        sum.update(screen, 0, store.read(next(), screen));
                        if (sum.getValue() == 1) {
                            System.err.println("viewer: an empty tile");
                        }
                    }
                    long took = System.nanoTime() - begin;
                    reads.add(120);
                    nanos.add(took);
                    warm.countDown();
                    Thread.sleep(25 + 4 * took / 1_000_000);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Store store = new Store();
        byte[] buffer = new byte[TILE];
        for (int tile = ARENAS * ARENA / TILE - 1; tile >= 0; tile--) {
            store.read(tile, buffer);
        }
        CountDownLatch warm = new CountDownLatch(150);
        for (int i = 1; i <= 3; i++) {
            new Thread(new Viewer(store, i, warm), "viewer-" + i).start();
        }
        warm.await();
        BufferPoolMXBean direct = null;
        for (BufferPoolMXBean b : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
            if (b.getName().equals("direct")) {
                direct = b;
            }
        }
        System.out.println("READY");
        System.out.flush();
        List<Shard> shards = List.of(store.shards);
        while (true) {
            Thread.sleep(1000);
            long hits = 0;
            long misses = 0;
            long kept = 0;
            for (Shard s : shards) {
                long[] c = s.counts();
                hits += c[0];
                misses += c[1];
                kept += c[2];
            }
            long n = Math.max(1, Viewer.reads.sumThenReset());
            System.out.printf("measured: %d reads, %.0f us each, %.1f %% hits, %d tiles kept; %d direct buffers of %.1f MiB (%.0f %% of the limit)%n",
                    n, Viewer.nanos.sumThenReset() / 1e3 / n, 100.0 * hits / Math.max(1, hits + misses), kept,
                    direct.getCount(), direct.getMemoryUsed() / 1048576.0, direct.getMemoryUsed() / 1048576.0 / 1.28);
        }
    }
}
