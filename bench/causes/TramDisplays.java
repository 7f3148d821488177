// SPDX-License-Identifier: Apache-2.0
// healthy: the displays at tram stops ask for the next departures by long polls: a request's virtual thread waits (unmounted) until something changes at its stop, or 5 s are over, by design; it holds nothing in that time, and the answer leaves within milliseconds after the change
// share: 100 changes a second reach the displays 1 to 5 ms after they happen (15 ms at most, 29 ms on a crowded machine); none of the polls fails; 0.2 to 0.3 CPUs
// judge: RIGHT: nothing stands out, or neutral: requests wait for what others signal (a long poll), for a condition at TramDisplays$Stop.next, unmounted, with no word of a fault. WRONG: an accusation of these waits (unmounted-wait or endpoint-wait as a fault), of a lack of carriers, the lock of Stop, held-back data, the HttpClient, the scheduler control, building strings or formatting in Board.text. On a crowded machine a lack of CPUs is true and no mistake
// jdk: 21
// set: thirty-fifth
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Shows the displays at tram stops what leaves next, as soon as that changes. */
public class TramDisplays {
    record Tram(int line, String to, int minutes) { }

    static final class Figures {
        final LongAdder changed = new LongAdder();
        final LongAdder timedOut = new LongAdder();
        final LongAdder failed = new LongAdder();
        final LongAdder deliveryNanos = new LongAdder();
        final AtomicLong slowest = new AtomicLong();
    }

    static final class Stop {
        private final String name;
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition changed = lock.newCondition();
        private List<Tram> trams = List.of();
        private long version;
        private long changedAt;

        Stop(String name) {
            this.name = name;
        }

        void update(List<Tram> now) {
            lock.lock();
            try {
                trams = now;
                version++;
                changedAt = System.nanoTime();
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }

        /** The departures, once they are newer than the version given; null if that is not so in time. */
        Board next(long seen, long nanos) throws InterruptedException {
            lock.lock();
            try {
                while (version <= seen) {
                    if (nanos <= 0) {
                        return null;
                    }
                    nanos = changed.awaitNanos(nanos);
                }
                return new Board(name, version, changedAt, trams);
            } finally {
                lock.unlock();
            }
        }
    }

    record Board(String stop, long version, long changedAt, List<Tram> trams) {
        String text() {
            StringBuilder text = new StringBuilder().append(version).append('\n');
            trams.stream().sorted((a, b) -> a.minutes() - b.minutes())
                .forEach(tram -> text.append(String.format("%3d %-20s %2d min%n", tram.line(), tram.to(), tram.minutes())));
            return text.append(stop).toString();
        }
    }

    static final class BoardService {
        private final List<Stop> stops;
        private final Figures figures;

        BoardService(List<Stop> stops, Figures figures) {
            this.stops = stops;
            this.figures = figures;
        }

        void handle(HttpExchange exchange) throws IOException {
            try (exchange) {
                String[] query = exchange.getRequestURI().getQuery().split("-");
                Stop stop = stops.get(Integer.parseInt(query[0]));
                long seen = Long.parseLong(query[1]);
                Board board = stop.next(seen, TimeUnit.SECONDS.toNanos(5));
                if (board == null) {
                    figures.timedOut.increment();
                    exchange.sendResponseHeaders(204, -1);
                    return;
                }
                byte[] body = board.text().getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
                if (board.version() == seen + 1 && seen > 0) {
                    long took = System.nanoTime() - board.changedAt();
                    figures.deliveryNanos.add(took);
                    figures.slowest.accumulateAndGet(took, Math::max);
                }
                figures.changed.increment();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Where the trams are: changes the departures of some stop now and then. */
    static final class Control implements Runnable {
        private static final String[] ENDS = {"Harbour", "Central Station", "Zoo", "University", "Old Mill", "Stadium"};
        private final List<Stop> stops;
        private final Random random = new Random(17);

        Control(List<Stop> stops) {
            this.stops = stops;
        }

        @Override
        public void run() {
            for (Stop stop : stops) {
                if (random.nextInt(25) == 0) {
                    List<Tram> trams = new ArrayList<>();
                    for (int i = 0; i < 10; i++) {
                        trams.add(new Tram(1 + random.nextInt(16), ENDS[random.nextInt(ENDS.length)], random.nextInt(30)));
                    }
                    stop.update(trams);
                }
            }
        }
    }

    /** A display, which asks again as soon as it has an answer. */
    static final class Display {
        private final HttpClient client;
        private final int port;
        private final int stop;
        private final Figures figures;
        private long seen;

        Display(HttpClient client, int port, int stop, Figures figures) {
            this.client = client;
            this.port = port;
            this.stop = stop;
            this.figures = figures;
        }

        void ask() {
            URI uri = URI.create("http://127.0.0.1:" + port + "/board?" + stop + "-" + seen);
            client.sendAsync(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString()).whenComplete(this::answered);
        }

        private void answered(HttpResponse<String> response, Throwable failure) {
            if (failure != null) {
                figures.failed.increment();
            } else if (response.statusCode() == 200) {
                String body = response.body();
                seen = Long.parseLong(body.substring(0, body.indexOf('\n')));
            }
            ask();
        }
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        Figures figures = new Figures();
        List<Stop> stops = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            stops.add(new Stop("stop " + i));
        }
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 200);
        server.createContext("/board", new BoardService(stops, figures)::handle);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.start();
        ScheduledExecutorService control = Executors.newSingleThreadScheduledExecutor(r -> new Thread(r, "control"));
        control.scheduleAtFixedRate(new Control(stops), 0, 50, TimeUnit.MILLISECONDS);
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        for (int i = 0; i < 120; i++) {
            new Display(client, server.getAddress().getPort(), i % 30, figures).ask();
            Thread.sleep(10);
        }
        Thread.sleep(4000);
        figures.slowest.set(0);
        System.out.println("READY");
        System.out.flush();
        var os = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long answers = figures.changed.sum(), nanos = figures.deliveryNanos.sum(), cpu = os.getProcessCpuTime(), at = System.nanoTime();
        for (;;) {
            Thread.sleep(1000);
            long answers2 = figures.changed.sum(), nanos2 = figures.deliveryNanos.sum(), cpu2 = os.getProcessCpuTime(), at2 = System.nanoTime();
            System.out.printf("measured: %d changes shown on 120 displays, %.1f ms after the change (%.1f at most); %d polls without a change and %d failures so far; %.2f CPUs%n",
                answers2 - answers, (nanos2 - nanos) / 1e6 / Math.max(1, answers2 - answers), figures.slowest.getAndSet(0) / 1e6,
                figures.timedOut.sum(), figures.failed.sum(), (double) (cpu2 - cpu) / (at2 - at));
            answers = answers2;
            nanos = nanos2;
            cpu = cpu2;
            at = at2;
        }
    }
}
