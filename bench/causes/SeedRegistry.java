// SPDX-License-Identifier: Apache-2.0
// cause: GET /check computes in SeedRegistry$Register.mostAlike the full edit distance (Register.distance, with a table of its own each) to all 50000 names for each request, though most can be left out by their length or an index; no machine is busy, but each request is slow for it.
// share: 96 to 98 % of the wall time of GET /check (40 to 65 ms each, 1.5 a second) is computing in mostAlike and distance; 0.06 to 0.1 CPUs in all.
// expect: endpoint-cpu frame=SeedRegistry$Register | hot-method frame=SeedRegistry$Register
// symptom: waiting
// judge: NAMED: that requests of /check compute in SeedRegistry$Register.distance or .mostAlike (or Service.check, if it says computing in a function that is one of these or calls it), as endpoint-cpu or as a hot method. SYMPTOM ONLY: that /check is slow, or that the client (SeedRegistry.get, breeder) waits for answers of this process; much allocation by distance alone. WRONG: waiting of any other kind, the pool of 4 threads, collections or heap as the main cause, Nagle, the endpoint /variety. 'Nothing stands out' misses the fault.
// jdk: 17
// set: thirty-first
// jvm: -Xmx128m

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;

/** The register of plant varieties: breeders ask whether a new name is too much like one that is taken. */
public class SeedRegistry {
    static final int VARIETIES = 50000;

    static final class Variety {
        final int id;
        final String name;
        final String crop;

        Variety(int id, String name, String crop) {
            this.id = id;
            this.name = name;
            this.crop = crop;
        }
    }

    static final class Register {
        private static final String[] PARTS = {"al", "ber", "ca", "dor", "el", "fi", "gra", "hel", "in", "ju", "kla", "lu",
            "mar", "no", "or", "pre", "qui", "ro", "san", "tu", "ul", "vi", "wen", "xa", "yo", "zel"};
        private static final String[] CROPS = {"barley", "oats", "rape", "rye", "wheat"};
        private final List<Variety> varieties = new ArrayList<>();

        Register() {
            Random random = new Random(4);
            for (int i = 0; i < VARIETIES; i++) {
                varieties.add(new Variety(i, name(random), CROPS[random.nextInt(CROPS.length)]));
            }
        }

        static String name(Random random) {
            StringBuilder name = new StringBuilder();
            for (int n = 3 + random.nextInt(4); n > 0; n--) {
                name.append(PARTS[random.nextInt(PARTS.length)]);
            }
            return name.toString();
        }

        Variety byId(int id) {
            return varieties.get(id % varieties.size());
        }

        /** The variety whose name is most like the proposed one. */
        Variety mostAlike(String proposed) {
            Variety best = null;
            int least = Integer.MAX_VALUE;
            for (Variety v : varieties) {
                int d = distance(proposed, v.name);
                if (d < least) {
                    least = d;
                    best = v;
                }
            }
            return best;
        }

        /** How many letters have to be inserted, deleted, replaced or exchanged. */
        private static int distance(String a, String b) {
            int[][] d = new int[a.length() + 1][b.length() + 1];
            for (int i = 0; i <= a.length(); i++) {
                d[i][0] = i;
            }
            for (int j = 0; j <= b.length(); j++) {
                d[0][j] = j;
            }
            for (int i = 1; i <= a.length(); i++) {
                for (int j = 1; j <= b.length(); j++) {
                    int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                    int value = Math.min(Math.min(d[i - 1][j] + 1, d[i][j - 1] + 1), d[i - 1][j - 1] + change);
                    if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                        value = Math.min(value, d[i - 2][j - 2] + 1);
                    }
                    d[i][j] = value;
                }
            }
            return d[a.length()][b.length()];
        }
    }

    static final class Service {
        private final Register register = new Register();
        private final LongAdder checks = new LongAdder();
        private final LongAdder checkNanos = new LongAdder();
        private final LongAdder searchNanos = new LongAdder();

        void check(HttpExchange x) throws IOException {
            long begin = System.nanoTime();
            String proposed = x.getRequestURI().getQuery().substring("name=".length());
            Variety alike = register.mostAlike(proposed);
            searchNanos.add(System.nanoTime() - begin);
            answer(x, "{\"name\":\"" + proposed + "\",\"alike\":\"" + alike.name + "\",\"id\":" + alike.id + "}");
            checkNanos.add(System.nanoTime() - begin);
            checks.increment();
        }

        void variety(HttpExchange x) throws IOException {
            Variety v = register.byId(Integer.parseInt(x.getRequestURI().getQuery().substring("id=".length())));
            answer(x, "{\"id\":" + v.id + ",\"name\":\"" + v.name + "\",\"crop\":\"" + v.crop + "\"}");
        }

        private static void answer(HttpExchange x, String text) throws IOException {
            byte[] body = text.getBytes(StandardCharsets.UTF_8);
            x.getResponseHeaders().set("Content-Type", "application/json");
            x.sendResponseHeaders(200, body.length);
            try (OutputStream out = x.getResponseBody()) {
                out.write(body);
            }
            x.close();
        }
    }

    static String get(String url) throws IOException {
        HttpURLConnection c = (HttpURLConnection) new URL(url).openConnection();
        try (InputStream in = c.getInputStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** A breeder tries names, and thinks about each answer. */
    static void breeder(String base, int seed, CountDownLatch warm) {
        Random random = new Random(seed);
        while (true) {
            try {
                long begin = System.nanoTime();
                get(base + "/check?name=" + Register.name(random));
                long took = (System.nanoTime() - begin) / 1_000_000;
                warm.countDown();
                if (warm.getCount() == 0) {
                    Thread.sleep(Math.max(450, 10 * took));
                }
                get(base + "/variety?id=" + random.nextInt(VARIETIES));
            } catch (IOException e) {
                System.err.println("breeder: " + e);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        Service service = new Service();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 64);
        server.setExecutor(Executors.newFixedThreadPool(4));
        server.createContext("/check", service::check);
        server.createContext("/variety", service::variety);
        server.start();
        String base = "http://127.0.0.1:" + server.getAddress().getPort();
        CountDownLatch warm = new CountDownLatch(60);
        new Thread(() -> breeder(base, 1, warm), "breeder").start();
        warm.await();
        Thread.sleep(1000);
        service.checks.reset();
        service.checkNanos.reset();
        service.searchNanos.reset();
        System.out.println("READY");
        System.out.flush();
        while (true) {
            Thread.sleep(2000);
            long n = service.checks.sumThenReset();
            double total = service.checkNanos.sumThenReset() / 1e6;
            double search = service.searchNanos.sumThenReset() / 1e6;
            System.out.printf("measured: %d checks of names, %.1f ms each, %.0f %% of it search; %.3f CPUs%n",
                    n, total / Math.max(1, n), 100 * search / Math.max(1e-9, total), search / 2000);
        }
    }
}
