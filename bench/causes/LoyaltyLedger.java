// SPDX-License-Identifier: Apache-2.0
// cause: Points.settle, in the handler of /credit, sleeps 60 ms (Thread.sleep) after each credit so that the copy has caught up before the balance is read from it, though the copy has it within about a millisecond; a wait for the position in the copy (Copy.reach) ends as soon as it is there.
// share: faulty 98 credits a second, mean 78.345 ms; fixed 1156 credits a second, mean 2.63 ms (29.8 times better in latency; medians of 11 s runs on a crowded machine of 2 CPUs)
// expect: waiting frame=LoyaltyLedger$Points.settle kind=sleep | waiting chain=LoyaltyLedger$Points.settle
// symptom: waiting endpoint-wait
// judge: NAMED: requests of /credit spend most of their time in Thread.sleep at LoyaltyLedger$Points.settle, called by Points.credit; wait for the copy to reach the position instead. SYMPTOM ONLY: tills wait for answers of the HTTP server (HttpClient.send); the threads points-N are in use for most of the time. WRONG: journal-ship as the bottleneck (its rest of 0.7 ms), the locks of Book or Copy, the pool of the server as too small, Nagle's algorithm, too many HttpClients (there is one), the HTTP client's CPU time.
// jdk: 21
// set: twenty-ninth
// jvm:
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

public class LoyaltyLedger {
    static final boolean REVISED = Boolean.getBoolean("fixed");
    static final LongAdder COUNT = new LongAdder();
    static final LongAdder NANOS = new LongAdder();
    static final LongAdder BEHIND = new LongAdder();

    record Entry(long position, int member, int points) {
    }

    static final class Copy {
        private final Map<Integer, Integer> balances = new HashMap<>();
        private long applied;

        synchronized void apply(Entry e) {
            balances.merge(e.member(), e.points(), Integer::sum);
            applied = e.position();
            notifyAll();
        }

        synchronized int balance(int member, long position) {
            if (applied < position) {
                BEHIND.increment();
            }
            return balances.getOrDefault(member, 0);
        }

        synchronized void reach(long position, long millis) throws InterruptedException {
            long until = System.nanoTime() + millis * 1_000_000L;
            while (applied < position) {
                long rest = (until - System.nanoTime()) / 1_000_000L;
                if (rest <= 0) {
                    return;
                }
                wait(rest);
            }
        }
    }

    static final class Book {
        private final LinkedBlockingQueue<Entry> journal = new LinkedBlockingQueue<>();
        private final Copy copy;
        private long position;

        Book(Copy copy) {
            this.copy = copy;
            Thread t = new Thread(this::ship, "journal-ship");
            t.setDaemon(true);
            t.start();
        }

        synchronized long credit(int member, int points) {
            Entry e = new Entry(++position, member, points);
            journal.add(e);
            return e.position();
        }

        private void ship() {
            try {
                while (true) {
                    Entry e = journal.take();
                    LockSupport.parkNanos(700_000L);
                    while (e != null) {
                        copy.apply(e);
                        e = journal.poll();
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class Points {
        private static final long SETTLE_MILLIS = 60;
        private final Copy copy = new Copy();
        private final Book book = new Book(copy);

        void credit(HttpExchange exchange) throws IOException {
            String[] parts = exchange.getRequestURI().getPath().split("/");
            int member = Integer.parseInt(parts[2]);
            int points = Integer.parseInt(parts[3]);
            int balance = -1;
            try {
                long position = book.credit(member, points);
                settle(position);
                balance = copy.balance(member, position);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            byte[] answer = ("{\"member\":" + member + ",\"balance\":" + balance + "}").getBytes(StandardCharsets.US_ASCII);
            exchange.sendResponseHeaders(200, answer.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(answer);
            }
        }

        private void settle(long position) throws InterruptedException {
            if (REVISED) {
                copy.reach(position, SETTLE_MILLIS);
            } else {
                Thread.sleep(SETTLE_MILLIS);
            }
        }
    }

    static void till(HttpClient client, int port, long end, int seed) {
        Random r = new Random(seed);
        while (System.nanoTime() < end) {
            long from = System.nanoTime();
            try {
                URI uri = URI.create("http://127.0.0.1:" + port + "/credit/" + r.nextInt(5000) + "/" + (1 + r.nextInt(90)));
                HttpResponse<String> answer = client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
                if (answer.statusCode() == 200) {
                    NANOS.add(System.nanoTime() - from);
                    COUNT.increment();
                }
                LockSupport.parkNanos(4_000_000L);
            } catch (IOException | InterruptedException e) {
                System.err.println(e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        int span = Integer.getInteger("span", 170);
        long end = System.nanoTime() + span * 1_000_000_000L;
        System.setProperty("sun.net.httpserver.nodelay", "true");
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
        server.createContext("/credit", new Points()::credit);
        AtomicInteger n = new AtomicInteger();
        server.setExecutor(Executors.newFixedThreadPool(12, r -> {
            Thread t = new Thread(r, "points-" + n.getAndIncrement());
            t.setDaemon(true);
            return t;
        }));
        server.start();
        int port = server.getAddress().getPort();
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        for (int i = 0; i < 8; i++) {
            int seed = i;
            Thread t = new Thread(() -> till(client, port, end, seed), "till-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long count = COUNT.sumThenReset();
            long ns = NANOS.sumThenReset();
            System.out.printf("measured: %d credits a second, mean %.2f ms, %d balances too early%n",
                count, count == 0 ? 0 : ns / 1e6 / count, BEHIND.sumThenReset());
        }
        System.exit(0);
    }
}
