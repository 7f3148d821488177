// SPDX-License-Identifier: Apache-2.0
// cause: requests that find no free crane wait on the register (Object.wait in PierBookings$CraneRegister.take), but PierBookings$CraneRegister.release notifies another object (the queue "free"), so no notification ever comes and each wait lasts until its time-out of 250 ms, though a crane is free after 1 or 2 ms
// share: a request waits 30 to 45 ms on average for a crane that it has for 2.2 ms (93 % of a request's time); 1.6 to 2 of the 3 cranes are free while requests wait; 540 requests a second in place of some 1300
// expect: waiting kind=object-wait frame=PierBookings$CraneRegister.take
// symptom: waiting
// judge: NAMED: waiting for a notification (Object.wait) at PierBookings$CraneRegister.take (or its callers LoadHandler.handle), in requests or as a whole; best with the remark that time-outs end these waits or that nobody works in that time. SYMPTOM ONLY: the clients' waits for answers of the server (PierBookings$Terminal.run / Terminal.ask, socket-read), pool-busy of the threads "pier" if it does not say that they wait in CraneRegister.take; too few cranes/permits without the place. WRONG: anything about CPU (Stowage.plan), collections, locks (the monitors of CraneRegister are held for microseconds), the machine.
// jdk: 25
// set: thirty-sixth
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Assigns cranes of a container pier for trucks that load or unload. */
public class PierBookings {
    static final AtomicLong requests = new AtomicLong();
    static final AtomicLong takeNanos = new AtomicLong();
    static final AtomicLong workNanos = new AtomicLong();
    static final AtomicLong freeWhileWaiting = new AtomicLong();

    record Crane(int number, int reach) { }

    record Container(String code, int row, int tons) { }

    /** The cranes that are not at work. */
    static final class CraneRegister {
        private final Queue<Crane> free = new ConcurrentLinkedQueue<>();
        private final AtomicInteger waiting = new AtomicInteger();

        CraneRegister(int cranes) {
            for (int i = 1; i <= cranes; i++) free.add(new Crane(i, 30 + 4 * i));
        }

        Crane take() throws InterruptedException {
            Crane crane = free.poll();
            if (crane != null) return crane;
            waiting.incrementAndGet();
            try {
                synchronized (this) {
                    while ((crane = free.poll()) == null) wait(250);
                }
            } finally {
                waiting.decrementAndGet();
            }
            return crane;
        }

        void release(Crane crane) {
            synchronized (free) {
                free.add(crane);
                free.notify();
            }
        }

        int idle() {
            return Math.min(waiting.get(), free.size());
        }
    }

    /** Finds a place on deck for a container. */
    static final class Stowage {
        private final int[][] tons = new int[24][40];

        int plan(Crane crane, Container container) {
            int best = Integer.MAX_VALUE, place = 0;
            for (int turn = 0; turn < 60; turn++) {
                for (int row = 0; row < tons.length; row++) {
                    for (int bay = 0; bay < tons[row].length; bay++) {
                        int tilt = Math.abs(row * 2 - tons.length) * (tons[row][bay] + container.tons());
                        int way = Math.abs(bay - container.row()) + Math.abs(crane.reach() - bay - turn % 3);
                        int cost = tilt * 3 + way * way;
                        if (cost < best) {
                            best = cost;
                            place = row * 100 + bay;
                        }
                    }
                }
            }
            int row = place / 100, bay = place % 100;
            tons[row][bay] = (tons[row][bay] + container.tons()) % 90;
            return place;
        }
    }

    static final class LoadHandler implements HttpHandler {
        private final CraneRegister cranes;
        private final Stowage stowage = new Stowage();

        LoadHandler(CraneRegister cranes) {
            this.cranes = cranes;
        }

        @Override public void handle(HttpExchange exchange) throws IOException {
            String query = exchange.getRequestURI().getQuery();
            String[] part = query.split(",");
            Container container = new Container(part[0], Integer.parseInt(part[1]), Integer.parseInt(part[2]));
            long t0 = System.nanoTime();
            byte[] answer;
            try {
                Crane crane = cranes.take();
                long t1 = System.nanoTime();
                takeNanos.addAndGet(t1 - t0);
                try {
                    int place = stowage.plan(crane, container);
                    Thread.sleep(2);    // the crane's controller takes the order
                    answer = (container.code() + " crane " + crane.number() + " place " + place).getBytes(StandardCharsets.UTF_8);
                } finally {
                    cranes.release(crane);
                    workNanos.addAndGet(System.nanoTime() - t1);
                }
            } catch (InterruptedException e) {
                answer = "closed".getBytes(StandardCharsets.UTF_8);
            }
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
            requests.incrementAndGet();
        }
    }

    /** A truck terminal: asks for a crane, has a container moved, and comes back. */
    static final class Terminal implements Runnable {
        private final int port, number;

        Terminal(int port, int number) {
            this.port = port;
            this.number = number;
        }

        @Override public void run() {
            Random random = new Random(number);
            while (true) {
                try {
                    ask("TR" + number + "U" + random.nextInt(1000000) + "," + random.nextInt(40) + "," + (2 + random.nextInt(28)));
                    Thread.sleep(5 + random.nextInt(25));
                } catch (IOException e) {
                    System.err.println("terminal " + number + ": " + e.getMessage());
                } catch (InterruptedException e) {
                    return;
                }
            }
        }

        private String ask(String what) throws IOException {
            HttpURLConnection connection = (HttpURLConnection) URI.create("http://127.0.0.1:" + port + "/load?" + what).toURL().openConnection();
            try (InputStream in = connection.getInputStream()) {
                return new String(in.readAllBytes(), StandardCharsets.UTF_8);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        CraneRegister cranes = new CraneRegister(3);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 128);
        AtomicInteger threads = new AtomicInteger();
        server.setExecutor(Executors.newFixedThreadPool(32, task -> new Thread(task, "pier-" + threads.incrementAndGet())));
        server.createContext("/load", new LoadHandler(cranes));
        server.start();
        for (int i = 1; i <= 28; i++) {
            Thread terminal = new Thread(new Terminal(server.getAddress().getPort(), i), "terminal-" + i);
            terminal.setDaemon(true);
            terminal.start();
        }
        while (requests.get() < 300) Thread.sleep(50);
        System.out.println("READY");
        System.out.flush();
        long n0 = requests.get(), t0 = takeNanos.get(), w0 = workNanos.get();
        while (true) {
            int idle = 0;
            for (int i = 0; i < 100; i++) {
                Thread.sleep(10);
                idle += cranes.idle();
            }
            long n = requests.get(), t = takeNanos.get(), w = workNanos.get();
            System.out.println(String.format(Locale.ROOT, "measured: %d requests, each waits %.1f ms for a crane and has it for %.1f ms; %.2f cranes on average are free while a request waits",
                n - n0, (t - t0) / 1e6 / Math.max(1, n - n0), (w - w0) / 1e6 / Math.max(1, n - n0), idle / 100.0));
            n0 = n; t0 = t; w0 = w;
        }
    }
}
