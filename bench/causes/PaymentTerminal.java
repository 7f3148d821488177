// SPDX-License-Identifier: Apache-2.0
// cause: AcquirerSession sends header and body by two small writes, Nagle on: each waits ~40 ms for a delayed ACK
// expect: held-back frame=PaymentTerminal$AcquirerSession
// symptom: waiting
// share: mean 44.0 ms a sale; fixed: 0.45 ms (at the same 125 sales/s)
// judge: right: PaymentTerminal$AcquirerSession.exchange: two writes per request, no TCP_NODELAY (Nagle/delayed ACK)
// judge: symptom: session threads wait in socket read for the acquirer's answer, about 40 ms each
// judge: wrong: the acquirer host computes slowly; too few sessions; a lock; the journal file; GC
// jdk: 11
// set: fourteenth
import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.security.MessageDigest;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class PaymentTerminal {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final LongAdder paid = new LongAdder(), declined = new LongAdder(), nanos = new LongAdder();
    static final LongAdder exchangeNanos = new LongAdder();

    static final class Sale {
        final long trace; final String pan; final int cents; final long born = System.nanoTime();
        Sale(long trace, String pan, int cents) { this.trace = trace; this.pan = pan; this.cents = cents; }
        String message() {
            return "0200|" + pan + "|" + String.format("%012d", cents) + "|EUR|TERM" + trace % 977 + "|" + trace;
        }
    }

    /** The bank's host, as the terminals see it. */
    static final class AcquirerHost extends Thread {
        final ServerSocket server;
        AcquirerHost() throws IOException {
            super("acquirer-accept");
            server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            setDaemon(true);
        }
        @Override public void run() {
            for (int n = 0; ; n++) {
                try {
                    Socket s = server.accept();
                    s.setTcpNoDelay(true);
                    Thread t = new Thread(() -> serve(s), "acquirer-" + n);
                    t.setDaemon(true);
                    t.start();
                } catch (IOException e) { return; }
            }
        }
        void serve(Socket s) {
            try (DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()))) {
                OutputStream out = s.getOutputStream();
                MessageDigest sha = MessageDigest.getInstance("SHA-256");
                while (true) {
                    int length = in.readInt();
                    long trace = in.readLong();
                    byte[] body = new byte[length];
                    in.readFully(body);
                    byte[] mac = sha.digest(body);
                    String[] f = new String(body, StandardCharsets.US_ASCII).split("\\|");
                    boolean ok = Integer.parseInt(f[2].substring(4)) < 45_000 && mac[0] != 7;
                    byte[] answer = new byte[10];
                    for (int i = 0; i < 8; i++) answer[i] = (byte) (trace >>> 8 * i);
                    answer[8] = (byte) (ok ? 0 : 51);
                    answer[9] = mac[1];
                    out.write(answer);
                }
            } catch (Exception e) { /* the terminal went away */ }
        }
    }

    static final class AcquirerSession implements Runnable {
        final Socket socket; final OutputStream out; final InputStream in;
        final BlockingQueue<Sale> sales; final Journal journal;
        final byte[] answer = new byte[10];
        AcquirerSession(InetSocketAddress host, BlockingQueue<Sale> sales, Journal journal) throws IOException {
            socket = new Socket(host.getAddress(), host.getPort());
            if (FIXED) socket.setTcpNoDelay(true);
            socket.setSoTimeout(5000);
            out = socket.getOutputStream();
            in = socket.getInputStream();
            this.sales = sales;
            this.journal = journal;
        }
        @Override public void run() {
            try {
                while (true) {
                    Sale sale = sales.take();
                    long t = System.nanoTime();
                    boolean ok = exchange(sale);
                    exchangeNanos.add(System.nanoTime() - t);
                    (ok ? paid : declined).increment();
                    journal.add(sale, ok);
                    nanos.add(System.nanoTime() - sale.born);
                }
            } catch (Exception e) { e.printStackTrace(); }
        }
        boolean exchange(Sale sale) throws IOException {
            byte[] body = sale.message().getBytes(StandardCharsets.US_ASCII);
            byte[] head = new byte[12];
            for (int i = 0; i < 4; i++) head[i] = (byte) (body.length >>> 24 - 8 * i);
            for (int i = 0; i < 8; i++) head[4 + i] = (byte) (sale.trace >>> 56 - 8 * i);
            out.write(head);
            out.write(body);
            for (int n = 0; n < answer.length; ) {
                int r = in.read(answer, n, answer.length - n);
                if (r < 0) throw new EOFException("acquirer closed");
                n += r;
            }
            return answer[8] == 0;
        }
    }

    /** Last sales, flushed to a file twice a second; the file starts again at 4 MB. */
    static final class Journal {
        final Path file; final ArrayDeque<String> lines = new ArrayDeque<>(); long size;
        Journal() throws IOException {
            file = Files.createTempFile("terminal", ".jnl");
            file.toFile().deleteOnExit();
        }
        synchronized void add(Sale s, boolean ok) {
            lines.add(s.trace + ";" + s.pan.substring(12) + ";" + s.cents + ";" + (ok ? "OK" : "NO"));
        }
        void flush() {
            List<String> batch;
            synchronized (this) { batch = new ArrayList<>(lines); lines.clear(); }
            try {
                boolean fresh = size > 4_000_000;
                Files.write(file, batch, fresh ? StandardOpenOption.TRUNCATE_EXISTING : StandardOpenOption.APPEND);
                size = fresh ? 0 : size + 30L * batch.size();
            } catch (IOException e) { System.err.println("journal: " + e); }
        }
    }

    public static void main(String[] args) throws Exception {
        AcquirerHost host = new AcquirerHost();
        host.start();
        BlockingQueue<Sale> sales = new LinkedBlockingQueue<>(5000);
        Journal journal = new Journal();
        InetSocketAddress to = new InetSocketAddress(InetAddress.getLoopbackAddress(), host.server.getLocalPort());
        for (int i = 0; i < 10; i++) new Thread(new AcquirerSession(to, sales, journal), "session-" + i).start();
        ScheduledExecutorService timer = Executors.newScheduledThreadPool(2);
        AtomicLong traces = new AtomicLong(100_000);
        Random random = new Random(5);
        timer.scheduleAtFixedRate(() -> {              // the tills of the shops: about 125 sales a second
            for (int i = 1 + random.nextInt(2); i > 0; i--) {
                String pan = "4976" + (100_000_000_000L + Math.abs(random.nextLong() % 900_000_000_000L));
                if (!sales.offer(new Sale(traces.incrementAndGet(), pan, 100 + random.nextInt(50_000))))
                    declined.increment();
            }
        }, 0, 12, TimeUnit.MILLISECONDS);
        timer.scheduleWithFixedDelay(journal::flush, 500, 500, TimeUnit.MILLISECONDS);
        Thread.sleep(1000);
        System.out.println("READY");
        for (long p0 = paid.sum() + declined.sum(), n0 = nanos.sum(), x0 = exchangeNanos.sum(); ; ) {
            Thread.sleep(1000);
            long p = paid.sum() + declined.sum(), n = nanos.sum(), x = exchangeNanos.sum();
            System.out.printf(Locale.ROOT, "measured: %d sales/s, mean %.2f ms, of it exchange %.2f ms, waiting %d%n",
                    p - p0, (n - n0) / 1e6 / Math.max(1, p - p0), (x - x0) / 1e6 / Math.max(1, p - p0), sales.size());
            p0 = p; n0 = n; x0 = x;
        }
    }
}
