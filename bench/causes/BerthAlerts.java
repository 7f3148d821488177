// SPDX-License-Identifier: Apache-2.0
// healthy: twenty subscribers wait for answers, and twenty handlers for futures that mostly end by a time-out (Watch.handle), all the time: long polling of berths which are rarely assigned, by design; the other requests (/berths) are answered in about a millisecond
// share: about 295 other answers/s, 0.65 ms each; about one alert a second, 0.6 ms from assignment to subscriber; 0.2 to 0.4 CPUs
// judge: any finding of trouble is WRONG, except a neutral sentence that time goes to waiting for futures / answers. WRONG: "what they wait for did not come" as an accusation, pool busy, the subscribers' waiting for answers as trouble, locks.
// jdk: 21
// set: twenty-seventh
// jvm: -Xmx64m
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

public class BerthAlerts {
    static final LongAdder answers = new LongAdder();
    static final LongAdder nanos = new LongAdder();
    static final LongAdder alerts = new LongAdder();
    static final LongAdder alertNanos = new LongAdder();
    static final Map<String, CompletableFuture<Long>> watches = new ConcurrentHashMap<>();

    static void daemon(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    static void answer(HttpExchange x, int code, String text) throws IOException {
        byte[] b = text.getBytes(StandardCharsets.UTF_8);
        x.sendResponseHeaders(code, b.length == 0 ? -1 : b.length);
        if (b.length > 0)
            try (OutputStream out = x.getResponseBody()) {
                out.write(b);
            }
        x.close();
    }

    static final class Watch implements HttpHandler {
        @Override
        public void handle(HttpExchange x) throws IOException {
            String ship = x.getRequestURI().getQuery();
            CompletableFuture<Long> news = watches.computeIfAbsent(ship, s -> new CompletableFuture<>());
            try {
                answer(x, 200, "assigned " + news.get(2500, TimeUnit.MILLISECONDS));
            } catch (TimeoutException e) {
                answer(x, 204, "");
            } catch (InterruptedException | ExecutionException e) {
                answer(x, 500, "no");
            } finally {
                watches.remove(ship, news);
            }
        }
    }

    static final class Berths implements HttpHandler {
        @Override
        public void handle(HttpExchange x) throws IOException {
            StringBuilder b = new StringBuilder();
            for (int i = 0; i < 40; i++)
                b.append("berth ").append(i).append(": ").append(i * 37 % 11 == 0 ? "free" : "taken").append('\n');
            answer(x, 200, b.toString());
        }
    }

    static String get(String url) throws IOException {
        HttpURLConnection c = (HttpURLConnection) URI.create(url).toURL().openConnection();
        if (c.getResponseCode() == 204) {
            c.getInputStream().close();
            return null;
        }
        try (InputStream in = c.getInputStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    public static void main(String[] args) throws Exception {
        long start = System.nanoTime();
        long end = start + Integer.getInteger("seconds", 170) * 1_000_000_000L;
        System.setProperty("sun.net.httpserver.nodelay", "true");
        System.setProperty("http.maxConnections", "40");
        HttpServer web = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        AtomicInteger number = new AtomicInteger();
        web.setExecutor(Executors.newCachedThreadPool(r -> {
            Thread t = new Thread(r, "web-" + number.incrementAndGet());
            t.setDaemon(true);
            return t;
        }));
        web.createContext("/watch", new Watch());
        web.createContext("/berths", new Berths());
        web.start();
        String base = "http://127.0.0.1:" + web.getAddress().getPort();
        for (int k = 0; k < 20; k++) {
            String url = base + "/watch?ship" + k;
            daemon("bridge-" + k, () -> {
                try {
                    for (;;) {
                        String text = get(url);
                        if (text != null) {
                            alerts.increment();
                            alertNanos.add(System.nanoTime() - Long.parseLong(text.substring(9)));
                        }
                    }
                } catch (IOException e) {
                    System.out.println(e);
                }
            });
        }
        for (int k = 0; k < 2; k++)
            daemon("board-" + k, () -> {
                try {
                    for (;;) {
                        long t = System.nanoTime();
                        get(base + "/berths");
                        nanos.add(System.nanoTime() - t);
                        answers.increment();
                        Thread.sleep(6);
                    }
                } catch (IOException | InterruptedException e) {
                    System.out.println(e);
                }
            });
        daemon("harbour-master", () -> {
            Random r = new Random(2);
            try {
                for (;;) {
                    CompletableFuture<Long> w = watches.get("ship" + r.nextInt(20));
                    if (w != null)
                        w.complete(System.nanoTime());
                    Thread.sleep(900);
                }
            } catch (InterruptedException e) {
                System.out.println(e);
            }
        });
        Thread.sleep(4000);
        System.out.println("READY");
        long last = answers.sum();
        long lastNs = nanos.sum();
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long s = answers.sum();
            long ns = nanos.sum();
            System.out.printf("measured: %d answers/s, %.2f ms each; %d alerts so far, %.2f ms each%n", s - last, (ns - lastNs) / 1e6 / Math.max(1, s - last),
                alerts.sum(), alertNanos.sum() / 1e6 / Math.max(1, alerts.sum()));
            last = s;
            lastNs = ns;
        }
        System.exit(0);
    }
}
