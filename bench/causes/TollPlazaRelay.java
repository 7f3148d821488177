// SPDX-License-Identifier: Apache-2.0
// cause: The relay sends each passage as two small writes (frame head, then body) straight onto a socket with Nagle's algorithm on, so the second write waits for the peer's delayed ACK (about 40 ms) on every request.
// share: 134 passages/s without, 2451 passages/s with -Dfixed=true (18.3 times; means over 8 and 8 s after READY; e.g. "133 passages/s, mean reply 42.39 ms" against "2514 passages/s, mean reply 0.19 ms")
// expect: held-back frame=TollPlazaRelay$PlazaLink.send
// symptom: waiting
// judge: Must name PlazaLink.send (two separate OutputStream.write calls per request, Nagle left on / no setTcpNoDelay / no buffering) as the reason for the ~40 ms round trip; "lanes wait in socketRead0" or "the central office is slow" alone is only the symptom.
// set: twenty-first
// jdk: 8
import java.io.*;
import java.net.*;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.*;

/** Toll plaza lanes report each vehicle passage to the central office and wait for the tariff. */
public class TollPlazaRelay {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int LANES = 6;
    static final LongAdder PASSAGES = new LongAdder();
    static final LongAdder NANOS = new LongAdder();

    /** The central office: one thread per plaza link, answers each passage with the fee in cents. */
    static final class CentralOffice {
        private final ServerSocket listener;

        CentralOffice() throws IOException {
            listener = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
        }

        int port() {
            return listener.getLocalPort();
        }

        void start() {
            Thread t = new Thread(this::acceptLinks, "office-accept");
            t.setDaemon(true);
            t.start();
        }

        private void acceptLinks() {
            int n = 0;
            try {
                while (true) {
                    Socket s = listener.accept();
                    Thread t = new Thread(() -> serve(s), "office-" + n++);
                    t.setDaemon(true);
                    t.start();
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private void serve(Socket s) {
            try (DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
                 OutputStream out = s.getOutputStream()) {
                byte[] fee = new byte[4];
                while (true) {
                    int length = in.readInt();
                    int lane = in.readInt();
                    byte[] body = new byte[length];
                    in.readFully(body);
                    ByteBuffer.wrap(fee).putInt(tariff(lane, new String(body, StandardCharsets.UTF_8)));
                    out.write(fee);
                }
            } catch (EOFException e) {
                // link closed by the plaza
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private int tariff(int lane, String passage) {
            String[] parts = passage.split(";");
            int axles = Integer.parseInt(parts[1]);
            int weight = Integer.parseInt(parts[2]);
            return 120 + axles * 80 + (weight > 3500 ? 450 : 0) + (lane == 0 ? -20 : 0);
        }
    }

    /** One lane's connection to the office. */
    static final class PlazaLink implements Closeable {
        private final Socket socket;
        private final OutputStream out;
        private final DataInputStream in;

        PlazaLink(int port) throws IOException {
            socket = new Socket("127.0.0.1", port);
            OutputStream raw = socket.getOutputStream();
            out = FIXED ? new BufferedOutputStream(raw, 1024) : raw;
            in = new DataInputStream(socket.getInputStream());
        }

        int send(int lane, String passage) throws IOException {
            byte[] body = passage.getBytes(StandardCharsets.UTF_8);
            byte[] head = ByteBuffer.allocate(8).putInt(body.length).putInt(lane).array();
            out.write(head);
            out.write(body);
            out.flush();
            return in.readInt();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    static void runLane(int lane, int port) {
        long total = 0;
        try (PlazaLink link = new PlazaLink(port)) {
            while (true) {
                ThreadLocalRandom r = ThreadLocalRandom.current();
                String passage = "PL-" + r.nextInt(100000, 999999) + ";" + r.nextInt(2, 6) + ";" + r.nextInt(900, 18000);
                long t0 = System.nanoTime();
                total += link.send(lane, passage);
                NANOS.add(System.nanoTime() - t0);
                PASSAGES.increment();
                Thread.sleep(2);
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException("lane " + lane + " closed after " + total, e);
        }
    }

    public static void main(String[] args) throws Exception {
        CentralOffice office = new CentralOffice();
        office.start();
        for (int i = 0; i < LANES; i++) {
            int lane = i;
            Thread t = new Thread(() -> runLane(lane, office.port()), "lane-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(1500);
        System.out.println("READY");
        PASSAGES.sumThenReset();
        NANOS.sumThenReset();
        for (int s = 0; s < 240; s++) {
            Thread.sleep(1000);
            long n = PASSAGES.sumThenReset();
            long ns = NANOS.sumThenReset();
            System.out.printf("measured: %d passages/s, mean reply %.2f ms%n", n, n == 0 ? 0.0 : ns / 1e6 / n);
        }
        System.exit(0);
    }
}
