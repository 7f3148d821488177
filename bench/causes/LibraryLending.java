// SPDX-License-Identifier: Apache-2.0
// healthy: a library's catalogue as an HTTP service on loopback with a pool of 8 threads, connections that are kept, and six clients that ask and rest; answers take a millisecond or so, nobody queues, and most of the machine is free
// share: none: 435 to 465 answers a second, 82 to 96 % of them in less than 1 ms, p99 below 4 to 8 ms on a busy machine, no failures; 0.4 CPUs of 2
// judge: RIGHT: nothing stands out, or only neutral sentences of where time goes (the search in LibraryLending$Index.find computes; clients wait for answers of this process). WRONG: any accusation, such as a pool that is too small, locks, a fault of waiting for answers, held-back data, a slow accept, costly JDK work (building strings, formatting, connecting), collections.
// jdk: 11
// set: thirty-fourth
// jvm: -Xmx256m -Dsun.net.httpserver.nodelay=true
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/** A catalogue of volumes that is asked over HTTP. */
public class LibraryLending {
    static final AtomicLong failures = new AtomicLong();
    /** Answers by time: up to 1, 2, 4... ms. */
    static final AtomicLongArray answers = new AtomicLongArray(16);

    static final class Book {
        final int shelf;
        final String title;
        final int[] words;

        Book(int shelf, String title, int[] words) {
            this.shelf = shelf;
            this.title = title;
            this.words = words;
        }
    }

    /** Which volumes have a word in their title. */
    static final class Index {
        final List<Book> volumes = new ArrayList<>();
        final Map<Integer, int[]> byWord = new HashMap<>();

        Index(int number) {
            Random random = new Random(3);
            Map<Integer, List<Integer>> lists = new HashMap<>();
            for (int i = 0; i < number; i++) {
                int[] words = new int[6];
                StringBuilder title = new StringBuilder();
                for (int j = 0; j < words.length; j++) {
                    words[j] = (int) Math.abs(random.nextGaussian() * 300);
                    title.append('w').append(words[j]).append(' ');
                    lists.computeIfAbsent(words[j], w -> new ArrayList<>()).add(i);
                }
                volumes.add(new Book(random.nextInt(900), title.toString().trim(), words));
            }
            lists.forEach((word, list) -> byWord.put(word, list.stream().mapToInt(Integer::intValue).toArray()));
        }

        /** The best volumes for some words, those with most of them first. */
        List<Book> find(int... words) {
            byte[] score = new byte[volumes.size()];
            for (int word : words) {
                for (int book : byWord.getOrDefault(word, new int[0])) {
                    score[book]++;
                }
            }
            List<Book> best = new ArrayList<>();
            for (int wanted = words.length; wanted > 0 && best.size() < 10; wanted--) {
                for (int book = 0; book < score.length && best.size() < 10; book++) {
                    if (score[book] == wanted) {
                        best.add(volumes.get(book));
                    }
                }
            }
            return best;
        }
    }

    static final class Service {
        final Index index;
        final HttpServer server;

        Service(Index index) throws IOException {
            this.index = index;
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
            AtomicInteger number = new AtomicInteger();
            server.setExecutor(Executors.newFixedThreadPool(8, task -> {
                Thread thread = new Thread(task, "catalogue-" + number.incrementAndGet());
                thread.setDaemon(true);
                return thread;
            }));
            server.createContext("/find", this::find);
            server.start();
        }

        void find(HttpExchange exchange) throws IOException {
            try {
                String[] asked = exchange.getRequestURI().getQuery().split(",");
                int[] words = new int[asked.length];
                for (int i = 0; i < words.length; i++) {
                    words[i] = Integer.parseInt(asked[i]);
                }
                StringBuilder text = new StringBuilder();
                for (Book book : index.find(words)) {
                    text.append(book.shelf).append(' ').append(book.title).append('\n');
                }
                byte[] body = text.toString().getBytes(StandardCharsets.US_ASCII);
                exchange.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
                if (body.length > 0) {
                    exchange.getResponseBody().write(body);
                }
            } finally {
                exchange.close();
            }
        }
    }

    /** A terminal in the reading room. */
    static final class Terminal implements Runnable {
        final int port;
        final Random random;

        Terminal(int port, int number) {
            this.port = port;
            this.random = new Random(number);
        }

        @Override
        public void run() {
            while (true) {
                try {
                    long start = System.nanoTime();
                    ask(random.nextInt(400) + "," + random.nextInt(400) + "," + random.nextInt(400));
                    long ms = (System.nanoTime() - start) / 1_000_000;
                    answers.incrementAndGet(Math.min(15, 64 - Long.numberOfLeadingZeros(ms)));
                    Thread.sleep(8 + random.nextInt(10));
                } catch (IOException e) {
                    failures.incrementAndGet();
                } catch (InterruptedException e) {
                    return;
                }
            }
        }

        int ask(String words) throws IOException {
            URL url = new URL("http", "127.0.0.1", port, "/find?" + words);
            HttpURLConnection connection = (HttpURLConnection) url.openConnection();
            int lines = 0;
            try (InputStream in = connection.getInputStream()) {
                for (byte b : in.readAllBytes()) {
                    lines += b == '\n' ? 1 : 0;
                }
            }
            return lines;
        }
    }

    public static void main(String[] args) throws Exception {
        Service service = new Service(new Index(60_000));
        for (int i = 0; i < 6; i++) {
            Thread terminal = new Thread(new Terminal(service.server.getAddress().getPort(), i), "terminal-" + i);
            terminal.setDaemon(true);
            terminal.start();
        }
        long[] before = new long[16];
        for (int second = 1; ; second++) {
            Thread.sleep(1000);
            long[] now = new long[16];
            Arrays.setAll(now, answers::get);
            long number = 0;
            for (int i = 0; i < 16; i++) {
                number += now[i] - before[i];
            }
            int p99 = 0;
            for (long sum = 0; p99 < 16 && (sum += now[p99] - before[p99]) < 0.99 * number; ) {
                p99++;
            }
            System.out.printf("measured: %d answers, %.1f %% below 1 ms, p99 below %d ms, %d failures so far%n",
                    number, 100.0 * (now[0] - before[0]) / Math.max(1, number), 1 << p99, failures.get());
            if (second == 4) {
                System.out.println("READY");
            }
            System.out.flush();
            before = now;
        }
    }
}
