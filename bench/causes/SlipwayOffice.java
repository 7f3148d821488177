// SPDX-License-Identifier: Apache-2.0
// cause: SlipwayOffice$Slips.leave gives a slip back and calls nobody who waits for one: only the thread harbour-clock does so (Slips.call), each 150 ms; so requests are parked in SlipwayOffice$Slips.enter (LockSupport.park) while slips are free
// share: 99.7 % or more of the time of requests (some 500 ms each) is in Slips.enter, for 1 to 3 ms of work; both slips are free while somebody waits for 98 % of the time or more; the process uses 0.05 to 0.1 CPUs
// expect: waiting kind=park frame=SlipwayOffice$Slips.enter
// symptom: waiting
// judge: NAMED: requests (HTTP handling) that wait parked at SlipwayOffice$Slips.enter (waiting, endpoint-wait, kind park or "another thread's doing"), with or without naming harbour-clock, which rests at SlipwayOffice.clock between calls; also naming harbour-clock's sleep as what sets the pace of those waits. SYMPTOM ONLY: the boats' threads (skipper-N, SlipwayOffice$Skipper.run/ask) wait for answers of a server in this process; the server's pool has work all the time, without naming Slips.enter. WRONG: too few threads in the pool, CPU time, Nagle, Hoist.lift, all else.
// jdk: 17
// set: thirty-sixth
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** The office of a boatyard: skippers ask for the hoist of one of two slips, first come, first served. */
public class SlipwayOffice {
    static final AtomicLong requests = new AtomicLong();
    static final AtomicLong requestTime = new AtomicLong();
    static final AtomicLong enterTime = new AtomicLong();
    static final AtomicLong failures = new AtomicLong();

    /** The slips, and who waits for one. */
    static final class Slips {
        private static final class Turn {
            final Thread thread = Thread.currentThread();
            volatile boolean called;
        }

        private final AtomicInteger free;
        private final ConcurrentLinkedQueue<Turn> waiting = new ConcurrentLinkedQueue<>();

        Slips(int number) {
            free = new AtomicInteger(number);
        }

        private boolean take() {
            while (true) {
                int now = free.get();
                if (now == 0)
                    return false;
                if (free.compareAndSet(now, now - 1))
                    return true;
            }
        }

        void enter() {
            if (waiting.isEmpty() && take())
                return;
            Turn turn = new Turn();
            waiting.add(turn);
            while (!turn.called)
                LockSupport.park(this);
        }

        void leave() {
            free.incrementAndGet();
        }

        synchronized void call() {
            while (!waiting.isEmpty() && take()) {
                Turn turn = waiting.poll();
                turn.called = true;
                LockSupport.unpark(turn.thread);
            }
        }

        int idle() {
            return waiting.isEmpty() ? 0 : free.get();
        }
    }

    /** Works out the slings for a hull. */
    static final class Hoist {
        double lift(double length, double weight) {
            double best = Double.MAX_VALUE;
            for (int fore = 1; fore < 120; fore++)
                for (int aft = fore + 1; aft < 120; aft++) {
                    double balance = Math.abs(weight * (fore + aft) / 240.0 - length * Math.sqrt(fore * aft) / 20);
                    if (balance < best)
                        best = balance;
                }
            return best;
        }
    }

    static final class LiftHandler implements com.sun.net.httpserver.HttpHandler {
        private final Slips slips;
        private final Hoist hoist = new Hoist();

        LiftHandler(Slips slips) {
            this.slips = slips;
        }

        @Override
        public void handle(HttpExchange exchange) throws IOException {
            long start = System.nanoTime();
            double length = Double.parseDouble(exchange.getRequestURI().getQuery());
            slips.enter();
            enterTime.addAndGet(System.nanoTime() - start);
            String answer;
            try {
                answer = "slings " + hoist.lift(length, length * 310);
            } finally {
                slips.leave();
            }
            byte[] body = answer.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(body);
            }
            requests.incrementAndGet();
            requestTime.addAndGet(System.nanoTime() - start);
        }
    }

    static final class Skipper implements Runnable {
        private final String office;

        Skipper(String office) {
            this.office = office;
        }

        @Override
        public void run() {
            while (true) {
                try {
                    ask(6 + ThreadLocalRandom.current().nextInt(120) / 10.0);
                    Thread.sleep(5 + ThreadLocalRandom.current().nextInt(10));
                } catch (IOException e) {
                    failures.incrementAndGet();
                } catch (InterruptedException e) {
                    return;
                }
            }
        }

        private void ask(double length) throws IOException {
            HttpURLConnection connection = (HttpURLConnection) new URL(office + length).openConnection();
            byte[] buffer = new byte[256];
            try (InputStream in = connection.getInputStream()) {
                while (in.read(buffer) >= 0)
                    ;
            }
        }
    }

    static void clock(Slips slips) {
        while (true) {
            slips.call();
            try {
                Thread.sleep(150);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    static void start(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        Slips slips = new Slips(2);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 50);
        server.createContext("/lift", new LiftHandler(slips));
        server.setExecutor(Executors.newFixedThreadPool(24));
        server.start();
        start("harbour-clock", () -> clock(slips));
        String office = "http://127.0.0.1:" + server.getAddress().getPort() + "/lift?";
        for (int i = 0; i < 10; i++)
            start("skipper-" + i, new Skipper(office));
        for (int second = 1; ; second++) {
            long n = requests.get(), all = requestTime.get(), wait = enterTime.get();
            int idle = 0;
            for (int i = 0; i < 100; i++) {
                Thread.sleep(10);
                if (slips.idle() == 2)
                    idle++;
            }
            if (second == 3)
                System.out.println("READY");
            long did = requests.get() - n;
            System.out.printf("measured: %d requests, %.0f ms each on average, %.1f %% of it in Slips.enter; both slips free while somebody waited: %d %% of the time; %d failures%n",
                did, did == 0 ? 0 : (requestTime.get() - all) / 1e6 / did,
                100.0 * (enterTime.get() - wait) / Math.max(1, requestTime.get() - all), idle, failures.get());
            System.out.flush();
        }
    }
}
