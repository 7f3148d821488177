// SPDX-License-Identifier: Apache-2.0
// healthy: bidders' clients hold long polls (GET /room) open until there is a new bid in their room or 4 s are over; the server has a thread for each of them, so bids get to all within milliseconds; they wait because nothing has happened yet
// share: nothing: 0.2 CPUs used of 2, bids are heard 0.7 to 1.9 ms after they were made; 36 clients and 36 handlers wait for bids
// judge: RIGHT: nothing stands out, or neutral remarks (time goes to waiting for bids, a long poll; CPU time in Room.render or the HTTP server). WRONG: any accusation, such as waits of handlers at Room.after for a notification or condition, of clients at Bidder.poll for a server's answer, a busy pool, time-outs, held-back, a lock of Room, timers at Floor.run, CPUs.
// jdk: 17
// set: thirty-fifth
// jvm: -Xmx256m

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;

/** Auction rooms that bidders follow from home. */
public class AuctionHalls {
    static final int ROOMS = 12, BIDDERS = 36;
    static final LongAdder polls = new LongAdder(), empty = new LongAdder(), heard = new LongAdder(), lag = new LongAdder();

    static final class Bid {
        final long number, cents, made = System.nanoTime();

        Bid(long number, long cents) {
            this.number = number;
            this.cents = cents;
        }
    }

    static final class Room {
        final ArrayDeque<Bid> bids = new ArrayDeque<>();
        long last;

        synchronized void bid(long cents) {
            bids.addLast(new Bid(++last, cents));
            if (bids.size() > 50) bids.removeFirst();
            notifyAll();
        }

        /** The bids after that number, once there are any, or none if the time is over. */
        synchronized Bid[] after(long number, long millis) throws InterruptedException {
            long end = System.nanoTime() + millis * 1_000_000;
            while (last <= number) {
                long rest = (end - System.nanoTime()) / 1_000_000;
                if (rest <= 0) return new Bid[0];
                wait(rest);
            }
            return bids.stream().filter(b -> b.number > number).toArray(Bid[]::new);
        }

        static String render(Bid[] news) {
            StringBuilder text = new StringBuilder();
            for (Bid b : news) {
                long premium = b.cents;
                for (int i = 0; i < 40_000; i++) premium += (premium * 31 + i) % 7;
                text.append(b.number).append(' ').append(b.cents).append(' ').append(premium).append(' ').append(b.made).append('\n');
            }
            return text.toString();
        }
    }

    static final class House {
        final Room[] rooms = new Room[ROOMS];

        House() {
            for (int i = 0; i < ROOMS; i++) rooms[i] = new Room();
        }

        void room(HttpExchange x) throws IOException {
            try (x) {
                String[] asked = x.getRequestURI().getQuery().split("[=&]");
                Bid[] news = rooms[Integer.parseInt(asked[1])].after(Long.parseLong(asked[3]), 4000);
                polls.increment();
                if (news.length == 0) {
                    empty.increment();
                    x.sendResponseHeaders(204, -1);
                } else {
                    byte[] text = Room.render(news).getBytes(StandardCharsets.US_ASCII);
                    x.sendResponseHeaders(200, text.length);
                    x.getResponseBody().write(text);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class Bidder implements Runnable {
        final int room, port;
        long last;

        Bidder(int room, int port) {
            this.room = room;
            this.port = port;
        }

        String poll() throws IOException {
            URL url = new URL("http://127.0.0.1:" + port + "/room?room=" + room + "&after=" + last);
            HttpURLConnection c = (HttpURLConnection) url.openConnection();
            if (c.getResponseCode() == 204) return "";
            try (InputStream in = c.getInputStream()) {
                return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
            }
        }

        void hear(String line, long now) {
            String[] parts = line.split(" ");
            boolean first = last == 0;
            last = Math.max(last, Long.parseLong(parts[0]));
            if (first) return;
            lag.add(now - Long.parseLong(parts[3]));
            heard.increment();
        }

        @Override
        public void run() {
            while (true) {
                try {
                    String news = poll();
                    long now = System.nanoTime();
                    if (!news.isEmpty()) for (String line : news.split("\n")) hear(line, now);
                } catch (IOException e) {
                    System.err.println("bidder: " + e);
                }
            }
        }
    }

    /** The people in the rooms, who bid when they like; the last two rooms are quiet. */
    static final class Floor implements Runnable {
        final House house;

        Floor(House house) {
            this.house = house;
        }

        @Override
        public void run() {
            Random random = new Random(3);
            try {
                while (true) {
                    Thread.sleep((long) (-25 * Math.log(1 - random.nextDouble())));
                    int room = random.nextInt(200) == 0 ? ROOMS - 1 - random.nextInt(2) : random.nextInt(ROOMS - 2);
                    house.rooms[room].bid(1000 + random.nextInt(900_000));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        House house = new House();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 100);
        server.createContext("/room", house::room);
        server.setExecutor(Executors.newCachedThreadPool());
        server.start();
        Thread floor = new Thread(new Floor(house), "floor");
        floor.setDaemon(true);
        floor.start();
        for (int i = 0; i < BIDDERS; i++) {
            Thread t = new Thread(new Bidder(i % ROOMS, server.getAddress().getPort()), "bidder-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(2500);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long p = polls.sum(), e = empty.sum(), h = heard.sum(), l = lag.sum();
            Thread.sleep(1000);
            System.out.printf("measured: %d polls/s answered (%d without news), %d bids/s heard, %.2f ms after they were made%n",
                    polls.sum() - p, empty.sum() - e, heard.sum() - h, (lag.sum() - l) / 1e6 / Math.max(1, heard.sum() - h));
        }
    }
}
