// SPDX-License-Identifier: Apache-2.0
// healthy: about 100 MB of a 256 MB heap hold a primitive open-addressing index that is read all the time; the old generation stays roughly 60 percent full and constant, young collections are rare and short and no full collection occurs, so the large heap use is intended and cheap.
// judge: wrong: blaming a memory leak, heap pressure, GC, the size of keys/cells arrays, hash collisions in find, or the route/encode methods; the remaining cost is useful lookups
// set: eighteenth
// jdk: 25
// jvm: -Xmx256m -Xms256m -XX:+UseParallelGC
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;

public class ParcelGeoIndex {
    static final int SLOTS = 1 << 23;
    static final int PARCELS = 4_200_000;
    static final LongAdder lookups = new LongAdder();
    static final LongAdder found = new LongAdder();

    private final long[] keys = new long[SLOTS];
    private final int[] cells = new int[SLOTS];
    private final double[] depotX = new double[64];
    private final double[] depotY = new double[64];

    private static long parcelKey(int n) {
        return n * 0x9E3779B97F4A7C15L | 1L;
    }

    private static int slot(long key) {
        long h = key ^ key >>> 32;
        h *= 0xD6E8FEB86659FD93L;
        return (int) (h >>> 41);
    }

    private void build() {
        SplittableRandom rnd = new SplittableRandom(8);
        for (int i = 0; i < depotX.length; i++) {
            depotX[i] = rnd.nextInt(1 << 12);
            depotY[i] = rnd.nextInt(1 << 12);
        }
        for (int n = 1; n <= PARCELS; n++) {
            insert(parcelKey(n), rnd.nextInt(1 << 24));
        }
    }

    private void insert(long key, int cell) {
        int i = slot(key);
        while (keys[i] != 0 && keys[i] != key) {
            i = i + 1 & SLOTS - 1;
        }
        keys[i] = key;
        cells[i] = cell;
    }

    private int find(long key) {
        int i = slot(key);
        while (keys[i] != 0) {
            if (keys[i] == key) {
                return cells[i];
            }
            i = i + 1 & SLOTS - 1;
        }
        return -1;
    }

    private int route(int cell) {
        double x = cell & 0xFFF;
        double y = cell >>> 12;
        int best = 0;
        double min = Double.MAX_VALUE;
        for (int d = 0; d < depotX.length; d++) {
            double dx = depotX[d] - x;
            double dy = depotY[d] - y;
            double dist = dx * dx + dy * dy;
            if (dist < min) {
                min = dist;
                best = d;
            }
        }
        return best;
    }

    private byte[] encode(int parcel, int cell, int depot) {
        byte[] b = new byte[12];
        for (int i = 0; i < 4; i++) {
            b[i] = (byte) (parcel >>> i * 8);
            b[4 + i] = (byte) (cell >>> i * 8);
            b[8 + i] = (byte) (depot >>> i * 8);
        }
        return b;
    }

    private void desk(int no) {
        SplittableRandom rnd = new SplittableRandom(no);
        byte[][] recent = new byte[256][];
        for (int n = 0; ; n++) {
            int hits = 0;
            for (int i = 0; i < 500; i++) {
                int parcel = 1 + rnd.nextInt(PARCELS);
                int cell = find(parcelKey(parcel));
                if (cell >= 0) {
                    hits++;
                    recent[n + i & 255] = encode(parcel, cell, route(cell));
                }
            }
            lookups.add(500);
            found.add(hits);
        }
    }

    private static long[] gc() {
        long n = 0;
        long ms = 0;
        for (GarbageCollectorMXBean b : ManagementFactory.getGarbageCollectorMXBeans()) {
            n += b.getCollectionCount();
            ms += b.getCollectionTime();
        }
        return new long[] {n, ms};
    }

    public static void main(String[] args) throws Exception {
        ParcelGeoIndex index = new ParcelGeoIndex();
        index.build();
        for (int i = 1; i <= 2; i++) {
            int no = i;
            Thread t = new Thread(() -> index.desk(no), "geo-desk-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        long before = 0;
        long[] g0 = gc();
        for (int s = 0; s < 240; s++) {
            Thread.sleep(1000);
            long now = lookups.sum();
            long[] g = gc();
            System.out.println("measured: lookups/s=" + (now - before) + " gc/s=" + (g[0] - g0[0]) + " gc_ms/s="
                    + (g[1] - g0[1]));
            before = now;
            g0 = g;
        }
        System.out.println("found " + found.sum());
    }
}
