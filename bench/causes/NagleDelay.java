// SPDX-License-Identifier: Apache-2.0
// cause: tills write a request in two pieces, so the second waits for the delayed acknowledgement of the first
// expect: held-back frame=NagleDelay.ask
// symptom: waiting endpoint-wait
// jdk: 11
// set: sixth
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ConcurrentHashMap;
import wick.Scope;
import wick.Wick;

/**
 * Four tills book what they sold with a stock service over loopback. A header of eight bytes and a body are written by
 * one call each, and TCP_NODELAY is not set: the kernel keeps the body back until the header is acknowledged, which the
 * other side does after 40 ms, as it has nothing to answer yet. The service answers a complete request in microseconds,
 * and each till has a connection and a thread of the service for itself, so that 40 ms of each 45 ms are this delay.
 */
public final class NagleDelay {
    private static final int TILLS = 4;
    private static final int MAGIC = 0x51544f43;
    private static final ConcurrentHashMap<String, Integer> STOCK = new ConcurrentHashMap<>();
    private static volatile int left;

    private static void answer(Socket till) throws IOException {
        DataInputStream in = new DataInputStream(till.getInputStream());
        OutputStream out = till.getOutputStream();
        for (;;) {
            if (in.readInt() != MAGIC) {
                throw new IOException("no request");
            }
            byte[] body = new byte[in.readInt()];
            in.readFully(body);
            String[] fields = new String(body, StandardCharsets.UTF_8).split(";");
            int sold = Integer.parseInt(fields[1]);
            int now = STOCK.merge(fields[0], 100_000 - sold, (before, first) -> before - sold);
            out.write(ByteBuffer.allocate(4).putInt(now).array());
        }
    }

    private static void accept(ServerSocket listener) {
        try {
            for (int n = 0;; n++) {
                Socket till = listener.accept();
                new Thread(() -> {
                    try {
                        answer(till);
                    } catch (IOException e) {
                        throw new IllegalStateException(e);
                    }
                }, "stock-" + n).start();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static int ask(InputStream in, OutputStream out, String article, int sold) throws IOException {
        byte[] body = (article + ";" + sold).getBytes(StandardCharsets.UTF_8);
        out.write(ByteBuffer.allocate(8).putInt(MAGIC).putInt(body.length).array());
        out.write(body);
        return ByteBuffer.wrap(in.readNBytes(4)).getInt();
    }

    private static void sell(int till, int port) {
        try (Socket service = new Socket(InetAddress.getLoopbackAddress(), port)) {
            InputStream in = service.getInputStream();
            OutputStream out = service.getOutputStream();
            for (int n = 0;; n++) {
                try (Scope request = Wick.span("PUT /stock")) {
                    left = ask(in, out, "article-" + (n + till) % 50, 1 + n % 3);
                }
                Thread.sleep(5); // the next article is scanned
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws IOException {
        ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        new Thread(() -> accept(listener), "stock-acceptor").start();
        for (int i = 0; i < TILLS; i++) {
            int till = i;
            new Thread(() -> sell(till, listener.getLocalPort()), "till-" + i).start();
        }
        System.out.println("READY");
    }
}
