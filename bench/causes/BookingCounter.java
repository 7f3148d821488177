// SPDX-License-Identifier: Apache-2.0
// cause: BookingCounter$Server opens its ServerSocket with a backlog of 2 (PENDING) while 24 terminals connect at the same 100 ms tick, so the kernel's accept queue overflows, connection attempts are dropped and the client's TCP retransmits only after about 1 s (then 2 s, 4 s).
// share: faulty 33-86 bookings/s, mean 190-510 ms; fixed (backlog 256) 192-240 bookings/s, mean 2.4-48 ms (other processes were running; 2-3 ms on a quiet machine): about 3 times the bookings, tens of times better latency
// expect: listen-overflow
// symptom: waiting
// judge: NAMED: the accept backlog / listen queue of the ServerSocket in BookingCounter$Server is too small (2) for the bursts of connections, so connects are retried after 1 s. SYMPTOM ONLY: terminals wait in Socket.connect (or in the first read) for about one second; latency is bimodal; a new connection per request. WRONG: handler pool too small, slow serve method, DNS, Nagle or delayed ACK, Thread.sleep of the tick as the fault, GC, lock contention, acceptor thread slow.
// jdk: 17
// set: twenty-third
// jvm:
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

public class BookingCounter {
    private static final int CLIENTS = 24;
    private static final int PENDING = Boolean.getBoolean("fixed") ? 256 : 2;
    private static final long TICK_MS = 100;
    private static final long RUN_SECONDS = 170;
    private static final AtomicLong DONE = new AtomicLong();
    private static final AtomicLong NANOS = new AtomicLong();
    private static final AtomicLong FAILED = new AtomicLong();

    static final class Server implements Runnable {
        private final ServerSocket socket;
        private final ExecutorService handlers = Executors.newFixedThreadPool(8, r -> {
            Thread t = new Thread(r, "desk-handler");
            t.setDaemon(true);
            return t;
        });
        private final Map<Integer, AtomicLong> seats = new ConcurrentHashMap<>();

        Server() throws IOException {
            socket = new ServerSocket(0, PENDING, InetAddress.getLoopbackAddress());
            for (int i = 0; i < 500; i++) {
                seats.put(i, new AtomicLong(300));
            }
        }

        int port() {
            return socket.getLocalPort();
        }

        @Override
        public void run() {
            while (true) {
                try {
                    Socket s = socket.accept();
                    s.setTcpNoDelay(true);
                    s.setSoTimeout(5000);
                    handlers.execute(() -> serve(s));
                } catch (IOException e) {
                    FAILED.incrementAndGet();
                }
            }
        }

        private void serve(Socket s) {
            try (s) {
                BufferedReader in = new BufferedReader(
                        new InputStreamReader(s.getInputStream(), StandardCharsets.US_ASCII));
                String line = in.readLine();
                if (line == null) {
                    return;
                }
                String[] f = line.split(" ");
                int show = Integer.parseInt(f[1]);
                int wanted = Integer.parseInt(f[2]);
                AtomicLong free = seats.get(show);
                long left = free.addAndGet(-wanted);
                String answer;
                if (left < 0) {
                    free.set(300);
                    answer = "SOLD-OUT " + show + "\n";
                } else {
                    answer = "OK " + show + " " + left + "\n";
                }
                OutputStream out = s.getOutputStream();
                out.write(answer.getBytes(StandardCharsets.US_ASCII));
                out.flush();
            } catch (IOException e) {
                FAILED.incrementAndGet();
            }
        }
    }

    static final class Terminal implements Runnable {
        private final InetSocketAddress address;
        private final Random random;

        Terminal(int port, int id) {
            address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
            random = new Random(id);
        }

        @Override
        public void run() {
            while (true) {
                long now = System.currentTimeMillis();
                try {
                    Thread.sleep(TICK_MS - now % TICK_MS);
                } catch (InterruptedException e) {
                    return;
                }
                long t = System.nanoTime();
                try (Socket s = new Socket()) {
                    s.connect(address, 10000);
                    s.setTcpNoDelay(true);
                    s.setSoTimeout(10000);
                    String request = "BOOK " + random.nextInt(500) + " " + (1 + random.nextInt(4)) + "\n";
                    s.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
                    BufferedReader in = new BufferedReader(
                            new InputStreamReader(s.getInputStream(), StandardCharsets.US_ASCII));
                    if (in.readLine() == null) {
                        FAILED.incrementAndGet();
                        continue;
                    }
                    NANOS.addAndGet(System.nanoTime() - t);
                    DONE.incrementAndGet();
                } catch (IOException e) {
                    FAILED.incrementAndGet();
                }
            }
        }
    }

    static void daemon(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        Server server = new Server();
        daemon(server, "desk-acceptor");
        for (int i = 0; i < CLIENTS; i++) {
            daemon(new Terminal(server.port(), i), "terminal-" + i);
        }
        System.out.println("READY");
        long n0 = 0;
        long t0 = 0;
        for (int s = 0; s < RUN_SECONDS; s++) {
            Thread.sleep(1000);
            long n = DONE.get();
            long t = NANOS.get();
            System.out.println("measured: " + (n - n0) + " bookings/s, mean "
                    + (t - t0) / Math.max(1, n - n0) / 1000 + " us, failed=" + FAILED.get());
            n0 = n;
            t0 = t;
        }
    }
}
