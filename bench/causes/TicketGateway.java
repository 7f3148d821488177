// SPDX-License-Identifier: Apache-2.0
// healthy: each request of the gateway asks its two backends at the same time and takes hardly longer than the slower one of them; its pool has threads to spare, nobody queues, and the process uses a fraction of the CPUs
// share: 54 requests/s at 11 to 12 ms each, while a backend answers within 10 ms (7 and 9 ms of it its store); 0.3 CPUs, one of 12 gateway threads busy, no failures
// judge: RIGHT: nothing stands out, or a neutral statement that time goes to waiting for the backends' answers (futures at TicketGateway$Gateway.offer, socket reads of the customers) or to the JDK's HTTP client and server, without a fault. WRONG: any accusation: answers waited for one after another, a pool that is too small or always busy, a lock, Nagle, the sleeps of the backends or customers as a fault, HttpClients made anew, CPUs.
// jdk: 17
// set: thirty-third
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
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** A gateway for theatre tickets: for a show it asks the seating plan and the price list, and puts their answers together. */
public class TicketGateway {
    static final int CUSTOMERS = 6;
    static final LongAdder requests = new LongAdder();
    static final LongAdder gatewayNanos = new LongAdder();
    static final LongAdder backendNanos = new LongAdder();
    static final LongAdder backendCalls = new LongAdder();
    static final LongAdder failures = new LongAdder();

    static ExecutorService pool(String name, int threads) {
        AtomicInteger number = new AtomicInteger();
        ThreadFactory factory = task -> {
            Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
        return Executors.newFixedThreadPool(threads, factory);
    }

    static HttpServer server(String path, ExecutorService threads, com.sun.net.httpserver.HttpHandler handler) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        server.createContext(path, handler);
        server.setExecutor(threads);
        server.start();
        return server;
    }

    static void answer(HttpExchange exchange, int status, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    static int show(HttpExchange exchange) {
        return Integer.parseInt(exchange.getRequestURI().getQuery().substring("show=".length()));
    }

    /** Stands for a service of another department, whose store takes some milliseconds. */
    static final class Backend {
        private final int storeMillis;
        private final int rows;

        Backend(int storeMillis, int rows) {
            this.storeMillis = storeMillis;
            this.rows = rows;
        }

        void handle(HttpExchange exchange) throws IOException {
            SplittableRandom random = new SplittableRandom(show(exchange));
            StringBuilder text = new StringBuilder();
            for (int row = 1; row <= rows; row++) {
                text.append(row).append('=').append(random.nextInt(20, 90)).append('\n');
            }
            try {
                Thread.sleep(storeMillis);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            answer(exchange, 200, text.toString());
        }
    }

    static final class Gateway {
        private final HttpClient client;
        private final URI plan;
        private final URI prices;

        Gateway(HttpClient client, int planPort, int pricesPort) {
            this.client = client;
            plan = URI.create("http://127.0.0.1:" + planPort + "/plan");
            prices = URI.create("http://127.0.0.1:" + pricesPort + "/prices");
        }

        private CompletableFuture<int[]> ask(URI backend, int show) {
            long begin = System.nanoTime();
            HttpRequest request = HttpRequest.newBuilder(URI.create(backend + "?show=" + show)).timeout(Duration.ofSeconds(20)).build();
            return client.sendAsync(request, HttpResponse.BodyHandlers.ofString()).thenApply(response -> {
                backendNanos.add(System.nanoTime() - begin);
                backendCalls.increment();
                return response.body().lines().mapToInt(line -> Integer.parseInt(line.substring(line.indexOf('=') + 1))).toArray();
            });
        }

        String offer(int show) throws InterruptedException, ExecutionException, TimeoutException {
            CompletableFuture<int[]> free = ask(plan, show);
            CompletableFuture<int[]> cents = ask(prices, show);
            return free.thenCombine(cents, (seats, price) -> {
                StringBuilder text = new StringBuilder();
                for (int row = 0; row < Math.min(seats.length, price.length); row++) {
                    text.append("row ").append(row + 1).append(": ").append(seats[row]).append(" seats at ").append(price[row]).append('\n');
                }
                return text.toString();
            }).get(30, TimeUnit.SECONDS);
        }

        void handle(HttpExchange exchange) throws IOException {
            long begin = System.nanoTime();
            try {
                answer(exchange, 200, offer(show(exchange)));
                requests.increment();
                gatewayNanos.add(System.nanoTime() - begin);
            } catch (InterruptedException | ExecutionException | TimeoutException e) {
                failures.increment();
                answer(exchange, 503, "try again");
            }
        }
    }

    private static void customer(HttpClient client, int port, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        while (true) {
            try {
                Thread.sleep(60 + random.nextInt(80));
                HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/offer?show=" + random.nextInt(500))).timeout(Duration.ofSeconds(40)).build();
                if (client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode() != 200) {
                    failures.increment();
                }
            } catch (IOException e) {
                failures.increment();
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        Backend plan = new Backend(7, 40), prices = new Backend(9, 40);
        int planPort = server("/plan", pool("plan", 8), plan::handle).getAddress().getPort();
        int pricesPort = server("/prices", pool("prices", 8), prices::handle).getAddress().getPort();
        Gateway gateway = new Gateway(HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).executor(pool("backend-calls", 4)).build(), planPort, pricesPort);
        int port = server("/offer", pool("gateway", 12), gateway::handle).getAddress().getPort();
        HttpClient browser = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).executor(pool("browser", 4)).build();
        for (int i = 1; i <= CUSTOMERS; i++) {
            long seed = i;
            Thread thread = new Thread(() -> customer(browser, port, seed), "customer-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        while (requests.sum() < 150) {
            Thread.sleep(50);
        }
        System.out.println("READY");
        System.out.flush();
        long lastRequests = requests.sum(), lastGateway = gatewayNanos.sum(), lastBackend = backendNanos.sum(), lastCalls = backendCalls.sum();
        while (true) {
            Thread.sleep(1000);
            long r = requests.sum(), g = gatewayNanos.sum(), b = backendNanos.sum(), c = backendCalls.sum();
            System.out.printf("measured: %d requests/s, %.1f ms each in the gateway; a backend answers within %.1f ms; %d failures%n", r - lastRequests,
                    (g - lastGateway) / 1e6 / Math.max(1, r - lastRequests), (b - lastBackend) / 1e6 / Math.max(1, c - lastCalls), failures.sum());
            System.out.flush();
            lastRequests = r;
            lastGateway = g;
            lastBackend = b;
            lastCalls = c;
        }
    }
}
