// SPDX-License-Identifier: Apache-2.0
// cause: the client sends each request as two small writes (length, then body) on a socket with Nagle's algorithm on, so the body waits for the peer's delayed acknowledgement (about 40 ms) on every request
// share: without: 91 weighings/s, 43 ms each; fixed: about 3,400 weighings/s, 0.07 ms each (37 times)
// expect: held-back frame=WeighbridgeLink$Bridge.ask
// symptom: waiting
// judge: right = names Bridge.ask / the client socket: header and body written separately with TCP_NODELAY unset (Nagle + delayed ACK), or the two unbuffered writes to be made one; only symptom = "threads wait in socketRead", "the server is idle/late", "network latency"
// set: twenty-first
// jdk: 11
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;

public class WeighbridgeLink {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final long RUN_MILLIS = 220_000L;
    static final int BRIDGES = 4;

    /** The registry in the office: answers each weighing with its receipt. */
    static final class Registry implements Runnable {
        final ServerSocket listener;

        Registry() throws IOException {
            listener = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Socket peer = listener.accept();
                    start("registry-" + peer.getPort(), () -> serve(peer));
                }
            } catch (IOException e) {
                System.out.println("registry closed: " + e.getMessage());
            }
        }

        void serve(Socket peer) {
            try (Socket s = peer) {
                DataInputStream in = new DataInputStream(s.getInputStream());
                OutputStream out = s.getOutputStream();
                byte[] body = new byte[4096];
                long receipt = 0;
                while (true) {
                    int length = in.readInt();
                    in.readFully(body, 0, length);
                    long net = 0;
                    for (int i = 0; i < length; i++) {
                        net = net * 31 + body[i];
                    }
                    out.write(ByteBuffer.allocate(16).putLong(++receipt).putLong(net).array());
                }
            } catch (IOException e) {
                System.out.println("bridge left: " + e.getMessage());
            }
        }
    }

    static final class Bridge implements Runnable {
        final int number;
        final int port;
        final AtomicLong weighed;
        final AtomicLong nanos;

        Bridge(int number, int port, AtomicLong weighed, AtomicLong nanos) {
            this.number = number;
            this.port = port;
            this.weighed = weighed;
            this.nanos = nanos;
        }

        @Override
        public void run() {
            try (Socket s = new Socket("127.0.0.1", port)) {
                if (FIXED) {
                    s.setTcpNoDelay(true);
                }
                OutputStream out = s.getOutputStream();
                DataInputStream in = new DataInputStream(s.getInputStream());
                long n = 0;
                while (true) {
                    long t = System.nanoTime();
                    ask(out, in, "bridge=" + number + ";truck=HX-" + (n % 7000) + ";gross=" + (18_000 + n % 9000));
                    nanos.addAndGet(System.nanoTime() - t);
                    weighed.incrementAndGet();
                    n++;
                    Thread.sleep(1);
                }
            } catch (IOException | InterruptedException e) {
                System.out.println("bridge stopped: " + e.getMessage());
            }
        }

        static long ask(OutputStream out, DataInputStream in, String weighing) throws IOException {
            byte[] body = weighing.getBytes(StandardCharsets.UTF_8);
            out.write(ByteBuffer.allocate(4).putInt(body.length).array());
            out.write(body);
            long receipt = in.readLong();
            in.readLong();
            return receipt;
        }
    }

    static void start(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        AtomicLong weighed = new AtomicLong();
        AtomicLong nanos = new AtomicLong();
        Registry registry = new Registry();
        start("registry", registry);
        for (int i = 0; i < BRIDGES; i++) {
            start("bridge-" + i, new Bridge(i, registry.listener.getLocalPort(), weighed, nanos));
        }
        Thread.sleep(3000);
        System.out.println("READY");
        long end = System.currentTimeMillis() + RUN_MILLIS;
        long last = weighed.get();
        long lastNanos = nanos.get();
        while (System.currentTimeMillis() < end) {
            Thread.sleep(1000);
            long n = weighed.get();
            long ns = nanos.get();
            System.out.printf("measured: %d weighings/s, %.2f ms each%n", n - last, (ns - lastNanos) / 1e6 / Math.max(1, n - last));
            last = n;
            lastNanos = ns;
        }
    }
}
