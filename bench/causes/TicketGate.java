// SPDX-License-Identifier: Apache-2.0
// cause: TicketGate.Turnstile.check writes each request in two small writes (header, then body) on a socket without TCP_NODELAY, so Nagle's algorithm holds the body back until the peer's delayed ACK (~40 ms) arrives
// share: 181 checks/s faulty (43 ms each), 7000 checks/s fixed (52 us each)
// judge: Named = Nagle / delayed ACK stall (write-write-read on sockets without TCP_NODELAY; combine the writes or set TCP_NODELAY) in Turnstile.check/send. Near = "the request is sent in several small writes / unbuffered, about 40 ms per round trip" is accepted if it links the small writes with the 40 ms. Symptom only = "threads wait in socket read", "validator is idle waiting for data", "low CPU". Wrong = slow validator service, too few connections, locks, GC.
// expect: held-back
// symptom: waiting
// jdk: 17
// set: sixteenth
import java.io.*;
import java.net.*;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class TicketGate {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final LongAdder admitted = new LongAdder(), refused = new LongAdder(), micros = new LongAdder();

    static class Validator {
        final ServerSocket server;
        final Set<String> sold = ConcurrentHashMap.newKeySet();
        final Map<String, Integer> entries = new ConcurrentHashMap<>();
        Validator() throws IOException {
            server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            for (int i = 0; i < 50_000; i++) if (i % 11 != 0) sold.add(code(i));
            start("validator-accept", () -> {
                try {
                    for (int n = 0; ; n++) {
                        Socket s = server.accept();
                        start("validator-" + n, () -> serve(s));
                    }
                } catch (IOException e) { /* closed */ }
            });
        }
        void serve(Socket s) {
            try (s) {
                DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
                OutputStream out = s.getOutputStream();
                byte[] body = new byte[256];
                while (true) {
                    int kind = in.readInt();
                    int len = in.readInt();
                    in.readFully(body, 0, len);
                    String ticket = new String(body, 0, len, StandardCharsets.US_ASCII);
                    boolean ok = kind == 1 && sold.contains(ticket);
                    if (ok) entries.merge(ticket, 1, Integer::sum);
                    out.write(ok ? 1 : 0);
                }
            } catch (IOException e) { /* gate gone */ }
        }
    }

    static String code(int i) { return "TK-" + Integer.toHexString(i * 0x9E3779B1) + "-" + i; }

    static class Turnstile {
        final OutputStream out;
        final InputStream in;
        Turnstile(int port) throws IOException {
            Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
            out = s.getOutputStream();
            in = s.getInputStream();
        }
        boolean check(String ticket) throws IOException {
            byte[] body = ticket.getBytes(StandardCharsets.US_ASCII);
            byte[] header = ByteBuffer.allocate(8).putInt(1).putInt(body.length).array();
            send(header, body);
            int answer = in.read();
            if (answer < 0) throw new EOFException();
            return answer == 1;
        }
        private void send(byte[] header, byte[] body) throws IOException {
            if (FIXED) {
                byte[] all = Arrays.copyOf(header, header.length + body.length);
                System.arraycopy(body, 0, all, header.length, body.length);
                out.write(all);
                return;
            }
            out.write(header);
            out.write(body);
            out.flush();
        }
    }

    static class Entrance implements Runnable {
        final Turnstile turnstile;
        final Random rnd;
        Entrance(int port, int no) throws IOException { turnstile = new Turnstile(port); rnd = new Random(no); }
        public void run() {
            try {
                while (true) {
                    long t0 = System.nanoTime();
                    boolean ok = turnstile.check(code(rnd.nextInt(50_000)));
                    micros.add((System.nanoTime() - t0) / 1000);
                    (ok ? admitted : refused).increment();
                    Thread.sleep(1);
                }
            } catch (IOException | InterruptedException e) { throw new RuntimeException(e); }
        }
    }

    static void start(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        Validator v = new Validator();
        for (int i = 0; i < 8; i++) start("entrance-" + i, new Entrance(v.server.getLocalPort(), i));
        for (int s = 0; s < 150; s++) {
            long d = admitted.sum() + refused.sum(), m = micros.sum();
            Thread.sleep(1000);
            long n = admitted.sum() + refused.sum() - d;
            System.out.println("measured: checks/s=" + n + " avgMicros=" + (n == 0 ? 0 : (micros.sum() - m) / n) + " refused=" + refused.sum());
            if (s == 3) System.out.println("READY");
        }
        System.exit(0);
    }
}
