// SPDX-License-Identifier: Apache-2.0
// cause: QuoteLink.Broker.run sends each request as two small writes (sendHeader, then the basket) on a socket without TCP_NODELAY and then reads: Nagle's algorithm holds the second segment until the peer's delayed ACK, about 40 ms per request
// share: 10 s means: faulty 124 quotes/s at 44.3 ms round trip, fixed (TCP_NODELAY) 1426 quotes/s at 0.11 ms
// expect: held-back
// symptom: waiting
// judge: NAMED: Nagle / delayed ACK interplay, or missing TCP_NODELAY on the broker sockets, or write-write-read with unbuffered small writes (header and body should be one write / buffered), provided it is given as the reason of the 40 ms round trip. SYMPTOM ONLY: brokers wait in socket read (readLong); round trip is about 40 ms; the quote house waits for data in readInt/readFully. WRONG: quote house computation is slow, remote service slow as such, too few threads or connections, Thread.sleep(4) of the brokers, reads of DataInputStream being unbuffered as the main cause, locks, GC
// jdk: 11
// set: twenty-second
import java.io.DataInputStream;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.LongAdder;

/** Brokers ask the quote house for quotes for baskets over a small framed protocol. */
public class QuoteLink {
    static final class QuoteHouse {
        private final ServerSocket door;

        QuoteHouse() throws IOException {
            door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        }

        int port() { return door.getLocalPort(); }

        void open() {
            Thread t = new Thread(() -> {
                int n = 0;
                while (true) {
                    try {
                        Socket s = door.accept();
                        s.setTcpNoDelay(true);
                        Thread c = new Thread(() -> serve(s), "quote-house-" + n++);
                        c.setDaemon(true);
                        c.start();
                    } catch (IOException e) {
                        return;
                    }
                }
            }, "quote-house-door");
            t.setDaemon(true);
            t.start();
        }

        private void serve(Socket s) {
            try (Socket own = s) {
                DataInputStream in = new DataInputStream(new BufferedInputStream(own.getInputStream()));
                OutputStream out = own.getOutputStream();
                byte[] basket = new byte[4096];
                while (true) {
                    int length = in.readInt();
                    in.readFully(basket, 0, length);
                    long price = 17;
                    for (int round = 0; round < 40; round++) {
                        for (int i = 0; i < length; i++) price = price * 31 + basket[i];
                    }
                    out.write(ByteBuffer.allocate(8).putLong(price).array());
                }
            } catch (IOException e) {
                // broker went away
            }
        }
    }

    static final class Broker implements Runnable {
        private final Socket line;
        private final LongAdder quotes;
        private final LongAdder micros;
        private long best = Long.MAX_VALUE;

        Broker(int port, LongAdder quotes, LongAdder micros) throws IOException {
            line = new Socket(InetAddress.getLoopbackAddress(), port);
            if (Boolean.getBoolean("fixed")) line.setTcpNoDelay(true);
            this.quotes = quotes;
            this.micros = micros;
        }

        @Override public void run() {
            try {
                InputStream raw = line.getInputStream();
                DataInputStream in = new DataInputStream(raw);
                OutputStream out = line.getOutputStream();
                byte[] basket = new byte[600];
                for (int n = 0;; n++) {
                    for (int i = 0; i < basket.length; i++) basket[i] = (byte) (i * n);
                    long t0 = System.nanoTime();
                    sendHeader(out, basket.length);
                    out.write(basket);
                    long price = in.readLong();
                    micros.add((System.nanoTime() - t0) / 1000);
                    quotes.increment();
                    best = Math.min(best, price);
                    Thread.sleep(4);
                }
            } catch (IOException | InterruptedException e) {
                System.err.println("broker left: " + e);
            }
        }

        private void sendHeader(OutputStream out, int length) throws IOException {
            out.write(ByteBuffer.allocate(4).putInt(length).array());
        }
    }

    public static void main(String[] args) throws Exception {
        QuoteHouse house = new QuoteHouse();
        house.open();
        LongAdder quotes = new LongAdder();
        LongAdder micros = new LongAdder();
        for (int i = 0; i < 6; i++) {
            Thread t = new Thread(new Broker(house.port(), quotes, micros), "broker-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(3000);
        System.out.println("READY");
        quotes.reset();
        micros.reset();
        for (int s = 0; s < 165; s++) {
            Thread.sleep(1000);
            long n = quotes.sumThenReset();
            System.out.printf("measured: %d quotes/s, mean round trip %.2f ms%n", n,
                    micros.sumThenReset() / 1000.0 / Math.max(1, n));
        }
        System.exit(0);
    }
}
