// SPDX-License-Identifier: Apache-2.0
// healthy: 36 screens wait in long polls (socket reads) and as many of the 40 HTTP workers wait in BlockingQueue.poll for a notice of their room, nearly all of the time and by design; a notice is shown 1 to 2 ms after it was posted, and four workers stay free.
// share: measures notices/s (about 32, as posted), the time from post to screen (1 to 2 ms), polls/s.
// judge: WRONG: an accusation that the server is slow to answer, that the pool is too small (pool-busy), that the queue poll or the socket reads are lost time to fix, held-back data, lock contention, or that sorting in archive is a fault. ACCEPTABLE: neutral remarks that threads wait for answers of a server which is this process, whose workers wait for elements of a queue; that CPU time goes to sorting in ClubNotices.archive or to building text.
// jdk: 17
// set: twenty-fourth
// jvm:
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

public class ClubNotices {
    static final AtomicLong received = new AtomicLong();
    static final AtomicLong delay = new AtomicLong();
    static final AtomicLong polls = new AtomicLong();

    interface Job {
        void run() throws Exception;
    }

    static void daemon(String name, Job job) {
        Thread thread = new Thread(() -> {
            try {
                job.run();
            } catch (Exception e) {
                throw new IllegalStateException(name, e);
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
    }

    record Notice(long id, long posted, String text) {
    }

    static final class Board {
        private final Map<Integer, BlockingQueue<Notice>> rooms = new ConcurrentHashMap<>();
        private final AtomicLong ids = new AtomicLong();

        Board(int count) {
            for (int i = 0; i < count; i++) rooms.put(i, new LinkedBlockingQueue<>(100));
        }

        void post(int room, String text) {
            rooms.get(room).offer(new Notice(ids.incrementAndGet(), System.nanoTime(), text));
        }

        Notice next(int room, int seconds) throws InterruptedException {
            return rooms.get(room).poll(seconds, TimeUnit.SECONDS);
        }
    }

    static final class Site {
        private final HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        private final Board board;

        Site(Board board) throws IOException {
            this.board = board;
            server.createContext("/poll", this::poll);
            server.setExecutor(Executors.newFixedThreadPool(40));
            server.start();
        }

        int port() {
            return server.getAddress().getPort();
        }

        private void poll(HttpExchange exchange) throws IOException {
            int room = Integer.parseInt(exchange.getRequestURI().getQuery());
            byte[] body;
            try {
                Notice notice = board.next(room, 25);
                body = (notice == null ? "none" : notice.posted() + " " + notice.text()).getBytes(StandardCharsets.UTF_8);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                body = "none".getBytes(StandardCharsets.UTF_8);
            }
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        }
    }

    static final class Screen {
        private final URI address;

        Screen(int port, int room) {
            address = URI.create("http://127.0.0.1:" + port + "/poll?" + room);
        }

        void run() throws Exception {
            while (true) {
                HttpURLConnection connection = (HttpURLConnection) address.toURL().openConnection();
                String answer;
                try (InputStream in = connection.getInputStream()) {
                    answer = new String(in.readAllBytes(), StandardCharsets.UTF_8);
                }
                polls.incrementAndGet();
                if (answer.equals("none")) continue;
                delay.addAndGet(System.nanoTime() - Long.parseLong(answer.substring(0, answer.indexOf(' '))));
                received.incrementAndGet();
            }
        }
    }

    static final class Office {
        private static final List<String> SUBJECTS = List.of("room change", "guest lecture", "lost property", "fire drill", "exam results");
        private final Board board;
        private final Random random = new Random(6);

        Office(Board board) {
            this.board = board;
        }

        private String compose() {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < 200; i++) text.append(SUBJECTS.get(random.nextInt(SUBJECTS.size()))).append(' ').append(i).append("; ");
            return text.toString();
        }

        void run() throws InterruptedException {
            while (true) {
                Thread.sleep(20 + random.nextInt(20));
                board.post(random.nextInt(36), compose());
            }
        }
    }

    static void archive() throws InterruptedException {
        Random random = new Random(9);
        long[] digests = new long[40_000];
        while (true) {
            for (int i = 0; i < digests.length; i++) digests[i] = random.nextLong();
            Arrays.sort(digests);
            Thread.sleep(25);
        }
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        Board board = new Board(36);
        Site site = new Site(board);
        for (int i = 0; i < 36; i++) daemon("screen-" + i, new Screen(site.port(), i)::run);
        daemon("office", new Office(board)::run);
        daemon("archive", ClubNotices::archive);
        System.out.println("READY");
        for (int second = 0; second < 170; second++) {
            long n = received.get();
            long t = delay.get();
            long p = polls.get();
            Thread.sleep(1000);
            long count = received.get() - n;
            System.out.printf("measured: %d notices/s shown, %.2f ms after they were posted, %d polls/s%n", count,
                    count == 0 ? 0.0 : (delay.get() - t) / 1e6 / count, polls.get() - p);
        }
        System.exit(0);
    }
}
