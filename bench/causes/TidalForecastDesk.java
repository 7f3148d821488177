// SPDX-License-Identifier: Apache-2.0
// healthy: an HTTP service with a virtual thread for each request, which asks a gauge server (another service, 8 ms) once per request, computes a tide curve in half a millisecond, and answers; about a third of a CPU, no locks held in waits, no pinning, no queue
// share: 180 requests a second, 10 ms each, 9 ms of that for the gauges; 0.3 CPUs
// judge: RIGHT: nothing stands out, or only neutral remarks: that requests wait for the gauge server's answer (GaugeLink.level), that clients wait for answers (Ship.ask), that TideCurve.heights computes. WRONG: any accusation: unstarted virtual threads, carrier, pinned, unmounted-wait as a fault, pool too small, slow accept, locks, thread locals, http-clients, saturated thread, collections
// jdk: 25
// set: thirty-fifth
// jvm: -Xmx128m
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.atomic.LongAccumulator;

/** Gives ships the tide at a harbour in the next day. */
public class TidalForecastDesk {
    static final InetAddress LOCAL = InetAddress.getLoopbackAddress();
    static final LongAdder REQUESTS = new LongAdder();
    static final LongAdder WALL = new LongAdder();
    static final LongAdder GAUGE = new LongAdder();
    static final LongAccumulator LONGEST = new LongAccumulator(Long::max, 0);

    /** The gauges of the coast, which another authority runs: its answer takes 8 ms. */
    static final class GaugeServer implements Runnable {
        private final ServerSocket server = new ServerSocket(0, 200, LOCAL);
        private final ExecutorService lines;

        GaugeServer(ExecutorService lines) throws IOException {
            this.lines = lines;
        }

        @Override
        public void run() {
            while (true)
                try {
                    Socket link = server.accept();
                    lines.execute(() -> serve(link));
                } catch (IOException e) {
                    System.err.println("gauges: " + e);
                }
        }

        private void serve(Socket link) {
            try (link) {
                link.setTcpNoDelay(true);
                BufferedReader in = new BufferedReader(new InputStreamReader(link.getInputStream(), StandardCharsets.US_ASCII));
                String harbour = in.readLine();
                if (harbour == null)
                    return;
                Thread.sleep(8);
                int level = 300 + harbour.hashCode() % 100;
                link.getOutputStream().write((level + "\n").getBytes(StandardCharsets.US_ASCII));
            } catch (IOException e) {
                System.err.println("gauge line: " + e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class GaugeLink {
        private final int port;

        GaugeLink(int port) {
            this.port = port;
        }

        int level(String harbour) throws IOException {
            try (Socket link = new Socket(LOCAL, port)) {
                link.setTcpNoDelay(true);
                link.setSoTimeout(30000);
                link.getOutputStream().write((harbour + "\n").getBytes(StandardCharsets.US_ASCII));
                String line = new BufferedReader(new InputStreamReader(link.getInputStream(), StandardCharsets.US_ASCII)).readLine();
                if (line == null)
                    throw new IOException("no level of " + harbour);
                return Integer.parseInt(line);
            }
        }
    }

    /** Height over a day as the sum of the partial tides. */
    record TideCurve(int level, int harbour) {
        private static final double[] SPEED = {28.984, 30.0, 28.439, 15.041, 13.943, 57.968, 13.398, 14.958};
        private static final double[] HEIGHT = {132, 46, 25, 11, 9, 12, 4, 5};

        int[] heights() {
            int[] heights = new int[24 * 60 / 5];
            for (int i = 0; i < heights.length; i++) {
                double sum = level;
                for (int wave = 0; wave < 40; wave++) {
                    int partial = wave % SPEED.length;
                    sum += HEIGHT[partial] / (1 + wave / 8) * Math.cos(Math.toRadians(SPEED[partial] * (1 + wave / 8) * i / 12 + harbour * 7));
                }
                heights[i] = (int) sum;
            }
            return heights;
        }

        int highest() {
            int high = Integer.MIN_VALUE;
            for (int height : heights())
                high = Math.max(high, height);
            return high;
        }
    }

    static final class TideHandler implements HttpHandler {
        private final GaugeLink gauges;

        TideHandler(GaugeLink gauges) {
            this.gauges = gauges;
        }

        @Override
        public void handle(HttpExchange exchange) throws IOException {
            long begin = System.nanoTime();
            int harbour = Integer.parseInt(exchange.getRequestURI().getQuery());
            int level = gauges.level("harbour-" + harbour);
            GAUGE.add(System.nanoTime() - begin);
            int high = new TideCurve(level, harbour).highest();
            byte[] answer = ("high water " + high + " cm").getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
            long wall = System.nanoTime() - begin;
            WALL.add(wall);
            LONGEST.accumulate(wall);
            REQUESTS.increment();
        }
    }

    /** A ship's computer that asks now and then. */
    static final class Ship implements Runnable {
        private final int port;

        Ship(int port) {
            this.port = port;
        }

        private int ask(int harbour) throws IOException {
            HttpURLConnection link = (HttpURLConnection) URI.create("http://127.0.0.1:" + port + "/tide?" + harbour).toURL().openConnection();
            link.setReadTimeout(60000);
            try (InputStream in = link.getInputStream()) {
                return in.readAllBytes().length;
            }
        }

        @Override
        public void run() {
            while (true)
                try {
                    ask(ThreadLocalRandom.current().nextInt(400));
                    Thread.sleep(ThreadLocalRandom.current().nextInt(40, 160));
                } catch (IOException e) {
                    System.err.println("ship: " + e);
                } catch (InterruptedException e) {
                    return;
                }
        }
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        ExecutorService perTask = Executors.newVirtualThreadPerTaskExecutor();
        GaugeServer gauges = new GaugeServer(perTask);
        new Thread(gauges, "gauge-server").start();
        HttpServer server = HttpServer.create(new InetSocketAddress(LOCAL, 0), 200);
        server.createContext("/tide", new TideHandler(new GaugeLink(gauges.server.getLocalPort())));
        server.setExecutor(perTask);
        server.start();
        for (int i = 0; i < 20; i++)
            new Thread(new Ship(server.getAddress().getPort()), "ship-" + i).start();
        for (int second = 0;; second++) {
            long requests = REQUESTS.sum(), wall = WALL.sum(), gauge = GAUGE.sum();
            LONGEST.reset();
            Thread.sleep(1000);
            requests = REQUESTS.sum() - requests;
            wall = WALL.sum() - wall;
            gauge = GAUGE.sum() - gauge;
            System.out.printf("measured: %d requests, %.1f ms each, %.1f ms of that for the gauges' answer; the longest %.1f ms%n", requests,
                wall / 1e6 / Math.max(1, requests), gauge / 1e6 / Math.max(1, requests), LONGEST.get() / 1e6);
            if (second == 3) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
