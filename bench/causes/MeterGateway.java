// SPDX-License-Identifier: Apache-2.0
// cause: the single selector thread "gateway-loop" (Gateway.handle) calls TariffDesk.confirm, a blocking request of about 25 ms to the tariff service, for the 1 in 40 readings that carry a tariff change; until then no other meter is served
// share: 10 s each: faulty 799 readings/s, mean 10.4 ms, p95 50 ms; fixed (confirmations on the tariff clerks) 1186 readings/s, mean 0.68 ms, p95 0.25 ms (p99 27 ms are the confirmations themselves) - mean 15 times better
// expect: blocked-loop thread=gateway-loop
// symptom: waiting saturated-thread
// judge: NAMED: blocking call TariffDesk.confirm (socket read) on the selector / event loop thread gateway-loop in Gateway.handle. SYMPTOM ONLY: meters wait for the gateway, gateway-loop is busy or waiting in a socket read without saying that it is the event loop that must not block, tariff service takes 25 ms. WRONG: GC, locks, CPU saturation, too many connections, meters (clients) too slow, network buffers.
// jdk: 17
// set: twenty-second
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Iterator;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/** Gateway for smart meters: takes their readings, checks them, and acknowledges each. */
public class MeterGateway {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final Tally TALLY = new Tally();
    static final int METERS = 24;
    static final int FRAME = 20;

    /** The tariff service of the utility; it needs its time for each change. */
    static final class TariffService implements Runnable {
        private final ServerSocket door;

        TariffService(ServerSocket door) {
            this.door = door;
        }

        @Override
        public void run() {
            try {
                for (int i = 0; ; i++) {
                    Socket s = door.accept();
                    daemon("tariff-service-" + i, () -> serve(s));
                }
            } catch (IOException e) {
                System.err.println("tariff service closed: " + e);
            }
        }

        private static void serve(Socket s) {
            try (s) {
                s.setTcpNoDelay(true);
                DataInputStream in = new DataInputStream(s.getInputStream());
                DataOutputStream out = new DataOutputStream(s.getOutputStream());
                while (true) {
                    int tariff = in.readInt();
                    Thread.sleep(25);
                    out.writeInt(tariff + 1);
                }
            } catch (IOException | InterruptedException e) {
                System.err.println("tariff line closed: " + e);
            }
        }
    }

    static final class TariffDesk {
        private final ThreadLocal<Socket> line;

        TariffDesk(int port) {
            line = ThreadLocal.withInitial(() -> {
                try {
                    Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
                    s.setTcpNoDelay(true);
                    return s;
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }

        int confirm(int tariff) throws IOException {
            Socket s = line.get();
            s.getOutputStream().write(ByteBuffer.allocate(4).putInt(tariff).array());
            return ByteBuffer.wrap(s.getInputStream().readNBytes(4)).getInt();
        }
    }

    static final class Gateway implements Runnable {
        private final Selector selector;
        private final ServerSocketChannel door;
        private final TariffDesk desk;
        private final AtomicInteger number = new AtomicInteger();
        private final ExecutorService clerks = Executors.newFixedThreadPool(8, r -> {
            Thread t = new Thread(r, "tariff-clerk-" + number.incrementAndGet());
            t.setDaemon(true);
            return t;
        });
        private final long[] lastReading = new long[METERS];

        Gateway(TariffDesk desk) throws IOException {
            this.desk = desk;
            selector = Selector.open();
            door = ServerSocketChannel.open();
            door.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            door.configureBlocking(false);
            door.register(selector, SelectionKey.OP_ACCEPT);
        }

        int port() throws IOException {
            return ((InetSocketAddress) door.getLocalAddress()).getPort();
        }

        @Override
        public void run() {
            try {
                while (true) {
                    selector.select();
                    for (Iterator<SelectionKey> i = selector.selectedKeys().iterator(); i.hasNext(); ) {
                        SelectionKey key = i.next();
                        i.remove();
                        if (key.isAcceptable()) {
                            SocketChannel c = door.accept();
                            c.configureBlocking(false);
                            c.socket().setTcpNoDelay(true);
                            c.register(selector, SelectionKey.OP_READ, ByteBuffer.allocate(1024));
                        } else if (key.isReadable()) {
                            handle((SocketChannel) key.channel(), (ByteBuffer) key.attachment());
                        }
                    }
                }
            } catch (IOException e) {
                System.err.println("gateway closed: " + e);
            }
        }

        private void handle(SocketChannel meter, ByteBuffer in) throws IOException {
            if (meter.read(in) < 0) {
                meter.close();
                return;
            }
            in.flip();
            while (in.remaining() >= FRAME) {
                int id = in.getInt();
                long reading = in.getLong();
                int tariff = in.getInt();
                int changed = in.getInt();
                boolean plausible = reading >= lastReading[id];
                lastReading[id] = reading;
                if (changed == 0) {
                    acknowledge(meter, plausible, tariff);
                } else if (FIXED) {
                    clerks.execute(() -> {
                        try {
                            acknowledge(meter, plausible, desk.confirm(tariff));
                        } catch (IOException e) {
                            System.err.println("no confirmation: " + e);
                        }
                    });
                } else {
                    acknowledge(meter, plausible, desk.confirm(tariff));
                }
            }
            in.compact();
        }

        private static void acknowledge(SocketChannel meter, boolean plausible, int tariff) throws IOException {
            ByteBuffer out = ByteBuffer.allocate(8).putInt(plausible ? 1 : 0).putInt(tariff).flip();
            while (out.hasRemaining()) {
                meter.write(out);
            }
        }
    }

    /** A meter sends a reading every 20 ms or so and waits for the acknowledgement. */
    static void meter(int id, int port) {
        try (Socket s = new Socket(InetAddress.getLoopbackAddress(), port)) {
            s.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(s.getInputStream());
            long reading = 0;
            int tariff = 0;
            ThreadLocalRandom r = ThreadLocalRandom.current();
            while (true) {
                reading += r.nextInt(5);
                ByteBuffer frame = ByteBuffer.allocate(FRAME).putInt(id).putLong(reading).putInt(tariff);
                frame.putInt(r.nextInt(40) == 0 ? 1 : 0);
                long start = System.nanoTime();
                s.getOutputStream().write(frame.array());
                in.readInt();
                tariff = in.readInt();
                TALLY.note(System.nanoTime() - start);
                Thread.sleep(15 + r.nextInt(10));
            }
        } catch (IOException | InterruptedException e) {
            System.err.println("meter " + id + " stopped: " + e);
        }
    }

    static void daemon(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        ServerSocket door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon("tariff-door", new TariffService(door));
        Gateway gateway = new Gateway(new TariffDesk(door.getLocalPort()));
        int port = gateway.port();
        daemon("gateway-loop", gateway);
        for (int i = 0; i < METERS; i++) {
            int id = i;
            daemon("meter-" + i, () -> meter(id, port));
        }
        Thread.sleep(3000);
        TALLY.take("");
        System.out.println("READY");
        long next = System.nanoTime();
        for (int second = 0; second < 170; second++) {
            next += 1_000_000_000L;
            long left = next - System.nanoTime();
            if (left > 0) {
                Thread.sleep(left / 1_000_000L, (int) (left % 1_000_000L));
            }
            System.out.println(TALLY.take("readings"));
        }
    }

    /** Service times of the running second, in logarithmic cells of one eighth. */
    static final class Tally {
        private final AtomicLongArray cells = new AtomicLongArray(512);
        private final LongAdder sum = new LongAdder();

        void note(long nanos) {
            long n = Math.max(0, nanos);
            sum.add(n);
            cells.incrementAndGet(cell(n));
        }

        static int cell(long n) {
            if (n < 8) {
                return (int) n;
            }
            int e = 63 - Long.numberOfLeadingZeros(n);
            return (e - 2) * 8 + (int) ((n >>> (e - 3)) & 7);
        }

        static double top(int c) {
            if (c < 8) {
                return (c + 1) / 1e6;
            }
            return ((9L + (c & 7)) << (c / 8 - 1)) / 1e6;
        }

        String take(String what) {
            long[] n = new long[cells.length()];
            long total = 0;
            for (int i = 0; i < n.length; i++) {
                n[i] = cells.getAndSet(i, 0);
                total += n[i];
            }
            double mean = sum.sumThenReset() / 1e6 / Math.max(1, total);
            return String.format(Locale.ROOT, "measured: %d %s/s, ms mean %.3f p50 %.3f p95 %.3f p99 %.3f max %.3f",
                    total, what, mean, at(n, total, 0.50), at(n, total, 0.95), at(n, total, 0.99), at(n, total, 1.0));
        }

        private static double at(long[] n, long total, double q) {
            long want = (long) Math.ceil(total * q);
            long seen = 0;
            for (int i = 0; i < n.length; i++) {
                seen += n[i];
                if (seen >= want && seen > 0) {
                    return top(i);
                }
            }
            return 0;
        }
    }
}
