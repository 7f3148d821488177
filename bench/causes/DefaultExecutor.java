// SPDX-License-Identifier: Apache-2.0
// cause: the HTTP server was given no executor, so the one thread that accepts connections renders all charts as well
// expect: saturated-thread thread=HTTP-Dispatcher | pool-busy pool=HTTP-Dispatcher | saturated-thread frame=DefaultExecutor
// symptom: waiting endpoint-wait hot-method hot-code hot-calls
// jdk: 17
// set: fifth
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;

/** Eight browsers ask for charts that take 10 ms each to compute; the process may use more CPUs than one. */
public final class DefaultExecutor {
    private static final int BROWSERS = 8;
    private static final int WIDTH = 240;
    private static final int HEIGHT = 120;
    private static volatile int size;

    private static double noise(int x, int seed) {
        double y = 0;
        for (int octave = 1; octave <= 16; octave++) {
            y += Math.sin((x + seed) * 0.05 * octave) / octave;
        }
        return y;
    }

    private static void draw(byte[] pixels, int seed) {
        for (int x = 0; x < WIDTH; x++) {
            int top = (int) (HEIGHT / 2 + noise(x, seed) * 20);
            for (int y = Math.max(0, top); y < HEIGHT; y++) {
                pixels[y * WIDTH + x] = (byte) (255 - y);
            }
        }
    }

    private static byte[] smooth(byte[] in) {
        byte[] out = new byte[in.length];
        for (int y = 1; y < HEIGHT - 1; y++) {
            for (int x = 1; x < WIDTH - 1; x++) {
                int sum = 0;
                for (int dy = -1; dy <= 1; dy++) {
                    for (int dx = -1; dx <= 1; dx++) {
                        sum += in[(y + dy) * WIDTH + x + dx] & 0xff;
                    }
                }
                out[y * WIDTH + x] = (byte) (sum / 9);
            }
        }
        return out;
    }

    private static byte[] render(int seed) {
        byte[] pixels = new byte[WIDTH * HEIGHT];
        for (int series = 0; series < 12; series++) {
            draw(pixels, seed + series);
            pixels = smooth(smooth(pixels));
        }
        return pixels;
    }

    private static void chart(HttpExchange exchange) throws IOException {
        byte[] pixels = render(exchange.getRequestURI().getPath().hashCode());
        exchange.sendResponseHeaders(200, pixels.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(pixels);
        }
    }

    private static void browse(int browser, int port) {
        try {
            for (int n = 0;; n++) {
                URL url = new URL("http", "127.0.0.1", port, "/chart/" + browser + n);
                HttpURLConnection connection = (HttpURLConnection) url.openConnection();
                try (InputStream in = connection.getInputStream()) {
                    size = in.readAllBytes().length;
                }
                Thread.sleep(5); // the next page
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        server.createContext("/chart/", DefaultExecutor::chart);
        server.start();
        int port = server.getAddress().getPort();
        for (int i = 0; i < BROWSERS; i++) {
            int browser = i;
            new Thread(() -> browse(browser, port), "browser-" + i).start();
        }
        System.out.println("READY");
    }
}
