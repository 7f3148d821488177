// SPDX-License-Identifier: Apache-2.0
// cause: Till.post sends each receipt in two small unbuffered writes (head, then lines) on a socket whose TCP_NODELAY is left off, so Nagle's algorithm holds back the second segment until the peer's delayed ACK (about 40 ms) arrives.
// share: mean latency 42.9 ms, fixed 0.25 ms
// judge: NAMED only if the finding says that the till-to-ledger request (Till.post / Till.connect) suffers from Nagle's algorithm together with delayed ACK, i.e. missing TCP_NODELAY or the write-write-read pattern of two small writes per request. "Threads wait in socket read", "the ledger / network is slow", "about 40 ms per call" without the reason is a symptom. Blaming Ledger.book, its lock, the pauses of the till, or too few threads is wrong.
// expect: held-back
// symptom: waiting
// jdk: 11
// set: seventeenth
import java.io.*;
import java.net.*;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class TillReceipts {
    static final AtomicLong posted = new AtomicLong();
    static final AtomicLong nanos = new AtomicLong();

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Ledger ledger = new Ledger();
        start(() -> {
            try {
                while (true) {
                    Socket s = server.accept();
                    start(new LedgerSession(s, ledger), "ledger-session");
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }, "ledger-accept");
        for (int i = 0; i < 6; i++) start(new Till(i, server.getLocalPort()), "till-" + i);
        System.out.println("READY");
        long n0 = 0, t0 = 0;
        for (int i = 0; i < 200; i++) {
            Thread.sleep(1000);
            long n = posted.get(), t = nanos.get();
            System.out.printf("measured: mean latency %.2f ms, %d receipts/s, %d cents booked%n",
                    (t - t0) / 1e6 / Math.max(1, n - n0), n - n0, ledger.total());
            n0 = n;
            t0 = t;
        }
    }

    static void start(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }
}

class Ledger {
    private final Map<String, Long> turnover = new HashMap<>();
    synchronized long book(String lines) {
        long sum = 0;
        for (String line : lines.split(";")) {
            int cut = line.indexOf('=');
            long cents = Long.parseLong(line.substring(cut + 1));
            turnover.merge(line.substring(0, cut), cents, Long::sum);
            sum += cents;
        }
        return sum;
    }
    synchronized long total() {
        return turnover.values().stream().mapToLong(Long::longValue).sum();
    }
}

class LedgerSession implements Runnable {
    private final Socket socket;
    private final Ledger ledger;
    LedgerSession(Socket socket, Ledger ledger) {
        this.socket = socket;
        this.ledger = ledger;
    }
    public void run() {
        try (DataInputStream in = new DataInputStream(socket.getInputStream());
             OutputStream out = socket.getOutputStream()) {
            byte[] head = new byte[12];
            while (true) {
                in.readFully(head);
                ByteBuffer h = ByteBuffer.wrap(head);
                long number = h.getLong();
                byte[] body = new byte[h.getInt()];
                in.readFully(body);
                long sum = ledger.book(new String(body, StandardCharsets.US_ASCII));
                out.write(ByteBuffer.allocate(16).putLong(number).putLong(sum).array());
            }
        } catch (IOException e) {
            Thread.currentThread().interrupt();
        }
    }
}

class Till implements Runnable {
    private final int id, port;
    private final Random random;
    private OutputStream out;
    private DataInputStream in;

    Till(int id, int port) {
        this.id = id;
        this.port = port;
        this.random = new Random(id);
    }

    void connect() throws IOException {
        Socket socket = new Socket();
        socket.setTcpNoDelay(Boolean.getBoolean("fixed"));
        socket.setSoTimeout(5000);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 2000);
        out = socket.getOutputStream();
        in = new DataInputStream(socket.getInputStream());
    }

    long post(long number, String lines) throws IOException {
        byte[] body = lines.getBytes(StandardCharsets.US_ASCII);
        out.write(ByteBuffer.allocate(12).putLong(number).putInt(body.length).array());
        out.write(body);
        if (in.readLong() != number) throw new IOException("answer out of order");
        return in.readLong();
    }

    String basket() {
        StringJoiner j = new StringJoiner(";");
        for (int i = 0, n = 3 + random.nextInt(9); i < n; i++) j.add("SKU" + random.nextInt(900) + "=" + (99 + random.nextInt(4000)));
        return j.toString();
    }

    public void run() {
        try {
            connect();
            for (long number = id * 1_000_000L; ; number++) {
                String lines = basket();
                long t0 = System.nanoTime();
                post(number, lines);
                TillReceipts.nanos.addAndGet(System.nanoTime() - t0);
                TillReceipts.posted.incrementAndGet();
                Thread.sleep(10);
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
