// SPDX-License-Identifier: Apache-2.0
// healthy: ten agencies wait in reads of a socket under HttpURLConnection for nearly all of their time; but these are long polls for bulletins, which the office issues at times of its own (each 0.25 to 1.15 s), and each is with all agencies as soon as their threads get a CPU; the server keeps no thread for who listens.
// share: a typical second of an 11 s run on a crowded machine of 2 CPUs: 20 bulletins received a second, 16.15 ms after they were issued, highest tide 3.09 m
// judge: Wrong findings: waits for the server's answer at Agency.next as a fault; the server's pool as too small; the rest of harbour-office as a fault; the lock of Office; Nagle's algorithm (set off). Acceptable as true and neutral: agencies wait for answers of a server in this process, which come when the office issues a bulletin; Tides.run is where the CPU time goes.
// jdk: 21
// set: twenty-ninth
// jvm:
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;

public class BerthBulletins {
    static final LongAdder HEARD = new LongAdder();
    static final LongAdder NANOS = new LongAdder();

    record Bulletin(int number, String ship, int berth, long at) {
        String line() {
            return number + ";" + ship + ";" + berth + ";" + at;
        }
    }

    static final class Office implements Runnable {
        private final List<Bulletin> issued = new ArrayList<>();
        private final List<HttpExchange> listeners = new ArrayList<>();
        private final Random random = new Random(58);

        synchronized void listen(HttpExchange exchange) throws IOException {
            int after = Integer.parseInt(exchange.getRequestURI().getQuery().substring(6));
            if (after < issued.size()) {
                answer(exchange, issued.get(after));
            } else {
                listeners.add(exchange);
            }
        }

        private static void answer(HttpExchange exchange, Bulletin b) throws IOException {
            byte[] text = (b.line() + "\n").getBytes(StandardCharsets.US_ASCII);
            exchange.sendResponseHeaders(200, text.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(text);
            }
        }

        private synchronized void issue() {
            Bulletin b = new Bulletin(issued.size() + 1, "IMO" + (9_000_000 + random.nextInt(900_000)),
                1 + random.nextInt(30), System.nanoTime());
            issued.add(b);
            for (HttpExchange exchange : listeners) {
                try {
                    answer(exchange, b);
                } catch (IOException e) {
                    System.err.println(e);
                }
            }
            listeners.clear();
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Thread.sleep(250 + random.nextInt(900));
                    issue();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class Agency implements Runnable {
        private final int port;
        private final long end;
        private final TreeMap<Integer, String> berths = new TreeMap<>();
        private int last;

        Agency(int port, long end) {
            this.port = port;
            this.end = end;
        }

        @Override
        public void run() {
            while (System.nanoTime() < end) {
                try {
                    String[] parts = next().split(";");
                    long now = System.nanoTime();
                    last = Integer.parseInt(parts[0]);
                    berths.put(Integer.parseInt(parts[2]), parts[1]);
                    NANOS.add(now - Long.parseLong(parts[3]));
                    HEARD.increment();
                } catch (IOException e) {
                    System.err.println(e);
                    return;
                }
            }
        }

        private String next() throws IOException {
            HttpURLConnection c = (HttpURLConnection) URI.create("http://127.0.0.1:" + port + "/next?after=" + last).toURL().openConnection();
            try (BufferedReader in = new BufferedReader(new InputStreamReader(c.getInputStream(), StandardCharsets.US_ASCII))) {
                String line = in.readLine();
                while (in.readLine() != null) {
                    continue;
                }
                return line;
            }
        }
    }

    static final class Tides implements Runnable {
        private volatile double highest;

        @Override
        public void run() {
            try {
                for (long minute = 0; ; minute++) {
                    double most = 0;
                    for (int i = 0; i < 60_000; i++) {
                        double t = (minute + i) / 745.2;
                        most = Math.max(most, 2.2 * Math.cos(t) + 0.6 * Math.cos(t * 0.966 + 1) + 0.3 * Math.cos(t * 0.5));
                    }
                    highest = most;
                    Thread.sleep(40);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static void daemon(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        int span = Integer.getInteger("span", 170);
        long end = System.nanoTime() + span * 1_000_000_000L;
        System.setProperty("sun.net.httpserver.nodelay", "true");
        Office office = new Office();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
        server.createContext("/next", office::listen);
        server.setExecutor(Executors.newFixedThreadPool(4, r -> {
            Thread t = new Thread(r, "web");
            t.setDaemon(true);
            return t;
        }));
        server.start();
        daemon(office, "harbour-office");
        Tides tides = new Tides();
        daemon(tides, "tides");
        for (int i = 0; i < 10; i++) {
            daemon(new Agency(server.getAddress().getPort(), end), "agency-" + i);
        }
        System.out.println("READY");
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long n = HEARD.sumThenReset();
            long ns = NANOS.sumThenReset();
            System.out.printf("measured: %d bulletins received a second, %.2f ms after they were issued, highest tide %.2f m%n",
                n, n == 0 ? 0 : ns / 1e6 / n, tides.highest);
        }
        System.exit(0);
    }
}
