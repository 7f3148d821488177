// SPDX-License-Identifier: Apache-2.0
// cause: FerryCrossings.main starts its HttpServer without an executor, so that FerryCrossings.Seats.handle waits for the seat register (Register.free, about 7 ms) on the HTTP-Dispatcher thread and all other requests wait behind it
// share: as it is 140 to 157 answers/s, 48 to 54 ms each; fixed 840 to 890 answers/s, 6 ms each (6 to 8 times better)
// expect: pool-busy pool=HTTP-Dispatcher | blocked-loop thread=HTTP-Dispatcher
// symptom: waiting
// judge: NAMED: the event loop HTTP-Dispatcher waits for something else (an answer of the seat register, at Line.ask / Register.free / Seats.handle) while others wait. SYMPTOM ONLY: clients (counter-N) wait for a server's answer; the register's answers take time, without the dispatcher. WRONG: CPU, GC, locks, the register (sleep) as the first cause.
// jdk: 21
// set: twenty-seventh
// jvm: -Xmx64m
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;

public class FerryCrossings {
    static final LongAdder answers = new LongAdder();
    static final LongAdder nanos = new LongAdder();

    static void daemon(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    static final class Line {
        final BufferedReader in;
        final OutputStream out;

        Line(int port) throws IOException {
            Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
            s.setTcpNoDelay(true);
            in = new BufferedReader(new InputStreamReader(s.getInputStream(), StandardCharsets.UTF_8));
            out = s.getOutputStream();
        }

        String ask(String text) throws IOException {
            out.write((text + "\n").getBytes(StandardCharsets.UTF_8));
            return in.readLine();
        }
    }

    static int registerServer() throws IOException {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon("register-door", () -> {
            try {
                for (int i = 0;; i++) {
                    Socket s = server.accept();
                    s.setTcpNoDelay(true);
                    daemon("register-" + i, () -> serve(s));
                }
            } catch (IOException e) {
                System.out.println(e);
            }
        });
        return server.getLocalPort();
    }

    static void serve(Socket s) {
        try {
            BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream(), StandardCharsets.UTF_8));
            for (String q; (q = in.readLine()) != null;) {
                Thread.sleep(7);
                s.getOutputStream().write((Math.abs(q.hashCode()) % 300 + "\n").getBytes(StandardCharsets.UTF_8));
            }
        } catch (IOException | InterruptedException e) {
            System.out.println(e);
        }
    }

    static final class Register {
        final int port;
        final ConcurrentLinkedDeque<Line> lines = new ConcurrentLinkedDeque<>();

        Register(int port) {
            this.port = port;
        }

        int free(String sailing) throws IOException {
            Line line = lines.pollFirst();
            if (line == null)
                line = new Line(port);
            int n = Integer.parseInt(line.ask("free " + sailing));
            lines.addFirst(line);
            return n;
        }
    }

    static void answer(HttpExchange x, String text) throws IOException {
        byte[] b = text.getBytes(StandardCharsets.UTF_8);
        x.getResponseHeaders().set("Content-Type", "text/plain");
        x.sendResponseHeaders(200, b.length);
        try (OutputStream out = x.getResponseBody()) {
            out.write(b);
        }
    }

    static final class Sailings implements HttpHandler {
        @Override
        public void handle(HttpExchange x) throws IOException {
            StringBuilder b = new StringBuilder();
            for (int i = 0; i < 60; i++)
                b.append(6 + i / 4).append(':').append(15 * (i % 4)).append(" pier ").append(i % 5).append('\n');
            answer(x, b.toString());
        }
    }

    static final class Seats implements HttpHandler {
        final Register register;

        Seats(Register register) {
            this.register = register;
        }

        @Override
        public void handle(HttpExchange x) throws IOException {
            String sailing = x.getRequestURI().getQuery();
            answer(x, sailing + ": " + register.free(sailing) + " seats\n");
        }
    }

    public static void main(String[] args) throws Exception {
        long start = System.nanoTime();
        long end = start + Integer.getInteger("seconds", 170) * 1_000_000_000L;
        System.setProperty("sun.net.httpserver.nodelay", "true");
        System.setProperty("http.maxConnections", "20");
        HttpServer web = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        web.createContext("/sailings", new Sailings());
        web.createContext("/seats", new Seats(new Register(registerServer())));
        if (Boolean.getBoolean("fixed"))
            web.setExecutor(Executors.newFixedThreadPool(12));
        web.start();
        String base = "http://127.0.0.1:" + web.getAddress().getPort();
        for (int k = 0; k < 8; k++) {
            Random r = new Random(k);
            daemon("counter-" + k, () -> {
                try {
                    for (;;) {
                        long t = System.nanoTime();
                        URL u = URI.create(base + (r.nextInt(4) == 0 ? "/sailings" : "/seats?s" + r.nextInt(60))).toURL();
                        try (InputStream in = u.openStream()) {
                            in.readAllBytes();
                        }
                        nanos.add(System.nanoTime() - t);
                        answers.increment();
                        Thread.sleep(3);
                    }
                } catch (IOException | InterruptedException e) {
                    System.out.println(e);
                }
            });
        }
        Thread.sleep(4000);
        System.out.println("READY");
        long last = answers.sum();
        long lastNs = nanos.sum();
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long s = answers.sum();
            long ns = nanos.sum();
            System.out.printf("measured: %d answers/s, %.1f ms each%n", s - last, (ns - lastNs) / 1e6 / Math.max(1, s - last));
            last = s;
            lastNs = ns;
        }
        System.exit(0);
    }
}
