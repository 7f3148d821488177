// SPDX-License-Identifier: Apache-2.0
// healthy: a gateway that asks two backends (cellar stock and transport quote) at the same time for each request and joins the two answers, so a request takes as long as the slower of them (some 12 to 20 ms) and no longer; its pools have threads to spare
// share: no fault; a request takes as long as the slower backend's answer plus a millisecond or so, queues are empty, 0.1 to 0.3 CPUs are used
// judge: right: nothing stands out, no fault, or only neutral statements that time goes to waiting for the answers of the two backends (at VineyardGateway$Gateway.handle for futures, or at the backends' simulated work $Backend.work). WRONG: any accusation, such as that the backends are asked one after another, the pools "http", "stock" or "transport" are too small, locks, held-back data, the clients ($Shop), blocked threads, or the time the simulated backends need as a fault of the gateway
// jdk: 11
// set: thirty-fourth
// jvm: -Xmx256m
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Offers for wine merchants: what the cellars have and what it costs to bring it there. */
public class VineyardGateway {
    static final LongAdder requests = new LongAdder();
    static final LongAdder failures = new LongAdder();
    static final LongAdder requestNanos = new LongAdder();
    static final LongAdder slowerNanos = new LongAdder();

    static Executor threads(String name, int n) {
        AtomicInteger number = new AtomicInteger();
        return Executors.newFixedThreadPool(n, r -> {
            Thread t = new Thread(r, name + "-" + number.getAndIncrement());
            t.setDaemon(true);
            return t;
        });
    }

    static HttpServer serve(String path, HttpHandler handler, Executor executor) throws IOException {
        HttpServer s = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 100);
        s.createContext(path, handler);
        s.setExecutor(executor);
        s.start();
        return s;
    }

    static void reply(HttpExchange x, int status, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        x.sendResponseHeaders(status, body.length);
        x.getResponseBody().write(body);
        x.close();
    }

    /** Stands for another department's service. */
    static final class Backend implements HttpHandler {
        final int fromMs;
        final int toMs;

        Backend(int fromMs, int toMs) {
            this.fromMs = fromMs;
            this.toMs = toMs;
        }

        int work() throws InterruptedException {
            Thread.sleep(ThreadLocalRandom.current().nextInt(fromMs, toMs));
            return ThreadLocalRandom.current().nextInt(100, 900);
        }

        @Override
        public void handle(HttpExchange x) throws IOException {
            try {
                reply(x, 200, Integer.toString(work()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class Gateway implements HttpHandler {
        final HttpClient client;
        final URI stock;
        final URI transport;

        Gateway(HttpClient client, int stockPort, int transportPort) {
            this.client = client;
            this.stock = URI.create("http://127.0.0.1:" + stockPort + "/stock");
            this.transport = URI.create("http://127.0.0.1:" + transportPort + "/quote");
        }

        CompletableFuture<Integer> ask(URI uri, long[] took) {
            long begin = System.nanoTime();
            HttpRequest r = HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(20)).build();
            return client.sendAsync(r, HttpResponse.BodyHandlers.ofString()).thenApply(a -> {
                took[0] = System.nanoTime() - begin;
                return Integer.parseInt(a.body());
            });
        }

        @Override
        public void handle(HttpExchange x) throws IOException {
            long begin = System.nanoTime();
            long[] first = new long[1];
            long[] second = new long[1];
            try {
                CompletableFuture<Integer> bottles = ask(stock, first);
                CompletableFuture<Integer> cents = ask(transport, second);
                int answer = bottles.thenCombine(cents, (b, c) -> b * 7 + c).join();
                reply(x, 200, "{\"offer\":" + answer + "}");
            } catch (RuntimeException e) {
                failures.increment();
                reply(x, 503, "{}");
            }
            requests.increment();
            requestNanos.add(System.nanoTime() - begin);
            slowerNanos.add(Math.max(first[0], second[0]));
        }
    }

    static final class Shop extends Thread {
        final HttpClient client;
        final HttpRequest request;

        Shop(int number, HttpClient client, int port) {
            super("shop-" + number);
            this.client = client;
            this.request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/offer")).timeout(Duration.ofSeconds(30)).build();
            setDaemon(true);
        }

        @Override
        public void run() {
            while (true) {
                try {
                    client.send(request, HttpResponse.BodyHandlers.ofString());
                    Thread.sleep(ThreadLocalRandom.current().nextInt(60, 140));
                } catch (IOException e) {
                    failures.increment();
                } catch (InterruptedException e) {
                    return;
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        HttpServer stock = serve("/stock", new Backend(8, 14), threads("stock", 16));
        HttpServer transport = serve("/quote", new Backend(10, 20), threads("transport", 16));
        HttpClient toBackends = HttpClient.newBuilder().executor(threads("to-backends", 8)).version(HttpClient.Version.HTTP_1_1).build();
        HttpServer gateway = serve("/offer", new Gateway(toBackends, stock.getAddress().getPort(), transport.getAddress().getPort()), threads("http", 16));
        HttpClient shops = HttpClient.newBuilder().executor(threads("to-gateway", 8)).version(HttpClient.Version.HTTP_1_1).build();
        for (int i = 0; i < 8; i++) new Shop(i, shops, gateway.getAddress().getPort()).start();
        Thread.sleep(3_000);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            requests.reset();
            requestNanos.reset();
            slowerNanos.reset();
            Thread.sleep(1_000);
            long n = Math.max(1, requests.sum());
            System.out.printf("measured: %d requests, %.1f ms each, of which the slower backend %.1f ms; %d failures%n", n, requestNanos.sum() / 1e6 / n,
                    slowerNanos.sum() / 1e6 / n, failures.sum());
            System.out.flush();
        }
    }
}
