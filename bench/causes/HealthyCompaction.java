// SPDX-License-Identifier: Apache-2.0
// healthy: a store answers at once, and each two seconds a thread of its own merges runs for a tenth of a second
// jdk: 25
// set: eighth
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.ConcurrentSkipListMap;
import wick.Scope;
import wick.Wick;

public final class HealthyCompaction {
    private static volatile long found;

    private final ConcurrentSkipListMap<Integer, Long> recent = new ConcurrentSkipListMap<>();
    private volatile long[] run = new long[0];

    private static long[] merge(long[] a, long[] b) {
        long[] all = new long[a.length + b.length];
        for (int i = 0, j = 0, k = 0; k < all.length; k++) {
            all[k] = j == b.length || i < a.length && a[i] <= b[j] ? a[i++] : b[j++];
        }
        return all;
    }

    private void compact() {
        Random random = new Random(42);
        long[] merged = new long[0];
        for (int n = 0; n < 20; n++) {
            long[] one = random.longs(20000).toArray();
            Arrays.sort(one);
            merged = merge(merged, one);
        }
        run = Arrays.copyOf(merged, 50000);
        recent.headMap(recent.isEmpty() ? 0 : recent.lastKey() - 1000).clear();
    }

    private void compactor() {
        try {
            for (;;) {
                Thread.sleep(2000);
                compact();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void serve(int client) {
        try {
            for (int i = client;; i += 4) {
                try (Scope request = Wick.span("GET /value")) {
                    recent.put(i, (long) i);
                    long[] sorted = run;
                    found += Arrays.binarySearch(sorted, i * 31L) + recent.ceilingKey(i);
                }
                Thread.sleep(25); // the next client
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        HealthyCompaction store = new HealthyCompaction();
        new Thread(store::compactor, "compactor").start();
        for (int i = 0; i < 4; i++) {
            int client = i;
            new Thread(() -> store.serve(client), "http-" + i).start();
        }
        System.out.println("READY");
    }
}
