// SPDX-License-Identifier: Apache-2.0
// cause: wait for an exchange: MilkIntake$Ledger.turnPage waits in Exchanger.exchange, with the ledger locked (enter is synchronized), for the clerk, who comes only once in 100 ms (MilkIntake$Clerk.visit, scheduled) and then exchanges one page of four lines.
// share: 97 to 100 % of the time some request waits in exchange, 98 ms for each page; the other 8 or so wait for the monitor behind it; 240 ms a request, 40 requests a second, while the clerk works 0.3 % of the time and the process uses 0.1 CPUs.
// expect: waiting kind=exchange frame=MilkIntake$Ledger
// symptom: waiting lock-contention
// judge: NAMED: requests wait for an exchange (Exchanger.exchange) at MilkIntake$Ledger.turnPage (or enter), by itself or as the end of the chain of those that wait for the monitor at MilkIntake$Ledger.enter. SYMPTOM ONLY: only lock contention at MilkIntake$Ledger.enter without the exchange; only that clients (lorry) wait for answers of this process, or that the pool of intake threads is busy; slow requests of /collection. WRONG: the disk or the file, the clerk as too busy, sleep of lorries, the HTTP server or its backlog, Nagle, collections, CPU use.
// jdk: 21
// set: thirty-sixth
// jvm: -Xmx256m
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Exchanger;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** The dairy's intake: drivers of collection lorries report each farm's milk over HTTP, and it is entered in a ledger on disk. */
public class MilkIntake {
    static final AtomicLong requests = new AtomicLong(), requestNanos = new AtomicLong();
    static final AtomicLong turnNanos = new AtomicLong(), turns = new AtomicLong(), visits = new AtomicLong(), visitNanos = new AtomicLong();

    record Collection(String farm, double litres, double fat, double temperature) {
        static Collection parse(String text) {
            String[] f = text.split(",");
            return new Collection(f[0], Double.parseDouble(f[1]), Double.parseDouble(f[2]), Double.parseDouble(f[3]));
        }

        boolean accepted() {
            return temperature <= 8 && litres > 0 && fat > 2.5;
        }
    }

    static final class Page {
        final List<Collection> entries = new ArrayList<>();
    }

    /** Entries are made on one page, while the clerk has the other one. */
    static final class Ledger {
        static final int LINES = 4;
        private final Exchanger<Page> table = new Exchanger<>();
        private Page page = new Page();
        private double litres;

        synchronized double enter(Collection c) throws InterruptedException {
            page.entries.add(c);
            litres += c.litres();
            if (page.entries.size() >= LINES) {
                turnPage();
            }
            return litres;
        }

        private void turnPage() throws InterruptedException {
            long t = System.nanoTime();
            page = table.exchange(page);
            turnNanos.addAndGet(System.nanoTime() - t);
            turns.incrementAndGet();
        }
    }

    /** Writes full pages to the file of the day. */
    static final class Clerk {
        private final Ledger ledger;
        private final BufferedWriter out;
        private Page blank = new Page();
        private int written;

        Clerk(Ledger ledger, Path file) throws IOException {
            this.ledger = ledger;
            this.out = Files.newBufferedWriter(file, StandardCharsets.UTF_8);
        }

        void visit() {
            long t = System.nanoTime();
            try {
                Page full = ledger.table.exchange(blank, 2, TimeUnit.MILLISECONDS);
                for (Collection c : full.entries) {
                    out.write(c.farm() + ';' + c.litres() + ';' + c.fat() + ';' + c.temperature() + '\n');
                }
                if (++written % 50 == 0) {
                    out.flush();
                }
                full.entries.clear();
                blank = full;
            } catch (TimeoutException e) {
                return;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (IOException e) {
                System.err.println(e);
            } finally {
                visits.incrementAndGet();
                visitNanos.addAndGet(System.nanoTime() - t);
            }
        }
    }

    static void collection(HttpExchange x, Ledger ledger) throws IOException {
        long t = System.nanoTime();
        String answer;
        try (InputStream in = x.getRequestBody()) {
            Collection c = Collection.parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
            answer = c.accepted() ? "taken, litres so far " + ledger.enter(c) : "refused";
        } catch (InterruptedException e) {
            answer = "closing";
        }
        byte[] body = answer.getBytes(StandardCharsets.UTF_8);
        x.sendResponseHeaders(200, body.length);
        x.getResponseBody().write(body);
        x.close();
        requests.incrementAndGet();
        requestNanos.addAndGet(System.nanoTime() - t);
    }

    static void lorry(int id, int port) {
        Random random = new Random(60 + id);
        while (true) {
            try {
                HttpURLConnection c = (HttpURLConnection) new URL("http://127.0.0.1:" + port + "/collection").openConnection();
                c.setDoOutput(true);
                String text = "farm-" + random.nextInt(400) + "," + (200 + random.nextInt(2500)) + "," + (3.4 + random.nextInt(12) / 10.0) + "," + (3 + random.nextInt(4));
                c.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
                try (InputStream in = c.getInputStream()) {
                    in.readAllBytes();
                }
                Thread.sleep(5 + random.nextInt(10));
            } catch (IOException e) {
                System.err.println("lorry-" + id + ": " + e);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        System.setProperty("http.maxConnections", "20");
        Path file = Files.createTempFile("milk", ".csv");
        file.toFile().deleteOnExit();
        Ledger ledger = new Ledger();
        Clerk clerk = new Clerk(ledger, file);
        Executors.newSingleThreadScheduledExecutor(r -> new Thread(r, "clerk")).scheduleAtFixedRate(clerk::visit, 100, 100, TimeUnit.MILLISECONDS);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 100);
        AtomicInteger number = new AtomicInteger();
        server.setExecutor(Executors.newFixedThreadPool(12, r -> new Thread(r, "intake-" + number.incrementAndGet())));
        server.createContext("/collection", x -> collection(x, ledger));
        server.start();
        for (int i = 0; i < 10; i++) {
            int id = i;
            new Thread(() -> lorry(id, server.getAddress().getPort()), "lorry-" + i).start();
        }
        long lr = 0, ln = 0, lt = 0, lk = 0, lv = 0;
        for (int s = 1; ; s++) {
            Thread.sleep(1000);
            long r = requests.get(), n = requestNanos.get(), t = turnNanos.get(), k = turns.get(), v = visitNanos.get();
            System.out.printf("measured: %d requests, %.0f ms each; %d pages turned, %.0f ms each, %.0f %% of the time; the clerk works %.2f %% of the time%n",
                    r - lr, (n - ln) / 1e6 / Math.max(1, r - lr), k - lk, (t - lt) / 1e6 / Math.max(1, k - lk), (t - lt) / 1e7, (v - lv) / 1e7);
            lr = r;
            ln = n;
            lt = t;
            lk = k;
            lv = v;
            if (s == 4) {
                System.out.println("READY");
            }
            System.out.flush();
        }
    }
}
