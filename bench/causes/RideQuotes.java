// SPDX-License-Identifier: Apache-2.0
// healthy: a virtual thread for each request; each asks two partners at the same time (5 and 4 ms), computes the way in the meantime, shares one HttpClient, holds no lock while it waits and pins nothing for long; 40 requests a second
// share: 9 to 12 ms (median) for a quote, of which 5 ms are the partner's own; p99 20 to 70 ms beside other load; none fails, 1 to 4 under way; 0.2 to 0.4 of 2 CPUs
// judge: RIGHT: nothing stands out, or only neutral sentences (time goes to waiting for the answers of a server in RideQuotes$Partners.ask, for futures in QuoteService.quote, for the timer in RideQuotes.reply, or computing in CityMap.shortest; no fault shows), or what is wrong with the machine. WRONG: any accusation: asking one after another, virtual threads that are pinned or lack carriers (where the machine has CPUs to spare), too many HttpClients, a saturated thread, held back writes, a pool that is busy, CityMap.shortest as a fault, collections, compilers
// jdk: 21
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
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Quotes taxi rides: each request has a virtual thread, and asks for the traffic and for free cars at the same time. */
public class RideQuotes {

    /** Road distances between districts, all in memory. */
    static final class CityMap {
        private static final int DISTRICTS = 80;
        private final int[][] metres = new int[DISTRICTS][DISTRICTS];

        CityMap(long seed) {
            Random random = new Random(seed);
            for (int[] row : metres) {
                for (int i = 0; i < DISTRICTS; i++) {
                    row[i] = 400 + random.nextInt(9000);
                }
            }
        }

        /** The shortest way with at most two districts between. */
        int shortest(int from, int to) {
            int best = metres[from][to];
            for (int a = 0; a < DISTRICTS; a++) {
                for (int b = 0; b < DISTRICTS; b++) {
                    int way = metres[from][a] + metres[a][b] + metres[b][to];
                    if (way < best) {
                        best = way;
                    }
                }
            }
            return best;
        }
    }

    /** The partners' services; both answer within milliseconds. */
    static final class Partners {
        private final HttpClient client;
        private final String base;

        Partners(HttpClient client, int port) {
            this.client = client;
            this.base = "http://127.0.0.1:" + port;
        }

        int trafficPercent(int district) throws IOException, InterruptedException {
            return ask("/traffic?" + district);
        }

        int freeCars(int district) throws IOException, InterruptedException {
            return ask("/cars?" + district);
        }

        private int ask(String path) throws IOException, InterruptedException {
            HttpRequest request = HttpRequest.newBuilder(URI.create(base + path)).build();
            return Integer.parseInt(client.send(request, HttpResponse.BodyHandlers.ofString()).body());
        }
    }

    static final class QuoteService {
        private final CityMap map;
        private final Partners partners;
        private final ExecutorService calls = Executors.newVirtualThreadPerTaskExecutor();

        QuoteService(CityMap map, Partners partners) {
            this.map = map;
            this.partners = partners;
        }

        void quote(HttpExchange exchange) throws IOException {
            String[] ends = exchange.getRequestURI().getQuery().split(",");
            int from = Integer.parseInt(ends[0]);
            int to = Integer.parseInt(ends[1]);
            try {
                Future<Integer> traffic = calls.submit(() -> partners.trafficPercent(to));
                Future<Integer> cars = calls.submit(() -> partners.freeCars(from));
                int metres = map.shortest(from, to);
                int cents = 390 + metres / 10 * traffic.get() / 100 + (cars.get() < 3 ? 250 : 0);
                send(exchange, 200, Integer.toString(cents));
            } catch (InterruptedException | ExecutionException e) {
                send(exchange, 503, "later");
            }
        }
    }

    static void send(HttpExchange exchange, int status, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.US_ASCII);
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    static HttpServer listen(ExecutorService executor) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 256);
        server.setExecutor(executor);
        return server;
    }

    /** Stands in for the two partners. */
    static int partners() throws IOException {
        HttpServer server = listen(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/traffic", exchange -> reply(exchange, 5, 80, 60));
        server.createContext("/cars", exchange -> reply(exchange, 4, 0, 12));
        server.start();
        return server.getAddress().getPort();
    }

    static void reply(HttpExchange exchange, int millis, int least, int range) throws IOException {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        send(exchange, 200, Integer.toString(least + (int) (System.nanoTime() >>> 12) % range));
    }

    /** The apps of the riders: so many requests a second, whether the earlier ones have been answered or not. */
    static final class Riders {
        private final HttpClient client;
        private final String base;
        private final Random random = new Random(4);
        private final long[] delays = new long[512];
        private int count;
        private int failed;
        private final AtomicInteger open = new AtomicInteger();

        Riders(HttpClient client, int port) {
            this.client = client;
            this.base = "http://127.0.0.1:" + port + "/quote?";
        }

        void ask() {
            if (open.get() > 64) {
                return;
            }
            open.incrementAndGet();
            HttpRequest request = HttpRequest.newBuilder(URI.create(base + random.nextInt(80) + "," + random.nextInt(80))).build();
            long begin = System.nanoTime();
            client.sendAsync(request, HttpResponse.BodyHandlers.ofString())
                .whenComplete((response, error) -> note(System.nanoTime() - begin, error == null && response.statusCode() == 200));
        }

        private synchronized void note(long delay, boolean good) {
            open.decrementAndGet();
            if (good) {
                delays[count++ % delays.length] = delay;
            } else {
                failed++;
            }
        }

        synchronized String report() {
            long[] sorted = Arrays.copyOf(delays, Math.min(count, delays.length));
            Arrays.sort(sorted);
            count = 0;
            return sorted.length == 0 ? "no answers" : String.format("%d quotes, %.1f ms (median), %.1f ms (p99), %d failed, %d under way",
                sorted.length, sorted[sorted.length / 2] / 1e6, sorted[sorted.length * 99 / 100] / 1e6, failed, open.get());
        }
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        HttpClient outgoing = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        QuoteService quotes = new QuoteService(new CityMap(6), new Partners(outgoing, partners()));
        HttpServer server = listen(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/quote", quotes::quote);
        server.start();
        HttpClient apps = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        Riders riders = new Riders(apps, server.getAddress().getPort());
        ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(r -> new Thread(r, "riders"));
        clock.scheduleWithFixedDelay(riders::ask, 0, 25, TimeUnit.MILLISECONDS);
        for (int second = 1;; second++) {
            Thread.sleep(1000);
            System.out.println("measured: " + riders.report());
            if (second == 5) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
