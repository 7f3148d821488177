// SPDX-License-Identifier: Apache-2.0
// cause: StockEnquiry.Link.ask writes the 8-byte request head and the body with two separate socket writes and then reads the answer, on a socket without TCP_NODELAY, so Nagle's algorithm holds the body back until the peer's delayed ACK (some 40 ms) comes.
// share: faulty enquiries/s 136, mean_ms 42; fixed enquiries/s 2756, mean_ms 0.07 (means over seconds 3 to 12); throughput 20.3 times better when fixed
// expect: held-back
// symptom: waiting
// judge: NAMED: two small writes (head, then body) followed by a read in StockEnquiry.Link.ask without TCP_NODELAY: Nagle plus delayed ACK gives about 40 ms per request; write both at once or set TCP_NODELAY. SYMPTOM ONLY: shop threads wait in socket read; server sessions wait in socket read for the body; latency near 40 ms with idle CPU. WRONG: server computation slow (Warehouse.answer), lock contention, GC, too few threads, network bandwidth.
// jdk: 25
// set: twenty-third
// jvm:
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

public class StockEnquiry {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int SHOPS = 6;
    static final int MAGIC = 0x53544b31;

    static final class Warehouse {
        final Map<String, Integer> pieces = new ConcurrentHashMap<>();

        Warehouse() {
            Random rnd = new Random(2);
            for (int i = 0; i < 5000; i++) {
                pieces.put("ART-" + i, rnd.nextInt(300));
            }
        }

        int answer(String enquiry) {
            int least = Integer.MAX_VALUE;
            for (String article : enquiry.split(",")) {
                least = Math.min(least, pieces.getOrDefault(article, 0));
            }
            return least;
        }

        void session(Socket s) {
            try (s) {
                DataInputStream in = new DataInputStream(s.getInputStream());
                OutputStream out = s.getOutputStream();
                while (true) {
                    if (in.readInt() != MAGIC) {
                        throw new IOException("bad head");
                    }
                    byte[] body = new byte[in.readInt()];
                    in.readFully(body);
                    int n = answer(new String(body, StandardCharsets.UTF_8));
                    out.write(ByteBuffer.allocate(4).putInt(n).array());
                }
            } catch (IOException e) {
                System.out.println("session closed");
            }
        }
    }

    static final class Link {
        final InputStream in;
        final OutputStream out;

        Link(int port) throws IOException {
            Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
            in = s.getInputStream();
            out = s.getOutputStream();
        }

        int ask(String articles) throws IOException {
            byte[] body = articles.getBytes(StandardCharsets.UTF_8);
            byte[] head = ByteBuffer.allocate(8).putInt(MAGIC).putInt(body.length).array();
            if (FIXED) {
                byte[] all = new byte[head.length + body.length];
                System.arraycopy(head, 0, all, 0, head.length);
                System.arraycopy(body, 0, all, head.length, body.length);
                out.write(all);
            } else {
                out.write(head);
                out.write(body);
            }
            return ByteBuffer.wrap(in.readNBytes(4)).getInt();
        }
    }

    final AtomicLong enquiries = new AtomicLong();
    final AtomicLong nanos = new AtomicLong();
    final AtomicLong soldOut = new AtomicLong();

    void shop(int seed, int port) {
        Random rnd = new Random(seed);
        try {
            Link link = new Link(port);
            StringBuilder sb = new StringBuilder();
            while (true) {
                sb.setLength(0);
                for (int i = 1 + rnd.nextInt(5); i > 0; i--) {
                    sb.append(sb.isEmpty() ? "" : ",").append("ART-").append(rnd.nextInt(5000));
                }
                long t = System.nanoTime();
                if (link.ask(sb.toString()) == 0) {
                    soldOut.incrementAndGet();
                }
                nanos.addAndGet(System.nanoTime() - t);
                enquiries.incrementAndGet();
                Thread.sleep(2);
            }
        } catch (IOException | InterruptedException e) {
            System.out.println("shop closed");
        }
    }

    static void daemon(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        StockEnquiry app = new StockEnquiry();
        Warehouse warehouse = new Warehouse();
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon("acceptor", () -> {
            try {
                for (int n = 0; ; n++) {
                    Socket s = server.accept();
                    daemon("session-" + n, () -> warehouse.session(s));
                }
            } catch (IOException e) {
                System.out.println("server closed");
            }
        });
        for (int i = 0; i < SHOPS; i++) {
            int seed = i;
            daemon("shop-" + i, () -> app.shop(seed, server.getLocalPort()));
        }
        System.out.println("READY");
        long lastN = 0, lastT = 0;
        for (int s = 1; s <= 170; s++) {
            Thread.sleep(1000);
            long n = app.enquiries.get(), t = app.nanos.get();
            long dn = n - lastN;
            System.out.printf("measured: enquiries/s=%d mean_ms=%.2f sold_out=%d%n", dn,
                    dn == 0 ? 0.0 : (t - lastT) / 1e6 / dn, app.soldOut.get());
            lastN = n;
            lastT = t;
        }
        System.exit(0);
    }
}
