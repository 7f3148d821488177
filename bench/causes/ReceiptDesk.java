// SPDX-License-Identifier: Apache-2.0
// cause: ReceiptDesk$CardLink.receive waits for the answer of the signature card's driver, a process of its own behind pipes, 20 ms for each line of a receipt: ReceiptDesk$Register.handle has each of the six lines signed by itself (CardLink.sign), one after another, though one signature for the receipt would do
// share: over 90 % of the time of a request, about 120 ms of it, is the wait for the pipe; 3 threads of the server nearly all the time (see "measured")
// expect: waiting kind=pipe frame=ReceiptDesk$CardLink | waiting kind=file-read frame=ReceiptDesk$CardLink | waiting kind=process frame=ReceiptDesk$CardLink
// symptom: waiting pool-busy
// judge: NAMED: requests (Register.handle) wait for data of a pipe / the answer of the other process (kind pipe, file-read or process) at ReceiptDesk$CardLink.receive (or sign, which calls it). SYMPTOM ONLY: ReceiptDesk$Till.sell, the client in the same process, waits for the server's answer (socket read), or the server's pool is busy, without the pipe. WRONG: anything else as the cause (Till's sleep, the HTTP server, Nagle, starting processes, CPU, collections, ReceiptDesk$Register's printing of receipts).
// jdk: 8
// set: thirty-fourth
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

public class ReceiptDesk {
    static final int CARDS = 3, LINES = 6;
    static final LongAdder receipts = new LongAdder(), requestNs = new LongAdder(), cardNs = new LongAdder();

    /** The driver of one signature card, run as a process: a line in, its signature out. */
    public static final class CardDriver {
        public static void main(String[] args) throws Exception {
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            int counter = 0;
            for (String line; (line = in.readLine()) != null; ) {
                Thread.sleep(20);
                System.out.println("SIG " + ++counter + " " + Integer.toHexString(line.hashCode()));
                System.out.flush();
            }
        }
    }

    /** One card, by the pipes of its driver. */
    static final class CardLink {
        private final OutputStream out;
        private final BufferedReader in;
        private long waitedNs;

        CardLink() throws IOException {
            Process p = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-Xmx24m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
                "-cp", System.getProperty("java.class.path"), CardDriver.class.getName()).redirectError(ProcessBuilder.Redirect.INHERIT).start();
            out = p.getOutputStream();
            in = new BufferedReader(new InputStreamReader(p.getInputStream(), StandardCharsets.UTF_8));
        }

        String sign(String line) throws IOException {
            long from = System.nanoTime();
            send(line);
            String signature = receive();
            waitedNs += System.nanoTime() - from;
            return signature;
        }

        long takeWaited() {
            long ns = waitedNs;
            waitedNs = 0;
            return ns;
        }

        private void send(String line) throws IOException {
            out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            out.flush();
        }

        private String receive() throws IOException {
            String answer = in.readLine();
            if (answer == null || !answer.startsWith("SIG ")) {
                throw new IOException("card driver: " + answer);
            }
            return answer.substring(4);
        }
    }

    static final class Register implements HttpHandler {
        private final BlockingQueue<CardLink> cards = new LinkedBlockingQueue<>();

        Register() throws IOException {
            for (int i = 0; i < CARDS; i++) {
                cards.add(new CardLink());
            }
        }

        @Override public void handle(HttpExchange x) throws IOException {
            long from = System.nanoTime();
            CardLink card = cards.poll();
            byte[] body;
            int status = 200;
            long waited;
            try {
                StringBuilder b = new StringBuilder("RECEIPT\n");
                long total = 0;
                for (String item : x.getRequestURI().getQuery().split(",")) {
                    String line = item + " x1 " + price(item) + " ct";
                    total += price(item);
                    b.append(line).append(" [").append(card.sign(line)).append("]\n");
                }
                body = b.append("TOTAL ").append(total).append('\n').toString().getBytes(StandardCharsets.UTF_8);
            } catch (IOException e) {
                status = 503;
                body = "no card\n".getBytes(StandardCharsets.UTF_8);
            } finally {
                waited = card.takeWaited();
                cards.add(card);
            }
            x.sendResponseHeaders(status, body.length);
            x.getResponseBody().write(body);
            x.close();
            requestNs.add(System.nanoTime() - from);
            cardNs.add(waited);
            receipts.increment();
        }

        private static long price(String item) {
            return 99 + Math.abs(item.hashCode() % 900);
        }
    }

    static final class Till extends Thread {
        private final int port;
        long failed;

        Till(int n, int port) {
            super("till-" + n);
            this.port = port;
            setDaemon(true);
        }

        @Override public void run() {
            byte[] buffer = new byte[2048];
            while (true) {
                try {
                    sell(buffer);
                    Thread.sleep(10);
                } catch (IOException e) {
                    failed++;
                } catch (InterruptedException e) {
                    return;
                }
            }
        }

        private void sell(byte[] buffer) throws IOException {
            StringBuilder items = new StringBuilder();
            for (int i = 0; i < LINES; i++) {
                items.append(i == 0 ? "" : ",").append("art").append(ThreadLocalRandom.current().nextInt(5000));
            }
            HttpURLConnection c = (HttpURLConnection) new URL("http://127.0.0.1:" + port + "/receipt?" + items).openConnection();
            try (InputStream in = c.getInputStream()) {
                while (in.read(buffer) >= 0) {
                    continue;
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 50);
        server.createContext("/receipt", new Register());
        server.setExecutor(Executors.newFixedThreadPool(CARDS));
        server.start();
        for (int i = 0; i < CARDS; i++) {
            new Till(i, server.getAddress().getPort()).start();
        }
        while (receipts.sum() < 20) {
            Thread.sleep(100);
        }
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long n = receipts.sum(), r = requestNs.sum(), c = cardNs.sum();
            Thread.sleep(1500);
            long k = Math.max(1, receipts.sum() - n);
            System.out.printf(Locale.ROOT, "measured: %d receipts, %.1f ms each, %.1f ms of it (%.0f %%) for the card driver's answers%n", k,
                (requestNs.sum() - r) / 1e6 / k, (cardNs.sum() - c) / 1e6 / k, 100.0 * (cardNs.sum() - c) / Math.max(1, requestNs.sum() - r));
        }
    }
}
