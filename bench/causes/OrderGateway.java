// SPDX-License-Identifier: Apache-2.0
// cause: Session.send writes header and body apart with Nagle on: the body waits for a delayed ACK (40 ms)
// share: mean 45 ms to the ack (133 orders/s) against 0.14 ms (41000 orders/s) fixed
// expect: held-back frame=OrderGateway$Session.awaitAck
// symptom: waiting
// judge: right: OrderGateway$Session.send: two small writes, no TCP_NODELAY; Nagle + delayed ACK, ~40 ms a reply
// judge: symptom: sessions wait in socket read for the exchange's answer; threads are idle, CPU hardly used
// judge: wrong: exchange is slow in matching, the orders queue, RiskBook's lock or the risk thread is the cause
// jdk: 21
// set: fourteenth
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

/** Sends the strategies' orders to the exchange over six sessions, and keeps positions and limits. */
public class OrderGateway {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final LongAdder orders = new LongAdder();
    static final LongAdder refused = new LongAdder();
    static final LongAdder ackNanos = new LongAdder();
    static final BlockingQueue<Order> outgoing = new ArrayBlockingQueue<>(64);

    record Order(long id, int instrument, int quantity, long limit) {}

    static final class RiskBook {
        private final Map<Integer, Long> exposure = new HashMap<>();

        synchronized boolean admit(Order o) {
            long now = exposure.getOrDefault(o.instrument(), 0L);
            if (Math.abs(now + o.quantity()) > 50_000) return false;
            exposure.put(o.instrument(), now + o.quantity());
            return true;
        }

        synchronized double gross() {
            double sum = 0;
            for (long v : exposure.values()) sum += Math.abs(v);
            return sum;
        }
    }

    static final RiskBook risk = new RiskBook();

    /** The other side: matches an order against a small book and acknowledges it. */
    static void exchange(Socket s) {
        try (s) {
            DataInputStream in = new DataInputStream(s.getInputStream());
            OutputStream out = s.getOutputStream();
            s.setTcpNoDelay(true);
            long[] book = new long[256];
            byte[] header = new byte[8];
            byte[] body = new byte[64];
            while (true) {
                in.readFully(header);
                int length = ByteBuffer.wrap(header).getInt(4);
                in.readFully(body, 0, length);
                ByteBuffer b = ByteBuffer.wrap(body, 0, length);
                long id = b.getLong();
                int instrument = b.getInt();
                book[instrument & 255] += b.getInt();
                ByteBuffer ack = ByteBuffer.allocate(20).putInt(0xACED).putLong(id).putLong(book[instrument & 255]);
                out.write(ack.array());
            }
        } catch (IOException e) {
            System.err.println("session closed: " + e);
        }
    }

    static final class Session extends Thread {
        private final Socket socket;
        private final OutputStream out;
        private final DataInputStream in;

        Session(int n, int port) throws IOException {
            super("fix-session-" + n);
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(FIXED);
            out = socket.getOutputStream();
            in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 256));
        }

        void send(Order o) throws IOException {
            byte[] body = ByteBuffer.allocate(48).putLong(o.id()).putInt(o.instrument()).putInt(o.quantity())
                    .putLong(o.limit()).putLong(System.currentTimeMillis()).array();
            out.write(ByteBuffer.allocate(8).putInt(0x4F52).putInt(body.length).array());
            out.write(body);
        }

        void awaitAck(Order o) throws IOException {
            int magic = in.readInt();
            long id = in.readLong();
            in.readLong();
            if (magic != 0xACED || id != o.id()) throw new IOException("out of step: " + id);
        }

        @Override public void run() {
            try {
                while (true) {
                    Order o = outgoing.take();
                    if (!risk.admit(o)) {
                        refused.increment();
                        continue;
                    }
                    long t0 = System.nanoTime();
                    send(o);
                    awaitAck(o);
                    ackNanos.add(System.nanoTime() - t0);
                    orders.increment();
                }
            } catch (Exception e) {
                e.printStackTrace();
                System.exit(1);
            }
        }
    }

    /** Ticks prices and makes orders of them, as many as the sessions take. */
    static void strategy() {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        double[] fast = new double[200];
        double[] slow = new double[200];
        try {
            for (long id = 1; ; id++) {
                int i = r.nextInt(200);
                for (int k = 0; k < 50; k++) {
                    double price = 100 + r.nextGaussian();
                    fast[i] += (price - fast[i]) * 0.2;
                    slow[i] += (price - slow[i]) * 0.02;
                }
                int quantity = (fast[i] > slow[i] ? 1 : -1) * (1 + r.nextInt(100));
                outgoing.put(new Order(id, i, quantity, Math.round(slow[i] * 10_000)));
            }
        } catch (InterruptedException e) {
            return;
        }
    }

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().name("exchange-accept").start(() -> {
            try {
                while (true) {
                    Socket s = server.accept();
                    Thread.ofPlatform().daemon().name("exchange-" + s.getPort()).start(() -> exchange(s));
                }
            } catch (IOException e) {
                System.err.println(e);
            }
        });
        for (int i = 0; i < 6; i++) new Session(i, server.getLocalPort()).start();
        Thread.ofPlatform().daemon().name("strategy").start(OrderGateway::strategy);
        System.out.println("READY");
        while (true) {
            Thread.sleep(1000);
            long n = orders.sumThenReset();
            System.out.printf("measured: %d orders/s, mean %.2f ms to the ack, %d refused, gross %.0f%n",
                    n, ackNanos.sumThenReset() / 1e6 / Math.max(1, n), refused.sumThenReset(), risk.gross());
        }
    }
}
