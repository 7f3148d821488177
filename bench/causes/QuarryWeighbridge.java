// SPDX-License-Identifier: Apache-2.0
// cause: QuarryWeighbridge$SheetBinder.run visits the lanes in a fixed order and stays in Exchanger.exchange (QuarryWeighbridge$Lane.collect) at each until that lane brings a sheet; the quiet lane (siding) brings one in 400 ms, so the request handlers of the five busy lanes (QuarryWeighbridge$TicketHandler.handle) wait in Exchanger.exchange at QuarryWeighbridge$Lane.handOver for 400 ms a ticket
// share: 97 % and more of the time of a request on the busy lanes is in Exchanger.exchange at Lane.handOver (about 400 ms of 400 ms; the ticket itself takes a few ms)
// expect: waiting kind=exchange frame=QuarryWeighbridge$Lane.handOver
// symptom: waiting
// judge: NAMED: requests (handlers) wait for an exchange (Exchanger.exchange) at QuarryWeighbridge$Lane.handOver (or its caller TicketHandler.handle), with or without the other end, the binder at QuarryWeighbridge$Lane.collect / SheetBinder.run. SYMPTOM ONLY: only that clients (QuarryWeighbridge$Gate) wait for a server's answer in this process; that the pool of handlers is busy without the exchange; only the binder's wait at Lane.collect without the handlers. WRONG: Nagle, the number of HTTP threads as the cause, locks, CPU, GC, the sleep of the clients (Gate.run), machine, or nothing found.
// jdk: 8
// set: thirty-fifth
// jvm: -Dsun.net.httpserver.nodelay=true
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Exchanger;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32;

/** The weighbridges of a quarry: each lane writes its tickets on sheets, a binder collects the sheets of all lanes into the day's ledger. */
public class QuarryWeighbridge {
    static final String[] LANES = {"north", "south", "gravel", "sand", "blocks", "siding"};

    static final class Sheet {
        final StringBuilder text = new StringBuilder();

        void write(String lane, int ticket, int gross, int tare) {
            text.append(lane).append(';').append(ticket).append(';').append(gross - tare).append(';')
                .append(String.format("%.2f", (gross - tare) * 0.0184)).append('\n');
        }
    }

    /** A lane and the place at which it hands its sheets over. */
    static final class Lane {
        final String name;
        private final Exchanger<Sheet> counter = new Exchanger<>();
        private Sheet sheet = new Sheet();

        Lane(String name) {
            this.name = name;
        }

        Sheet current() {
            return sheet;
        }

        void handOver() throws InterruptedException {
            sheet = counter.exchange(sheet);
        }

        Sheet collect(Sheet blank) throws InterruptedException {
            return counter.exchange(blank);
        }
    }

    /** Takes a written sheet from each lane in turn, leaves a blank one, and binds it. */
    static final class SheetBinder implements Runnable {
        private final List<Lane> lanes;
        private final CRC32 seal = new CRC32();
        final AtomicInteger bound = new AtomicInteger();

        SheetBinder(List<Lane> lanes) {
            this.lanes = lanes;
        }

        @Override public void run() {
            Sheet blank = new Sheet();
            try {
                for (;;) {
                    for (Lane lane : lanes) {
                        Sheet written = lane.collect(blank);
                        seal.update(written.text.toString().getBytes(StandardCharsets.UTF_8));
                        written.text.setLength(0);
                        blank = written;
                        bound.incrementAndGet();
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** POST /ticket/LANE: weighs, writes a ticket. */
    static final class TicketHandler implements HttpHandler {
        private final Lane lane;
        private int ticket;
        final AtomicLong requests = new AtomicLong(), total = new AtomicLong(), handing = new AtomicLong();

        TicketHandler(Lane lane) {
            this.lane = lane;
        }

        @Override public void handle(HttpExchange exchange) throws IOException {
            long begin = System.nanoTime();
            int gross = settle(38_000 + ticket % 900), tare = settle(14_000 + ticket % 70);
            lane.current().write(lane.name, ++ticket, gross, tare);
            long before = System.nanoTime();
            try {
                lane.handOver();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            long after = System.nanoTime();
            byte[] answer = ("ticket " + ticket + " net " + (gross - tare) + "\n").getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
            requests.incrementAndGet();
            handing.addAndGet(after - before);
            total.addAndGet(System.nanoTime() - begin);
        }

        private int settle(int load) {
            double value = 0;
            for (int i = 0; i < 60_000; i++) {
                value += (load - value) * 0.01 + Math.sin(i) * 0.2;
            }
            return (int) Math.round(value);
        }
    }

    /** Lorries, or wagons, that come to a lane. */
    static final class Gate implements Runnable {
        private final URL url;
        private final long pause;

        Gate(URL url, long pause) {
            this.url = url;
            this.pause = pause;
        }

        @Override public void run() {
            byte[] buffer = new byte[256];
            for (;;) {
                try {
                    HttpURLConnection connection = (HttpURLConnection) url.openConnection();
                    try (InputStream in = connection.getInputStream()) {
                        while (in.read(buffer) >= 0) {
                        }
                    }
                    Thread.sleep(pause);
                } catch (IOException e) {
                    System.out.println("again: " + e);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 50);
        ExecutorService pool = Executors.newFixedThreadPool(10);
        server.setExecutor(pool);
        List<Lane> lanes = new ArrayList<>();
        List<TicketHandler> handlers = new ArrayList<>();
        for (String name : LANES) {
            Lane lane = new Lane(name);
            TicketHandler handler = new TicketHandler(lane);
            lanes.add(lane);
            handlers.add(handler);
            server.createContext("/ticket/" + name, handler);
        }
        server.start();
        SheetBinder binder = new SheetBinder(lanes);
        new Thread(binder, "binder").start();
        for (String name : LANES) {
            URL url = new URL("http://127.0.0.1:" + server.getAddress().getPort() + "/ticket/" + name);
            new Thread(new Gate(url, name.equals("siding") ? 400 : 12), "gate-" + name).start();
        }
        boolean ready = false;
        long sofar = 0;
        for (int second = 1;; second++) {
            Thread.sleep(1000);
            long requests = 0, total = 0, handing = 0;
            for (TicketHandler handler : handlers.subList(0, LANES.length - 1)) {
                requests += handler.requests.getAndSet(0);
                total += handler.total.getAndSet(0);
                handing += handler.handing.getAndSet(0);
            }
            sofar += requests;
            if (!ready && second >= 2 && sofar >= 15) {
                ready = true;
                System.out.println("READY");
            }
            System.out.printf("measured: five lanes: %d tickets, %.1f ms each, %.1f ms of that to hand the sheet over (%.0f %%); %d sheets bound%n", requests,
                    total / 1e6 / Math.max(1, requests), handing / 1e6 / Math.max(1, requests), 100.0 * handing / Math.max(1, total), binder.bound.getAndSet(0));
            System.out.flush();
        }
    }
}
