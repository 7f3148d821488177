// SPDX-License-Identifier: Apache-2.0
// cause: WardCabinet$Cabinet.awaitTray polls for the tray with Thread.sleep(40), called by Cabinet.issue with the lock "drawer" held, though the robot brings it within 3 to 4 ms: all other requests wait for that lock in the meantime
// share: over 90 % of the time of a request to issue (some 200 ms) is the lock, and the sleep under it (40 ms for each); the robot itself needs 3 to 4 ms of these
// expect: waiting frame=WardCabinet$Cabinet.awaitTray | waiting holder=WardCabinet$Cabinet.awaitTray
// symptom: waiting pool-busy
// judge: NAMED: the wait for the timer (Thread.sleep) at Cabinet.awaitTray, with or without the lock that is held in that time, or the lock of Cabinet.issue with its holder sleeping at awaitTray. SYMPTOM ONLY: the lock at Cabinet.issue without the sleep; the clients (Nurse.ask) that wait for answers; the handlers' pool being busy without the sleep. WRONG: all else accused (the robot's rest in Robot.run, the nurses' pauses, Nagle, code), or nothing found.
// jdk: 25
// set: thirty-third
// jvm: -Xmx256m
import com.sun.net.httpserver.*;
import java.io.*;
import java.net.*;
import java.net.http.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;

public class WardCabinet {

    static final class Tray {
        final String drug;
        volatile boolean present;

        Tray(String drug) {
            this.drug = drug;
        }
    }

    static final class Robot extends Thread {
        final BlockingQueue<Tray> orders = new LinkedBlockingQueue<>(64);
        final AtomicLong moving = new AtomicLong();

        Robot() {
            super("robot");
            setDaemon(true);
        }

        @Override
        public void run() {
            try {
                for (;;) {
                    Tray tray = orders.take();
                    long t = System.nanoTime();
                    LockSupport.parkNanos(3_000_000L);
                    tray.present = true;
                    moving.addAndGet(System.nanoTime() - t);
                }
            } catch (InterruptedException e) {
                // switched off
            }
        }
    }

    static final class Cabinet {
        private final ReentrantLock drawer = new ReentrantLock();
        private final Map<String, Integer> stock = new TreeMap<>();
        final Robot robot = new Robot();
        final AtomicLong issued = new AtomicLong(), total = new AtomicLong(), resting = new AtomicLong();

        Cabinet() {
            for (int i = 0; i < 400; i++)
                stock.put("drug-" + i, 1000);
            robot.start();
        }

        String issue(String drug, String ward) throws InterruptedException {
            long t = System.nanoTime();
            drawer.lock();
            try {
                int left = stock.merge(drug, -1, Integer::sum);
                if (left < 10)
                    stock.put(drug, 1000);
                Tray tray = new Tray(drug);
                robot.orders.put(tray);
                awaitTray(tray);
                return "{\"drug\":\"" + drug + "\",\"ward\":\"" + ward + "\",\"left\":" + left + "}";
            } finally {
                drawer.unlock();
                issued.incrementAndGet();
                total.addAndGet(System.nanoTime() - t);
            }
        }

        private void awaitTray(Tray tray) throws InterruptedException {
            long t = System.nanoTime();
            while (!tray.present)
                Thread.sleep(40);
            resting.addAndGet(System.nanoTime() - t);
        }

        String inventory() {
            drawer.lock();
            try {
                StringBuilder b = new StringBuilder("{");
                stock.forEach((k, v) -> b.append('"').append(k).append("\":").append(v).append(','));
                return b.append("\"end\":0}").toString();
            } finally {
                drawer.unlock();
            }
        }
    }

    static final class Station {
        final HttpServer server;
        final Cabinet cabinet = new Cabinet();

        Station() throws IOException {
            server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 50);
            AtomicInteger n = new AtomicInteger();
            server.setExecutor(Executors.newFixedThreadPool(10, r -> {
                Thread t = new Thread(r, "station-" + n.incrementAndGet());
                t.setDaemon(true);
                return t;
            }));
            server.createContext("/issue", this::issue);
            server.createContext("/inventory", x -> answer(x, cabinet.inventory()));
            server.start();
        }

        void issue(HttpExchange x) throws IOException {
            String[] q = x.getRequestURI().getQuery().split("&");
            try {
                answer(x, cabinet.issue(q[0].substring(5), q[1].substring(5)));
            } catch (InterruptedException e) {
                x.close();
            }
        }

        static void answer(HttpExchange x, String json) throws IOException {
            byte[] body = json.getBytes(StandardCharsets.UTF_8);
            x.sendResponseHeaders(200, body.length);
            try (OutputStream out = x.getResponseBody()) {
                out.write(body);
            }
        }
    }

    static final class Nurse extends Thread {
        final HttpClient client;
        final String base;
        final Random random;

        Nurse(int id, HttpClient client, int port) {
            super("nurse-" + id);
            setDaemon(true);
            this.client = client;
            base = "http://127.0.0.1:" + port;
            random = new Random(id);
        }

        String ask(String path) throws IOException, InterruptedException {
            return client.send(HttpRequest.newBuilder(URI.create(base + path)).build(), HttpResponse.BodyHandlers.ofString()).body();
        }

        @Override
        public void run() {
            for (;;) {
                try {
                    ask("/issue?drug=drug-" + random.nextInt(400) + "&ward=" + getName());
                    if (random.nextInt(20) == 0)
                        ask("/inventory");
                    Thread.sleep(5 + random.nextInt(20));
                } catch (IOException e) {
                    System.err.println(getName() + ": " + e);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Station station = new Station();
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        for (int i = 1; i <= 6; i++)
            new Nurse(i, client, station.server.getAddress().getPort()).start();
        Cabinet c = station.cabinet;
        for (int second = 1;; second++) {
            Thread.sleep(1000);
            long n = c.issued.getAndSet(0), total = c.total.getAndSet(0), rest = c.resting.getAndSet(0), moving = c.robot.moving.getAndSet(0);
            System.out.printf("measured: %d issued, %.0f ms each, lock held %.2f s of a second by who waits for the tray, the robot moved %.2f s%n",
                n, n == 0 ? 0 : total / 1e6 / n, rest / 1e9, moving / 1e9);
            if (second == 3) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
