// SPDX-License-Identifier: Apache-2.0
// cause: The web server's ThreadPoolExecutor has core size 1, maximum 12 and an unbounded LinkedBlockingQueue, so it never grows beyond one thread and requests that merely wait for the laboratory are served one after another.
// share: 64 intakes/s without, 612 intakes/s with -Dfixed=true (9.6 times; means over 8 and 8 s after READY; e.g. "65 intakes/s, mean 154.2 ms" against "631 intakes/s, mean 15.8 ms")
// expect: pool-busy pool=intake
// symptom: waiting
// judge: Must name the intake pool (ThreadPoolExecutor in IntakeDesk, core 1 with an unbounded queue so that the maximum of 12 is never used; only one thread "intake-1" works while requests queue); "handler sleeps/waits for the laboratory", "callers wait in socket read" or "CPU is idle" alone is only the symptom.
// set: twenty-first
// jdk: 11
import com.sun.net.httpserver.*;
import java.io.*;
import java.net.*;
import java.net.http.*;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

/** Intake desk of a veterinary clinic: practices register patients, each needs a chip number from the laboratory. */
public class VetClinicIntake {
    static final int PRACTICES = 10;
    static final LongAdder SERVED = new LongAdder();
    static final LongAdder NANOS = new LongAdder();

    /** Gateway to the laboratory's chip register; it answers within some 15 ms. */
    static final class Laboratory {
        private final ScheduledExecutorService line = Executors.newSingleThreadScheduledExecutor(r -> {
            Thread t = new Thread(r, "laboratory-line");
            t.setDaemon(true);
            return t;
        });
        private final AtomicLong numbers = new AtomicLong(276_000_000_000L);

        long chipFor(String patient) throws Exception {
            CompletableFuture<Long> answer = new CompletableFuture<>();
            long delay = 12 + Math.floorMod(patient.hashCode(), 6);
            line.schedule(() -> answer.complete(numbers.incrementAndGet()), delay, TimeUnit.MILLISECONDS);
            return answer.get(5, TimeUnit.SECONDS);
        }
    }

    /** The HTTP front of the intake. */
    static final class IntakeDesk implements HttpHandler {
        private final HttpServer server;
        private final Laboratory laboratory = new Laboratory();
        private final ConcurrentMap<String, Long> today = new ConcurrentHashMap<>();

        IntakeDesk(int threads, int limit) throws IOException {
            AtomicInteger n = new AtomicInteger();
            ThreadPoolExecutor pool = new ThreadPoolExecutor(threads, limit, 30, TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(), r -> {
                    Thread t = new Thread(r, "intake-" + n.incrementAndGet());
                    t.setDaemon(true);
                    return t;
                });
            server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 64);
            server.createContext("/intake", this);
            server.setExecutor(pool);
            server.start();
        }

        URI address() {
            return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/intake");
        }

        @Override
        public void handle(HttpExchange exchange) throws IOException {
            String patient = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            byte[] reply;
            int status = 200;
            try {
                long chip = laboratory.chipFor(patient);
                if (today.size() > 5000) {
                    today.clear();
                }
                today.put(patient, chip);
                reply = ("{\"patient\":\"" + patient + "\",\"chip\":" + chip + "}").getBytes(StandardCharsets.UTF_8);
            } catch (Exception e) {
                status = 503;
                reply = "{}".getBytes(StandardCharsets.UTF_8);
            }
            exchange.sendResponseHeaders(status, reply.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(reply);
            }
        }
    }

    static void runPractice(int number, URI address, HttpClient client) {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        try {
            while (true) {
                String patient = "P" + number + "-" + r.nextInt(1_000_000);
                HttpRequest request = HttpRequest.newBuilder(address).timeout(Duration.ofSeconds(10))
                    .POST(HttpRequest.BodyPublishers.ofString(patient)).build();
                long t0 = System.nanoTime();
                HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
                if (response.statusCode() == 200) {
                    SERVED.increment();
                    NANOS.add(System.nanoTime() - t0);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        int limit = 12;
        int threads = Boolean.getBoolean("fixed") ? limit : 1;
        IntakeDesk desk = new IntakeDesk(threads, limit);
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        for (int i = 0; i < PRACTICES; i++) {
            int number = i;
            Thread t = new Thread(() -> runPractice(number, desk.address(), client), "practice-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(3000);
        System.out.println("READY");
        SERVED.sumThenReset();
        NANOS.sumThenReset();
        for (int s = 0; s < 240; s++) {
            Thread.sleep(1000);
            long n = SERVED.sumThenReset();
            long ns = NANOS.sumThenReset();
            System.out.printf("measured: %d intakes/s, mean %.1f ms%n", n, n == 0 ? 0.0 : ns / 1e6 / n);
        }
        System.exit(0);
    }
}
