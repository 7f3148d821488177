// SPDX-License-Identifier: Apache-2.0
// healthy: each request asks both backends at the same time, so that it takes as long as the slower one and no longer; pools are larger than what is asked at once, and connections are kept
// share: 14.7 ms a request, of it 14.3 ms until both backends (8 to 14 and 10 to 18 ms) have answered, so the gateway adds less than 0.5 ms; 0.15 to 0.35 CPUs, much of it the compiler in the first 15 s; none fails
// judge: RIGHT: nothing stands out, or a neutral statement that time goes to waiting for answers of the two backends (Backend clients: TravelGateway$Partner.ask) or for their futures. WRONG: any accusation: calls one after another, a pool that is too small (gateway, partner calls), locks, too many connections, Nagle / held back, CPU, collections; the backends' sleeps (Backend.handle, which stand for partners far away) as a fault
// jdk: 8
// set: thirty-second
// jvm: -Xmx256m -Dsun.net.httpserver.nodelay=true -Dhttp.maxConnections=40

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Gateway of a travel site: joins what the railway and the hotels' partner say about a town. */
public class TravelGateway {

    static final LongAdder REQUESTS = new LongAdder();
    static final LongAdder REQUEST_NS = new LongAdder();
    static final LongAdder SLOWER_NS = new LongAdder();
    static final LongAdder FAILED = new LongAdder();

    static ThreadFactory named(String name) {
        AtomicInteger number = new AtomicInteger();
        return task -> new Thread(task, name + "-" + number.incrementAndGet());
    }

    static HttpServer server(String name, int threads) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 100);
        server.setExecutor(Executors.newFixedThreadPool(threads, named(name)));
        return server;
    }

    static String read(InputStream in) throws IOException {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        byte[] buffer = new byte[4096];
        for (int n; (n = in.read(buffer)) > 0; )
            text.write(buffer, 0, n);
        return text.toString("UTF-8");
    }

    static String get(String url) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) new URL(url).openConnection();
        connection.setConnectTimeout(5_000);
        connection.setReadTimeout(30_000);
        try (InputStream in = connection.getInputStream()) {
            return read(in);
        }
    }

    static void reply(HttpExchange exchange, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, bytes.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(bytes);
        }
    }

    /** Stands for a partner's service some way off. */
    static final class Backend {
        private final HttpServer server;
        private final String item;
        private final int from;
        private final int to;

        Backend(String item, int from, int to) throws IOException {
            this.item = item;
            this.from = from;
            this.to = to;
            server = server(item, 24);
            server.createContext("/" + item, this::handle);
            server.start();
        }

        private void handle(HttpExchange exchange) throws IOException {
            try {
                Thread.sleep(ThreadLocalRandom.current().nextInt(from, to));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            StringBuilder text = new StringBuilder();
            int town = exchange.getRequestURI().getQuery().hashCode();
            for (int i = 0; i < 40; i++)
                text.append(item).append(' ').append(i).append(' ').append((town ^ i * 7919) & 0xFFF).append('\n');
            reply(exchange, text.toString());
        }

        String url() {
            return "http://127.0.0.1:" + server.getAddress().getPort() + "/" + item + "?";
        }
    }

    static final class Partner {
        private final String url;

        Partner(String url) {
            this.url = url;
        }

        String ask(String town) {
            try {
                return get(url + town);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    static final class Gateway {
        private final Partner railway;
        private final Partner hotels;
        private final Executor calls = Executors.newFixedThreadPool(32, named("partner-call"));
        private final HttpServer server;

        Gateway(Partner railway, Partner hotels) throws IOException {
            this.railway = railway;
            this.hotels = hotels;
            server = server("gateway", 16);
            server.createContext("/town", this::handle);
            server.start();
        }

        private void handle(HttpExchange exchange) throws IOException {
            String town = exchange.getRequestURI().getQuery();
            long from = System.nanoTime();
            CompletableFuture<Long> trainsDone = new CompletableFuture<>();
            CompletableFuture<String> trains = CompletableFuture.supplyAsync(() -> railway.ask(town), calls)
                    .whenComplete((t, e) -> trainsDone.complete(System.nanoTime() - from));
            CompletableFuture<String> rooms = CompletableFuture.supplyAsync(() -> hotels.ask(town), calls);
            String page = trains.thenCombine(rooms, this::page).join();
            SLOWER_NS.add(Math.max(trainsDone.join(), System.nanoTime() - from));
            reply(exchange, page);
        }

        private String page(String trains, String rooms) {
            String[] departures = trains.split("\n"), offers = rooms.split("\n");
            StringBuilder page = new StringBuilder("<ul>");
            for (int i = 0; i < Math.min(departures.length, offers.length); i++)
                page.append("<li>").append(departures[i]).append(" / ").append(offers[i]).append("</li>");
            return page.append("</ul>").toString();
        }
    }

    static void visitor(String url, int seed) {
        Random towns = new Random(seed);
        while (true) {
            try {
                long from = System.nanoTime();
                String page = get(url + "town" + towns.nextInt(500));
                REQUEST_NS.add(System.nanoTime() - from);
                REQUESTS.increment();
                if (!page.endsWith("</ul>"))
                    FAILED.increment();
                Thread.sleep(30 + towns.nextInt(40));
            } catch (IOException e) {
                FAILED.increment();
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Backend railway = new Backend("train", 8, 14);
        Backend hotels = new Backend("hotel", 10, 18);
        Gateway gateway = new Gateway(new Partner(railway.url()), new Partner(hotels.url()));
        String url = "http://127.0.0.1:" + gateway.server.getAddress().getPort() + "/town?";
        ExecutorService visitors = Executors.newFixedThreadPool(8, named("visitor"));
        for (int i = 1; i <= 8; i++) {
            int seed = i;
            visitors.execute(() -> visitor(url, seed));
        }
        Thread.sleep(4000);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long n = REQUESTS.sum(), ns = REQUEST_NS.sum(), slower = SLOWER_NS.sum();
            Thread.sleep(1000);
            n = Math.max(1, REQUESTS.sum() - n);
            System.out.printf(Locale.ROOT, "measured: %d requests/s, %.1f ms each, of it %.1f ms until both backends (8 to 14 and 10 to 18 ms) have answered, %d failed%n",
                    n, (REQUEST_NS.sum() - ns) / 1e6 / n, (SLOWER_NS.sum() - slower) / 1e6 / n, FAILED.sum());
            System.out.flush();
        }
    }
}
