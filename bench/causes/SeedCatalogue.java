// SPDX-License-Identifier: Apache-2.0
// healthy: a small service over TCP (connections that are kept, TCP_NODELAY, a pool of eight workers, indexes made once, whole answers in one write) that answers some 500 requests a second, each within a millisecond or two on a free machine; most of the time all its threads rest
// share: 530 to 620 answers a second, 130 to 200 us each on average where the machine lets it (up to 2 ms on average with a load of 20 by others), 0.1 to 0.2 CPUs in all
// judge: right: nothing stands out, or only what is neutral and true (time goes to waiting for an answer at SeedCatalogue$Till.run, which is this process's own client; computing in Index.suitable or sorting there; hot-calls at Counter.run or Till.run), or what the machine does (waiting for CPUs that others use). WRONG: any accusation of the program or the JVM: a pool too small (counter), Nagle, locks, accept, building strings, collections, heap size
// jdk: 17
// set: thirty-fifth
// jvm: -Xmx256m
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** The catalogue of a seed merchant, which garden centres ask for what suits a bed. */
public class SeedCatalogue {
    static final LongAdder answers = new LongAdder();
    static final LongAdder answerNanos = new LongAdder();
    static final AtomicLong worst = new AtomicLong();

    record Variety(int number, String name, String family, int sowFrom, int sowTo, int light, int cents) {
    }

    record Match(Variety variety, double score) {
    }

    static final class Index {
        private static final String[] FAMILIES = {"brassica", "allium", "legume", "cucurbit", "nightshade", "umbel", "aster", "mint"};
        private final Map<String, List<Variety>> byFamily = new HashMap<>();

        Index() {
            SplittableRandom random = new SplittableRandom(8);
            for (int number = 0; number < 12000; number++) {
                String family = FAMILIES[random.nextInt(FAMILIES.length)];
                int from = 1 + random.nextInt(40);
                byFamily.computeIfAbsent(family, key -> new ArrayList<>())
                        .add(new Variety(number, family + "-" + number, family, from, from + 4 + random.nextInt(10), random.nextInt(10),
                                150 + random.nextInt(400)));
            }
        }

        static String family(int number) {
            return FAMILIES[number % FAMILIES.length];
        }

        List<Match> suitable(String family, int week, int light) {
            List<Match> matches = new ArrayList<>(12);
            for (Variety variety : byFamily.getOrDefault(family, List.of())) {
                if (week < variety.sowFrom() || week > variety.sowTo()) {
                    continue;
                }
                double middle = (variety.sowFrom() + variety.sowTo()) / 2.0;
                double score = Math.abs(week - middle) + 2 * Math.abs(light - variety.light()) + variety.cents() / 400.0;
                if (score < 8) {
                    matches.add(new Match(variety, score));
                }
            }
            matches.sort(Comparator.comparingDouble(Match::score));
            return matches.size() > 10 ? matches.subList(0, 10) : matches;
        }
    }

    /** One line asks, one line answers. */
    static final class Counter implements Runnable {
        private final Socket socket;
        private final Index index;

        Counter(Socket socket, Index index) {
            this.socket = socket;
            this.index = index;
        }

        @Override
        public void run() {
            try (socket;
                    BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
                    BufferedWriter out = new BufferedWriter(new OutputStreamWriter(socket.getOutputStream(), StandardCharsets.US_ASCII))) {
                StringBuilder text = new StringBuilder(512);
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    String[] words = line.split(" ");
                    text.setLength(0);
                    for (Match match : index.suitable(words[0], Integer.parseInt(words[1]), Integer.parseInt(words[2]))) {
                        text.append(match.variety().name()).append('=').append(match.variety().cents()).append(';');
                    }
                    out.append(text).append('\n');
                    out.flush();
                }
            } catch (IOException e) {
                System.err.println("connection lost: " + e.getMessage());
            }
        }
    }

    static final class Server implements Runnable {
        private final ServerSocket door;
        private final Index index = new Index();
        private final AtomicInteger number = new AtomicInteger();
        private final ExecutorService counters = Executors.newFixedThreadPool(8,
                task -> new Thread(task, "counter-" + number.incrementAndGet()));

        Server() throws IOException {
            door = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Socket socket = door.accept();
                    socket.setTcpNoDelay(true);
                    counters.execute(new Counter(socket, index));
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** A garden centre's till. */
    static final class Till implements Runnable {
        private final int port;
        private final SplittableRandom random;

        Till(int number, int port) {
            this.port = port;
            this.random = new SplittableRandom(number);
        }

        @Override
        public void run() {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                socket.setTcpNoDelay(true);
                BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
                BufferedWriter out = new BufferedWriter(new OutputStreamWriter(socket.getOutputStream(), StandardCharsets.US_ASCII));
                while (true) {
                    long begin = System.nanoTime();
                    out.write(Index.family(random.nextInt(8)) + " " + (1 + random.nextInt(48)) + " " + random.nextInt(10) + "\n");
                    out.flush();
                    if (in.readLine() == null) {
                        throw new IOException("no answer");
                    }
                    long took = System.nanoTime() - begin;
                    answers.increment();
                    answerNanos.add(took);
                    worst.accumulateAndGet(took, Math::max);
                    TimeUnit.MILLISECONDS.sleep(5 + random.nextInt(10));
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Server server = new Server();
        new Thread(server, "door").start();
        for (int number = 1; number <= 6; number++) {
            new Thread(new Till(number, server.door.getLocalPort()), "till-" + number).start();
        }
        while (answers.sum() < 800) {
            Thread.sleep(20);
        }
        System.out.println("READY");
        System.out.flush();
        long lastAnswers = answers.sum();
        long lastNanos = answerNanos.sum();
        while (true) {
            Thread.sleep(1000);
            long nowAnswers = answers.sum();
            long nowNanos = answerNanos.sum();
            long count = Math.max(1, nowAnswers - lastAnswers);
            System.out.printf("measured: %d answers, %d us each on average, %d us the slowest%n", count, (nowNanos - lastNanos) / count / 1000,
                    worst.getAndSet(0) / 1000);
            System.out.flush();
            lastAnswers = nowAnswers;
            lastNanos = nowNanos;
        }
    }
}
