// SPDX-License-Identifier: Apache-2.0
// cause: a pooled DB connection is held while the fraud service is asked (25 ms), so the pool of 4 is exhausted
// expect: waiting kind=pool holder=CheckoutDesk$Remote.call
// symptom: waiting pool-busy
// share: 70 % of the latency; 144 checkouts/s, 97 ms; fixed 503 checkouts/s, 28 ms
// judge: right: CheckoutDesk.place holds its pooled connection across FraudClient.score; others wait in Pool.borrow
// judge: symptom: threads wait in Pool.borrow (pool of 4 exhausted); HTTP workers all busy; latency 4x; CPUs idle
// judge: wrong: the database is slow, too few HTTP workers, lock contention, GC, HTTP server, JSON building
// jdk: 25
// set: fourteenth
import com.sun.net.httpserver.HttpServer;
import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

/** Shop checkout: reserve stock in the database, ask the fraud service, write the order. */
public class CheckoutDesk {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int WORKERS = 16, POOL = 4;

    /** A line-by-line client of a remote service. */
    static final class Remote {
        private final Socket socket;
        private final BufferedReader in;
        private final Writer out;

        Remote(SocketAddress at) {
            try {
                socket = new Socket();
                socket.connect(at);
                socket.setTcpNoDelay(true);
                in = new BufferedReader(new InputStreamReader(socket.getInputStream()));
                out = new BufferedWriter(new OutputStreamWriter(socket.getOutputStream()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        String call(String line) throws IOException {
            out.write(line + "\n");
            out.flush();
            return in.readLine();
        }
    }

    /** Database connections. */
    static final class Pool {
        private final BlockingQueue<Remote> idle = new ArrayBlockingQueue<>(POOL);
        final LongAdder waited = new LongAdder();

        Pool(SocketAddress db) {
            for (int i = 0; i < POOL; i++) idle.add(new Remote(db));
        }

        Remote borrow() throws InterruptedException, IOException {
            long t = System.nanoTime();
            Remote r = idle.poll(10, TimeUnit.SECONDS);
            waited.add(System.nanoTime() - t);
            if (r == null) throw new IOException("no connection within 10 s");
            return r;
        }

        void release(Remote r) {
            idle.add(r);
        }
    }

    static final class FraudClient {
        private final ThreadLocal<Remote> link;

        FraudClient(SocketAddress at) {
            link = ThreadLocal.withInitial(() -> new Remote(at));
        }

        int score(String user, int cents) throws IOException {
            return Integer.parseInt(link.get().call("score " + user + " " + cents));
        }
    }

    private final Pool pool;
    private final FraudClient fraud;

    CheckoutDesk(SocketAddress db, SocketAddress fraudService) {
        pool = new Pool(db);
        fraud = new FraudClient(fraudService);
    }

    String place(String user, int sku, int cents) throws IOException, InterruptedException {
        Remote db = pool.borrow();
        try {
            String reservation = db.call("reserve " + sku);
            int score;
            if (FIXED) {
                pool.release(db);
                db = null;
                score = fraud.score(user, cents);
                db = pool.borrow();
            } else {
                score = fraud.score(user, cents);
            }
            if (score > 95) {
                db.call("cancel " + reservation);
                return "{\"state\":\"refused\",\"score\":" + score + "}";
            }
            return "{\"state\":\"placed\",\"order\":\"" + db.call("insert " + user + " " + reservation) + "\"}";
        } finally {
            if (db != null) pool.release(db);
        }
    }

    /** Stands for a remote service: answers each line after `millis`. */
    static SocketAddress service(String name, int millis) throws IOException {
        ServerSocket ss = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().name(name + "-accept").start(() -> {
            try {
                while (true) {
                    Socket s = ss.accept();
                    Thread.ofPlatform().name(name + "-session").start(() -> {
                        try (s; var in = new BufferedReader(new InputStreamReader(s.getInputStream()));
                             var out = new OutputStreamWriter(s.getOutputStream())) {
                            s.setTcpNoDelay(true);
                            while (in.readLine() != null) {
                                Thread.sleep(millis);
                                out.write(ThreadLocalRandom.current().nextInt(100) + "\n");
                                out.flush();
                            }
                        } catch (IOException | InterruptedException e) {
                            System.err.println(name + ": " + e);
                        }
                    });
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        return ss.getLocalSocketAddress();
    }

    public static void main(String[] args) throws Exception {
        CheckoutDesk desk = new CheckoutDesk(service("database", 1), service("fraud", 25));
        HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        http.setExecutor(Executors.newFixedThreadPool(WORKERS));
        http.createContext("/checkout", x -> {
            byte[] body;
            try {
                String[] q = x.getRequestURI().getQuery().split("[=&]");
                body = desk.place(q[1], Integer.parseInt(q[3]), 4999).getBytes(StandardCharsets.UTF_8);
                x.sendResponseHeaders(200, body.length);
            } catch (Exception e) {
                body = String.valueOf(e).getBytes(StandardCharsets.UTF_8);
                x.sendResponseHeaders(500, body.length);
            }
            x.getResponseBody().write(body);
            x.close();
        });
        http.start();
        int port = http.getAddress().getPort();
        LongAdder done = new LongAdder(), nanos = new LongAdder(), failed = new LongAdder();
        for (int i = 0; i < 14; i++) {
            Thread.ofPlatform().name("shopper-" + i).start(() -> {
                ThreadLocalRandom r = ThreadLocalRandom.current();
                while (true) {
                    long t = System.nanoTime();
                    String query = "http://127.0.0.1:" + port + "/checkout?user=u" + r.nextInt(9999)
                        + "&sku=" + r.nextInt(500);
                    try (InputStream in = URI.create(query).toURL().openStream()) {
                        in.readAllBytes();
                    } catch (IOException e) {
                        failed.increment();
                    }
                    nanos.add(System.nanoTime() - t);
                    done.increment();
                }
            });
        }
        System.out.println("READY");
        while (true) {
            Thread.sleep(1000);
            long n = Math.max(1, done.sumThenReset()), t = nanos.sumThenReset();
            System.out.printf(Locale.ROOT,
                "measured: %d checkouts/s, mean %.1f ms, %.0f %% of it waiting for a connection, "
                + "%d failed%n", n, t / 1e6 / n, 100.0 * desk.pool.waited.sumThenReset() / t, failed.sum());
        }
    }
}
