// SPDX-License-Identifier: Apache-2.0
// healthy: bidders raise each other over HTTP; lots are locked for a moment, and the threads of the server mostly wait for requests
// jvm: -Dsun.net.httpserver.nodelay=true
// jdk: 21
// set: tenth
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;

public final class HealthyAuction {
    private static final class Lot {
        private long highest;
        private int bids;

        synchronized boolean bid(long cents) {
            if (cents <= highest) {
                return false;
            }
            highest = cents;
            bids++;
            return true;
        }

        synchronized String state() {
            return "{\"highest\":" + highest + ",\"bids\":" + bids + "}";
        }
    }

    private final List<Lot> lots = new ArrayList<>();

    private void handle(HttpExchange exchange) throws IOException {
        String[] fields = exchange.getRequestURI().getQuery().split("&");
        Lot lot = lots.get(Integer.parseInt(fields[0].substring(4)));
        boolean accepted = lot.bid(Long.parseLong(fields[1].substring(6)));
        byte[] body = ("{\"accepted\":" + accepted + ",\"lot\":" + lot.state() + "}").getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private static void bidder(int port) {
        long cents = 100;
        try {
            for (;;) {
                int lot = ThreadLocalRandom.current().nextInt(50);
                cents += ThreadLocalRandom.current().nextInt(300);
                HttpURLConnection call = (HttpURLConnection) URI.create(
                        "http://127.0.0.1:" + port + "/bid?lot=" + lot + "&cents=" + cents).toURL().openConnection();
                try (InputStream in = call.getInputStream()) {
                    in.readAllBytes();
                }
                Thread.sleep(20 + ThreadLocalRandom.current().nextInt(60));
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws IOException {
        HealthyAuction auction = new HealthyAuction();
        for (int i = 0; i < 50; i++) {
            auction.lots.add(new Lot());
        }
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        server.createContext("/bid", auction::handle);
        server.setExecutor(Executors.newFixedThreadPool(6));
        server.start();
        for (int i = 0; i < 10; i++) {
            new Thread(() -> bidder(server.getAddress().getPort()), "bidder-" + i).start();
        }
        System.out.println("READY");
    }
}
