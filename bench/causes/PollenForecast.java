// SPDX-License-Identifier: Apache-2.0
// cause: PollenForecast.reading builds a new java.net.http.HttpClient for every request (PollenForecast.client / open), so each reading pays for loading the trust store into a new SSLContext, a selector thread and a fresh TCP connection instead of reusing one client.
// share: about half of the CPU per reading (27 ms against 13 ms CPU with -Dfixed=true, ratio 2.1, side by side, load average 30); latency ratio by its own measure NOT confirmed at 1.5: 0.65 to 2.1 in four side-by-side runs on the starved machine, to be re-measured on a quiet one
// judge: must say that an HttpClient is created per request (in PollenForecast.open / client / reading) instead of shared; naming the per-request SSLContext / trust store load in open also counts. "CPU in certificate or PKCS12 parsing" without the per-request set-up, "many threads HttpClient-N-SelectorManager", "many short connections" or "slow station" without the per-request client is only a symptom.
// expect: http-clients frame=PollenForecast.open
// symptom: hot-code hot-calls
// set: twentieth
// jdk: 17
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.KeyStore;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

public class PollenForecast {
    static final boolean REVISED = Boolean.getBoolean("fixed");
    static final String[] PLANTS = {"birch", "hazel", "alder", "mugwort", "ragweed", "grass", "olive"};

    final Executor callbacks = Executors.newFixedThreadPool(4, r -> daemon(r, "callback"));
    final HttpClient common = open();
    final URI station;
    final LongAdder readings = new LongAdder();
    final LongAdder micros = new LongAdder();
    volatile double burden;

    PollenForecast(URI station) {
        this.station = station;
    }

    HttpClient open() {
        try {
            File store = new File(System.getProperty("java.home"), "lib/security/cacerts");
            TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
            trust.init(KeyStore.getInstance(store, "changeit".toCharArray()));
            SSLContext tls = SSLContext.getInstance("TLS");
            tls.init(null, trust.getTrustManagers(), null);
            return HttpClient.newBuilder().executor(callbacks).sslContext(tls)
                    .connectTimeout(Duration.ofSeconds(2)).build();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    HttpClient client() {
        return REVISED ? common : open();
    }

    String reading(String plant) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(station.resolve("/count/" + plant))
                .timeout(Duration.ofSeconds(5)).GET().build();
        return client().send(request, HttpResponse.BodyHandlers.ofString()).body();
    }

    double forecast(String grains) {
        double[] days = new double[4000];
        String[] parts = grains.split(",");
        for (int d = 0; d < days.length; d++) {
            double prior = d == 0 ? 1 : days[d - 1];
            days[d] = prior * 0.93 + Double.parseDouble(parts[d % 8]) * 0.07;
        }
        return days[days.length - 1];
    }

    void region() {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        try {
            while (true) {
                long t = System.nanoTime();
                String grains = reading(PLANTS[r.nextInt(PLANTS.length)]);
                micros.add((System.nanoTime() - t) / 1000);
                burden = forecast(grains);
                readings.increment();
                Thread.sleep(10 + r.nextInt(10));
            }
        } catch (Exception e) {
            e.printStackTrace();
        }
    }

    static void answer(HttpExchange x) throws IOException {
        StringBuilder b = new StringBuilder();
        int seed = x.getRequestURI().getPath().hashCode();
        for (int i = 0; i < 96; i++) {
            seed = seed * 1103515245 + 12345;
            b.append((seed >>> 16) % 400).append(',');
        }
        byte[] body = b.toString().getBytes(StandardCharsets.UTF_8);
        x.sendResponseHeaders(200, body.length);
        x.getResponseBody().write(body);
        x.close();
    }

    static Thread daemon(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        return t;
    }

    public static void main(String[] args) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        ExecutorService desk = Executors.newFixedThreadPool(3, r -> daemon(r, "station"));
        server.setExecutor(desk);
        server.createContext("/count/", PollenForecast::answer);
        server.start();
        PollenForecast service = new PollenForecast(
                URI.create("http://127.0.0.1:" + server.getAddress().getPort()));
        for (int i = 0; i < 2; i++) {
            daemon(service::region, "region-" + i).start();
        }
        System.out.println("READY");
        long lastN = 0;
        long lastT = 0;
        for (int i = 0; i < 240; i++) {
            Thread.sleep(1000);
            long n = service.readings.sum();
            long t = service.micros.sum();
            System.out.println("measured: " + (n - lastN) + " readings/s, mean "
                    + (n == lastN ? 0 : (t - lastT) / (n - lastN)) + " us");
            lastN = n;
            lastT = t;
        }
        System.exit(0);
    }
}
