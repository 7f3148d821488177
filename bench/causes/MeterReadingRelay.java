// SPDX-License-Identifier: Apache-2.0
// cause: MeterReadingRelay.Link.send writes the frame header and the frame body with two separate small writes on a socket without TCP_NODELAY, so Nagle's algorithm holds the body until the peer's delayed ACK of the header (about 40 ms) in every exchange.
// share: throughput 135 readings/s with 44.6 ms per exchange vs 40000/s with 0.15 ms fixed
// judge: must name the interplay of Nagle's algorithm (TCP_NODELAY not set) or of the two small writes (header, then body) in Link.send with delayed ACK as the reason of the about 40 ms per exchange; "waits for the network / socketRead" or "the server is slow" does not count
// set: eighteenth
// expect: held-back
// symptom: waiting
// jdk: 11
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32;

public class MeterReadingRelay {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final AtomicLong delivered = new AtomicLong();
    static final AtomicLong waitNanos = new AtomicLong();

    static final class Link {
        private final Socket socket;
        private final OutputStream out;
        private final DataInputStream in;

        Link(int port) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            if (FIXED) {
                socket.setTcpNoDelay(true);
            }
            out = socket.getOutputStream();
            in = new DataInputStream(socket.getInputStream());
        }

        void send(int meter, byte[] body) throws IOException {
            byte[] head = ByteBuffer.allocate(8).putInt(meter).putInt(body.length).array();
            out.write(head);
            out.write(body);
        }

        int receipt() throws IOException {
            return in.readInt();
        }
    }

    private final ServerSocket hub;

    MeterReadingRelay() throws IOException {
        hub = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    private void accept() {
        try {
            while (true) {
                Socket s = hub.accept();
                s.setTcpNoDelay(true);
                daemon(() -> collect(s), "hub-" + s.getPort());
            }
        } catch (IOException e) {
            System.out.println("hub closed");
        }
    }

    private void collect(Socket s) {
        try {
            DataInputStream in = new DataInputStream(s.getInputStream());
            OutputStream out = s.getOutputStream();
            byte[] head = new byte[8];
            while (true) {
                in.readFully(head);
                ByteBuffer h = ByteBuffer.wrap(head);
                int meter = h.getInt();
                byte[] body = new byte[h.getInt()];
                in.readFully(body);
                int receipt = meter ^ checksum(body);
                out.write(ByteBuffer.allocate(4).putInt(receipt).array());
            }
        } catch (IOException e) {
            System.out.println("link closed");
        }
    }

    private static int checksum(byte[] b) {
        CRC32 crc = new CRC32();
        crc.update(b, 0, b.length);
        return (int) crc.getValue();
    }

    private static byte[] reading(int meter, long round) {
        StringBuilder sb = new StringBuilder(200);
        for (int phase = 1; phase <= 3; phase++) {
            double volts = 230 + Math.sin(meter * 0.1 + round * 0.01 + phase * 2.094) * 4;
            double amps = 5 + Math.cos(round * 0.02 + phase) * 3;
            sb.append("L").append(phase).append(' ').append(Math.round(volts * 100) / 100.0)
              .append("V ").append(Math.round(amps * 1000) / 1000.0).append("A;");
        }
        return sb.toString().getBytes();
    }

    private void relay(int meter) {
        try {
            Link link = new Link(hub.getLocalPort());
            for (long round = 0; ; round++) {
                byte[] body = reading(meter, round);
                long t0 = System.nanoTime();
                link.send(meter, body);
                int receipt = link.receipt();
                waitNanos.addAndGet(System.nanoTime() - t0);
                if (receipt != (meter ^ checksum(body))) {
                    throw new IOException("bad receipt");
                }
                delivered.incrementAndGet();
            }
        } catch (IOException e) {
            System.out.println("relay " + meter + ": " + e);
        }
    }

    private static void daemon(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        MeterReadingRelay relay = new MeterReadingRelay();
        daemon(relay::accept, "hub-accept");
        for (int i = 1; i <= 6; i++) {
            int meter = 1000 + i;
            daemon(() -> relay.relay(meter), "relay-" + meter);
        }
        System.out.println("READY");
        long before = 0;
        long waited = 0;
        for (int s = 0; s < 240; s++) {
            Thread.sleep(1000);
            long now = delivered.get();
            long w = waitNanos.get();
            long n = Math.max(1, now - before);
            System.out.println("measured: readings/s=" + (now - before) + " exchange_us=" + (w - waited) / n / 1000);
            before = now;
            waited = w;
        }
    }
}
