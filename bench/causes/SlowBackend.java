// SPDX-License-Identifier: Apache-2.0
// cause: each request calls a backend over HTTP that needs 60 ms
// expect: waiting kind=socket-read frame=SlowBackend.request | waiting kind=sleep frame=SlowBackend.lambda$backend
// jdk: 11
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.util.concurrent.Executors;
import com.sun.net.httpserver.HttpServer;

public final class SlowBackend {
    private static int request(int port) throws IOException {
        HttpURLConnection c = (HttpURLConnection) new URL("http://127.0.0.1:" + port + "/price").openConnection();
        try (InputStream in = c.getInputStream()) {
            return in.read();
        }
    }

    private static void serve(int port) {
        try {
            for (;;) {
                request(port);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static int backend() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/price", exchange -> {
            try {
                Thread.sleep(60);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            exchange.sendResponseHeaders(200, 2);
            exchange.getResponseBody().write("42".getBytes());
            exchange.close();
        });
        server.start();
        return server.getAddress().getPort();
    }

    public static void main(String[] args) throws IOException {
        int port = backend();
        for (int i = 0; i < 6; i++) {
            new Thread(() -> serve(port), "http-" + i).start();
        }
        System.out.println("READY");
    }
}
