// SPDX-License-Identifier: Apache-2.0
// cause: workers call a partner over HTTP, who answers after 400 ms
// expect: waiting kind=socket-read frame=HttpWithoutTimeout.rate | pool-busy pool=worker kind=socket-read
// symptom: waiting pool-busy
// jdk: 11
// set: third
import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

public final class HttpWithoutTimeout {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static volatile int answers;

    private static void rate(URI partner) {
        try {
            answers += CLIENT.send(HttpRequest.newBuilder(partner).build(), HttpResponse.BodyHandlers.ofString()).body().length();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        ScheduledExecutorService later = Executors.newScheduledThreadPool(1);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> later.schedule(() -> {
            exchange.sendResponseHeaders(200, 2);
            exchange.getResponseBody().write("ok".getBytes());
            exchange.close();
            return null;
        }, 400, TimeUnit.MILLISECONDS));
        server.start();
        URI partner = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
        ExecutorService workers = Executors.newFixedThreadPool(8, r -> new Thread(r, "worker"));
        for (int i = 0; i < 8; i++) {
            workers.execute(() -> {
                for (;;) {
                    rate(partner);
                }
            });
        }
        System.out.println("READY");
    }
}
