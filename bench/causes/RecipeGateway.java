// SPDX-License-Identifier: Apache-2.0
// healthy: an HTTP service with a virtual thread for each request: two thirds of the requests are answered from memory, the rest ask a stock service (some 5 ms, by nature) with one shared HttpClient; carriers are mostly free, nothing pins, no queue grows, the load is small
// share: nothing: 90 requests/s at 0.2 to 0.4 CPUs (some of it compiling), median 2 to 3 ms, 95 % within 10 ms on a crowded machine, none failed
// judge: RIGHT: nothing stands out, "it did next to nothing", or only neutral words on where time goes (waiting for answers of the stock service at RecipeGateway$Stock.ask, HTTP calls, "no fault of the program shows"). WRONG: any accusation of the program or the JVM: pinned or unstarted virtual threads, carriers, locks, pool too small, answers one after another, Nagle, HttpClients made anew, garbage collection. Words on a crowded machine (CPU starvation by others) are RIGHT if the machine is crowded.
// jdk: 21
// set: thirty-first
// jvm: -Xmx256m -Dsun.net.httpserver.nodelay=true

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** Gateway of a meal kit shop: recipes, with what of their ingredients is in stock. */
public class RecipeGateway {
    static final int RECIPES = 600;

    static final LongAdder served = new LongAdder();
    static final LongAdder failed = new LongAdder();
    static final LongAdder asked = new LongAdder();

    record Recipe(int number, String name, int[] ingredients) {
        String text(int portions) {
            StringBuilder page = new StringBuilder(512).append("{\"name\":\"").append(name).append("\",\"items\":[");
            for (int ingredient : ingredients) page.append(ingredient * portions % 977).append(',');
            return page.append("0]}").toString();
        }
    }

    /** The stock service: another team's, here on another port. */
    static final class StockService {
        private final HttpServer server;

        StockService(InetAddress host) throws IOException {
            server = HttpServer.create(new InetSocketAddress(host, 0), 128);
            server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
            server.createContext("/stock", exchange -> {
                LockSupport.parkNanos(4_000_000L);
                answer(exchange, 200, Integer.toString(ThreadLocalRandom.current().nextInt(400)));
            });
            server.start();
        }

        URI uri() {
            return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/stock");
        }
    }

    /** Asks the stock service, with one client for all requests. */
    static final class Stock {
        private final HttpClient client;
        private final HttpRequest request;

        Stock(HttpClient client, URI uri) {
            this.client = client;
            this.request = HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(20)).build();
        }

        int ask() throws IOException, InterruptedException {
            asked.increment();
            return Integer.parseInt(client.send(request, HttpResponse.BodyHandlers.ofString()).body());
        }
    }

    static final class Gateway {
        private final Map<Integer, Recipe> recipes = new ConcurrentHashMap<>();
        private final Stock stock;

        Gateway(Stock stock) {
            this.stock = stock;
            for (int i = 0; i < RECIPES; i++) {
                recipes.put(i, new Recipe(i, "dish " + i, ThreadLocalRandom.current().ints(24, 1, 5000).toArray()));
            }
        }

        void handle(HttpExchange exchange) throws IOException {
            try {
                int number = Integer.parseInt(exchange.getRequestURI().getQuery());
                String page = recipes.get(number).text(2 + number % 3);
                if (number % 3 == 0) page += stock.ask();
                answer(exchange, 200, page);
            } catch (InterruptedException e) {
                answer(exchange, 503, "");
            }
        }
    }

    static void answer(HttpExchange exchange, int status, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        try (exchange) {
            if (body.length > 0) exchange.getResponseBody().write(body);
        }
    }

    /** Customers: some 90 requests a second, at random, and never more than 40 at a time. */
    static void customers(HttpClient client, int port, long[] latencies) {
        Semaphore open = new Semaphore(40);
        int sent = 0;
        while (true) {
            LockSupport.parkNanos((long) (-Math.log(1 - ThreadLocalRandom.current().nextDouble()) * 11e6));
            if (!open.tryAcquire()) continue;
            URI uri = URI.create("http://127.0.0.1:" + port + "/recipe?" + ThreadLocalRandom.current().nextInt(RECIPES));
            int slot = sent++ % latencies.length;
            long before = System.nanoTime();
            client.sendAsync(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString()).whenComplete((response, error) -> {
                open.release();
                latencies[slot] = System.nanoTime() - before;
                (error == null && response.statusCode() == 200 ? served : failed).increment();
            });
        }
    }

    public static void main(String[] args) throws Exception {
        InetAddress host = InetAddress.getByName("127.0.0.1");
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        Gateway gateway = new Gateway(new Stock(client, new StockService(host).uri()));
        HttpServer server = HttpServer.create(new InetSocketAddress(host, 0), 128);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/recipe", gateway::handle);
        server.start();
        long[] latencies = new long[200];
        HttpClient outside = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        Thread.ofPlatform().name("customers").start(() -> customers(outside, server.getAddress().getPort(), latencies));
        while (served.sum() < 300) Thread.sleep(50);
        System.out.println("READY");
        System.out.flush();
        var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        while (true) {
            long n = served.sum(), a = asked.sum(), cpu = system.getProcessCpuTime(), began = System.nanoTime();
            Thread.sleep(1000);
            double seconds = (System.nanoTime() - began) / 1e9;
            long[] sorted = latencies.clone();
            Arrays.sort(sorted);
            System.out.printf("measured: %.0f requests/s, %.0f of them asked for stock; median %.1f ms, 95 %% within %.1f ms; %d failed; %.2f CPUs%n",
                (served.sum() - n) / seconds, (asked.sum() - a) / seconds, sorted[100] / 1e6, sorted[190] / 1e6, failed.sum(),
                (system.getProcessCpuTime() - cpu) / 1e9 / seconds);
        }
    }
}
