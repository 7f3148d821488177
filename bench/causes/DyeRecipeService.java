// SPDX-License-Identifier: Apache-2.0
// cause: each request starts a thread that samples its progress (BathGauge.run, asleep 80 ms at a time) and at its end waits in BathGauge.finish for that thread to end (Thread.join), which notices only when its sleep is over
// share: 96 % of the wall time of a request (62 of 65 ms; the recipe itself takes 2.5 ms), 5.5 of 8 clients wait for that at any time
// expect: waiting kind=thread frame=DyeRecipeService$BathGauge.finish
// symptom: waiting
// judge: NAMED: waiting for a thread to end (Thread.join) at BathGauge.finish, within the requests of RecipeHandler.handle (/recipe), whether or not it adds that this thread sleeps at BathGauge.run. SYMPTOM ONLY: sleep at BathGauge.run without saying that requests wait for that thread to end; waiting for a server's answer at DyeHouse.ask (the clients, in this process), starting of threads at BathGauge.<init> or begin; that /recipe waits without saying for what. WRONG: the computing in Mixer.blend, the pool of the server (it has free threads), locks, collections, the machine
// jdk: 25
// set: thirty-fifth
// jvm: -Xmx128m
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Computes dye recipes for a textile mill: which pigments reach a colour, for how many metres of cloth. */
public class DyeRecipeService {
    static final LongAdder REQUESTS = new LongAdder();
    static final LongAdder WALL = new LongAdder();
    static final LongAdder CLOSING = new LongAdder();
    static final Map<String, Integer> PROGRESS = new ConcurrentHashMap<>();

    record Colour(double l, double a, double b) {
        double distance(double l2, double a2, double b2) {
            double dl = l - l2, da = a - a2, db = b - b2;
            return Math.sqrt(dl * dl + da * da + db * db);
        }
    }

    /** Shows on the mill's board how far a bath has been computed. */
    static final class BathGauge implements Runnable {
        private static final AtomicInteger NUMBER = new AtomicInteger();
        private final String bath;
        private final Mixer mixer;
        private final Thread thread;
        private volatile boolean finished;

        BathGauge(String bath, Mixer mixer) {
            this.bath = bath;
            this.mixer = mixer;
            thread = new Thread(this, "gauge-" + NUMBER.incrementAndGet());
            thread.setDaemon(true);
        }

        void begin() {
            thread.start();
        }

        @Override
        public void run() {
            try {
                while (!finished) {
                    PROGRESS.put(bath, mixer.percent());
                    Thread.sleep(80);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                PROGRESS.remove(bath);
            }
        }

        void finish() throws InterruptedException {
            finished = true;
            thread.join();
        }
    }

    /** Searches the shares of four pigments that come closest to a colour. */
    static final class Mixer {
        private static final double[][] PIGMENTS = {{32, 60, 40}, {85, -5, 70}, {30, 15, -55}, {50, -50, 20}};
        private final Colour wanted;
        private volatile int percent;

        Mixer(Colour wanted) {
            this.wanted = wanted;
        }

        int percent() {
            return percent;
        }

        String blend(int steps) {
            double best = Double.MAX_VALUE;
            int[] shares = new int[4];
            for (int i = 0; i <= steps; i++) {
                percent = 100 * i / steps;
                for (int j = 0; i + j <= steps; j++)
                    for (int k = 0; i + j + k <= steps; k++) {
                        int m = steps - i - j - k;
                        double d = wanted.distance(mix(0, i, j, k, m, steps), mix(1, i, j, k, m, steps), mix(2, i, j, k, m, steps));
                        if (d < best) {
                            best = d;
                            shares = new int[] {i, j, k, m};
                        }
                    }
            }
            return shares[0] + " " + shares[1] + " " + shares[2] + " " + shares[3] + " dE=" + Math.round(best * 100) / 100.0;
        }

        private static double mix(int axis, int i, int j, int k, int m, int steps) {
            double sum = PIGMENTS[0][axis] * i + PIGMENTS[1][axis] * j + PIGMENTS[2][axis] * k + PIGMENTS[3][axis] * m;
            return sum / steps * (1 + 0.02 * Math.sqrt(Math.abs(sum) + i));
        }
    }

    static final class RecipeHandler implements HttpHandler {
        private final AtomicInteger baths = new AtomicInteger();

        @Override
        public void handle(HttpExchange exchange) throws IOException {
            long begin = System.nanoTime();
            int seed = Integer.parseInt(exchange.getRequestURI().getQuery());
            Mixer mixer = new Mixer(new Colour(20 + seed % 70, seed % 50 - 25, seed % 37 - 18));
            BathGauge gauge = new BathGauge("bath-" + baths.incrementAndGet(), mixer);
            gauge.begin();
            String recipe = mixer.blend(90);
            long done = System.nanoTime();
            try {
                gauge.finish();
            } catch (InterruptedException e) {
                throw new IOException("the mill closes", e);
            }
            long end = System.nanoTime();
            byte[] answer = recipe.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
            REQUESTS.increment();
            CLOSING.add(end - done);
            WALL.add(System.nanoTime() - begin);
        }
    }

    /** A dye house that asks for one recipe after another. */
    static final class DyeHouse implements Runnable {
        private final int port;

        DyeHouse(int port) {
            this.port = port;
        }

        private int ask() throws IOException {
            int colour = ThreadLocalRandom.current().nextInt(100000);
            HttpURLConnection link = (HttpURLConnection) URI.create("http://127.0.0.1:" + port + "/recipe?" + colour).toURL().openConnection();
            link.setReadTimeout(60000);
            try (InputStream in = link.getInputStream()) {
                return in.readAllBytes().length;
            }
        }

        @Override
        public void run() {
            while (true)
                try {
                    ask();
                    Thread.sleep(ThreadLocalRandom.current().nextInt(10, 40));
                } catch (IOException e) {
                    System.err.println("again: " + e);
                } catch (InterruptedException e) {
                    return;
                }
        }
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 50);
        server.createContext("/recipe", new RecipeHandler());
        AtomicInteger number = new AtomicInteger();
        server.setExecutor(Executors.newFixedThreadPool(16, task -> new Thread(task, "http-" + number.incrementAndGet())));
        server.start();
        for (int i = 0; i < 8; i++)
            new Thread(new DyeHouse(server.getAddress().getPort()), "dye-house-" + i).start();
        for (int second = 0;; second++) {
            long requests = REQUESTS.sum(), wall = WALL.sum(), closing = CLOSING.sum();
            Thread.sleep(1000);
            requests = REQUESTS.sum() - requests;
            wall = WALL.sum() - wall;
            closing = CLOSING.sum() - closing;
            System.out.printf("measured: %d requests, %.1f ms each, %.0f %% of that until the gauge's thread has ended%n", requests,
                wall / 1e6 / Math.max(1, requests), 100.0 * closing / Math.max(1, wall));
            if (second == 2) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
