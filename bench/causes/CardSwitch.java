// SPDX-License-Identifier: Apache-2.0
// cause: TerminalLink.send writes the frame's header and its body in two small writes on a socket without TCP_NODELAY; Nagle's algorithm holds the second write back until the switch's delayed acknowledgement (about 40 ms) comes
// share: 94-96% of the terminals' time in the call, 43 ms each (fixed 4-5%, 0.1 ms); about 268 authorisations/s, fixed about 5,400/s (20x)
// judge: names the cause: "each request waits about 40 ms in the socket read in TerminalLink.authorise after two small writes without TCP_NODELAY: Nagle / delayed ACK; set TCP_NODELAY or write once". True, only symptoms: "threads wait for the network in TerminalLink.authorise", "round trips of 40 ms though the server is idle", "CPU is idle". Wrong: "the server is slow", "too few threads", "locks", "GC", "unbuffered I/O costs CPU" as the main cause.
// expect: held-back writer=TerminalLink.send
// symptom: held-back
// jdk: 8
// set: fifteenth
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.CRC32;

/** Card payments: terminals send authorisation requests to the switch, which checks the card's limit and answers. */
public final class CardSwitch {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int TERMINALS = 12;
    static final LongAdder AUTHORISED = new LongAdder();
    static final LongAdder DECLINED = new LongAdder();
    static final LongAdder CALL_NANOS = new LongAdder();

    /** The terminal's side of a connection. Frame: length, checksum; then the message. */
    static final class TerminalLink {
        private final Socket socket;
        private final DataInputStream in;
        private final OutputStream out;

        TerminalLink(int port) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            if (FIXED) {
                socket.setTcpNoDelay(true);
            }
            in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            out = socket.getOutputStream();
        }

        boolean authorise(String pan, int cents) throws IOException {
            send(("0100|" + pan + '|' + cents + "|EUR").getBytes(StandardCharsets.US_ASCII));
            return in.readByte() == 0;
        }

        private void send(byte[] body) throws IOException {
            byte[] header = ByteBuffer.allocate(8).putInt(body.length).putInt(checksum(body)).array();
            if (FIXED) {
                out.write(ByteBuffer.allocate(8 + body.length).put(header).put(body).array());
            } else {
                out.write(header);
                out.write(body);
            }
        }
    }

    static int checksum(byte[] body) {
        CRC32 crc = new CRC32();
        crc.update(body, 0, body.length);
        return (int) crc.getValue();
    }

    private final ServerSocket server = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
    private final ConcurrentHashMap<String, Integer> spent = new ConcurrentHashMap<>();

    CardSwitch() throws IOException {
        start("switch-accept", () -> {
            try {
                for (int n = 0;; n++) {
                    Socket s = server.accept();
                    start("switch-" + n, () -> serve(s));
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private void serve(Socket s) {
        try {
            s.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
            OutputStream out = s.getOutputStream();
            while (true) {
                byte[] body = new byte[in.readInt()];
                int sum = in.readInt();
                in.readFully(body);
                boolean ok = sum == checksum(body) && decide(new String(body, StandardCharsets.US_ASCII));
                out.write(ok ? 0 : 5);
            }
        } catch (IOException e) {
            // terminal hung up
        }
    }

    private boolean decide(String message) {
        String[] field = message.split("\\|");
        int cents = Integer.parseInt(field[2]);
        int total = spent.merge(field[1], cents, Integer::sum);
        if (total > 500_000) {
            spent.merge(field[1], -total, Integer::sum);
            return false;
        }
        return true;
    }

    static void terminal(int port, int id) {
        Random random = new Random(id);
        try {
            TerminalLink link = new TerminalLink(port);
            while (true) {
                String pan = "4929" + (100_000_000_000L + random.nextInt(5000));
                long t0 = System.nanoTime();
                boolean ok = link.authorise(pan, 100 + random.nextInt(9000));
                CALL_NANOS.add(System.nanoTime() - t0);
                (ok ? AUTHORISED : DECLINED).increment();
                Thread.sleep(2); // the next customer of this queue
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        CardSwitch sw = new CardSwitch();
        for (int i = 0; i < TERMINALS; i++) {
            int id = i;
            start("terminal-" + i, () -> terminal(sw.server.getLocalPort(), id));
        }
        System.out.println("READY");
        long last = 0, lastNanos = 0;
        while (true) {
            Thread.sleep(1000);
            long n = AUTHORISED.sum() + DECLINED.sum(), c = CALL_NANOS.sum();
            System.out.printf("measured: %d authorisations/s, %.2f ms each, %.0f%% of the terminals' time, %d declined%n",
                    n - last, (c - lastNanos) / 1e6 / Math.max(1, n - last), (c - lastNanos) / 1e7 / TERMINALS, DECLINED.sum());
            last = n;
            lastNanos = c;
        }
    }

    static void start(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }
}
