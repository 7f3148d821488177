// SPDX-License-Identifier: Apache-2.0
// cause: Shelf (the LinkedHashMap of Office.shelf) keeps 2,600 sheets of 1,800 Point objects each, about 190 MB of a heap of 256 MB, though requests ask for the latest few hundred only; ZGC has 4.7 million objects to mark in each cycle and little room during that, so that requests stop in allocation stalls.
// share: faulty 310 receipts a second, mean 21.71 ms; fixed 907 receipts a second, mean 2.86 ms (7.6 times better in latency; medians of 11 s runs on a crowded machine of 2 CPUs)
// expect: allocation-stall holder=TripReceipts$Shelf | gc-cpu holder=TripReceipts$Shelf | live-set holder=TripReceipts$Shelf
// symptom: allocation-stall gc-cpu gc-pauses waiting
// judge: NAMED: requests (/receipt, threads office-N) wait in allocation stalls of ZGC since the heap is nearly full of what TripReceipts$Shelf.sheets keeps alive (TripReceipts$Sheet, TripReceipts$Point): keep fewer sheets (or a larger heap). Stalls without the holder are right in part. SYMPTOM ONLY: the collector uses most of the CPU time; Painter.compose allocates most; the riders wait for answers of the server; threads lack CPUs. WRONG: the lock of Shelf, the HTTP server's pool as too small, a leak that grows (the shelf has its full size from the start), cache misses.
// jdk: 21
// set: twenty-ninth
// jvm: -Xmx256m -XX:+UseZGC
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URL;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

public class TripReceipts {
    static final boolean REVISED = Boolean.getBoolean("fixed");
    static final LongAdder COUNT = new LongAdder();
    static final LongAdder NANOS = new LongAdder();

    record Point(int east, int north, long second) {
    }

    static final class Sheet {
        final int trip;
        final Point[] track;

        Sheet(int trip, Point[] track) {
            this.trip = trip;
            this.track = track;
        }
    }

    static final class Shelf {
        private final int room;
        private final Map<Integer, Sheet> sheets;

        Shelf(int room) {
            this.room = room;
            this.sheets = new LinkedHashMap<Integer, Sheet>(64, 0.75f, true) {
                @Override
                protected boolean removeEldestEntry(Map.Entry<Integer, Sheet> eldest) {
                    return size() > Shelf.this.room;
                }
            };
        }

        synchronized Sheet find(int trip) {
            return sheets.get(trip);
        }

        synchronized void put(Sheet sheet) {
            sheets.put(sheet.trip, sheet);
        }
    }

    static final class Painter {
        Sheet paint(int trip) {
            Point[] track = new Point[1800];
            int x = trip * 7919 + 1;
            for (int i = 0; i < track.length; i++) {
                x ^= x << 13;
                x ^= x >>> 17;
                x ^= x << 5;
                track[i] = new Point(i * 9 + (x & 15), i * 4 + (x >> 8 & 15), trip * 100L + i);
            }
            return new Sheet(trip, track);
        }

        byte[] compose(Sheet sheet, int bands) {
            int wide = 32 * 1024;
            byte[] strip = new byte[0];
            for (int band = 0; band < bands; band++) {
                byte[] next = new byte[strip.length + wide];
                System.arraycopy(strip, 0, next, 0, strip.length);
                for (Point p : sheet.track) {
                    next[strip.length + (p.east() * 31 + p.north() * (band + 1)) % wide] = (byte) p.second();
                }
                strip = next;
            }
            byte[] thumb = new byte[512];
            for (int i = 0; i < thumb.length; i++) {
                thumb[i] = strip[i * (strip.length / thumb.length)];
            }
            return thumb;
        }
    }

    static final class Office {
        private final Shelf shelf = new Shelf(REVISED ? 400 : 2600);
        private final Painter painter = new Painter();
        private final AtomicInteger latest = new AtomicInteger();

        Office() {
            for (int trip = 0; trip < shelf.room; trip++) {
                shelf.put(painter.paint(trip));
                latest.set(trip);
            }
        }

        void receipt(HttpExchange exchange) throws IOException {
            String query = exchange.getRequestURI().getQuery();
            int back = Integer.parseInt(query.substring(5));
            int trip = back == 0 ? latest.incrementAndGet() : Math.max(0, latest.get() - back);
            Sheet sheet = shelf.find(trip);
            if (sheet == null) {
                sheet = painter.paint(trip);
                shelf.put(sheet);
            }
            byte[] answer = painter.compose(sheet, 4);
            exchange.sendResponseHeaders(200, answer.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(answer);
            }
        }
    }

    static void rider(int port, long end, int seed) {
        Random r = new Random(seed);
        byte[] buffer = new byte[2048];
        while (System.nanoTime() < end) {
            int back = r.nextInt(10) == 0 ? 0 : 1 + (int) Math.abs(r.nextGaussian() * 80);
            long from = System.nanoTime();
            try {
                URL url = URI.create("http://127.0.0.1:" + port + "/receipt?back=" + back).toURL();
                HttpURLConnection c = (HttpURLConnection) url.openConnection();
                try (InputStream in = c.getInputStream()) {
                    while (in.read(buffer) >= 0) {
                        continue;
                    }
                }
                NANOS.add(System.nanoTime() - from);
                COUNT.increment();
                Thread.sleep(6);
            } catch (InterruptedException | IOException e) {
                System.err.println(e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        int span = Integer.getInteger("span", 170);
        long end = System.nanoTime() + span * 1_000_000_000L;
        System.setProperty("sun.net.httpserver.nodelay", "true");
        Office office = new Office();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
        server.createContext("/receipt", office::receipt);
        AtomicInteger n = new AtomicInteger();
        server.setExecutor(Executors.newFixedThreadPool(8, r -> {
            Thread t = new Thread(r, "office-" + n.getAndIncrement());
            t.setDaemon(true);
            return t;
        }));
        server.start();
        int port = server.getAddress().getPort();
        for (int i = 0; i < 8; i++) {
            int seed = i;
            Thread t = new Thread(() -> rider(port, end, seed), "rider-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long count = COUNT.sumThenReset();
            long ns = NANOS.sumThenReset();
            System.out.printf("measured: %d receipts a second, mean %.2f ms%n", count, count == 0 ? 0 : ns / 1e6 / count);
        }
        System.exit(0);
    }
}
