// SPDX-License-Identifier: Apache-2.0
// healthy: a small HTTP service that is asked 120 times a second, answers within a millisecond or two, and uses a fraction of one CPU; nothing queues, nothing waits but idle threads
// share: p50 0.6 to 1.1 ms at some 115 requests a second, no errors, 0.1 to 0.3 CPUs (on a shared machine, p99 10 to 50 ms for lack of CPU)
// judge: RIGHT: nothing stands out, or only neutral remarks (where the little CPU time goes: HTTP, StationList.nearest, JSON of Answer.write; that riders wait for answers of this process). WRONG: any accusation, such as of too few threads in the pool "desk", of a lock, of Nagle's algorithm, of sleeping rider threads (they keep a pace on purpose), of collections, of regular expressions, formatting or logging.
// jdk: 11
// set: thirty-sixth
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;

/** Shows riders at which stations near them tandems are free, and lets one out. */
public class TandemHire {
    static final AtomicLong errors = new AtomicLong();
    static final Latencies latencies = new Latencies();

    /** The latencies of the current second. */
    static final class Latencies {
        private long[] values = new long[4096];
        private int count;

        synchronized void add(long nanos) {
            if (count < values.length)
                values[count++] = nanos;
        }

        synchronized long[] take() {
            long[] taken = Arrays.copyOf(values, count);
            count = 0;
            return taken;
        }
    }

    static final class Station {
        final int number;
        final String name;
        final double east;
        final double north;

        Station(int number, String name, double east, double north) {
            this.number = number;
            this.name = name;
            this.east = east;
            this.north = north;
        }
    }

    static final class StationList {
        private final List<Station> stations = new ArrayList<>();
        private final AtomicIntegerArray free;

        StationList(int number) {
            Random random = new Random(5);
            free = new AtomicIntegerArray(number);
            for (int i = 0; i < number; i++) {
                stations.add(new Station(i, "Station " + (char) ('A' + i % 26) + i / 26, random.nextDouble() * 10, random.nextDouble() * 10));
                free.set(i, 4 + random.nextInt(6));
            }
        }

        List<Station> nearest(double east, double north, int most) {
            Station[] best = new Station[most];
            double[] far = new double[most];
            Arrays.fill(far, Double.MAX_VALUE);
            for (Station station : stations) {
                double distance = (station.east - east) * (station.east - east) + (station.north - north) * (station.north - north);
                int at = most;
                while (at > 0 && distance < far[at - 1])
                    at--;
                if (at == most)
                    continue;
                System.arraycopy(far, at, far, at + 1, most - at - 1);
                System.arraycopy(best, at, best, at + 1, most - at - 1);
                far[at] = distance;
                best[at] = station;
            }
            return Arrays.asList(best);
        }

        int hire(int station) {
            return free.updateAndGet(station, n -> n == 0 ? 8 : n - 1);
        }

        int free(Station station) {
            return free.get(station.number);
        }
    }

    static final class Desk implements HttpHandler {
        private final StationList stations;

        Desk(StationList stations) {
            this.stations = stations;
        }

        @Override
        public void handle(HttpExchange exchange) throws IOException {
            String query = exchange.getRequestURI().getQuery();
            int comma = query.indexOf(',');
            double east = Double.parseDouble(query.substring(0, comma));
            double north = Double.parseDouble(query.substring(comma + 1));
            List<Station> near = stations.nearest(east, north, 5);
            int left = stations.hire(near.get(0).number);
            byte[] body = write(near, left).getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, body.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(body);
            }
        }

        private String write(List<Station> near, int left) {
            StringBuilder json = new StringBuilder(400).append("{\"left\":").append(left).append(",\"stations\":[");
            for (Station station : near) {
                if (station != near.get(0))
                    json.append(',');
                json.append("{\"name\":\"").append(station.name).append("\",\"free\":").append(stations.free(station)).append('}');
            }
            return json.append("]}").toString();
        }
    }

    /** Asks 20 times a second. */
    static final class Rider implements Runnable {
        private final String service;

        Rider(String service) {
            this.service = service;
        }

        @Override
        public void run() {
            while (true) {
                try {
                    Thread.sleep(30 + ThreadLocalRandom.current().nextInt(40));
                    long start = System.nanoTime();
                    ask(ThreadLocalRandom.current().nextDouble() * 10, ThreadLocalRandom.current().nextDouble() * 10);
                    latencies.add(System.nanoTime() - start);
                } catch (IOException e) {
                    errors.incrementAndGet();
                } catch (InterruptedException e) {
                    return;
                }
            }
        }

        private void ask(double east, double north) throws IOException {
            HttpURLConnection connection = (HttpURLConnection) new URL(service + east + "," + north).openConnection();
            try (InputStream in = connection.getInputStream()) {
                in.readAllBytes();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        AtomicInteger number = new AtomicInteger();
        ExecutorService desk = Executors.newFixedThreadPool(8, task -> new Thread(task, "desk-" + number.getAndIncrement()));
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 100);
        server.createContext("/near", new Desk(new StationList(3000)));
        server.setExecutor(desk);
        server.start();
        for (int i = 0; i < 6; i++) {
            Thread rider = new Thread(new Rider("http://127.0.0.1:" + server.getAddress().getPort() + "/near?"), "rider-" + i);
            rider.setDaemon(true);
            rider.start();
        }
        var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        for (int second = 1; ; second++) {
            long cpu = system.getProcessCpuTime();
            Thread.sleep(1000);
            long[] taken = latencies.take();
            Arrays.sort(taken);
            if (second == 4)
                System.out.println("READY");
            if (taken.length > 0)
                System.out.printf("measured: %d requests, p50 %.2f ms, p99 %.2f ms, %d errors; %.2f CPUs%n", taken.length,
                    taken[taken.length / 2] / 1e6, taken[taken.length * 99 / 100] / 1e6, errors.get(), (system.getProcessCpuTime() - cpu) / 1e9);
            System.out.flush();
        }
    }
}
