// SPDX-License-Identifier: Apache-2.0
// cause: CustomsLookup.Clerk.duty opens a new TCP connection and signs on (about 15 ms at the tariff office) for every single lookup instead of keeping its signed-on connection
// share: with the fault 217 lookups/s (17.82 ms each), with -Dfixed=true 3354 lookups/s (1.205 ms each): 15.5 times (median of short runs at nice 19 on a 2-core machine under heavy foreign load, so absolute figures are low)
// expect: waiting connector=Link
// symptom: waiting
// judge: NAMED: a new connection (connect + sign-on) per lookup in Clerk.duty / Link; connections are not reused; SYMPTOM ONLY: clerks wait in socket read / the remote office answers late, without the connection per request; WRONG: too few clerk threads as the only finding, locks, GC, the tariff lookup itself (1 ms is the office's normal answer time)
// jdk: 17
// set: twenty-eighth
// jvm: -Xmx64m
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;

public class CustomsLookup {
    static final boolean ALT = Boolean.getBoolean("fixed");
    static final int SPAN = Integer.getInteger("span", 170);
    static volatile boolean open = true;
    static final LongAdder lookups = new LongAdder();
    static final LongAdder nanos = new LongAdder();

    /** The tariff office at the other end of the line. */
    static final class Office extends Thread {
        final ServerSocket door;
        final ExecutorService counters = Executors.newCachedThreadPool(r -> {
            Thread t = new Thread(r, "office-counter");
            t.setDaemon(true);
            return t;
        });

        Office() throws IOException {
            super("office-door");
            setDaemon(true);
            door = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
        }

        @Override
        public void run() {
            try {
                while (open) {
                    Socket s = door.accept();
                    counters.execute(() -> serve(s));
                }
            } catch (IOException e) {
                open = false;
            }
        }

        private void serve(Socket s) {
            try (s) {
                s.setTcpNoDelay(true);
                BufferedReader in = new BufferedReader(
                        new InputStreamReader(s.getInputStream(), StandardCharsets.US_ASCII), 512);
                OutputStream out = s.getOutputStream();
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    if (line.startsWith("SIGNON ")) {
                        Thread.sleep(15);
                        out.write("WELCOME\n".getBytes(StandardCharsets.US_ASCII));
                    } else {
                        Thread.sleep(1);
                        int code = Integer.parseInt(line.substring(5));
                        out.write(("DUTY " + code % 37 + "\n").getBytes(StandardCharsets.US_ASCII));
                    }
                }
            } catch (IOException | InterruptedException e) {
                // the clerk hung up
            }
        }
    }

    static final class Link implements AutoCloseable {
        final Socket socket;
        final BufferedReader in;
        final OutputStream out;

        Link(int port, String clerk) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII), 512);
            out = socket.getOutputStream();
            ask("SIGNON " + clerk);
        }

        String ask(String line) throws IOException {
            out.write((line + "\n").getBytes(StandardCharsets.US_ASCII));
            return in.readLine();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    static final class Clerk extends Thread {
        final int port;
        private Link link;
        long duties;

        Clerk(int no, int port) {
            super("clerk-" + no);
            setDaemon(true);
            this.port = port;
        }

        @Override
        public void run() {
            try {
                int code = 10_000;
                while (open) {
                    long t = System.nanoTime();
                    duties += duty(code++);
                    nanos.add(System.nanoTime() - t);
                    lookups.increment();
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        private int duty(int code) throws IOException {
            if (ALT) {
                if (link == null) {
                    link = new Link(port, getName());
                }
                return rate(link.ask("RATE " + code));
            }
            try (Link l = new Link(port, getName())) {
                return rate(l.ask("RATE " + code));
            }
        }

        private static int rate(String answer) {
            return Integer.parseInt(answer.substring(5));
        }
    }

    public static void main(String[] args) throws Exception {
        long start = System.nanoTime();
        Office office = new Office();
        office.start();
        for (int i = 1; i <= 4; i++) {
            new Clerk(i, office.door.getLocalPort()).start();
        }
        Thread.sleep(3000);
        System.out.println("READY");
        long end = start + SPAN * 1_000_000_000L;
        long before = lookups.sum();
        long spent = nanos.sum();
        long at = System.nanoTime();
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long now = lookups.sum();
            long s = nanos.sum();
            long t = System.nanoTime();
            System.out.printf("measured: %.0f lookups/s, %.2f ms each%n",
                    (now - before) * 1e9 / (t - at), (s - spent) / 1e6 / Math.max(1, now - before));
            before = now;
            spent = s;
            at = t;
        }
        open = false;
    }
}
