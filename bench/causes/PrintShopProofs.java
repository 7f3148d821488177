// SPDX-License-Identifier: Apache-2.0
// cause: PrintShopProofs$ProofService.proof joins (Thread.join) the progress thread that it has started for the request before it answers; that thread, in ProofService.report, only sees that the proof is finished when its Thread.sleep of 250 ms is over, so each GET /proof waits 0.25 s for rendering of 5 ms. It should be interrupted or notified (or not be waited for at all).
// share: 96 to 98 % of the time of each request (240 of 247 ms) is in Thread.join; rendering is 5 to 10 ms; the process uses about 0.15 CPUs of 2.
// expect: waiting frame=PrintShopProofs$ProofService
// symptom: waiting
// judge: NAMED: waiting for a thread (Thread.join) in PrintShopProofs$ProofService.proof (or of the endpoint /proof, in ProofService.proof or .handle); just as well that requests wait there for the timer (Thread.sleep) in ProofService.report of the threads progress-N, at the end of the chain. SYMPTOM ONLY: that clients (Workstation.run) wait for answers of this process, that requests of /proof take 250 ms, or a sleep without saying who waits for it; that http-N threads wait without saying for what. WRONG: rendering (ProofJob.render), too few http threads (pool-busy), starting of threads as the cause, collections, Nagle, CPU.
// jdk: 25
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
import java.net.URI;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Renders low-resolution proofs of print jobs; the job board shows how far each of them is. */
public class PrintShopProofs {
    static final long BOARD_REFRESH_MS = 250;

    /** What the job board on the wall of the shop shows. */
    static final class JobBoard {
        private final Map<Long, Integer> percent = new ConcurrentHashMap<>();
        private final LongAdder refreshes = new LongAdder();

        void show(long job, int done) {
            percent.put(job, done);
            refreshes.increment();
        }

        void remove(long job) {
            percent.remove(job);
        }
    }

    /** One proof: halftoning of a small grey picture. */
    static final class ProofJob {
        final long number;
        private final int width;
        private final int height;
        volatile int rowsDone;
        volatile boolean finished;

        ProofJob(long number, int width, int height) {
            this.number = number;
            this.width = width;
            this.height = height;
        }

        int percent() {
            return rowsDone * 100 / height;
        }

        byte[] render() {
            byte[] out = new byte[width * height / 8];
            float[] error = new float[width + 2];
            for (int y = 0; y < height; y++) {
                float carry = 0;
                float[] next = new float[width + 2];
                for (int x = 0; x < width; x++) {
                    float grey = 0.5f + 0.5f * (((x * 31 + y * 17 + (int) number) & 255) / 255f - 0.5f);
                    float value = grey + carry + error[x + 1];
                    boolean ink = value < 0.5f;
                    float rest = value - (ink ? 0f : 1f);
                    carry = rest * 7 / 16;
                    next[x] += rest * 3 / 16;
                    next[x + 1] += rest * 5 / 16;
                    next[x + 2] += rest / 16;
                    if (ink) {
                        int bit = y * width + x;
                        out[bit >> 3] |= (byte) (0x80 >> (bit & 7));
                    }
                }
                error = next;
                rowsDone = y + 1;
            }
            return out;
        }
    }

    /** The service: GET /proof?job=N. */
    static final class ProofService {
        private final JobBoard board = new JobBoard();
        private final LongAdder requests = new LongAdder();
        private final LongAdder renderNanos = new LongAdder();
        private final LongAdder closeNanos = new LongAdder();

        void handle(HttpExchange exchange) throws IOException {
            try {
                long number = Long.parseLong(exchange.getRequestURI().getQuery().substring(4));
                byte[] proof = proof(new ProofJob(number, 900, 600));
                exchange.getResponseHeaders().set("Content-Type", "application/octet-stream");
                exchange.sendResponseHeaders(200, proof.length);
                try (OutputStream body = exchange.getResponseBody()) {
                    body.write(proof);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                exchange.close();
            }
        }

        byte[] proof(ProofJob job) throws InterruptedException {
            Thread progress = new Thread(() -> report(job), "progress-" + job.number);
            progress.setDaemon(true);
            progress.start();
            long begin = System.nanoTime();
            byte[] proof;
            try {
                proof = job.render();
            } finally {
                job.finished = true;
            }
            long rendered = System.nanoTime();
            progress.join();
            board.remove(job.number);
            requests.increment();
            renderNanos.add(rendered - begin);
            closeNanos.add(System.nanoTime() - rendered);
            return proof;
        }

        private void report(ProofJob job) {
            try {
                while (!job.finished) {
                    board.show(job.number, job.percent());
                    Thread.sleep(BOARD_REFRESH_MS);
                }
                board.show(job.number, 100);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** A prepress operator's workstation, which asks for one proof after another. */
    static final class Workstation implements Runnable {
        private final String base;
        private final AtomicLong numbers;
        private final CountDownLatch warm;

        Workstation(String base, AtomicLong numbers, CountDownLatch warm) {
            this.base = base;
            this.numbers = numbers;
            this.warm = warm;
        }

        @Override
        public void run() {
            byte[] buffer = new byte[16384];
            while (true) {
                try {
                    HttpURLConnection c = (HttpURLConnection)
                            URI.create(base + numbers.incrementAndGet()).toURL().openConnection();
                    try (InputStream in = c.getInputStream()) {
                        while (in.read(buffer) >= 0) {
                            // the picture is shown as it comes
                        }
                    }
                    warm.countDown();
                    Thread.sleep(40);
                } catch (IOException e) {
                    System.err.println("workstation: " + e);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        ProofService service = new ProofService();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 64);
        ExecutorService handlers = Executors.newFixedThreadPool(8, Thread.ofPlatform().name("http-", 1).factory());
        server.setExecutor(handlers);
        server.createContext("/proof", service::handle);
        server.start();
        String base = "http://127.0.0.1:" + server.getAddress().getPort() + "/proof?job=";
        AtomicLong numbers = new AtomicLong(70000);
        CountDownLatch warm = new CountDownLatch(40);
        for (int i = 1; i <= 6; i++) {
            Thread.ofPlatform().name("workstation-" + i).start(new Workstation(base, numbers, warm));
        }
        warm.await();
        System.out.println("READY");
        System.out.flush();
        while (true) {
            Thread.sleep(1000);
            long n = Math.max(1, service.requests.sumThenReset());
            double render = service.renderNanos.sumThenReset() / 1e6 / n;
            double close = service.closeNanos.sumThenReset() / 1e6 / n;
            System.out.printf("measured: %d proofs, %.1f ms rendering, %.1f ms until the progress thread has ended (%.0f %%)%n",
                    n, render, close, 100 * close / (close + render));
        }
    }
}
