// SPDX-License-Identifier: Apache-2.0
// cause: each enquiry opens its partner ports anew (TariffQuery$Ports.open), and each PartnerPort builds an HttpClient of its own, with a selector thread, a pool and connections
// share: medians of 1 s on a busy machine of 2 CPUs: 110 enquiries/s, 21.37 ms each; with -Dfixed=true: 381 enquiries/s, 1.75 ms each
// expect: http-clients frame=PartnerPort
// symptom: hot-code | waiting
// judge: NAMED: HttpClients made anew for each enquiry, in PartnerPort / Ports.open (http-clients; starting threads or making TLS contexts for it is as good if the client is named); SYMPTOM ONLY: waiting for HTTP answers, many threads, connecting, GC; WRONG: the partner's server is what to change, locks, too few threads
// jdk: 17
// set: twenty-eighth
// jvm: -Xmx96m -XX:+UseSerialGC
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;

public class TariffQuery {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final long SPAN = Long.getLong("span", 170) * 1000000000L;
    static final LongAdder done = new LongAdder(), nanos = new LongAdder();
    static volatile long shown;

    /** What carriers ask for a lane. */
    static final class Carriers {
        final HttpServer server;

        Carriers() throws IOException {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
            server.setExecutor(Executors.newFixedThreadPool(4, r -> {
                Thread t = new Thread(r, "carrier");
                t.setDaemon(true);
                return t;
            }));
            server.createContext("/lane/", this::lane);
            server.start();
        }

        void lane(HttpExchange x) throws IOException {
            int lane = Integer.parseInt(x.getRequestURI().getPath().substring(6));
            byte[] body = ("cents=" + (4000 + lane * 37 % 1000)).getBytes();
            x.getRequestBody().readAllBytes();
            x.sendResponseHeaders(200, body.length);
            try (var out = x.getResponseBody()) {
                out.write(body);
            }
        }
    }

    interface Port {
        int cents(int lane) throws IOException, InterruptedException;
    }

    static final class PartnerPort implements Port {
        final String base;
        final HttpClient http;

        PartnerPort(String base) {
            this.base = base;
            this.http = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();
        }

        @Override
        public int cents(int lane) throws IOException, InterruptedException {
            HttpRequest q = HttpRequest.newBuilder(URI.create(base + "/lane/" + lane)).timeout(Duration.ofSeconds(3)).GET().build();
            String s = http.send(q, HttpResponse.BodyHandlers.ofString()).body();
            return Integer.parseInt(s.substring(6));
        }
    }

    static final class Ports {
        final Map<String, Port> known = new ConcurrentHashMap<>();
        final String base;

        Ports(String base) {
            this.base = base;
        }

        Port open(String partner) {
            if (FIXED) return known.computeIfAbsent(partner, p -> new PartnerPort(base));
            return new PartnerPort(base);
        }
    }

    static final class RateBook {
        final Ports ports;
        final List<String> partners = List.of("north", "baltic");

        RateBook(Ports ports) {
            this.ports = ports;
        }

        int best(int lane) throws IOException, InterruptedException {
            int best = Integer.MAX_VALUE;
            for (String p : partners) best = Math.min(best, ports.open(p).cents(lane));
            return best;
        }
    }

    static final class Enquiries implements Runnable {
        final RateBook book;
        final Random random;

        Enquiries(RateBook book, int seed) {
            this.book = book;
            random = new Random(seed);
        }

        String answer(int lane) throws IOException, InterruptedException {
            int cents = book.best(lane);
            List<String> rows = new ArrayList<>();
            for (int w = 0; w < 20; w++) rows.add("week " + w + ": " + (cents + w * 13 % 7 * 25));
            return String.join("\n", rows);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    long t = System.nanoTime();
                    shown += answer(random.nextInt(900)).length();
                    nanos.add(System.nanoTime() - t);
                    done.increment();
                    Thread.sleep(4 + random.nextInt(5));
                }
            } catch (Exception e) {
                e.printStackTrace();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        long until = System.nanoTime() + SPAN;
        System.setProperty("sun.net.httpserver.nodelay", "true");
        Carriers c = new Carriers();
        RateBook book = new RateBook(new Ports("http://127.0.0.1:" + c.server.getAddress().getPort()));
        for (int i = 0; i < 3; i++) {
            Thread t = new Thread(new Enquiries(book, i), "enquiry-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(4000);
        System.out.println("READY");
        done.sumThenReset();
        nanos.sumThenReset();
        while (System.nanoTime() < until) {
            Thread.sleep(1000);
            long n = done.sumThenReset();
            System.out.printf("measured: %d enquiries/s, %.2f ms each%n", n, nanos.sumThenReset() / 1e6 / Math.max(1, n));
        }
        System.exit(0);
    }
}
