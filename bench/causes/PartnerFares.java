// SPDX-License-Identifier: Apache-2.0
// healthy: asks a partner airline over a loopback socket for fares with one virtual thread per traveller (about 600); the contract allows 150 requests/s, a token limiter keeps to it, and the partner takes 250 ms per answer; demand is below the limit, so waits at the limiter are short, and nothing on our side is slow or pinned
// judge: RIGHT = no fault found / waits for a slow partner (Partner answers in 250 ms) by design. Saying "the time is the partner's answer" as a fact is fine. WRONG = any claimed defect of this code: pinned virtual threads, pool/semaphore too small, rate limiter as bottleneck to remove, lock contention, socket misconfiguration, sleeping threads as waste, GC.
// jdk: 21
// set: sixteenth
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class PartnerFares {
    /** Stands for the partner's system, which is not ours. */
    static class Partner {
        final ServerSocket socket;

        Partner() throws IOException {
            socket = new ServerSocket(0, 300, InetAddress.getLoopbackAddress());
        }

        void open() {
            Thread.ofVirtual().name("partner-accept").start(() -> {
                try {
                    while (true) {
                        Socket s = socket.accept();
                        Thread.ofVirtual().name("partner").start(() -> answer(s));
                    }
                } catch (IOException e) {
                    System.out.println("partner ends: " + e);
                }
            });
        }

        void answer(Socket s) {
            try (s; var in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
                 var out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream()))) {
                while (true) {
                    int flight = in.readInt();
                    Thread.sleep(230 + flight % 40);
                    out.writeInt(4900 + Math.floorMod(flight * 7919, 60_000));
                    out.flush();
                }
            } catch (EOFException e) {
                // the client has gone
            } catch (IOException | InterruptedException e) {
                System.out.println("partner connection: " + e);
            }
        }
    }

    static class Limiter {
        private final Semaphore tokens;
        private final int max;

        Limiter(int perSecond, ScheduledExecutorService timer) {
            max = perSecond / 5;
            tokens = new Semaphore(max, true);
            int each = perSecond / 50;
            timer.scheduleAtFixedRate(() -> tokens.release(Math.max(0, Math.min(each, max - tokens.availablePermits()))), 20, 20, TimeUnit.MILLISECONDS);
        }

        void pass() throws InterruptedException {
            tokens.acquire();
        }
    }

    static class Line implements Closeable {
        final Socket socket;
        final DataInputStream in;
        final DataOutputStream out;

        Line(int port) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
        }

        int fare(int flight) throws IOException {
            out.writeInt(flight);
            out.flush();
            return in.readInt();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    final Partner partner = new Partner();
    final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("tokens").factory());
    final Limiter limiter = new Limiter(150, timer);
    final LinkedBlockingQueue<Line> lines = new LinkedBlockingQueue<>();
    final Map<Integer, Integer> lowest = new ConcurrentHashMap<>();
    final LongAdder answers = new LongAdder();
    final LongAdder micros = new LongAdder();
    final LongAdder limiterMicros = new LongAdder();

    PartnerFares() throws IOException {
    }

    int ask(int flight) throws IOException, InterruptedException {
        long t = System.nanoTime();
        limiter.pass();
        limiterMicros.add((System.nanoTime() - t) / 1000);
        Line line = lines.take();
        try {
            return line.fare(flight);
        } finally {
            lines.add(line);
        }
    }

    void traveller(int id) {
        var r = new SplittableRandom(id);
        try {
            Thread.sleep(r.nextInt(5000));
            while (true) {
                int flight = 100 + r.nextInt(3000);
                long t = System.nanoTime();
                int fare = ask(flight);
                micros.add((System.nanoTime() - t) / 1000);
                answers.increment();
                lowest.merge(flight, fare, Math::min);
                Thread.sleep(3000 + r.nextInt(4000));
            }
        } catch (IOException | InterruptedException e) {
            System.out.println("traveller " + id + " ends: " + e);
        }
    }

    void begin() throws IOException {
        partner.open();
        for (int i = 0; i < 80; i++) lines.add(new Line(partner.socket.getLocalPort()));
        for (int i = 0; i < 600; i++) {
            int id = i;
            Thread.ofVirtual().name("traveller-" + i).start(() -> traveller(id));
        }
    }

    public static void main(String[] args) throws Exception {
        var app = new PartnerFares();
        app.begin();
        for (int s = 0; s < 150; s++) {
            Thread.sleep(1000);
            long n = app.answers.sumThenReset(), us = app.micros.sumThenReset(), l = app.limiterMicros.sumThenReset();
            System.out.println("measured: " + n + " fares/s, " + (n == 0 ? 0 : us / n / 1000) + " ms each, of which " + (n == 0 ? 0 : l / n) + " us at the limiter");
            if (s == 7) System.out.println("READY");
        }
        System.exit(0);
    }
}
