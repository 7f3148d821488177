// SPDX-License-Identifier: Apache-2.0
// healthy: long polling: 24 nurse stations keep one HTTP request open each, which the server answers when there is a new alarm or after 4 s; handler threads wait on a condition by design (one per station, a small known number), the CPU is idle, delivery takes some milliseconds
// judge: right: nothing to report, "threads wait for events by design", "idle". Wrong: "threads blocked / pool exhausted", "contention on the AlarmBoard" (a brief wake-up of all waiters per alarm), "slow requests" because of their length, "waits for network in the stations", "too many threads".
// jdk: 8
// set: fifteenth
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Alarms of bedside monitors, brought to the nurse stations of a hospital. */
public final class AlarmDesk {
    static final int STATIONS = 24;
    static final long HOLD_SECONDS = 4;
    static final LongAdder RAISED = new LongAdder();
    static final LongAdder DELIVERED = new LongAdder();
    static final LongAdder EMPTY = new LongAdder();
    static final LongAdder DELAY_NANOS = new LongAdder();

    static final class Alarm {
        final long number;
        final long raisedAt;
        final String text;

        Alarm(long number, long raisedAt, String text) {
            this.number = number;
            this.raisedAt = raisedAt;
            this.text = text;
        }
    }

    /** The last alarms, numbered; readers ask for what came after the last one they know. */
    static final class AlarmBoard {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition raised = lock.newCondition();
        private final ArrayDeque<Alarm> recent = new ArrayDeque<>();
        private long last;

        void raise(String text) {
            lock.lock();
            try {
                recent.addLast(new Alarm(++last, System.nanoTime(), text));
                if (recent.size() > 100) {
                    recent.removeFirst();
                }
                raised.signalAll();
            } finally {
                lock.unlock();
            }
        }

        /** The alarms after `known`, as lines; empty if none comes in time. */
        String after(long known) throws InterruptedException {
            long left = TimeUnit.SECONDS.toNanos(HOLD_SECONDS);
            lock.lock();
            try {
                while (last <= known) {
                    if (left <= 0) {
                        return "";
                    }
                    left = raised.awaitNanos(left);
                }
                StringBuilder b = new StringBuilder();
                for (Alarm a : recent) {
                    if (a.number > known) {
                        b.append(a.number).append(' ').append(a.raisedAt).append(' ').append(a.text).append('\n');
                    }
                }
                return b.toString();
            } finally {
                lock.unlock();
            }
        }
    }

    static void handle(AlarmBoard board, HttpExchange x) throws IOException {
        try {
            long known = Long.parseLong(x.getRequestURI().getQuery().substring("after=".length()));
            byte[] body = board.after(known).getBytes(StandardCharsets.UTF_8);
            x.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
            if (body.length > 0) {
                x.getResponseBody().write(body);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            x.close();
        }
    }

    static void station(int port) {
        long known = 0;
        byte[] buffer = new byte[4096];
        try {
            while (true) {
                HttpURLConnection c = (HttpURLConnection) new URL("http://127.0.0.1:" + port + "/alarms?after=" + known).openConnection();
                c.setReadTimeout((int) TimeUnit.SECONDS.toMillis(HOLD_SECONDS + 5));
                ByteArrayOutputStream text = new ByteArrayOutputStream();
                try (InputStream in = c.getInputStream()) {
                    for (int n; (n = in.read(buffer)) > 0;) {
                        text.write(buffer, 0, n);
                    }
                }
                if (text.size() == 0) {
                    EMPTY.increment();
                    continue;
                }
                for (String line : text.toString("UTF-8").split("\n")) {
                    String[] part = line.split(" ", 3);
                    known = Long.parseLong(part[0]);
                    DELAY_NANOS.add(System.nanoTime() - Long.parseLong(part[1]));
                    DELIVERED.increment();
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    static void monitors(AlarmBoard board) {
        String[] kinds = {"heart rate high", "SpO2 low", "lead off", "pump empty", "apnoea"};
        Random random = new Random(9);
        try {
            while (true) {
                Thread.sleep(150 + random.nextInt(900));
                int together = random.nextInt(6) == 0 ? 3 : 1;
                for (int i = 0; i < together; i++) {
                    board.raise("bed " + random.nextInt(200) + ' ' + kinds[random.nextInt(kinds.length)]);
                    RAISED.increment();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        AlarmBoard board = new AlarmBoard();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 64);
        AtomicInteger n = new AtomicInteger();
        server.setExecutor(Executors.newCachedThreadPool(r -> daemon("alarm-http-" + n.incrementAndGet(), r)));
        server.createContext("/alarms", x -> handle(board, x));
        server.start();
        int port = server.getAddress().getPort();
        System.setProperty("http.maxConnections", String.valueOf(STATIONS)); // keep-alive for all stations, as they share this JVM
        for (int i = 0; i < STATIONS; i++) {
            daemon("station-" + i, () -> station(port)).start();
        }
        daemon("monitors", () -> monitors(board)).start();
        System.out.println("READY");
        while (true) {
            Thread.sleep(1000);
            long d = DELIVERED.sum();
            System.out.printf("measured: %d alarms raised, %d delivered, %.1f ms on average, %d empty polls%n",
                    RAISED.sum(), d, DELAY_NANOS.sum() / 1e6 / Math.max(1, d), EMPTY.sum());
        }
    }

    static Thread daemon(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        return t;
    }
}
