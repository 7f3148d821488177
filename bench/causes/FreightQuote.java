// SPDX-License-Identifier: Apache-2.0
// cause: CarrierLink.open leaves Nagle's algorithm on (no setTcpNoDelay(true)) while CarrierLink.ask sends each request as two small writes (header, then body) and then reads, so the body waits about 40 ms for the peer's delayed ACK of the header on every quote.
// share: throughput 133 quotes/s at 41 ms vs 1500/s at 0.3 ms fixed
// judge: Must say that small split writes (write-write-read) on a socket without TCP_NODELAY run into Nagle plus delayed ACK (about 40 ms per request), and place it in FreightQuote.CarrierLink (open or ask) or its client socket. "Slow remote server", "waits in socketRead" or "network latency" alone does not count.
// set: eighteenth
// expect: held-back
// symptom: waiting
// jdk: 8
import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.atomic.*;

public class FreightQuote {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final AtomicLong quotes = new AtomicLong();
    static final AtomicLong nanos = new AtomicLong();

    static final class CarrierDesk implements Runnable {
        private final Socket socket;
        CarrierDesk(Socket socket) { this.socket = socket; }
        public void run() {
            try {
                socket.setTcpNoDelay(true);
                DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
                OutputStream out = socket.getOutputStream();
                while (true) {
                    int length = in.readInt();
                    byte[] body = new byte[length];
                    in.readFully(body);
                    long price = price(new String(body, StandardCharsets.UTF_8));
                    byte[] reply = new byte[8];
                    for (int i = 0; i < 8; i++) reply[i] = (byte) (price >>> (56 - 8 * i));
                    out.write(reply);
                    out.flush();
                }
            } catch (IOException e) {
                System.out.println("desk closed: " + e.getMessage());
            }
        }
        private long price(String request) {
            String[] parts = request.split(";");
            long sum = 4200;
            for (String p : parts) {
                for (int i = 0; i < p.length(); i++) sum = sum * 31 + p.charAt(i);
            }
            return Math.abs(sum % 900000) + 1000;
        }
    }

    static final class CarrierLink {
        private Socket socket;
        private OutputStream out;
        private DataInputStream in;

        void open(int port) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setKeepAlive(true);
            socket.setSoTimeout(5000);
            if (FIXED) socket.setTcpNoDelay(true);
            out = socket.getOutputStream();
            in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        }

        long ask(byte[] body) throws IOException {
            int n = body.length;
            out.write(new byte[] {(byte) (n >>> 24), (byte) (n >>> 16), (byte) (n >>> 8), (byte) n});
            out.write(body);
            out.flush();
            return in.readLong();
        }
    }

    static final class QuoteDesk implements Runnable {
        private final int port;
        private final Random random;
        private final Map<String, Long> best = new HashMap<String, Long>();
        QuoteDesk(int port, int seed) { this.port = port; this.random = new Random(seed); }
        public void run() {
            try {
                CarrierLink link = new CarrierLink();
                link.open(port);
                while (true) {
                    String request = draft();
                    long t0 = System.nanoTime();
                    long price = link.ask(request.getBytes(StandardCharsets.UTF_8));
                    nanos.addAndGet(System.nanoTime() - t0);
                    record(request, price);
                    quotes.incrementAndGet();
                    Thread.sleep(3);
                }
            } catch (Exception e) {
                e.printStackTrace();
            }
        }
        private String draft() {
            StringBuilder sb = new StringBuilder();
            sb.append("from=").append(random.nextInt(90)).append(";to=").append(random.nextInt(90));
            sb.append(";weight=").append(random.nextInt(24000)).append(";class=").append(random.nextInt(6));
            return sb.toString();
        }
        private void record(String request, long price) {
            String lane = request.substring(0, request.indexOf(";weight"));
            Long old = best.get(lane);
            if (old == null || price < old) best.put(lane, price);
        }
    }

    static void serve(final ServerSocket server) {
        Thread t = new Thread("carrier-accept") {
            public void run() {
                try {
                    for (int i = 0; ; i++) launch("carrier-desk-" + i, new CarrierDesk(server.accept()));
                } catch (IOException e) {
                    System.out.println("accept ended");
                }
            }
        };
        t.setDaemon(true);
        t.start();
    }

    static void launch(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        serve(server);
        for (int i = 0; i < 6; i++) launch("quote-desk-" + i, new QuoteDesk(server.getLocalPort(), i));
        System.out.println("READY");
        long lastCount = 0, lastNanos = 0;
        for (int s = 0; s < 200; s++) {
            Thread.sleep(1000);
            long c = quotes.get(), n = nanos.get();
            long d = Math.max(1, c - lastCount);
            System.out.println("measured: quotes/s " + (c - lastCount) + " mean ms " + (n - lastNanos) / d / 1000 / 1000.0);
            lastCount = c;
            lastNanos = n;
        }
        System.exit(0);
    }
}
