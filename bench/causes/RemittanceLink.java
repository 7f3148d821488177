// SPDX-License-Identifier: Apache-2.0
// cause: every remittance goes out as two small writes (Branch.transmit: out.write(header), then out.write(body)) straight to a Socket stream without buffering and with Nagle's algorithm on, then waits for the reply; the body is held back until the peer's delayed ACK (about 40 ms) of the header (write-write-read)
// share: 10 s each: faulty 166 remittances/s, mean 44.1 ms (p99 50 ms); fixed (one buffered write) 1904 remittances/s, mean 0.08 ms - 11.5 times the throughput
// expect: held-back
// symptom: waiting
// judge: NAMED: says that header and body are sent as separate small writes / unbuffered socket writes in Branch.transmit (RemittanceLink$Branch), or Nagle plus delayed ACK / missing TCP_NODELAY. SYMPTOM ONLY: branches wait in socketRead / for the clearing house, network latency of about 40 ms, low CPU, too few branch threads. WRONG: the clearing house is slow at its work, locks, GC, CRC computing, pool too small as the cause.
// jdk: 8
// set: twenty-second
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.CRC32;

/** Branches send remittances to the clearing house over one standing line each. */
public class RemittanceLink {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final Tally TALLY = new Tally();
    static final int BRANCHES = 8;

    /** The far side: checks each remittance and answers with its receipt number. */
    static final class ClearingHouse implements Runnable {
        private final ServerSocket door;

        ClearingHouse(ServerSocket door) {
            this.door = door;
        }

        @Override
        public void run() {
            try {
                for (int i = 0; ; i++) {
                    final Socket line = door.accept();
                    Thread t = new Thread(() -> serve(line), "clearing-" + i);
                    t.setDaemon(true);
                    t.start();
                }
            } catch (IOException e) {
                System.err.println("clearing house closed: " + e);
            }
        }

        private void serve(Socket line) {
            try (Socket s = line) {
                s.setTcpNoDelay(true);
                DataInputStream in = new DataInputStream(s.getInputStream());
                OutputStream out = s.getOutputStream();
                byte[] head = new byte[16];
                long receipt = 0;
                while (true) {
                    in.readFully(head);
                    ByteBuffer h = ByteBuffer.wrap(head);
                    int length = h.getInt();
                    long crc = h.getLong();
                    byte[] body = new byte[length];
                    in.readFully(body);
                    out.write(ByteBuffer.allocate(8).putLong(crcOf(body) == crc ? ++receipt : -1L).array());
                }
            } catch (IOException e) {
                System.err.println("line closed: " + e);
            }
        }
    }

    static long crcOf(byte[] body) {
        CRC32 crc = new CRC32();
        crc.update(body, 0, body.length);
        return crc.getValue();
    }

    /** One branch office: takes the next remittance from its day book, sends it, waits for the receipt. */
    static final class Branch implements Runnable {
        private final int number;
        private final Socket line;
        private final OutputStream out;
        private final DataInputStream in;

        Branch(int number, int port) throws IOException {
            this.number = number;
            this.line = new Socket(InetAddress.getLoopbackAddress(), port);
            this.in = new DataInputStream(line.getInputStream());
            this.out = FIXED ? new BufferedOutputStream(line.getOutputStream(), 8192) : line.getOutputStream();
        }

        @Override
        public void run() {
            try {
                for (long n = 1; ; n++) {
                    byte[] body = compose(n);
                    long start = System.nanoTime();
                    transmit(n, body);
                    if (in.readLong() < 0) {
                        throw new IOException("remittance refused");
                    }
                    TALLY.note(System.nanoTime() - start);
                    Thread.sleep(4);
                }
            } catch (IOException | InterruptedException e) {
                System.err.println("branch " + number + " stopped: " + e);
            }
        }

        private byte[] compose(long n) {
            ThreadLocalRandom r = ThreadLocalRandom.current();
            StringBuilder b = new StringBuilder(240);
            b.append("RMT|").append(number).append('|').append(n).append('|');
            b.append("DE").append(r.nextLong(10_000_000_000L, 99_999_999_999L)).append('|');
            b.append("FR").append(r.nextLong(10_000_000_000L, 99_999_999_999L)).append('|');
            b.append(r.nextInt(1, 900_000)).append("|EUR|invoice ").append(r.nextInt(1_000_000));
            return b.toString().getBytes(StandardCharsets.US_ASCII);
        }

        private void transmit(long n, byte[] body) throws IOException {
            byte[] header = ByteBuffer.allocate(16).putInt(body.length).putLong(crcOf(body)).putInt((int) n).array();
            out.write(header);
            out.write(body);
            out.flush();
        }
    }

    public static void main(String[] args) throws Exception {
        ServerSocket door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread house = new Thread(new ClearingHouse(door), "clearing-door");
        house.setDaemon(true);
        house.start();
        for (int i = 0; i < BRANCHES; i++) {
            Thread t = new Thread(new Branch(i, door.getLocalPort()), "branch-" + i);
            t.setDaemon(true);
            t.start();
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
            System.out.println(TALLY.take("remittances"));
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
