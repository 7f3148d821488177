// SPDX-License-Identifier: Apache-2.0
// cause: TripPlanner.Planner.plan starts supplyAsync and joins in ONE lazy stream pipeline (map(ask).map(join)), so the eight airline calls meant to run in parallel run one after the other
// share: 20 plans/s faulty (200 ms each), 143 plans/s fixed (27 ms each)
// judge: Named = Planner.plan / Planner.collect joins each future before the next is started (lazy stream, sequential fan-out; collect the futures first, then join). Near (accept) = "the calls of one request run sequentially, join per element". Symptom only = "request threads wait in CompletableFuture.join", "fetch threads mostly idle / waiting on sockets", "low CPU". Wrong = pool too small (32 threads are enough and mostly idle), airlines slow, locks, GC.
// expect: waiting tasks=.
// symptom: waiting
// jdk: 17
// set: sixteenth
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.stream.*;

public class TripPlanner {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final LongAdder plans = new LongAdder(), millis = new LongAdder();
    static final AtomicInteger threadNo = new AtomicInteger();

    static Thread daemon(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
        return t;
    }

    static class AirlineGateway {
        final ServerSocket server;
        AirlineGateway() throws IOException {
            server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
            daemon("airline-accept", () -> {
                try {
                    while (true) {
                        Socket s = server.accept();
                        daemon("airline-session", () -> session(s));
                    }
                } catch (IOException e) { /* closed */ }
            });
        }
        void session(Socket s) {
            try (s) {
                s.setTcpNoDelay(true);
                DataInputStream in = new DataInputStream(s.getInputStream());
                DataOutputStream out = new DataOutputStream(s.getOutputStream());
                while (true) {
                    String question = in.readUTF();
                    Thread.sleep(20 + (question.hashCode() & 7));
                    out.writeUTF(question + "=" + (5000 + (question.hashCode() & 0xffff)));
                }
            } catch (IOException | InterruptedException e) { /* hung up */ }
        }
    }

    static class AirlineClient {
        final DataInputStream in; final DataOutputStream out;
        AirlineClient(int port) {
            try {
                Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
                s.setTcpNoDelay(true);
                in = new DataInputStream(s.getInputStream());
                out = new DataOutputStream(s.getOutputStream());
            } catch (IOException e) { throw new UncheckedIOException(e); }
        }
        Fare fare(String airline, String from, String to) {
            try {
                out.writeUTF(airline + ":" + from + "-" + to);
                String a = in.readUTF();
                return new Fare(airline, Long.parseLong(a.substring(a.indexOf('=') + 1)));
            } catch (IOException e) { throw new UncheckedIOException(e); }
        }
    }

    record Fare(String airline, long cents) {}

    static class Planner {
        final List<String> airlines = List.of("AB", "CK", "DL", "ET", "FZ", "GH", "IK", "LM");
        final ExecutorService fetch = Executors.newFixedThreadPool(32, r -> {
            Thread t = new Thread(r, "fetch-" + threadNo.incrementAndGet());
            t.setDaemon(true);
            return t;
        });
        final ThreadLocal<AirlineClient> client;
        Planner(int port) { client = ThreadLocal.withInitial(() -> new AirlineClient(port)); }

        CompletableFuture<Fare> ask(String airline, String from, String to) {
            return CompletableFuture.supplyAsync(() -> client.get().fare(airline, from, to), fetch);
        }
        List<Fare> plan(String from, String to) {
            Stream<CompletableFuture<Fare>> asked = airlines.stream().map(a -> ask(a, from, to));
            if (FIXED) asked = asked.collect(Collectors.toList()).stream();
            return collect(asked);
        }
        private List<Fare> collect(Stream<CompletableFuture<Fare>> asked) {
            return asked.map(CompletableFuture::join).sorted(Comparator.comparingLong(Fare::cents)).limit(3).collect(Collectors.toList());
        }
    }

    static void traveller(Planner planner, int no) {
        String[] towns = {"OSL", "LIS", "ATH", "RIX", "VIE", "CPH", "DUB"};
        Random rnd = new Random(no);
        while (true) {
            long t0 = System.nanoTime();
            List<Fare> best = planner.plan(towns[rnd.nextInt(7)], towns[rnd.nextInt(7)]);
            if (best.size() != 3) throw new IllegalStateException();
            millis.add((System.nanoTime() - t0) / 1_000_000);
            plans.increment();
        }
    }

    public static void main(String[] args) throws Exception {
        Planner planner = new Planner(new AirlineGateway().server.getLocalPort());
        for (int i = 0; i < 4; i++) {
            int no = i;
            daemon("traveller-" + i, () -> traveller(planner, no));
        }
        for (int s = 0; s < 150; s++) {
            long d = plans.sum(), m = millis.sum();
            Thread.sleep(1000);
            long n = plans.sum() - d;
            System.out.println("measured: plans/s=" + n + " avgMs=" + (n == 0 ? -1 : (millis.sum() - m) / n));
            if (s == 4) System.out.println("READY");
        }
        System.exit(0);
    }
}
