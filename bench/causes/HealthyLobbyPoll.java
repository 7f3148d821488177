// SPDX-License-Identifier: Apache-2.0
// healthy: long polls of a game lobby: 40 handlers wait for news by design, messages arrive within a few ms
// share: none; deliveries take ~2 ms, the CPU is nearly idle
// judge: right: nothing to change; at most: handlers wait for messages (long polling), which is meant
// judge: symptom: threads wait in HealthyLobbyPoll$Lobby.await / socket read, most of the time idle
// judge: wrong: pool too small/large, lock contention on Lobby, slow HTTP, slow publisher, missing load
// jdk: 17
// set: fourteenth
import com.sun.net.httpserver.*;
import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class HealthyLobbyPoll {
    record News(long seq, String text, long born) {}

    static final class Lobby {
        private final ArrayDeque<News> last = new ArrayDeque<>();
        private long seq;
        synchronized void publish(String text) {
            last.addLast(new News(++seq, text, System.nanoTime()));
            if (last.size() > 100) last.removeFirst();
            notifyAll();
        }
        /** News after the given number, or none when nothing has happened for the given time. */
        synchronized List<News> await(long after, long millis) throws InterruptedException {
            long end = System.nanoTime() + millis * 1_000_000;
            while (seq <= after) {
                long left = (end - System.nanoTime()) / 1_000_000;
                if (left <= 0) return List.of();
                wait(left);
            }
            List<News> news = new ArrayList<>();
            for (News n : last) if (n.seq > after) news.add(n);
            return news;
        }
        synchronized long seq() { return seq; }
    }

    final Lobby[] lobbies = new Lobby[8];
    final LongAdder polls = new LongAdder(), empty = new LongAdder();
    final LongAdder delivered = new LongAdder(), delay = new LongAdder();

    HealthyLobbyPoll() { for (int i = 0; i < lobbies.length; i++) lobbies[i] = new Lobby(); }

    void handle(HttpExchange x) throws IOException {
        try (x) {
            String[] path = x.getRequestURI().getPath().split("/");
            Lobby lobby = lobbies[Integer.parseInt(path[2])];
            List<News> news = lobby.await(Long.parseLong(path[3]), 2500);
            StringBuilder b = new StringBuilder();
            for (News n : news) b.append(n.seq).append(' ').append(n.born).append(' ').append(n.text).append('\n');
            byte[] body = b.toString().getBytes(StandardCharsets.UTF_8);
            x.getResponseHeaders().set("Content-Type", "text/plain");
            x.sendResponseHeaders(body.length == 0 ? 204 : 200, body.length == 0 ? -1 : body.length);
            if (body.length > 0) x.getResponseBody().write(body);
            polls.increment();
        } catch (InterruptedException e) { Thread.currentThread().interrupt(); }
    }

    void player(int port, int number) {
        int lobby = number % lobbies.length;
        long seen = lobbies[lobby].seq();
        while (true) {
            try {
                URL url = new URL("http://127.0.0.1:" + port + "/lobby/" + lobby + "/" + seen);
                HttpURLConnection c = (HttpURLConnection) url.openConnection();
                if (c.getResponseCode() == 204) { empty.increment(); continue; }
                try (BufferedReader in = new BufferedReader(new InputStreamReader(c.getInputStream()))) {
                    for (String line; (line = in.readLine()) != null; ) {
                        String[] f = line.split(" ", 3);
                        seen = Math.max(seen, Long.parseLong(f[0]));
                        delay.add(System.nanoTime() - Long.parseLong(f[1]));
                        delivered.increment();
                    }
                }
            } catch (IOException e) { System.err.println("player " + number + ": " + e); }
        }
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        HealthyLobbyPoll service = new HealthyLobbyPoll();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
        server.createContext("/lobby", service::handle);
        AtomicInteger n = new AtomicInteger();
        server.setExecutor(Executors.newFixedThreadPool(48, r -> new Thread(r, "lobby-http-" + n.incrementAndGet())));
        server.start();
        int port = server.getAddress().getPort();
        for (int p = 0; p < 40; p++) {
            int number = p;
            Thread t = new Thread(() -> service.player(port, number), "player-" + p);
            t.setDaemon(true);
            t.start();
        }
        ScheduledExecutorService game = Executors.newSingleThreadScheduledExecutor(r -> new Thread(r, "matchmaker"));
        Random random = new Random(6);
        game.scheduleAtFixedRate(() -> service.lobbies[random.nextInt(8)].publish("match " + random.nextInt(1000)),
                60, 60, TimeUnit.MILLISECONDS);
        Thread.sleep(1500);
        System.out.println("READY");
        for (long d0 = service.delivered.sum(), y0 = service.delay.sum(); ; ) {
            Thread.sleep(1000);
            long d = service.delivered.sum(), y = service.delay.sum();
            System.out.printf(Locale.ROOT,
                    "measured: %d deliveries/s, mean %.2f ms to the player, polls %d, empty %d%n",
                    d - d0,
                    (y - y0) / 1e6 / Math.max(1, d - d0), service.polls.sumThenReset(), service.empty.sumThenReset());
            d0 = d; y0 = y;
        }
    }
}
