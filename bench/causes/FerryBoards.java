// SPDX-License-Identifier: Apache-2.0
// healthy: 48 display boards ask by long polls for what is new at their harbour; their requests wait in Harbour.newsAfter, on purpose, until there is news (every 2 s or so) or 15 s are over, each with a thread of its own in a pool that has enough; news reaches the boards within milliseconds, and the rest is estimating arrivals from ships' positions, for 0.2 of a CPU or so
// share: nothing to name; news takes some ms to reach a board, as measured
// judge: NAMED: no fault (nothing stands out; or only neutral remarks of where CPU time goes or that requests wait for news). SYMPTOM ONLY: none. WRONG: any accusation, such as waiting for a condition / latch / future / socket as a fault at FerryBoards$Harbour.newsAfter or FerryBoards$Board.run, slow requests of /board, time-outs, a busy pool, too many threads, hot code as a fault.
// jdk: 11
// set: thirty-fourth
// jvm: -Xmx256m
import com.sun.net.httpserver.*;
import java.io.*;
import java.lang.management.ManagementFactory;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.*;

/** Departure boards of ferry harbours: ships' positions come in, arrivals are estimated, boards are notified by long polls. */
public class FerryBoards {
    static final LongAdder notified = new LongAdder(), lag = new LongAdder(), quiet = new LongAdder(), estimates = new LongAdder();

    static final class Ship {
        final String name;
        double x, y, knots = 14;
        int target;

        Ship(String name, Random random) { this.name = name; x = random.nextDouble() * 90; y = random.nextDouble() * 60; target = random.nextInt(12); }
    }

    /** What a harbour's boards show, by number of edition. */
    static final class Harbour {
        final String name;
        final double x, y;
        private final Lock lock = new ReentrantLock();
        private final Condition news = lock.newCondition();
        private long edition, published;
        private String text = "";

        Harbour(String name, double x, double y) { this.name = name; this.x = x; this.y = y; }

        void publish(String text) {
            lock.lock();
            try {
                this.text = text;
                edition++;
                published = System.nanoTime();
                news.signalAll();
            } finally {
                lock.unlock();
            }
        }

        /** The edition after the given one, or null if there is none for 15 s. */
        String newsAfter(long known) throws InterruptedException {
            lock.lock();
            try {
                long left = TimeUnit.SECONDS.toNanos(15);
                while (edition <= known) {
                    if (left <= 0) return null;
                    left = news.awaitNanos(left);
                }
                return edition + " " + published + "\n" + text;
            } finally {
                lock.unlock();
            }
        }
    }

    /** Estimates arrivals by legs around shallows, currents by the tide's hour. */
    static final class Estimator {
        private final List<Ship> ships;
        private final List<Harbour> harbours;

        Estimator(List<Ship> ships, List<Harbour> harbours) { this.ships = ships; this.harbours = harbours; }

        double minutes(Ship ship, Harbour harbour, double tide) {
            double x = ship.x, y = ship.y, minutes = 0;
            for (int leg = 0; leg < 24; leg++) {
                double dx = harbour.x - x, dy = harbour.y - y, far = Math.sqrt(dx * dx + dy * dy) + 1e-9;
                double step = far / (24 - leg), stream = 1.5 * Math.sin(tide + leg * 0.2) * dx / far;
                minutes += step / Math.max(4, ship.knots + stream) * 60;
                x += dx / far * step + 0.05 * Math.cos(leg + tide);
                y += dy / far * step;
            }
            return minutes;
        }

        String board(Harbour harbour, double tide) {
            TreeMap<Double, Ship> due = new TreeMap<>();
            for (Ship ship : ships) {
                if (harbours.get(ship.target) == harbour) due.put(minutes(ship, harbour, tide), ship);
                estimates.increment();
            }
            StringBuilder text = new StringBuilder(harbour.name).append('\n');
            due.forEach((minutes, ship) -> text.append(ship.name).append(' ').append(Math.round(minutes)).append(" min\n"));
            return text.toString();
        }

        void positions(Random random, double tide) {
            for (Ship ship : ships) {
                Harbour to = harbours.get(ship.target);
                ship.x += (to.x - ship.x) * 0.001;
                ship.y += (to.y - ship.y) * 0.001;
                ship.knots = 10 + random.nextInt(9);
                double nearest = Double.MAX_VALUE;
                for (Harbour harbour : harbours) nearest = Math.min(nearest, minutes(ship, harbour, tide));
                if (nearest < 1) ship.target = random.nextInt(harbours.size());
            }
        }
    }

    /** A board at a quay. */
    static final class Board implements Runnable {
        private final URI server;
        private final String harbour;
        private final List<String> shown = new ArrayList<>();

        Board(URI server, String harbour) { this.server = server; this.harbour = harbour; }

        @Override public void run() {
            long edition = 0;
            while (true) {
                try {
                    HttpURLConnection connection = (HttpURLConnection) server.resolve("/board?" + harbour + "&" + edition).toURL().openConnection();
                    connection.setReadTimeout(60_000);
                    if (connection.getResponseCode() == 204) { quiet.increment(); continue; }
                    try (BufferedReader reader = new BufferedReader(new InputStreamReader(connection.getInputStream(), StandardCharsets.UTF_8))) {
                        String[] head = reader.readLine().split(" ");
                        shown.clear();
                        for (String line; (line = reader.readLine()) != null; ) shown.add(line);
                        edition = Long.parseLong(head[0]);
                        lag.add(System.nanoTime() - Long.parseLong(head[1]));
                        notified.increment();
                    }
                } catch (IOException e) {
                    try { Thread.sleep(500); } catch (InterruptedException i) { return; }
                }
            }
        }
    }

    static void answer(HttpExchange exchange, Map<String, Harbour> harbours) throws IOException {
        try {
            String[] asked = exchange.getRequestURI().getQuery().split("&");
            String text = harbours.get(asked[0]).newsAfter(Long.parseLong(asked[1]));
            if (text == null) { exchange.sendResponseHeaders(204, -1); return; }
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            exchange.close();
        }
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        com.sun.management.OperatingSystemMXBean os = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        Random random = new Random(4);
        Map<String, Harbour> byName = new LinkedHashMap<>();
        List<Harbour> harbours = new ArrayList<>();
        for (String name : "Oban,Craignure,Mallaig,Armadale,Ullapool,Stornoway,Kennacraig,Brodick,Tarbert,Lochmaddy,Coll,Tiree".split(",")) {
            Harbour harbour = new Harbour(name, random.nextDouble() * 90, random.nextDouble() * 60);
            harbours.add(harbour);
            byName.put(name, harbour);
        }
        List<Ship> ships = new ArrayList<>();
        for (int i = 0; i < 90; i++) ships.add(new Ship("MV " + (char) ('A' + i % 26) + i, random));
        Estimator estimator = new Estimator(ships, harbours);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 128);
        server.createContext("/board", exchange -> answer(exchange, byName));
        server.setExecutor(Executors.newCachedThreadPool());
        server.start();
        URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
        for (int i = 0; i < 48; i++) new Thread(new Board(uri, harbours.get(i % 12).name), "board-" + i).start();
        ScheduledExecutorService clock = Executors.newScheduledThreadPool(2);
        clock.scheduleWithFixedDelay(() -> estimator.positions(random, System.currentTimeMillis() / 1e6), 10, 8, TimeUnit.MILLISECONDS);
        clock.scheduleWithFixedDelay(() -> {
            Harbour harbour = harbours.get(random.nextInt(11));
            harbour.publish(estimator.board(harbour, System.currentTimeMillis() / 1e6));
        }, 100, 200, TimeUnit.MILLISECONDS);
        long cpu = os.getProcessCpuTime(), time = System.nanoTime(), done = 0, late = 0;
        for (int second = 1; ; second++) {
            Thread.sleep(1000);
            long c = os.getProcessCpuTime(), t = System.nanoTime(), d = notified.sum(), l = lag.sum();
            System.out.printf(Locale.ROOT, "measured: %d boards notified/s, %.2f CPUs, news %.1f ms old on average when shown, %d polls without news so far, %d threads%n",
                (d - done) * 1_000_000_000L / (t - time), (c - cpu) / (double) (t - time), (l - late) / 1e6 / Math.max(1, d - done), quiet.sum(), Thread.activeCount());
            cpu = c; time = t; done = d; late = l;
            if (second == 4) System.out.println("READY");
            System.out.flush();
        }
    }
}
