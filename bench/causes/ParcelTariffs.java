// SPDX-License-Identifier: Apache-2.0
// cause: the HttpServer has no executor, so its dispatcher thread runs all handlers, one after another
// share: the dispatcher thread is in a handler all the time; a request of 12 ms takes ~90 ms with 8 clients
// expect: pool-busy pool=HTTP-Dispatcher | saturated-thread thread=HTTP-Dispatcher
// symptom: waiting endpoint-wait
// judge: right: one thread (HTTP-Dispatcher) serves all requests or is busy / occupied all the time with handlers, so
// judge: that requests wait for it. symptom: HTTP-Dispatcher or rate() waits for the carrier's answer (Carrier.ask).
// judge: wrong: CPU, GC, locks, clients or the carrier-desk threads as the cause.
// jdk: 17
// jvm: -Dsun.net.httpserver.nodelay=true
// set: thirteenth

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

public class ParcelTariffs {
    static final LongAdder requests = new LongAdder(), nanos = new LongAdder(), handling = new LongAdder();
    static final Map<Integer, String> zones = new ConcurrentHashMap<>();

    /** The carrier's price desk: a remote system that needs about 12 ms. */
    static class Carrier {
        final Socket socket;
        final DataInputStream in;
        final DataOutputStream out;

        Carrier(int port) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            in = new DataInputStream(socket.getInputStream());
            out = new DataOutputStream(socket.getOutputStream());
        }

        synchronized int ask(int grams) throws IOException {
            out.writeInt(grams);
            return in.readInt();
        }
    }

    static void desk(ServerSocket listener) {
        while (true) {
            try {
                Socket s = listener.accept();
                Thread t = new Thread(() -> {
                    try (s) {
                        s.setTcpNoDelay(true);
                        DataInputStream in = new DataInputStream(s.getInputStream());
                        DataOutputStream out = new DataOutputStream(s.getOutputStream());
                        while (true) {
                            int grams = in.readInt();
                            Thread.sleep(12);
                            out.writeInt(390 + grams / 7);
                        }
                    } catch (IOException | InterruptedException e) {
                        return;
                    }
                }, "carrier-desk");
                t.setDaemon(true);
                t.start();
            } catch (IOException e) {
                return;
            }
        }
    }

    static void reply(HttpExchange x, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        x.getResponseHeaders().set("Content-Type", "application/json");
        x.sendResponseHeaders(200, body.length);
        x.getResponseBody().write(body);
        x.close();
    }

    static String rate(ThreadLocal<Carrier> carriers, int zip, int grams) throws IOException {
        String zone = zones.computeIfAbsent(zip / 1000, z -> "Z" + z % 9);
        int cents = carriers.get().ask(grams);
        StringBuilder json = new StringBuilder("{\"zone\":\"").append(zone).append("\",\"offers\":[");
        for (int days = 1; days <= 5; days++) {
            json.append("{\"days\":").append(days).append(",\"cents\":").append(cents * (10 - days) / 5).append("},");
        }
        return json.append("{}]}").toString();
    }

    public static void main(String[] args) throws Exception {
        ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        new Thread(() -> desk(listener), "carrier-accept").start();
        ThreadLocal<Carrier> carriers = ThreadLocal.withInitial(() -> {
            try {
                return new Carrier(listener.getLocalPort());
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        server.createContext("/rate", x -> {
            long from = System.nanoTime();
            String[] q = x.getRequestURI().getQuery().split("&");
            reply(x, rate(carriers, Integer.parseInt(q[0]), Integer.parseInt(q[1])));
            handling.add(System.nanoTime() - from);
        });
        server.createContext("/zones", x -> reply(x, zones.toString()));
        server.start();
        int port = server.getAddress().getPort();
        for (int c = 0; c < 8; c++) {
            new Thread(() -> {
                while (true) {
                    ThreadLocalRandom r = ThreadLocalRandom.current();
                    String path = r.nextInt(10) == 0 ? "/zones" : "/rate?" + r.nextInt(99999) + "&" + r.nextInt(30000);
                    long from = System.nanoTime();
                    try {
                        URL url = new URL("http://127.0.0.1:" + port + path);
                        HttpURLConnection http = (HttpURLConnection) url.openConnection();
                        try (InputStream in = http.getInputStream()) {
                            in.readAllBytes();
                        }
                    } catch (IOException e) {
                        continue;
                    }
                    requests.increment();
                    nanos.add(System.nanoTime() - from);
                }
            }, "shop-" + c).start();
        }
        System.out.println("READY");
        while (true) {
            Thread.sleep(1000);
            long n = Math.max(1, requests.sumThenReset());
            System.out.printf("measured: %d requests/s of %d ms, handlers %d ms/s%n", n,
                    nanos.sumThenReset() / n / 1_000_000, handling.sumThenReset() / 1_000_000);
        }
    }
}
