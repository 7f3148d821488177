// SPDX-License-Identifier: Apache-2.0
// cause: PermitOfficeDesk.open() starts the com.sun.net.httpserver.HttpServer without an executor of its own (setExecutor is not called), so every handler runs in the single HTTP-Dispatcher thread and the 6 ms wait for the land register in PermitHandler.handle() is served one request after another.
// share: faulty 145 permits/s, mean 82.6 ms; fixed 1699 permits/s, mean 7.07 ms; 11.7 times better (10 s each, 2 busy cores)
// expect: pool-busy pool=HTTP-Dispatcher
// symptom: waiting
// judge: NAMED: HttpServer has no executor (default: handlers run in the dispatcher thread), so PermitHandler with its 6 ms blocking register call is handled by one thread only (HTTP-Dispatcher); call setExecutor with a pool. SYMPTOM ONLY: clients wait in socket read; the dispatcher thread waits in LandRegister.lookup; CPU is nearly idle; latency is about the number of clients times 6 ms. WRONG: the land register being slow as the only cause, too many or too few clients, Nagle / delayed ACK, lock contention, no HTTP keep-alive.
// jdk: 25
// set: twenty-sixth
// jvm: -Dsun.net.httpserver.nodelay=true
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

public class PermitOfficeDesk {
    static final boolean VARIANT = Boolean.getBoolean("fixed");
    static final long END = System.nanoTime() + 170_000_000_000L;
    static final int CITIZENS = 12;
    static final LongAdder permits = new LongAdder();
    static final LongAdder spentNanos = new LongAdder();

    record Parcel(int number, int squareMetres, boolean protectedArea) {
    }

    static final class LandRegister {
        Parcel lookup(int number) {
            long until = System.nanoTime() + 6_000_000L;
            long rest;
            while ((rest = until - System.nanoTime()) > 0) {
                LockSupport.parkNanos(rest);
            }
            return new Parcel(number, 200 + number % 1500, number % 19 == 0);
        }
    }

    static final class PermitHandler implements HttpHandler {
        final LandRegister register = new LandRegister();

        static int number(String path) {
            return Integer.parseInt(path.substring(path.lastIndexOf('/') + 1));
        }

        static String decide(Parcel parcel) {
            if (parcel.protectedArea()) {
                return "refused: protected area";
            }
            int floors = parcel.squareMetres() > 900 ? 3 : 2;
            return "granted: " + floors + " floors on " + parcel.squareMetres() + " m2";
        }

        @Override
        public void handle(HttpExchange exchange) throws IOException {
            Parcel parcel = register.lookup(number(exchange.getRequestURI().getPath()));
            byte[] body = decide(parcel).getBytes(StandardCharsets.US_ASCII);
            exchange.getResponseHeaders().set("Content-Type", "text/plain");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        }
    }

    static HttpServer open() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        server.createContext("/permit", new PermitHandler());
        if (VARIANT) {
            server.setExecutor(Executors.newFixedThreadPool(CITIZENS));
        }
        server.start();
        return server;
    }

    static final class Citizen extends Thread {
        final String base;
        final Random random;
        int refused;

        Citizen(int id, int port) {
            super("citizen-" + id);
            base = "http://127.0.0.1:" + port + "/permit/";
            random = new Random(id);
            setDaemon(true);
        }

        String apply(int parcel) throws IOException {
            HttpURLConnection connection = (HttpURLConnection) URI.create(base + parcel).toURL().openConnection();
            try (InputStream in = connection.getInputStream()) {
                return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
            }
        }

        @Override
        public void run() {
            try {
                while (System.nanoTime() < END) {
                    long start = System.nanoTime();
                    if (apply(random.nextInt(100_000)).startsWith("refused")) {
                        refused++;
                    }
                    spentNanos.add(System.nanoTime() - start);
                    permits.increment();
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("http.maxConnections", "20");
        HttpServer server = open();
        Citizen[] citizens = new Citizen[CITIZENS];
        for (int i = 0; i < CITIZENS; i++) {
            citizens[i] = new Citizen(i, server.getAddress().getPort());
            citizens[i].start();
        }
        System.out.println("READY");
        long lastCount = 0;
        long lastSpent = 0;
        while (System.nanoTime() < END) {
            Thread.sleep(1000);
            long count = permits.sum();
            long spent = spentNanos.sum();
            long n = count - lastCount;
            System.out.printf("measured: %d permits/s, mean %.2f ms%n", n,
                    n == 0 ? 0.0 : (spent - lastSpent) / 1e6 / n);
            lastCount = count;
            lastSpent = spent;
        }
        for (Citizen citizen : citizens) {
            citizen.join(2000);
        }
        System.exit(0);
    }
}
