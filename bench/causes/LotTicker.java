// SPDX-License-Identifier: Apache-2.0
// healthy: long polls: 40 requests are always held at the server (LotTicker$Lot.after) until a bid comes or 4 s are over, with a thread for each of them and more to spare (48 for 40); the bidders (Bidder.run) wait for as long on purpose
// share: a bidder hears of a bid 2 to 5 ms after it was made (up to 10 ms beside other load); 13 to 20 bids and 50 to 80 answers a second, some requests for quiet lots end without news; 0.1 of 2 CPUs
// judge: RIGHT: nothing stands out, or only neutral sentences (time goes to waiting for a condition in LotTicker$Lot.after, or for the server's answers in Bidder.run, if these should be less; no fault shows), or what is wrong with the machine. WRONG: any accusation: slow endpoint /news, waits in Lot.after or Bidder.run as a fault, time-outs that end waits as a fault, a pool without free threads (ticker), lock contention of Lot, waking too many, threads stuck, collections
// jdk: 25
// set: thirty-fourth
// jvm: -Xmx256m
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** An auction house notifies bidders of new bids: a request is answered when there is one, or after some seconds with nothing. */
public class LotTicker {
    static final int LOTS = 10;
    static final int BIDDERS = 40;
    static final long HOLD_MS = 4000;
    static final AtomicLong NEWS = new AtomicLong();
    static final AtomicLong NEWS_DELAY_NS = new AtomicLong();
    static final AtomicLong QUIET = new AtomicLong();
    static final AtomicLong BIDS = new AtomicLong();

    record Bid(long number, int euros, long atNs) {}

    /** One lot, and who is waiting to hear of it. */
    static final class Lot {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition changed = lock.newCondition();
        private Bid highest = new Bid(0, 100, System.nanoTime());

        void bid(int raise) {
            lock.lock();
            try {
                highest = new Bid(highest.number() + 1, highest.euros() + raise, System.nanoTime());
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }

        /** The highest bid, once it is another one than the caller knows; null if none comes in time. */
        Bid after(long known, long millis) throws InterruptedException {
            long left = TimeUnit.MILLISECONDS.toNanos(millis);
            lock.lock();
            try {
                while (highest.number() == known) {
                    if (left <= 0) {
                        return null;
                    }
                    left = changed.awaitNanos(left);
                }
                return highest;
            } finally {
                lock.unlock();
            }
        }
    }

    static final class TickerService {
        private final Lot[] lots;

        TickerService(Lot[] lots) {
            this.lots = lots;
        }

        void news(HttpExchange exchange) throws IOException {
            String[] query = exchange.getRequestURI().getQuery().split("[=&]");
            int lot = Integer.parseInt(query[1]);
            long known = Long.parseLong(query[3]);
            try {
                Bid bid = lots[lot].after(known, HOLD_MS);
                if (bid == null) {
                    exchange.sendResponseHeaders(204, -1);
                } else {
                    byte[] body = (bid.number() + " " + bid.euros() + " " + bid.atNs()).getBytes(StandardCharsets.US_ASCII);
                    exchange.sendResponseHeaders(200, body.length);
                    exchange.getResponseBody().write(body);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                exchange.close();
            }
        }
    }

    /** The page of a bidder, which always has one request under way. */
    static final class Bidder implements Runnable {
        private final HttpClient client;
        private final String base;
        private final int lot;

        Bidder(HttpClient client, int port, int lot) {
            this.client = client;
            this.base = "http://127.0.0.1:" + port + "/news?lot=" + lot + "&known=";
            this.lot = lot;
        }

        @Override
        public void run() {
            long known = 0;
            while (true) {
                try {
                    HttpRequest request = HttpRequest.newBuilder(URI.create(base + known)).build();
                    HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
                    if (response.statusCode() == 204) {
                        QUIET.incrementAndGet();
                        continue;
                    }
                    String[] parts = response.body().split(" ");
                    if (known > 0) {
                        NEWS.incrementAndGet();
                        NEWS_DELAY_NS.addAndGet(System.nanoTime() - Long.parseLong(parts[2]));
                    }
                    known = Long.parseLong(parts[0]);
                } catch (IOException e) {
                    System.err.println("lot " + lot + ": " + e);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }
    }

    /** Bids that come in from the hall, often for some lots and rarely for others. */
    static final class Hall implements Runnable {
        private final Lot[] lots;
        private final Random random = new Random(9);

        Hall(Lot[] lots) {
            this.lots = lots;
        }

        @Override
        public void run() {
            while (true) {
                int lot = (int) (LOTS * Math.pow(random.nextDouble(), 5));
                lots[lot].bid(5 + random.nextInt(50));
                BIDS.incrementAndGet();
                try {
                    Thread.sleep((long) Math.min(400, -55 * Math.log(1 - random.nextDouble())));
                } catch (InterruptedException e) {
                    return;
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        Lot[] lots = new Lot[LOTS];
        for (int i = 0; i < LOTS; i++) {
            lots[i] = new Lot();
        }
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 128);
        server.setExecutor(Executors.newFixedThreadPool(BIDDERS + 8, Thread.ofPlatform().name("ticker-", 1).factory()));
        server.createContext("/news", new TickerService(lots)::news);
        server.start();
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        for (int i = 0; i < BIDDERS; i++) {
            new Thread(new Bidder(client, server.getAddress().getPort(), i % LOTS), "bidder-" + i).start();
        }
        new Thread(new Hall(lots), "hall").start();
        long news = 0;
        long delay = 0;
        long quiet = 0;
        long bids = 0;
        for (int second = 1;; second++) {
            Thread.sleep(1000);
            long n = NEWS.get();
            long d = NEWS_DELAY_NS.get();
            long q = QUIET.get();
            long b = BIDS.get();
            System.out.printf("measured: %d bids, bidders heard of one %d times, %.1f ms after it was made; %d requests ended without news%n",
                b - bids, n - news, (d - delay) / 1e6 / Math.max(1, n - news), q - quiet);
            news = n;
            delay = d;
            quiet = q;
            bids = b;
            if (second == 5) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
