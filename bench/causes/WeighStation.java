// SPDX-License-Identifier: Apache-2.0
// cause: WeighStation$Codec.emit writes each reply in two pieces, head and body (Part.writeTo, unbuffered, through Metered), to a socket without TCP_NODELAY, so Nagle's algorithm holds the body back until the truck's side acknowledges the head, which it does 40 ms later (delayed acknowledgement).
// share: faulty: 203 tickets/s, mean latency 44.8 ms; fixed: 2091 tickets/s, mean latency 0.21 ms (after which trucks rest 4 ms).
// expect: held-back
// symptom: waiting
// judge: NAMED: Nagle's algorithm holds back what was written (held-back), of the replies that the scale writes in two calls, at Codec.emit / Head.writeTo / Body.writeTo / Metered.write (or at Scale.serve, where the threads wait at that time). SYMPTOM ONLY: trucks wait for an answer of a server, which is this process, at WeighStation.truck. WRONG: the requests of the trucks are what is held back (these are one write), the ledger or report thread, too few scale threads (pool-busy), slow server code, Thread.sleep in truck.
// jdk: 25
// set: twenty-fourth
// jvm:
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

public class WeighStation {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final AtomicLong tickets = new AtomicLong();
    static final AtomicLong spent = new AtomicLong();

    record Ticket(String plate, int axles, long grams) {
        byte[] encode() {
            return (plate + '|' + axles + '|' + grams).getBytes(StandardCharsets.UTF_8);
        }
    }

    interface Part {
        void writeTo(OutputStream out) throws IOException;
    }

    record Head(int version, int length) implements Part {
        @Override
        public void writeTo(OutputStream out) throws IOException {
            out.write(new byte[] {'W', (byte) version, (byte) (length >> 8), (byte) length});
        }
    }

    record Body(byte[] bytes) implements Part {
        @Override
        public void writeTo(OutputStream out) throws IOException {
            out.write(bytes);
        }
    }

    static final class Metered extends FilterOutputStream {
        private long sent;

        Metered(OutputStream out) {
            super(out);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            out.write(bytes, from, length);
            sent += length;
        }
    }

    static final class Codec {
        private final OutputStream out;

        Codec(OutputStream out) {
            this.out = new Metered(out);
        }

        void send(Ticket ticket) throws IOException {
            byte[] bytes = ticket.encode();
            emit(List.of(new Head(2, bytes.length), new Body(bytes)));
        }

        private void emit(List<Part> parts) throws IOException {
            if (FIXED) {
                ByteArrayOutputStream frame = new ByteArrayOutputStream();
                for (Part part : parts) part.writeTo(frame);
                out.write(frame.toByteArray());
                return;
            }
            for (Part part : parts) part.writeTo(out);
            out.flush();
        }
    }

    static final class Ledger {
        private final Map<String, Long> totals = new ConcurrentHashMap<>();

        long add(String plate, long grams) {
            return totals.merge(plate, grams, Long::sum);
        }

        Map<String, Long> snapshot() {
            return new TreeMap<>(totals);
        }
    }

    static final class Scale {
        private final Ledger ledger = new Ledger();
        private final ServerSocket door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final ExecutorService lanes = Executors.newFixedThreadPool(10, Thread.ofPlatform().daemon().name("scale-", 0).factory());

        Scale() throws IOException {
        }

        void open() {
            try {
                while (true) {
                    Socket socket = door.accept();
                    lanes.execute(() -> serve(socket));
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        private void serve(Socket socket) {
            try (socket) {
                DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
                Codec codec = new Codec(socket.getOutputStream());
                while (true) {
                    String plate = in.readUTF();
                    int axles = in.readInt();
                    long grams = 0;
                    for (int i = 0; i < axles; i++) grams += in.readInt();
                    codec.send(new Ticket(plate, axles, ledger.add(plate, grams)));
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static void truck(int port, int number) {
        Random random = new Random(number);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            OutputStream out = socket.getOutputStream();
            while (true) {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                DataOutputStream request = new DataOutputStream(bytes);
                int axles = 2 + random.nextInt(4);
                request.writeUTF("WG-" + random.nextInt(500));
                request.writeInt(axles);
                for (int i = 0; i < axles; i++) request.writeInt(random.nextInt(9_000_000));
                long start = System.nanoTime();
                out.write(bytes.toByteArray());
                in.readUnsignedShort();
                in.readFully(new byte[in.readUnsignedShort()]);
                spent.addAndGet(System.nanoTime() - start);
                tickets.incrementAndGet();
                Thread.sleep(4);
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        Scale scale = new Scale();
        Thread.ofPlatform().daemon().name("door").start(scale::open);
        for (int i = 0; i < 10; i++) {
            int number = i;
            Thread.ofPlatform().daemon().name("truck-" + i).start(() -> truck(scale.door.getLocalPort(), number));
        }
        Thread.ofPlatform().daemon().name("report").start(() -> {
            while (scale.ledger.snapshot().values().stream().mapToLong(Long::longValue).sum() >= 0) {
                LockSupport.parkNanos(5_000_000L);
            }
        });
        System.out.println("READY");
        for (int second = 0; second < 170; second++) {
            long n = tickets.get();
            long t = spent.get();
            Thread.sleep(1000);
            long count = tickets.get() - n;
            System.out.printf("measured: %d tickets/s, mean latency %.2f ms%n", count, count == 0 ? 0.0 : (spent.get() - t) / 1e6 / count);
        }
        System.exit(0);
    }
}
