// SPDX-License-Identifier: Apache-2.0
// healthy: the gateway asks its two backends (berths and weather, each some 15 to 25 ms away) at the same time by one HttpClient, and answers when both have answered: a request takes as long as the slower of the two, not as long as both; its threads and CPUs have room
// share: 23.5 ms for an offer, of backends that take 19.3 and 22.7 ms; 1.9 of 12 gateway threads taken; 0.45 to 0.65 CPUs used after warming up (on a crowded machine); no failures
// judge: RIGHT: nothing stands out, or neutral statements: time goes to waiting for what a server answers (ExcursionGateway$Gateway.handle, futures of the two backends; ExcursionGateway$Desk.ask, its own clients). WRONG (false alarm): any accusation of a fault: backends asked one after another, pool-busy or too few threads, a saturated or blocked thread or scheduler ("far-side"), futures completed one after another, Nagle's algorithm, many HttpClients, locks, collections
// jdk: 11
// set: thirty-sixth
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
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

public class ExcursionGateway {
    static final LongAdder answers = new LongAdder();
    static final LongAdder failures = new LongAdder();
    static final LongAdder total = new LongAdder();
    static final LongAdder berthTime = new LongAdder();
    static final LongAdder weatherTime = new LongAdder();

    static void reply(HttpExchange exchange, int status, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        try {
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
        } catch (IOException e) {
            failures.increment();
        } finally {
            exchange.close();
        }
    }

    static HttpServer server(String path, com.sun.net.httpserver.HttpHandler handler, String pool, int threads) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
        server.createContext(path, handler);
        server.setExecutor(Executors.newFixedThreadPool(threads, named(pool)));
        server.start();
        return server;
    }

    static ThreadFactory named(String name) {
        AtomicInteger numbers = new AtomicInteger();
        return r -> {
            Thread thread = new Thread(r, name + "-" + numbers.getAndIncrement());
            thread.setDaemon(true);
            return thread;
        };
    }

    /** Stands for a system elsewhere, which answers after a while. */
    static final class Backend {
        private final ScheduledExecutorService farSide;
        private final int least;
        private final int spread;
        private final String what;
        final HttpServer server;

        Backend(String what, int least, int spread, ScheduledExecutorService farSide) throws IOException {
            this.what = what;
            this.least = least;
            this.spread = spread;
            this.farSide = farSide;
            server = server("/", this::handle, what, 2);
        }

        private void handle(HttpExchange exchange) {
            String query = exchange.getRequestURI().getQuery();
            int delay = least + ThreadLocalRandom.current().nextInt(spread);
            farSide.schedule(() -> reply(exchange, 200, what + " " + query + " " + delay), delay, TimeUnit.MILLISECONDS);
        }

        URI uri(String query) {
            return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/?" + query);
        }
    }

    static final class Gateway {
        private final HttpClient client;
        private final Backend berths;
        private final Backend weather;

        Gateway(HttpClient client, Backend berths, Backend weather) {
            this.client = client;
            this.berths = berths;
            this.weather = weather;
        }

        private CompletableFuture<String> ask(URI uri, LongAdder time) {
            long begin = System.nanoTime();
            HttpRequest request = HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(20)).build();
            return client.sendAsync(request, HttpResponse.BodyHandlers.ofString()).thenApply(response -> {
                time.add(System.nanoTime() - begin);
                return response.body();
            });
        }

        void handle(HttpExchange exchange) {
            long begin = System.nanoTime();
            String query = exchange.getRequestURI().getQuery();
            CompletableFuture<String> free = ask(berths.uri(query), berthTime);
            CompletableFuture<String> outlook = ask(weather.uri(query), weatherTime);
            try {
                String offer = free.thenCombine(outlook, (a, b) -> "{\"berths\":\"" + a + "\",\"weather\":\"" + b + "\"}").join();
                reply(exchange, 200, offer);
                answers.increment();
                total.add(System.nanoTime() - begin);
            } catch (CompletionException e) {
                failures.increment();
                reply(exchange, 502, "no answer");
            }
        }
    }

    static final class Desk implements Runnable {
        private final HttpClient client;
        private final int port;

        Desk(HttpClient client, int port) {
            this.client = client;
            this.port = port;
        }

        private void ask(int day) throws IOException, InterruptedException {
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/offer?day=" + day)).timeout(Duration.ofSeconds(30)).build();
            client.send(request, HttpResponse.BodyHandlers.ofString());
        }

        @Override
        public void run() {
            try {
                while (true) {
                    try {
                        ask(ThreadLocalRandom.current().nextInt(365));
                    } catch (IOException e) {
                        failures.increment();
                    }
                    Thread.sleep(20 + ThreadLocalRandom.current().nextInt(60));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        ScheduledExecutorService farSide = Executors.newScheduledThreadPool(3, named("far-side"));
        Gateway gateway = new Gateway(HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build(),
            new Backend("berths", 14, 8, farSide), new Backend("weather", 17, 8, farSide));
        HttpServer front = server("/offer", gateway::handle, "gateway", 12);
        HttpClient desks = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        ThreadFactory factory = named("desk");
        for (int i = 0; i < 6; i++) {
            factory.newThread(new Desk(desks, front.getAddress().getPort())).start();
        }
        Thread.sleep(4000);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long n = answers.sum(), time = total.sum(), first = berthTime.sum(), second = weatherTime.sum(), cpu = system.getProcessCpuTime(), wall = System.nanoTime();
            Thread.sleep(1000);
            wall = System.nanoTime() - wall;
            n = Math.max(1, answers.sum() - n);
            System.out.printf(Locale.ROOT, "measured: %d offers/s in %.1f ms each, of backends that take %.1f and %.1f ms; %.1f of 12 gateway threads taken; %.2f CPUs used; %d failures%n",
                n, (total.sum() - time) / 1e6 / n, (berthTime.sum() - first) / 1e6 / n, (weatherTime.sum() - second) / 1e6 / n,
                (total.sum() - time) / (double) wall, (system.getProcessCpuTime() - cpu) / (double) wall, failures.sum());
            System.out.flush();
        }
    }
}
