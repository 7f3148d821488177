// SPDX-License-Identifier: Apache-2.0
// healthy: hotel search: sized LRU cache, short lock, short-lived garbage, bookings written and forced once a second
// share: none to gain; about 1,360 searches/s asked and done, 0.05-0.15 ms each
// judge: right: nothing is wrong; search answers in well under a ms, cache is bounded, young GCs are short
// judge: symptom: steady allocation and young GCs; sort/search on top of the CPU profile (true, it is the work)
// judge: wrong: the lock of the LRU cache, allocation or GC, fsync in Journal.flush, idle workers, a cache leak
// jdk: 8
// set: fourteenth
import java.io.*;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

/** Hotel search and booking; searches come at a steady rate from the web shop. */
public class HealthyRoomFinder {
    static final int HOTELS = 1500, CITIES = 60, CACHE = 800, RATE = 1500;

    static final class Hotel {
        final int id, city, stars, cents;
        final BitSet taken = new BitSet(365);

        Hotel(int id, Random r) {
            this.id = id;
            city = r.nextInt(CITIES);
            stars = 1 + r.nextInt(5);
            cents = 4000 + stars * 1500 + r.nextInt(6000);
            for (int d = 0; d < 365; d++) if (r.nextInt(4) == 0) taken.set(d);
        }
    }

    /** Bookings are collected in memory and forced to disk once a second by one thread; nobody waits for it. */
    static final class Journal {
        private final BlockingQueue<String> lines = new ArrayBlockingQueue<>(5000);
        private final FileChannel file;

        Journal(Path p) throws IOException {
            file = FileChannel.open(p, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE);
        }

        void flush() {
            List<String> some = new ArrayList<>();
            lines.drainTo(some);
            try {
                if (file.position() > 2 << 20) file.position(0).truncate(0);
                file.write(ByteBuffer.wrap(String.join("\n", some).getBytes(StandardCharsets.UTF_8)));
                file.force(false);
            } catch (IOException e) {
                System.err.println("journal: " + e);
            }
        }
    }

    private final Hotel[] hotels = new Hotel[HOTELS];
    private final Map<Integer, List<Hotel>> byCity = new HashMap<>();
    private final Map<Long, String> cache = new LinkedHashMap<Long, String>(CACHE * 2, 0.75f, true) {
        @Override protected boolean removeEldestEntry(Map.Entry<Long, String> e) {
            return size() > CACHE;
        }
    };
    private final Journal journal;
    final LongAdder hits = new LongAdder(), misses = new LongAdder();

    HealthyRoomFinder(Path p) throws IOException {
        journal = new Journal(p);
        Random r = new Random(11);
        for (int i = 0; i < HOTELS; i++) {
            hotels[i] = new Hotel(i, r);
            byCity.computeIfAbsent(hotels[i].city, k -> new ArrayList<>()).add(hotels[i]);
        }
    }

    String search(int city, int day, int nights) {
        long key = (long) city << 32 | day << 8 | nights;
        synchronized (cache) {
            String page = cache.get(key);
            if (page != null) {
                hits.increment();
                return page;
            }
        }
        misses.increment();
        List<Hotel> free = new ArrayList<>();
        for (Hotel h : byCity.get(city)) {
            synchronized (h.taken) {
                int next = h.taken.nextSetBit(day);
                if (next < 0 || next >= day + nights) free.add(h);
            }
        }
        free.sort(Comparator.comparingInt((Hotel h) -> h.cents / h.stars).thenComparingInt(h -> h.id));
        StringBuilder sb = new StringBuilder(2048).append('[');
        for (Hotel h : free) {
            sb.append("{\"hotel\":").append(h.id).append(",\"stars\":").append(h.stars).append(",\"eur\":")
                .append(h.cents * nights / 100).append('.').append(h.cents * nights % 100).append("},");
        }
        String page = sb.append(']').toString();
        synchronized (cache) {
            cache.put(key, page);
        }
        return page;
    }

    void book(int hotel, int day) {
        Hotel h = hotels[hotel];
        synchronized (h.taken) {
            if (h.taken.get(day)) h.taken.clear(day); else h.taken.set(day);
        }
        journal.lines.offer(System.currentTimeMillis() + " hotel " + hotel + " day " + day);
    }

    public static void main(String[] args) throws Exception {
        HealthyRoomFinder finder = new HealthyRoomFinder(Files.createTempFile("bookings", ".journal"));
        ScheduledExecutorService timer = Executors.newScheduledThreadPool(1, r -> new Thread(r, "journal"));
        timer.scheduleWithFixedDelay(finder.journal::flush, 1, 1, TimeUnit.SECONDS);
        ThreadPoolExecutor web = new ThreadPoolExecutor(6, 6, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(500),
            new ThreadPoolExecutor.CallerRunsPolicy());
        LongAdder done = new LongAdder(), nanos = new LongAdder(), size = new LongAdder();
        new Thread(() -> {
            ThreadLocalRandom r = ThreadLocalRandom.current();
            while (true) {
                for (int i = 0; i < RATE / 200; i++) {
                    long came = System.nanoTime();
                    int city = r.nextInt(r.nextInt(CITIES) + 1), day = r.nextInt(r.nextInt(90) + 1);
                    web.execute(() -> {
                        size.add(finder.search(city, day, 1 + (day & 1)).length());
                        if (day % 7 == 0) finder.book((city * 31 + day) % HOTELS, day);
                        nanos.add(System.nanoTime() - came);
                        done.increment();
                    });
                }
                try {
                    Thread.sleep(5);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }, "web-shop").start();
        System.out.println("READY");
        while (true) {
            Thread.sleep(1000);
            long n = Math.max(1, done.sumThenReset());
            long h = finder.hits.sumThenReset(), m = finder.misses.sumThenReset();
            System.out.printf(Locale.ROOT,
                "measured: %d searches/s, mean %.3f ms, %d %% from the cache, %d KB/s sent%n", n,
                nanos.sumThenReset() / 1e6 / n, 100 * h / Math.max(1, h + m), size.sumThenReset() >> 10);
        }
    }
}
