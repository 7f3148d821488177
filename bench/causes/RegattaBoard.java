// SPDX-License-Identifier: Apache-2.0
// healthy: nearly all of the sixty-odd threads wait (server threads in Condition.await, viewers in socket read), but those are long polls: each is answered within milliseconds of its boat's next mark, and the server pool has a thread for each viewer.
// share: measures e.g. "30 roundings/s delivered, mean 1.10 ms after the event"
// judge: Right is: no fault (long polls wait for news by design, deliveries take few milliseconds, pool not exhausted); naming the waiting in Channel.next, the server pool, the socket reads or the lock as a fault is wrong.
// set: twenty-first
// jdk: 17
import com.sun.net.httpserver.HttpServer;
import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;

/** Live board of a sailing regatta: viewers ask for their boat's next mark rounding and are answered when it happens. */
public class RegattaBoard {
    static final int BOATS = 10;
    static final int VIEWERS = 30;
    static final LongAdder DELIVERED = new LongAdder();
    static final LongAdder NANOS = new LongAdder();

    record Rounding(long sequence, int mark, long atNanos) { }

    /** The news of one boat. */
    static final class Channel {
        private final Lock lock = new ReentrantLock();
        private final Condition news = lock.newCondition();
        private Rounding latest = new Rounding(0, 0, 0);

        void publish(int mark) {
            lock.lock();
            try {
                latest = new Rounding(latest.sequence() + 1, mark, System.nanoTime());
                news.signalAll();
            } finally {
                lock.unlock();
            }
        }

        /** The first rounding after the given one, or the latest when none comes within 20 s. */
        Rounding next(long after) throws InterruptedException {
            long left = TimeUnit.SECONDS.toNanos(20);
            lock.lock();
            try {
                while (latest.sequence() <= after && left > 0) {
                    left = news.awaitNanos(left);
                }
                return latest;
            } finally {
                lock.unlock();
            }
        }
    }

    static HttpServer open(List<Channel> channels) throws IOException {
        AtomicInteger n = new AtomicInteger();
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 64);
        server.setExecutor(Executors.newFixedThreadPool(VIEWERS + 4, r -> {
            Thread t = new Thread(r, "board-" + n.incrementAndGet());
            t.setDaemon(true);
            return t;
        }));
        server.createContext("/boat/", exchange -> {
            String[] path = exchange.getRequestURI().getPath().split("/");
            byte[] body;
            try {
                Rounding r = channels.get(Integer.parseInt(path[2])).next(Long.parseLong(path[3]));
                body = (r.sequence() + " " + r.mark() + " " + r.atNanos()).getBytes(StandardCharsets.US_ASCII);
            } catch (InterruptedException e) {
                throw new InterruptedIOException();
            }
            exchange.sendResponseHeaders(200, body.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(body);
            }
        });
        server.start();
        return server;
    }

    static void watch(int boat, int port) {
        long seen = 0;
        try {
            while (true) {
                URL url = new URL("http://127.0.0.1:" + port + "/boat/" + boat + "/" + seen);
                try (InputStream in = url.openConnection().getInputStream()) {
                    String[] answer = new String(in.readAllBytes(), StandardCharsets.US_ASCII).split(" ");
                    long sequence = Long.parseLong(answer[0]);
                    if (sequence > seen) {
                        NANOS.add(System.nanoTime() - Long.parseLong(answer[2]));
                        DELIVERED.increment();
                        seen = sequence;
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        System.setProperty("sun.net.httpserver.maxIdleConnections", "100");
        List<Channel> channels = new ArrayList<>();
        for (int i = 0; i < BOATS; i++) {
            channels.add(new Channel());
        }
        HttpServer server = open(channels);
        ScheduledExecutorService race = Executors.newSingleThreadScheduledExecutor(r -> {
            Thread t = new Thread(r, "race-clock");
            t.setDaemon(true);
            return t;
        });
        for (int i = 0; i < BOATS; i++) {
            Channel channel = channels.get(i);
            AtomicInteger mark = new AtomicInteger();
            race.scheduleAtFixedRate(() -> channel.publish(mark.incrementAndGet() % 8), 500 + i * 97, 900 + i * 13,
                TimeUnit.MILLISECONDS);
        }
        for (int i = 0; i < VIEWERS; i++) {
            int boat = i % BOATS;
            Thread t = new Thread(() -> watch(boat, server.getAddress().getPort()), "viewer-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(4000);
        System.out.println("READY");
        DELIVERED.sumThenReset();
        NANOS.sumThenReset();
        for (int s = 0; s < 240; s++) {
            Thread.sleep(1000);
            long n = DELIVERED.sumThenReset();
            long ns = NANOS.sumThenReset();
            System.out.printf("measured: %d roundings/s delivered, mean %.2f ms after the event%n", n,
                n == 0 ? 0.0 : ns / 1e6 / n);
        }
        System.exit(0);
    }
}
