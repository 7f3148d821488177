// SPDX-License-Identifier: Apache-2.0
// cause: LockerLeases.Lease.finalize gives each locker back by a question to the registry (about 4 ms), so that the one Finalizer thread falls behind and leases pile up on the heap
// share: as it is 400 leases/s issued, about 230 given back/s, 3800 not yet given back after 20 s and 28400 after 170 s; fixed 400/s given back, 3 outstanding (1000 times better)
// expect: cleaners-behind thread=Finalizer
// symptom: live-set | waiting
// judge: NAMED: the Finalizer thread is busy all the time (waits for the registry's answer at Lease.finalize / Registry.giveBack, objects to be finalized pile up). SYMPTOM ONLY: heap growth / live set without the finalizer, waiting for a server's answer without saying that it is the finalizer's. WRONG: the request threads (clerk-N), the registry server as first cause, a larger heap as the remedy.
// jdk: 8
// set: twenty-seventh
// jvm: -Xmx96m -XX:+UseSerialGC
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

public class LockerLeases {
    static final boolean EXPLICIT = Boolean.getBoolean("fixed");
    static final AtomicLong issued = new AtomicLong();
    static final AtomicLong returned = new AtomicLong();

    static final class Line {
        final Socket socket;
        final BufferedReader in;
        final OutputStream out;

        Line(int port) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            out = socket.getOutputStream();
        }

        String ask(String text) throws IOException {
            out.write((text + "\n").getBytes(StandardCharsets.US_ASCII));
            return in.readLine();
        }
    }

    static final class Registry {
        final int port;
        final ConcurrentLinkedQueue<Line> lines = new ConcurrentLinkedQueue<>();

        Registry(int port) {
            this.port = port;
        }

        void giveBack(long locker) throws IOException {
            Line line = lines.poll();
            if (line == null)
                line = new Line(port);
            line.ask("back " + locker);
            lines.add(line);
            returned.incrementAndGet();
        }
    }

    static final class RegistryServer extends Thread {
        final ServerSocket server;

        RegistryServer() throws IOException {
            super("registry");
            server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            setDaemon(true);
        }

        @Override
        public void run() {
            try {
                for (;;) {
                    final Socket s = server.accept();
                    s.setTcpNoDelay(true);
                    Thread t = new Thread("registry-line") {
                        @Override
                        public void run() {
                            serve(s);
                        }
                    };
                    t.setDaemon(true);
                    t.start();
                }
            } catch (IOException e) {
                return;
            }
        }

        static void serve(Socket s) {
            try {
                BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream(), StandardCharsets.US_ASCII));
                while (in.readLine() != null) {
                    Thread.sleep(4);
                    s.getOutputStream().write("ok\n".getBytes(StandardCharsets.US_ASCII));
                }
            } catch (IOException | InterruptedException e) {
                return;
            }
        }
    }

    static class Hold implements AutoCloseable {
        final Registry registry;
        final long locker;
        final byte[] contents = new byte[900];

        Hold(Registry registry, long locker) {
            this.registry = registry;
            this.locker = locker;
            contents[(int) (locker % 900)] = 1;
            issued.incrementAndGet();
        }

        public void close() throws IOException {
            if (EXPLICIT)
                registry.giveBack(locker);
        }
    }

    static final class Lease extends Hold {
        Lease(Registry registry, long locker) {
            super(registry, locker);
        }

        @Override
        protected void finalize() throws Throwable {
            registry.giveBack(locker);
        }
    }

    static final class Clerk extends Thread {
        final Registry registry;
        final Random random;
        long weight;

        Clerk(int n, Registry registry) {
            super("clerk-" + n);
            this.registry = registry;
            random = new Random(n);
            setDaemon(true);
        }

        String label(Hold hold) {
            StringBuilder b = new StringBuilder();
            for (int i = 0; i < 400; i++)
                b.append((hold.locker * (i + 3)) % 1009).append(i % 8 == 7 ? '\n' : ' ');
            return b.toString();
        }

        void parcel() throws IOException {
            long locker = random.nextInt(5000);
            try (Hold hold = EXPLICIT ? new Hold(registry, locker) : new Lease(registry, locker)) {
                for (int i = 0; i < 8; i++)
                    weight += label(hold).hashCode();
            }
        }

        @Override
        public void run() {
            try {
                long next = System.nanoTime();
                for (;;) {
                    parcel();
                    next += 10_000_000L;
                    long rest = next - System.nanoTime();
                    if (rest > 0)
                        Thread.sleep(rest / 1_000_000, (int) (rest % 1_000_000));
                    else
                        next = System.nanoTime();
                }
            } catch (IOException | InterruptedException e) {
                System.out.println(e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        long start = System.nanoTime();
        long end = start + Integer.getInteger("seconds", 170) * 1_000_000_000L;
        RegistryServer server = new RegistryServer();
        server.start();
        Registry registry = new Registry(server.server.getLocalPort());
        for (int i = 0; i < 4; i++)
            new Clerk(i, registry).start();
        Thread.sleep(5000);
        System.out.println("READY");
        long last = issued.get();
        long lastBack = returned.get();
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long n = issued.get();
            long b = returned.get();
            System.out.printf("measured: %d leases/s, %d given back/s, %d not yet given back%n", n - last, b - lastBack, n - b);
            last = n;
            lastBack = b;
        }
        System.exit(0);
    }
}
