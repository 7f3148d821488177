// SPDX-License-Identifier: Apache-2.0
// healthy: nearly all threads wait for a second or more in each request, but these are long polls that are answered some ten or twenty milliseconds after the next departure notice, and there are more handler threads than boards
// share: 24 notices shown per publication, 16-23 ms after publication on a machine with other load
// judge: right = says no fault (long polls waiting for the next notice, prompt delivery); wrong = blames the waits in Notices.after, the handler pool, the HTTP client or the sleep of the harbour office as a fault
// set: twenty-first
// jdk: 17
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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

public class FerryBoard {
    static final long RUN_MILLIS = 220_000L;
    static final int BOARDS = 24;

    record Notice(long number, long at, String text) {
    }

    static final class Notices {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition published = lock.newCondition();
        private Notice latest = new Notice(0, System.nanoTime(), "no departures yet");

        void publish(String text) {
            lock.lock();
            try {
                latest = new Notice(latest.number() + 1, System.nanoTime(), text);
                published.signalAll();
            } finally {
                lock.unlock();
            }
        }

        Notice after(long number, long millis) throws InterruptedException {
            long left = TimeUnit.MILLISECONDS.toNanos(millis);
            lock.lockInterruptibly();
            try {
                while (latest.number() <= number && left > 0) {
                    left = published.awaitNanos(left);
                }
                return latest;
            } finally {
                lock.unlock();
            }
        }
    }

    static void handle(HttpExchange exchange, Notices notices) throws IOException {
        try (exchange) {
            String query = exchange.getRequestURI().getQuery();
            long seen = Long.parseLong(query.substring(query.indexOf('=') + 1));
            Notice n = notices.after(seen, 20_000);
            byte[] body = (n.number() + " " + n.at() + " " + n.text()).getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "text/plain; charset=utf-8");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void board(HttpClient client, int port, AtomicLong polls, AtomicLong lagNanos) {
        long seen = 0;
        try {
            while (true) {
                HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/next?after=" + seen)).build();
                String[] parts = client.send(request, HttpResponse.BodyHandlers.ofString()).body().split(" ", 3);
                seen = Long.parseLong(parts[0]);
                lagNanos.addAndGet(System.nanoTime() - Long.parseLong(parts[1]));
                polls.incrementAndGet();
            }
        } catch (IOException | InterruptedException e) {
            System.out.println("board closed: " + e.getMessage());
        }
    }

    static void start(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        Notices notices = new Notices();
        ExecutorService handlers = Executors.newFixedThreadPool(32, r -> {
            Thread t = new Thread(r, "board-handler");
            t.setDaemon(true);
            return t;
        });
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 64);
        server.setExecutor(handlers);
        server.createContext("/next", e -> handle(e, notices));
        server.start();
        start("harbour-office", () -> {
            try {
                for (int n = 1; ; n++) {
                    Thread.sleep(1100);
                    notices.publish("ferry " + (n % 9) + " leaves pier " + (n % 4));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        HttpClient client = HttpClient.newHttpClient();
        AtomicLong polls = new AtomicLong();
        AtomicLong lag = new AtomicLong();
        for (int i = 0; i < BOARDS; i++) {
            start("board-" + i, () -> board(client, server.getAddress().getPort(), polls, lag));
        }
        Thread.sleep(5000);
        System.out.println("READY");
        long end = System.currentTimeMillis() + RUN_MILLIS;
        long last = polls.get();
        long lastLag = lag.get();
        while (System.currentTimeMillis() < end) {
            Thread.sleep(1000);
            long n = polls.get();
            long l = lag.get();
            System.out.printf("measured: %d notices shown/s, %.1f ms after publication%n", n - last, (l - lastLag) / 1e6 / Math.max(1, n - last));
            last = n;
            lastLag = l;
        }
        server.stop(0);
    }
}
