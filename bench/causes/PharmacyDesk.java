// SPDX-License-Identifier: Apache-2.0
// healthy: each request has a virtual thread of its own, which asks two partners (stock and tariff, in this process, 6 to 14 ms each by their nature) at the same time over kept connections and answers as soon as both have; no queue, no pinning, little CPU
// share: p50 14 ms where the slower partner needs 10 to 14 ms, some 135 requests a second, no errors, 0.3 to 0.6 CPUs
// judge: RIGHT: nothing stands out, or only neutral remarks (that requests or customers wait for answers of the partners, perhaps of this process; where the little CPU time goes). WRONG: any accusation: pinned or unstarted virtual threads, carriers, pools too small, answers one after another (they are asked at the same time), futures that nobody completes, locks, sleeps (PharmacyDesk$Partner.answer's rest is what the partner needs; customers pace themselves), collections.
// jdk: 21
// set: thirty-sixth
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/** Answers pharmacies whether a medicine is in stock at the wholesaler, and what the insurer pays. */
public class PharmacyDesk {
    static final AtomicLong errors = new AtomicLong();
    static final Latencies latencies = new Latencies();

    static final class Latencies {
        private final ReentrantLock lock = new ReentrantLock();
        private final long[] values = new long[4096];
        private int count;

        void add(long nanos) {
            lock.lock();
            try {
                if (count < values.length)
                    values[count++] = nanos;
            } finally {
                lock.unlock();
            }
        }

        long[] take() {
            lock.lock();
            try {
                long[] taken = Arrays.copyOf(values, count);
                count = 0;
                return taken;
            } finally {
                lock.unlock();
            }
        }
    }

    /** A partner's machine, which answers a line with a line. */
    static final class Partner {
        private final ServerSocket socket;
        private final int millis;

        Partner(ExecutorService threads, int millis) throws IOException {
            this.millis = millis;
            socket = new ServerSocket(0, 200, InetAddress.getByName("127.0.0.1"));
            threads.submit(() -> {
                while (true) {
                    Socket client = socket.accept();
                    threads.submit(() -> serve(client));
                }
            });
        }

        private Void serve(Socket client) throws Exception {
            client.setTcpNoDelay(true);
            try (client; BufferedReader in = new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII))) {
                OutputStream out = client.getOutputStream();
                for (String line; (line = in.readLine()) != null; )
                    out.write((answer(line) + "\n").getBytes(StandardCharsets.US_ASCII));
            }
            return null;
        }

        private int answer(String line) throws InterruptedException {
            Thread.sleep(millis + ThreadLocalRandom.current().nextInt(4));
            return Math.floorMod(line.hashCode() * 31, 500);
        }

        int port() {
            return socket.getLocalPort();
        }
    }

    /** Connections to one partner, kept for the next request. */
    static final class Link {
        private record Line(Socket socket, BufferedReader in) { }

        private final int port;
        private final ConcurrentLinkedDeque<Line> idle = new ConcurrentLinkedDeque<>();

        Link(int port) {
            this.port = port;
        }

        int ask(String medicine) throws IOException {
            Line line = idle.pollFirst();
            if (line == null) {
                Socket socket = new Socket(InetAddress.getByName("127.0.0.1"), port);
                socket.setTcpNoDelay(true);
                line = new Line(socket, new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII)));
            }
            line.socket.getOutputStream().write((medicine + "\n").getBytes(StandardCharsets.US_ASCII));
            int answer = Integer.parseInt(line.in.readLine());
            idle.addFirst(line);
            return answer;
        }
    }

    static final class Desk {
        private final ExecutorService threads;
        private final Link stock;
        private final Link tariff;

        Desk(ExecutorService threads, Link stock, Link tariff) {
            this.threads = threads;
            this.stock = stock;
            this.tariff = tariff;
        }

        void handle(HttpExchange exchange) throws IOException {
            String medicine = exchange.getRequestURI().getQuery();
            byte[] body;
            int status = 200;
            try {
                Future<Integer> packs = threads.submit(() -> stock.ask(medicine));
                int cents = tariff.ask(medicine);
                body = ("{\"packs\":" + packs.get() + ",\"pays\":" + cents + "}").getBytes(StandardCharsets.UTF_8);
            } catch (Exception e) {
                body = "{}".getBytes(StandardCharsets.UTF_8);
                status = 502;
            }
            exchange.sendResponseHeaders(status, body.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(body);
            }
        }
    }

    static void customer(HttpClient client, URI desk) {
        while (true) {
            try {
                Thread.sleep(40 + ThreadLocalRandom.current().nextInt(120));
                HttpRequest request = HttpRequest.newBuilder(desk.resolve("/ask?M" + ThreadLocalRandom.current().nextInt(9000)))
                    .timeout(Duration.ofSeconds(30)).build();
                long start = System.nanoTime();
                if (client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode() != 200)
                    errors.incrementAndGet();
                latencies.add(System.nanoTime() - start);
            } catch (IOException e) {
                errors.incrementAndGet();
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        Desk desk = new Desk(threads, new Link(new Partner(threads, 6).port()), new Link(new Partner(threads, 10).port()));
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 200);
        server.createContext("/ask", desk::handle);
        server.setExecutor(threads);
        server.start();
        URI address = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).executor(Executors.newFixedThreadPool(2)).build();
        for (int i = 0; i < 16; i++)
            Thread.ofVirtual().name("customer-" + i).start(() -> customer(client, address));
        var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        for (int second = 1; ; second++) {
            long cpu = system.getProcessCpuTime();
            Thread.sleep(1000);
            long[] taken = latencies.take();
            Arrays.sort(taken);
            if (second == 4)
                System.out.println("READY");
            if (taken.length > 0)
                System.out.printf("measured: %d requests, p50 %.1f ms, p99 %.1f ms (the slower partner needs 10 to 14), %d errors; %.2f CPUs%n", taken.length,
                    taken[taken.length / 2] / 1e6, taken[taken.length * 99 / 100] / 1e6, errors.get(), (system.getProcessCpuTime() - cpu) / 1e9);
            System.out.flush();
        }
    }
}
