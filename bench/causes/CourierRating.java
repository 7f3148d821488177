// SPDX-License-Identifier: Apache-2.0
// cause: CourierRating keeps its TariffBook in a ThreadLocal (CourierRating.BOOK, withInitial(TariffBook::new)) but runs each request in a new virtual thread (newVirtualThreadPerTaskExecutor), so the ThreadLocal never finds a value and the constructor TariffBook.<init> builds the whole zone table (3000 entries in a HashMap) for every single request.
// share: faulty about 7 700 orders/s at mean 115 us, fixed about 116 000 orders/s at mean 2 to 8 us (factor 15).
// expect: hot-code kind=thread-locals
// symptom: hot-calls gc-cpu
// judge: NAMED: the ThreadLocal BOOK is useless with one virtual thread per request, so TariffBook.<init> (zone table build) runs per request; must say that the cached object is rebuilt per task/thread. SYMPTOM ONLY: TariffBook.<init> / HashMap.put / HashMap.resize is hot, high allocation rate, many young collections, without saying that the per-thread cache never hits. WRONG: pinning of virtual threads, too few carrier threads, ThreadLocal leak, heap too small, GC choice, contention on the semaphore that bounds the clients.
// jdk: 21
// set: twenty-fifth
// jvm: -Xmx128m

import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class CourierRating {
    record Parcel(int fromZip, int toZip, int grams) {
    }

    record Zone(int band, long base, long perKilo) {
    }

    static final class TariffBook {
        private final Map<String, Zone> zones = new HashMap<>();
        private final StringBuilder key = new StringBuilder(16);

        TariffBook() {
            for (int a = 0; a < 50; a++) {
                for (int b = 0; b < 60; b++) {
                    int band = Math.abs(a - b) / 6;
                    zones.put(a + "-" + b, new Zone(band, 390 + band * 85L, 40 + band * 11L));
                }
            }
        }

        long rate(Parcel p) {
            key.setLength(0);
            key.append(p.fromZip() % 50).append('-').append(p.toZip() % 60);
            Zone z = zones.get(key.toString());
            long kilos = (p.grams() + 999) / 1000;
            return z.base() + z.perKilo() * kilos + (p.grams() > 20000 ? 900 : 0);
        }
    }

    static final ThreadLocal<TariffBook> BOOK = ThreadLocal.withInitial(TariffBook::new);

    static final class Shelf {
        private final BlockingQueue<TariffBook> free = new ArrayBlockingQueue<>(64);

        TariffBook take() {
            TariffBook b = free.poll();
            return b == null ? new TariffBook() : b;
        }

        void put(TariffBook b) {
            free.offer(b);
        }
    }

    static final boolean VARIANT = Boolean.getBoolean("fixed");
    static final Shelf SHELF = new Shelf();
    static final Semaphore seats = new Semaphore(24);
    static final AtomicLong rated = new AtomicLong();
    static final AtomicLong nanos = new AtomicLong();
    static final AtomicLong income = new AtomicLong();

    static long quote(List<Parcel> order) {
        if (VARIANT) {
            TariffBook book = SHELF.take();
            try {
                return sum(book, order);
            } finally {
                SHELF.put(book);
            }
        }
        return sum(BOOK.get(), order);
    }

    static long sum(TariffBook book, List<Parcel> order) {
        long cents = 0;
        for (Parcel p : order) {
            cents += book.rate(p);
        }
        return cents;
    }

    static List<Parcel> order(Random rnd) {
        int n = 5 + rnd.nextInt(30);
        List<Parcel> out = new ArrayList<>(n);
        for (int i = 0; i < n; i++) {
            out.add(new Parcel(10000 + rnd.nextInt(80000), 10000 + rnd.nextInt(80000), 50 + rnd.nextInt(31000)));
        }
        return out;
    }

    static void handle(List<Parcel> order) {
        long t0 = System.nanoTime();
        try {
            income.addAndGet(quote(order));
            rated.incrementAndGet();
        } finally {
            nanos.addAndGet(System.nanoTime() - t0);
            seats.release();
        }
    }

    static void shop(ExecutorService service) {
        Random rnd = new Random(21);
        try {
            while (!Thread.currentThread().isInterrupted()) {
                seats.acquire();
                List<Parcel> order = order(rnd);
                service.submit(() -> handle(order));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        ExecutorService service = Executors.newVirtualThreadPerTaskExecutor();
        Thread shop = new Thread(() -> shop(service), "shop");
        shop.setDaemon(true);
        shop.start();
        System.out.println("READY");
        long last = 0, lastNanos = 0;
        for (int s = 0; s < 168; s++) {
            Thread.sleep(1000);
            long c = rated.get(), n = nanos.get();
            System.out.println("measured: " + (c - last) + " orders/s, mean "
                    + (n - lastNanos) / Math.max(1, c - last) / 1000 + " us");
            last = c;
            lastNanos = n;
        }
        shop.interrupt();
        shop.join();
        service.shutdown();
        System.out.println("done " + income.get());
    }
}
