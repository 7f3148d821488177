// SPDX-License-Identifier: Apache-2.0
// healthy: a gateway for ferry offers that asks two backends (cabins and fares) at the same time for each request and joins what they answer: a request takes hardly longer than the slower one of its two backends (12 to 16 ms), at ordinary load
// share: see the measured lines: a request takes 1 to 3 ms more than the slower backend on its own, which takes 14 ms, and far less than both one after another (26 ms); 0.2 to 0.4 CPUs
// judge: RIGHT: nothing stands out, or neutral remarks: requests wait for what servers answer or for the futures of that (FerryOffers$Gateway.handle, offers), clients (FerryOffers$Traveller.run) wait for answers, backends rest. WRONG: any accusation: calls one after another, a pool that is too small, waiting for futures or timers (FerryOffers$Backend.handle) as a fault, Nagle, HttpClients made anew, carriers or pinned threads, locks, GC, the machine.
// jdk: 25
// set: thirty-fifth
// jvm: -Dsun.net.httpserver.nodelay=true
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/** Offers of ferries: cabins that are free, and fares, put together. */
public class FerryOffers {
    static HttpServer serve(String path, HttpHandler handler) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 100);
        server.createContext(path, handler);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.start();
        return server;
    }

    static void answer(HttpExchange exchange, int status, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    /** A backend, which has its answer after a while. */
    static final class Backend implements HttpHandler {
        private final int millis, factor;
        final AtomicLong calls = new AtomicLong(), nanos = new AtomicLong();

        Backend(int millis, int factor) {
            this.millis = millis;
            this.factor = factor;
        }

        @Override public void handle(HttpExchange exchange) throws IOException {
            long begin = System.nanoTime();
            int day = Integer.parseInt(exchange.getRequestURI().getQuery());
            try {
                Thread.sleep(millis);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            StringBuilder text = new StringBuilder();
            for (int ship = 0; ship < 40; ship++) {
                text.append(ship).append(' ').append((day * 31 + ship * factor) % 197).append('\n');
            }
            answer(exchange, 200, text.toString());
            nanos.addAndGet(System.nanoTime() - begin);
            calls.incrementAndGet();
        }
    }

    record Offer(int ship, int cabins, double price) { }

    /** GET /offers?DAY */
    static final class Gateway implements HttpHandler {
        private final HttpClient client;
        private final URI cabins, fares;
        final AtomicLong requests = new AtomicLong(), nanos = new AtomicLong();

        Gateway(HttpClient client, URI cabins, URI fares) {
            this.client = client;
            this.cabins = cabins;
            this.fares = fares;
        }

        @Override public void handle(HttpExchange exchange) throws IOException {
            long begin = System.nanoTime();
            String day = exchange.getRequestURI().getQuery();
            CompletableFuture<int[]> free = ask(cabins, day), price = ask(fares, day);
            try {
                String text = free.thenCombine(price, this::offers).join();
                answer(exchange, 200, text);
            } catch (CompletionException e) {
                answer(exchange, 502, "no answer\n");
            }
            nanos.addAndGet(System.nanoTime() - begin);
            requests.incrementAndGet();
        }

        private CompletableFuture<int[]> ask(URI backend, String day) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(backend + "?" + day)).timeout(Duration.ofSeconds(10)).build();
            return client.sendAsync(request, HttpResponse.BodyHandlers.ofString()).thenApply(response -> {
                int[] values = new int[40];
                response.body().lines().forEach(line -> {
                    int space = line.indexOf(' ');
                    values[Integer.parseInt(line, 0, space, 10)] = Integer.parseInt(line, space + 1, line.length(), 10);
                });
                return values;
            });
        }

        private String offers(int[] free, int[] price) {
            List<Offer> offers = new ArrayList<>();
            for (int ship = 0; ship < free.length; ship++) {
                if (free[ship] > 10) {
                    offers.add(new Offer(ship, free[ship], 39 + price[ship] * 1.15));
                }
            }
            offers.sort(Comparator.comparingDouble(Offer::price));
            StringBuilder text = new StringBuilder("[");
            for (Offer offer : offers) {
                text.append("{\"ship\":").append(offer.ship()).append(",\"cabins\":").append(offer.cabins()).append(",\"price\":").append(offer.price()).append("},");
            }
            return text.append("]\n").toString();
        }
    }

    /** Somebody who looks for a ferry. */
    static final class Traveller implements Runnable {
        private final HttpClient client;
        private final URI gateway;
        private final int number;
        final AtomicLong failed = new AtomicLong();

        Traveller(HttpClient client, URI gateway, int number) {
            this.client = client;
            this.gateway = gateway;
            this.number = number;
        }

        @Override public void run() {
            try {
                for (int day = number;; day += 7) {
                    try {
                        HttpRequest request = HttpRequest.newBuilder(URI.create(gateway + "?" + day % 365)).timeout(Duration.ofSeconds(15)).build();
                        if (client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode() != 200) {
                            failed.incrementAndGet();
                        }
                    } catch (IOException e) {
                        failed.incrementAndGet();
                    }
                    Thread.sleep(35 + 5 * number);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static URI uri(HttpServer server, String path) {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path);
    }

    public static void main(String[] args) throws Exception {
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        Backend cabins = new Backend(12, 7), fares = new Backend(14, 13);
        Gateway gateway = new Gateway(client, uri(serve("/cabins", cabins), "/cabins"), uri(serve("/fares", fares), "/fares"));
        URI address = uri(serve("/offers", gateway), "/offers");
        HttpClient outside = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        Traveller[] travellers = new Traveller[6];
        for (int i = 0; i < travellers.length; i++) {
            travellers[i] = new Traveller(outside, address, i);
            new Thread(travellers[i], "traveller-" + i).start();
        }
        boolean ready = false;
        long sofar = 0;
        for (int second = 1;; second++) {
            Thread.sleep(1000);
            long failed = 0;
            for (Traveller traveller : travellers) {
                failed += traveller.failed.get();
            }
            long requests = gateway.requests.getAndSet(0);
            sofar += requests;
            if (!ready && second >= 6 && sofar >= 300) {
                ready = true;
                System.out.println("READY");
            }
            System.out.printf("measured: %d requests, %.1f ms each; cabins %.1f ms, fares %.1f ms; %d failed%n", requests, gateway.nanos.getAndSet(0) / 1e6 / Math.max(1, requests),
                    cabins.nanos.getAndSet(0) / 1e6 / Math.max(1, cabins.calls.getAndSet(0)), fares.nanos.getAndSet(0) / 1e6 / Math.max(1, fares.calls.getAndSet(0)), failed);
            System.out.flush();
        }
    }
}
