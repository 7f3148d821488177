// SPDX-License-Identifier: Apache-2.0
// cause: a new HttpClient is made for each call (its own selector thread, executor and connection), never reused
// expect: http-clients frame=PartnerCalls$Partner.stock
// share: making clients and their connections takes most of the CPU time; ~130 new threads and clients a second
// judge: right: HttpClient made per call in Partner.stock (HttpClient.newHttpClient / HttpClientImpl), or its threads
// judge: (HttpClient-N-SelectorManager) started again and again with where they are made. symptom: many threads are
// judge: created, many connections opened, JVM CPU for them, without HttpClient; GC by it. wrong: the inventory
// judge: server's handlers, locks, waiting for the server as the cause.
// jdk: 21
// jvm: -Xmx160m -Dsun.net.httpserver.nodelay=true
// set: thirteenth

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
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

public class PartnerCalls {
    static final LongAdder calls = new LongAdder(), making = new LongAdder(), sending = new LongAdder();

    /** A partner's inventory. */
    static class Partner {
        final URI base;
        final Map<String, Integer> known = new ConcurrentHashMap<>();

        Partner(URI base) {
            this.base = base;
        }

        int stock(String article) throws IOException, InterruptedException {
            long from = System.nanoTime();
            HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(Duration.ofSeconds(2)).build();
            long made = System.nanoTime();
            HttpRequest request = HttpRequest.newBuilder(base.resolve("/stock/" + article))
                    .timeout(Duration.ofSeconds(5)).header("Accept", "text/plain").build();
            HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
            making.add(made - from);
            sending.add(System.nanoTime() - made);
            calls.increment();
            int n = Integer.parseInt(answer.body().trim());
            known.put(article, n);
            return n;
        }
    }

    static HttpServer inventory() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        server.setExecutor(Executors.newFixedThreadPool(4));
        server.createContext("/stock/", x -> {
            String path = x.getRequestURI().getPath();
            byte[] body = Integer.toString(Math.floorMod(path.hashCode(), 500)).getBytes(StandardCharsets.US_ASCII);
            x.sendResponseHeaders(200, body.length);
            x.getResponseBody().write(body);
            x.close();
        });
        server.start();
        return server;
    }

    static Map<String, Integer> basket(Partner partner) throws IOException, InterruptedException {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        Map<String, Integer> lines = new TreeMap<>();
        for (int i = 0; i < 2; i++) {
            String article = "A" + r.nextInt(5000);
            lines.put(article, partner.stock(article));
        }
        return lines;
    }

    public static void main(String[] args) throws Exception {
        Partner partner = new Partner(URI.create("http://127.0.0.1:" + inventory().getAddress().getPort()));
        ExecutorService checkout = Executors.newFixedThreadPool(4);
        for (int i = 0; i < 4; i++) {
            checkout.execute(() -> {
                long out = 0;
                while (true) {
                    try {
                        out += basket(partner).values().stream().filter(n -> n == 0).count();
                        Thread.sleep(100);
                    } catch (IOException e) {
                        System.err.println(e + " after " + out);
                    } catch (InterruptedException e) {
                        return;
                    }
                }
            });
        }
        System.out.println("READY");
        while (true) {
            Thread.sleep(1000);
            System.out.printf("measured: %d calls/s, making clients %d, sending %d ms/s, %d threads%n", calls.sumThenReset(),
                    making.sumThenReset() / 1_000_000, sending.sumThenReset() / 1_000_000, Thread.activeCount());
        }
    }
}
