// SPDX-License-Identifier: Apache-2.0
// cause: PlotRoom$SheetHandler.print takes one of the 2 plotters from the queue "idle" (PlotRoom$Plotters.next, LinkedBlockingQueue.take) and gives it back only after PlotRoom$DispatchNote.send has rested for the courier's pace (45 ms), for which no plotter is needed: all other requests wait for an element of that queue
// share: 9.1 of 12 requests at a time wait for a plotter, 208 ms each; a plotter is needed for 0.2 ms of the 45 ms for which it is kept
// expect: waiting kind=queue frame=PlotRoom$
// symptom: waiting
// judge: NAMED: requests wait for an element of a queue at PlotRoom$Plotters.next (or PlotRoom$SheetHandler.print / handle, its callers), which is where 2 plotters are handed out; with or without that who has one rests in PlotRoom$DispatchNote.send. SYMPTOM ONLY: only the rest (Thread.sleep) in PlotRoom$DispatchNote.send; clients (PlotRoom$Office.order) wait for answers of this process's server; the server's threads (plot-N) all busy, or too few of them. WRONG: CPU use (PlotRoom$Sheet.rasterise), the network, Nagle, the number of clients, collections, "nothing stands out"
// jdk: 8
// set: thirty-sixth
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

public class PlotRoom {
    static final AtomicLong sheets = new AtomicLong();
    static final AtomicLong waited = new AtomicLong();
    static final AtomicLong plotted = new AtomicLong();
    static final AtomicLong answered = new AtomicLong();

    static final class Sheet {
        final int number;
        final int width;

        Sheet(int number, int width) {
            this.number = number;
            this.width = width;
        }

        long rasterise() {
            long ink = 0;
            for (int y = 0; y < 160; y++) {
                for (int x = 0; x < width; x++) {
                    int contour = (x * x + y * y * 3 + number) % 97;
                    if (contour < 9) {
                        ink += contour + 1;
                    }
                }
            }
            return ink;
        }
    }

    static final class Plotter {
        final String name;
        private long ink;

        Plotter(String name) {
            this.name = name;
        }

        long draw(Sheet sheet) {
            long used = sheet.rasterise();
            ink += used;
            return used;
        }
    }

    static final class Plotters {
        private final BlockingQueue<Plotter> idle = new LinkedBlockingQueue<>();

        Plotters(int count) {
            for (int i = 0; i < count; i++) {
                idle.add(new Plotter("plotter-" + (char) ('A' + i)));
            }
        }

        Plotter next() throws InterruptedException {
            return idle.take();
        }

        void done(Plotter plotter) {
            idle.add(plotter);
        }
    }

    static final class DispatchNote {
        private final AtomicInteger numbers = new AtomicInteger();

        String send(Sheet sheet, long ink) throws InterruptedException {
            Thread.sleep(45);
            return "note " + numbers.incrementAndGet() + " sheet " + sheet.number + " ink " + ink;
        }
    }

    static final class SheetHandler implements HttpHandler {
        private final Plotters plotters = new Plotters(2);
        private final DispatchNote notes = new DispatchNote();

        private String print(Sheet sheet) throws InterruptedException {
            long before = System.nanoTime();
            Plotter plotter = plotters.next();
            long begin = System.nanoTime();
            waited.addAndGet(begin - before);
            try {
                long ink = plotter.draw(sheet);
                plotted.addAndGet(System.nanoTime() - begin);
                return plotter.name + ": " + notes.send(sheet, ink);
            } finally {
                plotters.done(plotter);
            }
        }

        @Override
        public void handle(HttpExchange exchange) throws IOException {
            String query = exchange.getRequestURI().getQuery();
            Sheet sheet = new Sheet(Integer.parseInt(query.substring(query.indexOf('=') + 1)), 900);
            byte[] answer;
            try {
                answer = print(sheet).getBytes(StandardCharsets.UTF_8);
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        }
    }

    static final class Office implements Runnable {
        private final int port;

        Office(int port) {
            this.port = port;
        }

        private void order(int number) throws IOException {
            HttpURLConnection connection = (HttpURLConnection) new URL("http://127.0.0.1:" + port + "/sheet?n=" + number).openConnection();
            try (InputStream in = connection.getInputStream()) {
                byte[] buffer = new byte[256];
                while (in.read(buffer) >= 0) {
                    answered.incrementAndGet();
                }
            }
        }

        @Override
        public void run() {
            try {
                while (true) {
                    try {
                        order(ThreadLocalRandom.current().nextInt(100_000));
                        sheets.incrementAndGet();
                    } catch (IOException e) {
                        System.err.println(e);
                        Thread.sleep(200);
                    }
                    Thread.sleep(10 + ThreadLocalRandom.current().nextInt(20));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static ThreadFactory named(String name) {
        AtomicInteger numbers = new AtomicInteger();
        return r -> {
            Thread thread = new Thread(r, name + "-" + numbers.getAndIncrement());
            thread.setDaemon(true);
            return thread;
        };
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        System.setProperty("http.maxConnections", "16");
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 64);
        server.createContext("/sheet", new SheetHandler());
        server.setExecutor(Executors.newFixedThreadPool(16, named("plot")));
        server.start();
        ThreadFactory offices = named("office");
        for (int i = 0; i < 12; i++) {
            offices.newThread(new Office(server.getAddress().getPort())).start();
        }
        Thread.sleep(3000);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long n = sheets.get(), idle = waited.get(), work = plotted.get(), wall = System.nanoTime();
            Thread.sleep(1000);
            wall = System.nanoTime() - wall;
            n = sheets.get() - n;
            idle = waited.get() - idle;
            work = plotted.get() - work;
            System.out.printf(Locale.ROOT, "measured: %d sheets/s; each waits %.0f ms for a plotter (%.1f requests at a time), which it needs for %.1f ms only%n",
                n, idle / 1e6 / Math.max(1, n), idle / (double) wall, work / 1e6 / Math.max(1, n));
            System.out.flush();
        }
    }
}
