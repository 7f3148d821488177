// SPDX-License-Identifier: Apache-2.0
// healthy: a ticket shop on virtual threads: seats are held and sold, JSON is built, clients pause; ~25 % of a CPU
// judge: nothing is wrong; every finding is wrong.
// jdk: 21
// jvm: -Xmx128m -Dsun.net.httpserver.nodelay=true
// set: thirteenth

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
import java.util.BitSet;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

public class BoxOffice {
    static final int SEATS = 600;
    static final LongAdder requests = new LongAdder(), nanos = new LongAdder();

    static class Show {
        final BitSet held = new BitSet(SEATS), sold = new BitSet(SEATS);
        final ReentrantLock lock = new ReentrantLock();

        int hold(int n) {
            lock.lock();
            try {
                for (int seat = 0; seat + n <= SEATS; seat++) {
                    int next = held.nextSetBit(seat);
                    if (next < 0 || next >= seat + n) {
                        held.set(seat, seat + n);
                        return seat;
                    }
                    seat = next;
                }
                return -1;
            } finally {
                lock.unlock();
            }
        }

        void settle() {
            lock.lock();
            try {
                sold.or(held);
                if (sold.cardinality() > SEATS * 9 / 10) {
                    sold.clear();
                }
                held.clear();
                held.or(sold);
            } finally {
                lock.unlock();
            }
        }

        String plan() {
            BitSet now;
            lock.lock();
            try {
                now = (BitSet) held.clone();
            } finally {
                lock.unlock();
            }
            StringBuilder json = new StringBuilder(4 * SEATS).append("{\"free\":[");
            for (int seat = now.nextClearBit(0); seat < SEATS; seat = now.nextClearBit(seat + 1)) {
                json.append(seat).append(',');
            }
            return json.append("-1]}").toString();
        }
    }

    static void reply(HttpExchange x, String json) throws IOException {
        byte[] body = json.getBytes(StandardCharsets.UTF_8);
        x.sendResponseHeaders(200, body.length);
        x.getResponseBody().write(body);
        x.close();
    }

    public static void main(String[] args) throws Exception {
        Show[] shows = new Show[12];
        for (int i = 0; i < shows.length; i++) {
            shows[i] = new Show();
        }
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/plan/", x -> {
            int show = Integer.parseInt(x.getRequestURI().getPath().substring(6));
            reply(x, shows[show].plan());
        });
        server.createContext("/hold/", x -> {
            int show = Integer.parseInt(x.getRequestURI().getPath().substring(6));
            reply(x, "{\"seat\":" + shows[show].hold(2) + "}");
        });
        server.start();
        ScheduledExecutorService tasks = Executors.newScheduledThreadPool(1);
        tasks.scheduleAtFixedRate(() -> {
            for (Show s : shows) {
                s.settle();
            }
        }, 1, 1, TimeUnit.SECONDS);
        String base = "http://127.0.0.1:" + server.getAddress().getPort();
        HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        for (int i = 0; i < 6; i++) {
            new Thread(() -> {
                ThreadLocalRandom r = ThreadLocalRandom.current();
                try {
                    while (true) {
                        URI uri = URI.create(base + (r.nextInt(4) == 0 ? "/hold/" : "/plan/") + r.nextInt(shows.length));
                        long from = System.nanoTime();
                        http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
                        nanos.add(System.nanoTime() - from);
                        requests.increment();
                        Thread.sleep(15 + r.nextInt(20));
                    }
                } catch (IOException | InterruptedException e) {
                    System.err.println(e);
                }
            }, "browser-" + i).start();
        }
        System.out.println("READY");
        while (true) {
            Thread.sleep(1000);
            long n = Math.max(1, requests.sumThenReset());
            System.out.printf("measured: %d requests/s of %d us%n", n, nanos.sumThenReset() / n / 1000);
        }
    }
}
