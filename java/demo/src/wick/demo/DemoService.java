/* SPDX-License-Identifier: Apache-2.0 */
package wick.demo;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import wick.Scope;
import wick.Wick;

/**
 * A small HTTP service that has the troubles which people look for with a profiler. Each endpoint is one trouble; see the
 * classes that implement {@link Endpoint}.
 *
 * <p>Each request is a span, GET and the path, with the label customer (from the header X-Customer); see docs/labels.md.
 *
 * <p>It listens on the loopback interface only and prints one line when it is ready:
 * {@code demo: listening on 127.0.0.1:PORT pid PID}. It ends on {@code /quit}, on SIGTERM, or after {@code --seconds}.
 * It runs on every JVM from 8 on.
 *
 * <p>Options: {@code --port} (0: any free one), {@code --workers} (threads that handle requests), {@code --allocators}
 * (threads that work for /allocation-stalls), {@code --idle} (threads of the over-provisioned pool), {@code --seconds}
 * (0: no limit).
 */
@SuppressWarnings("try") // a scope is there to be closed
public final class DemoService {
    static final List<String> CUSTOMERS = Arrays.asList("big", "small", "tiny");

    private final Map<String, Endpoint> endpoints = new TreeMap<>();
    private final CountDownLatch quit = new CountDownLatch(1);
    private final ExecutorService workers;
    private final IdlePool idlePool;
    private final HttpServer server;

    private DemoService(Options options) throws IOException {
        MetricsThread metrics = MetricsThread.start();
        idlePool = new IdlePool(Math.max(1, options.number("idle")));
        endpoints.put("/allocation-stalls", new AllocationStalls(Math.max(1, options.number("allocators"))));
        endpoints.put("/compress", new CompressWork());
        endpoints.put("/cpu", new CpuWork());
        endpoints.put("/health", query -> "ok, java " + System.getProperty("java.version") + ", threads " + metrics.latest());
        endpoints.put("/io", new IoWork());
        endpoints.put("/leak", new LeakWork());
        endpoints.put("/lock", new LockWork());
        endpoints.put("/quit", query -> quit());
        endpoints.put("/safepoint", new SafepointWork());
        endpoints.put("/sleep", DemoService::sleep);
        endpoints.put("/vthreads", new VirtualThreads());

        // Headers and body are two packets: without this the second waits 40 ms for the acknowledgement of the first.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        workers = Executors.newFixedThreadPool(Math.max(1, options.number("workers")), new NamedThreads("http-worker"));
        server = HttpServer.create(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), options.number("port")), 128);
        server.setExecutor(workers);
        server.createContext("/", this::serve);
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        Options options =
                new Options("demo", "port", "0", "workers", "16", "allocators", "10", "idle", "200", "seconds", "0").parse(args);
        new DemoService(options).run(options.number("seconds"));
    }

    private void run(int seconds) throws InterruptedException {
        server.start();
        System.out.println("demo: listening on 127.0.0.1:" + server.getAddress().getPort() + " pid " + pid());
        if (seconds == 0) {
            quit.await();
        } else {
            quit.await(seconds, TimeUnit.SECONDS);
        }
        server.stop(1);
        workers.shutdown();
    }

    /** Java 8 has no other way to learn it. */
    private static String pid() {
        return ManagementFactory.getRuntimeMXBean().getName().replaceAll("@.*", "");
    }

    private String quit() {
        quit.countDown();
        return "bye";
    }

    private static String sleep(Query query) throws InterruptedException {
        int ms = query.get("ms", 50, 60_000);
        Thread.sleep(ms);
        return "slept " + ms + " ms";
    }

    private void serve(HttpExchange exchange) throws IOException {
        idlePool.touch();
        String path = exchange.getRequestURI().getPath();
        Endpoint endpoint = endpoints.get(path);
        if (endpoint == null) {
            // not a span: its name would be arbitrary text from the caller
            answer(exchange, 404, "no such endpoint; there are " + endpoints.keySet());
            exchange.close();
            return;
        }
        try (Scope request = openSpan("GET " + path, exchange); Scope who = Wick.label("customer", customer(exchange))) {
            handle(endpoint, exchange);
        }
    }

    /** The span of a request: of the caller's trace if it sends a W3C traceparent, else of one of its own. */
    private static Scope openSpan(String operation, HttpExchange exchange) {
        String parent = exchange.getRequestHeaders().getFirst("traceparent");
        ThreadLocalRandom random = ThreadLocalRandom.current();
        if (parent == null || !parent.matches("[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")) {
            return Wick.span(operation, random.nextLong(), random.nextLong(), random.nextLong());
        }
        return Wick.span(operation, parent.substring(3, 35), String.format("%016x", random.nextLong()));
    }

    /** Who asks, of the few that the service knows. */
    private static String customer(HttpExchange exchange) {
        String name = exchange.getRequestHeaders().getFirst("X-Customer");
        return name != null && CUSTOMERS.contains(name) ? name : "other";
    }

    private static void handle(Endpoint endpoint, HttpExchange exchange) throws IOException {
        try {
            answer(exchange, 200, endpoint.handle(new Query(exchange.getRequestURI().getQuery())));
        } catch (IllegalArgumentException e) {
            answer(exchange, 400, e.getMessage());
        } catch (UnsupportedOperationException e) {
            answer(exchange, 501, e.getMessage());
        } catch (ExecutionException e) {
            fail(exchange, e.getCause());
        } catch (Exception | OutOfMemoryError e) {
            fail(exchange, e);
        } finally {
            exchange.close();
        }
    }

    private static void fail(HttpExchange exchange, Throwable cause) throws IOException {
        System.err.println("demo: " + exchange.getRequestURI() + ": " + cause);
        answer(exchange, 500, cause.toString());
    }

    private static void answer(HttpExchange exchange, int status, String line) throws IOException {
        byte[] body = (line + "\n").getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
    }
}
