// SPDX-License-Identifier: Apache-2.0
// cause: SeatGateway.Channel.book writes header and body of a request as two small socket writes without TCP_NODELAY, so Nagle's algorithm holds the body back until the peer's delayed ACK (about 40 ms) for every request.
// share: mean booking time: about 43.5 ms instead of about 0.4 ms (99 % of it is the delayed ACK); about 125 instead of about 1070 bookings/s
// judge: Right: Nagle/delayed ACK - two small writes (write-write-read) in Channel.book on a socket without setTcpNoDelay(true), each request waiting about 40 ms; remedy: TCP_NODELAY, or one combined write. The socket read in Channel.book and in SeatGateway.host is only a symptom (both sides wait in reads, nobody works). Wrong: the host's own processing, too few threads, a pool, contention.
// expect: held-back
// symptom: waiting
// set: nineteenth
// jdk: 17
import java.io.*;
import java.net.*;
import java.nio.ByteBuffer;
import java.util.*;
import java.util.concurrent.atomic.LongAdder;

public class SeatGateway {
    private static final boolean PROMPT = Boolean.getBoolean("fixed");
    private static final LongAdder bookings = new LongAdder();
    private static final LongAdder nanos = new LongAdder();

    static final class Channel {
        private final Socket socket;
        private final InputStream in;
        private final OutputStream out;
        private final byte[] reply = new byte[8];

        Channel(int port) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            if (PROMPT) socket.setTcpNoDelay(true);
            in = socket.getInputStream();
            out = socket.getOutputStream();
        }

        long book(int show, int row, int seat) throws IOException {
            byte[] body = new byte[48];
            ByteBuffer.wrap(body).putInt(show).putInt(row).putInt(seat).putLong(System.currentTimeMillis());
            byte[] head = ByteBuffer.allocate(8).putInt(0x5EA7).putInt(body.length).array();
            out.write(head);
            out.write(body);
            if (in.readNBytes(reply, 0, 8) < 8) throw new EOFException();
            return ByteBuffer.wrap(reply).getLong();
        }
    }

    static final class Hall {
        private final BitSet[] rows = new BitSet[40];

        Hall() {
            for (int i = 0; i < rows.length; i++) rows[i] = new BitSet(60);
        }

        synchronized long reserve(int row, int seat) {
            BitSet r = rows[Math.floorMod(row, rows.length)];
            int free = r.nextClearBit(Math.floorMod(seat, 50));
            if (free >= 60) {
                r.clear();
                free = seat % 50;
            }
            r.set(free);
            return row * 100L + free;
        }
    }

    private static void host(Socket s, Hall hall) {
        try (s) {
            s.setTcpNoDelay(true);
            InputStream in = s.getInputStream();
            OutputStream out = s.getOutputStream();
            byte[] head = new byte[8];
            while (in.readNBytes(head, 0, 8) == 8) {
                byte[] body = in.readNBytes(ByteBuffer.wrap(head).getInt(4));
                ByteBuffer b = ByteBuffer.wrap(body);
                int show = b.getInt();
                long place = hall.reserve(b.getInt(), b.getInt());
                out.write(ByteBuffer.allocate(8).putLong(show * 10000L + place).array());
            }
        } catch (IOException e) {
            System.err.println("host: " + e);
        }
    }

    private static void kiosk(int number, int port) {
        SplittableRandom r = new SplittableRandom(number);
        long check = 0;
        try {
            Channel channel = new Channel(port);
            while (true) {
                long begin = System.nanoTime();
                check += channel.book(r.nextInt(30), r.nextInt(40), r.nextInt(50));
                nanos.add(System.nanoTime() - begin);
                bookings.increment();
                Thread.sleep(5);
            }
        } catch (IOException | InterruptedException e) {
            System.err.println("kiosk " + number + " at " + check + ": " + e);
        }
    }

    private static void start(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Hall hall = new Hall();
        start("host-accept", () -> {
            try {
                for (int n = 0; ; n++) {
                    Socket s = server.accept();
                    start("host-" + n, () -> host(s, hall));
                }
            } catch (IOException e) {
                System.err.println(e);
            }
        });
        for (int k = 0; k < 6; k++) {
            int number = k;
            start("kiosk-" + k, () -> kiosk(number, server.getLocalPort()));
        }
        Thread.sleep(4000);
        System.out.println("READY");
        bookings.reset();
        nanos.reset();
        for (int i = Integer.getInteger("secs", 165); i > 0; i--) {
            Thread.sleep(1000);
            long n = bookings.sumThenReset();
            double ms = nanos.sumThenReset() / 1e6 / Math.max(1, n);
            System.out.printf(Locale.ROOT, "measured: %.2f ms per booking (%d bookings)%n", ms, n);
        }
        System.exit(0);
    }
}
