// SPDX-License-Identifier: Apache-2.0
// healthy: an in-memory parcel index that fills 60 to 70 percent of a 256 MB heap at the start and then stays at that size (each new parcel replaces the oldest one); the heap looks nearly full but does not grow and collections are rare and short.
// share: about 37 000 lookups/s at mean 2 to 3 us, 210 000 parcels held all the time, heap 170 to 180 MB after collections, 40 young collections of 7 to 25 ms in 170 s, no full collection.
// judge: WRONG would be: a memory leak, heap too small, GC pressure as a fault, an unbounded map, lock contention on the index. Acceptable as true and neutral: most of the heap is held by the Parcel/byte[] objects of ParcelTrackIndex.shelves, the live set is stable, some young collections, the load is paced by the caller's short sleeps.
// jdk: 11
// set: twenty-fifth
// jvm: -Xmx256m

import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class ParcelTrackIndex {
    static final int CAPACITY = 210_000;

    static final class Parcel {
        final long number;
        final int depot;
        final byte[] events;

        Parcel(long number, int depot, byte[] events) {
            this.number = number;
            this.depot = depot;
            this.events = events;
        }
    }

    static final class Shelf {
        final LinkedHashMap<Long, Parcel> parcels;
        final int limit;

        Shelf(int limit) {
            this.limit = limit;
            this.parcels = new LinkedHashMap<>(limit * 2, 0.75f, false) {
                @Override
                protected boolean removeEldestEntry(Map.Entry<Long, Parcel> eldest) {
                    return size() > Shelf.this.limit;
                }
            };
        }

        synchronized void put(Parcel p) {
            parcels.put(p.number, p);
        }

        synchronized Parcel get(long number) {
            return parcels.get(number);
        }

        synchronized int size() {
            return parcels.size();
        }
    }

    final Shelf[] shelves = new Shelf[16];
    final AtomicLong newest = new AtomicLong();
    final AtomicLong lookups = new AtomicLong();
    final AtomicLong hits = new AtomicLong();
    final AtomicLong nanos = new AtomicLong();
    final AtomicLong check = new AtomicLong();
    volatile boolean open = true;

    ParcelTrackIndex() {
        for (int i = 0; i < shelves.length; i++) {
            shelves[i] = new Shelf(CAPACITY / shelves.length);
        }
        for (int i = 0; i < CAPACITY; i++) {
            arrive(ThreadLocalRandom.current());
        }
    }

    Shelf shelf(long number) {
        return shelves[(int) (number & 15)];
    }

    void arrive(Random rnd) {
        long number = newest.incrementAndGet();
        byte[] events = new byte[560 + rnd.nextInt(80)];
        for (int i = 0; i < events.length; i += 16) {
            events[i] = (byte) rnd.nextInt();
        }
        shelf(number).put(new Parcel(number, rnd.nextInt(400), events));
    }

    int statusOf(Parcel p) {
        int status = p.depot;
        for (byte b : p.events) {
            status = status * 31 + b;
        }
        return status;
    }

    void customer(int no) {
        Random rnd = new Random(no);
        try {
            while (open) {
                for (int i = 0; i < 40; i++) {
                    long t0 = System.nanoTime();
                    long number = newest.get() - rnd.nextInt(CAPACITY - 100);
                    Parcel p = shelf(number).get(number);
                    if (p != null) {
                        hits.incrementAndGet();
                        check.addAndGet(statusOf(p));
                    }
                    nanos.addAndGet(System.nanoTime() - t0);
                    lookups.incrementAndGet();
                }
                Thread.sleep(4);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void depot(int no) {
        Random rnd = new Random(no);
        try {
            while (open) {
                for (int i = 0; i < 12; i++) {
                    arrive(rnd);
                }
                Thread.sleep(10);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    int size() {
        int n = 0;
        for (Shelf s : shelves) {
            n += s.size();
        }
        return n;
    }

    public static void main(String[] args) throws Exception {
        ParcelTrackIndex index = new ParcelTrackIndex();
        ExecutorService pool = Executors.newFixedThreadPool(6);
        for (int i = 0; i < 4; i++) {
            int no = i;
            pool.submit(() -> index.customer(no));
        }
        for (int i = 0; i < 2; i++) {
            int no = 100 + i;
            pool.submit(() -> index.depot(no));
        }
        System.out.println("READY");
        long last = 0;
        long lastNanos = 0;
        for (int s = 0; s < 166; s++) {
            Thread.sleep(1000);
            long c = index.lookups.get();
            long n = index.nanos.get();
            System.out.println("measured: " + (c - last) + " lookups/s, mean " + (n - lastNanos) / Math.max(1, c - last)
                    + " ns, held " + index.size());
            last = c;
            lastNanos = n;
        }
        index.open = false;
        pool.shutdown();
        System.out.println("done " + index.check.get() + " hits " + index.hits.get());
    }
}
