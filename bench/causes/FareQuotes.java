// SPDX-License-Identifier: Apache-2.0
// cause: CarrierSession.ask goes through the synchronized method askInTurn, which blocks on socket I/O while run by a virtual thread, which on JDK 21 pins its carrier thread; with two carriers only two quotes are in progress at a time although every session has its own monitor.
// share: throughput 160 quotes/s, mean latency 180 ms; fixed 970-990 quotes/s, 12.7 ms
// judge: NAMED only if the finding says that virtual threads are pinned to their carrier threads by the synchronized method CarrierSession.ask / askInTurn (or "synchronized around the blocking socket read in CarrierSession") so that the carriers run out. "Lock contention on CarrierSession" is wrong (no monitor is shared). "Threads wait in socket read", "airline server slow", "carrier pool too small / raise parallelism" without pinning is a symptom; pinning without the place is a symptom.
// expect: unstarted-threads monitor=CarrierSession.askInTurn | waiting monitor=CarrierSession.askInTurn | waiting holder=CarrierSession.askInTurn
// symptom: unstarted-threads waiting
// jdk: 21
// set: seventeenth
// jvm: -Djdk.virtualThreadScheduler.parallelism=2
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

public class FareQuotes {
    static final LongAdder quotes = new LongAdder(), nanos = new LongAdder();

    public static void main(String[] args) throws Exception {
        AirlineHost host = new AirlineHost();
        List<CarrierSession> sessions = new ArrayList<>();
        for (int i = 0; i < 32; i++) sessions.add(new CarrierSession(host.port()));
        FareTable table = new FareTable();
        ExecutorService requests = Executors.newVirtualThreadPerTaskExecutor();
        for (CarrierSession session : sessions) {
            Random random = new Random(session.hashCode());
            Thread.ofPlatform().daemon().name("traveller").start(() -> {
                try {
                    while (true) {
                        int from = random.nextInt(60), to = random.nextInt(60);
                        long t0 = System.nanoTime();
                        requests.submit(() -> table.price(from, to, session.ask(from, to))).get();
                        nanos.add(System.nanoTime() - t0);
                        quotes.increment();
                        Thread.sleep(20);
                    }
                } catch (InterruptedException | ExecutionException e) {
                    throw new IllegalStateException(e);
                }
            });
        }
        System.out.println("READY");
        for (int i = 0; i < 200; i++) {
            Thread.sleep(1000);
            long n = quotes.sumThenReset();
            System.out.printf("measured: %d quotes/s, mean latency %.1f ms%n", n, nanos.sumThenReset() / 1e6 / Math.max(1, n));
        }
        System.exit(0);
    }
}

class AirlineHost {
    private final ServerSocket server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());

    AirlineHost() throws IOException {
        Thread.ofPlatform().daemon().name("airline-accept").start(() -> {
            try {
                while (true) {
                    Socket s = server.accept();
                    Thread.ofPlatform().daemon().name("airline-session").start(() -> serve(s));
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    int port() { return server.getLocalPort(); }

    private void serve(Socket s) {
        try (s; DataInputStream in = new DataInputStream(s.getInputStream()); DataOutputStream out = new DataOutputStream(s.getOutputStream())) {
            s.setTcpNoDelay(true);
            while (true) {
                long route = in.readLong();
                Thread.sleep(12);
                out.writeLong(Math.abs(route * 7919 % 50_000) + 4_900);
            }
        } catch (IOException | InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

class CarrierSession {
    private final boolean fixed = Boolean.getBoolean("fixed");
    private final ReentrantLock turn = new ReentrantLock();
    private final DataInputStream in;
    private final DataOutputStream out;

    CarrierSession(int port) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        in = new DataInputStream(socket.getInputStream());
        out = new DataOutputStream(socket.getOutputStream());
    }

    long ask(int from, int to) throws IOException {
        if (!fixed) return askInTurn(from, to);
        turn.lock();
        try {
            return exchange(from, to);
        } finally {
            turn.unlock();
        }
    }

    private synchronized long askInTurn(int from, int to) throws IOException {
        return exchange(from, to);
    }

    private long exchange(int from, int to) throws IOException {
        out.writeLong(from * 1000L + to);
        return in.readLong();
    }
}

class FareTable {
    private final double[][] taxes = new double[60][60];
    FareTable() {
        for (double[] row : taxes) for (int i = 0; i < row.length; i++) row[i] = 1 + i % 9 / 40.0;
    }
    long price(int from, int to, long base) {
        double best = base * taxes[from][to];
        for (int via = 0; via < 60; via++) best = Math.min(best, base * 0.6 * taxes[from][via] + base * 0.5 * taxes[via][to]);
        return Math.round(best);
    }
}
