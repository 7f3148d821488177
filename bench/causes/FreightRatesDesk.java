// SPDX-License-Identifier: Apache-2.0
// cause: LinePool.borrow() calls Line.verify() at every checkout, which sets SO_TIMEOUT to 15 ms and reads one byte from the idle connection until SocketTimeoutException proves that it is still open, so every request first waits 15 ms for nothing.
// share: faulty 380 rate requests/s, mean 15.8 ms; fixed 85193 rate requests/s, mean 0.071 ms; 224.0 times better (10 s each, 2 busy cores)
// expect: waiting frame=Line.verify timed=.
// symptom: waiting
// judge: NAMED: the check of a pooled connection at each borrow (LinePool.borrow -> Line.verify) blocks in a socket read for the full 15 ms time-out; check only connections that were idle for long. SYMPTOM ONLY: client threads wait in socket read; many SocketTimeoutException; latency is about 15 ms. WRONG: the rate server is slow, the pool is too small, Nagle / delayed ACK, exception creation cost as the cause, network latency.
// jdk: 11
// set: twenty-sixth
// jvm:
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.PushbackInputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.LongAdder;

public class FreightRatesDesk {
    static final boolean VARIANT = Boolean.getBoolean("fixed");
    static final long END = System.nanoTime() + 170_000_000_000L;
    static final int CLIENTS = 6;
    static final LongAdder answered = new LongAdder();
    static final LongAdder spentNanos = new LongAdder();

    static final class Line {
        final Socket socket;
        final PushbackInputStream raw;
        final DataInputStream in;
        final DataOutputStream out;
        long lastUse = System.nanoTime();

        Line(int port) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            raw = new PushbackInputStream(socket.getInputStream(), 1);
            in = new DataInputStream(raw);
            out = new DataOutputStream(socket.getOutputStream());
        }

        boolean verify() throws IOException {
            socket.setSoTimeout(15);
            try {
                int b = raw.read();
                if (b >= 0) {
                    raw.unread(b);
                }
                return b >= 0;
            } catch (SocketTimeoutException e) {
                return true;
            } finally {
                socket.setSoTimeout(5000);
            }
        }

        long ask(int weight, int zone) throws IOException {
            out.writeLong((long) weight << 32 | zone);
            long cents = in.readLong();
            lastUse = System.nanoTime();
            return cents;
        }
    }

    static final class LinePool {
        final ArrayBlockingQueue<Line> idle = new ArrayBlockingQueue<>(CLIENTS);
        final int port;

        LinePool(int port) throws IOException {
            this.port = port;
            for (int i = 0; i < CLIENTS; i++) {
                idle.add(new Line(port));
            }
        }

        Line borrow() throws IOException, InterruptedException {
            Line line = idle.take();
            boolean due = !VARIANT || System.nanoTime() - line.lastUse > 5_000_000_000L;
            if (due && !line.verify()) {
                line.socket.close();
                return new Line(port);
            }
            return line;
        }

        void giveBack(Line line) {
            idle.add(line);
        }
    }

    static void serve(Socket socket) {
        try (Socket s = socket) {
            s.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(s.getInputStream());
            DataOutputStream out = new DataOutputStream(s.getOutputStream());
            while (true) {
                long request = in.readLong();
                int weight = (int) (request >>> 32);
                int zone = (int) request;
                long cents = 350;
                for (int band = 0; band < 200; band++) {
                    cents += (weight % (band + 2)) * (zone + 1L) / 3;
                }
                out.writeLong(cents);
            }
        } catch (EOFException e) {
            return;
        } catch (IOException e) {
            System.out.println("line ended: " + e.getMessage());
        }
    }

    static void shop(LinePool pool, int id) {
        Random random = new Random(id);
        try {
            while (System.nanoTime() < END) {
                long start = System.nanoTime();
                Line line = pool.borrow();
                line.ask(1 + random.nextInt(30_000), random.nextInt(9));
                pool.giveBack(line);
                spentNanos.add(System.nanoTime() - start);
                answered.increment();
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread acceptor = new Thread(() -> {
            try {
                for (int i = 0; ; i++) {
                    Socket s = server.accept();
                    Thread t = new Thread(() -> serve(s), "rate-server-" + i);
                    t.setDaemon(true);
                    t.start();
                }
            } catch (IOException e) {
                System.out.println("acceptor ended");
            }
        }, "rate-acceptor");
        acceptor.setDaemon(true);
        acceptor.start();
        LinePool pool = new LinePool(server.getLocalPort());
        for (int i = 0; i < CLIENTS; i++) {
            int id = i;
            new Thread(() -> shop(pool, id), "shop-" + i).start();
        }
        System.out.println("READY");
        long lastCount = 0;
        long lastSpent = 0;
        while (System.nanoTime() < END) {
            Thread.sleep(1000);
            long count = answered.sum();
            long spent = spentNanos.sum();
            long n = count - lastCount;
            System.out.printf("measured: %d rate requests/s, mean %.3f ms%n", n,
                    n == 0 ? 0.0 : (spent - lastSpent) / 1e6 / n);
            lastCount = count;
            lastSpent = spent;
        }
        System.exit(0);
    }
}
