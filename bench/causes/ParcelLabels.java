// SPDX-License-Identifier: Apache-2.0
// cause: LabelDesk.request sends each label order as two small flushed writes (head, then body) on a socket left with Nagle's algorithm on (LabelDesk.open sets no TCP_NODELAY), so the second write waits for the peer's delayed ACK, about 40 ms per order
// share: mean latency of an order 44 ms, fixed 0.2 ms; 77 labels/s, fixed 470 labels/s
// judge: NAMED only if the finding says that the small separate writes in LabelDesk.request (or the socket opened in LabelDesk.open) stall because of Nagle / delayed ACK / missing TCP_NODELAY / write-write-read pattern. Only "threads wait in socketRead0 / LabelDesk.request waits for the print house / network latency" is a symptom. Blaming the print house (server code) as slow, the checksum code, the pacing sleep, a lock, the GC or the number of threads is wrong.
// expect: held-back
// symptom: waiting
// jdk: 8
// set: seventeenth
import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.zip.CRC32;

public class ParcelLabels {
    static final boolean OPT = Boolean.getBoolean("fixed");
    static final LongAdder orders = new LongAdder();
    static final LongAdder nanos = new LongAdder();

    /** One parcel as the counter staff enters it. */
    static final class Parcel {
        final long id;
        final String street;
        final int grams;
        final int zone;

        Parcel(long id, Random r) {
            this.id = id;
            this.street = "Harbour Road " + (1 + r.nextInt(400));
            this.grams = 100 + r.nextInt(20000);
            this.zone = r.nextInt(9);
        }

        byte[] body() {
            StringBuilder b = new StringBuilder(256);
            b.append("id=").append(id).append(";to=").append(street);
            b.append(";w=").append(grams).append(";zone=").append(zone);
            for (int i = 0; i < 12; i++) {
                b.append(";svc").append(i).append('=').append((id * 31 + i) % 97);
            }
            return b.toString().getBytes(StandardCharsets.US_ASCII);
        }
    }

    /** The print house: answers every order with the routing code of the label. */
    static final class PrintHouse implements Runnable {
        final ServerSocket door;

        PrintHouse() throws IOException {
            door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        }

        public void run() {
            try {
                while (true) {
                    final Socket s = door.accept();
                    s.setTcpNoDelay(true);
                    Thread t = new Thread(() -> serve(s), "print-" + s.getPort());
                    t.setDaemon(true);
                    t.start();
                }
            } catch (IOException e) {
                System.err.println("print house closed " + e);
            }
        }

        void serve(Socket s) {
            try (DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
                 DataOutputStream out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream()))) {
                byte[] buf = new byte[2048];
                while (true) {
                    long id = in.readLong();
                    int len = in.readInt();
                    in.readFully(buf, 0, len);
                    CRC32 crc = new CRC32();
                    for (int i = 0; i < 40; i++) {
                        crc.update(buf, 0, len);
                    }
                    out.writeLong(id);
                    out.writeLong(crc.getValue());
                    out.flush();
                }
            } catch (IOException e) {
                System.err.println("printer gone " + e);
            }
        }
    }

    /** A counter that orders labels one after the other. */
    static final class LabelDesk implements Runnable {
        final int number;
        final int port;
        final Map<Integer, Long> perZone = new HashMap<>();
        Socket socket;
        OutputStream out;
        DataInputStream in;

        LabelDesk(int number, int port) {
            this.number = number;
            this.port = port;
        }

        void open() throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            if (OPT) {
                socket.setTcpNoDelay(true);
            }
            out = socket.getOutputStream();
            in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        }

        long request(Parcel p) throws IOException {
            byte[] body = p.body();
            ByteArrayOutputStream head = new ByteArrayOutputStream(12);
            DataOutputStream d = new DataOutputStream(head);
            d.writeLong(p.id);
            d.writeInt(body.length);
            out.write(head.toByteArray());
            out.flush();
            out.write(body);
            out.flush();
            if (in.readLong() != p.id) {
                throw new IOException("label mixed up");
            }
            return in.readLong();
        }

        public void run() {
            Random r = new Random(number);
            long id = number * 1_000_000L;
            try {
                open();
                while (true) {
                    Parcel p = new Parcel(id++, r);
                    long t0 = System.nanoTime();
                    long code = request(p);
                    nanos.add(System.nanoTime() - t0);
                    orders.increment();
                    perZone.merge(p.zone, code & 1, Long::sum);
                    Thread.sleep(8);
                }
            } catch (IOException | InterruptedException e) {
                System.err.println("desk closed " + e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        PrintHouse house = new PrintHouse();
        Thread t = new Thread(house, "print-house");
        t.setDaemon(true);
        t.start();
        for (int i = 0; i < 4; i++) {
            Thread d = new Thread(new LabelDesk(i, house.door.getLocalPort()), "desk-" + i);
            d.setDaemon(true);
            d.start();
        }
        System.out.println("READY");
        for (int s = 0; s < 140; s++) {
            Thread.sleep(1000);
            long n = orders.sumThenReset();
            long ns = nanos.sumThenReset();
            System.out.printf("measured: %d labels/s, mean latency %.2f ms%n", n, n == 0 ? 0 : ns / 1e6 / n);
        }
    }
}
