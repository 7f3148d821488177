// SPDX-License-Identifier: Apache-2.0
// cause: FreightBooking.CarrierGateway.book holds one of four permits while Retry.until sleeps between attempts (Retry.rest), so that the others wait for permits which nobody uses
// share: as it is 125 to 155 bookings/s, 87 to 111 ms each; fixed 320 to 355 bookings/s, 30 to 34 ms each (2.5 to 3 times better)
// expect: waiting kind=semaphore holder=Retry.rest
// symptom: waiting
// judge: NAMED: waiting for a semaphore's permits at CarrierGateway.book (or Quota.within) whose holders mostly sleep in Retry.rest (a timer). SYMPTOM ONLY: waiting for permits without what the holders do; sleeping in Retry.rest without those who wait for permits. WRONG: the carrier's server as first cause, too few threads, CPU, GC, lost permits.
// jdk: 11
// set: twenty-seventh
// jvm: -Xmx64m
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

public class FreightBooking {
    static final LongAdder bookings = new LongAdder();
    static final LongAdder nanos = new LongAdder();

    static final class Line {
        final BufferedReader in;
        final OutputStream out;

        Line(int port) throws IOException {
            Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
            s.setTcpNoDelay(true);
            in = new BufferedReader(new InputStreamReader(s.getInputStream(), StandardCharsets.UTF_8));
            out = s.getOutputStream();
        }

        String ask(String text) throws IOException {
            out.write((text + "\n").getBytes(StandardCharsets.UTF_8));
            return in.readLine();
        }
    }

    static void daemon(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    static int carrier() throws IOException {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon("carrier-door", () -> {
            try {
                for (int i = 0;; i++) {
                    Socket s = server.accept();
                    s.setTcpNoDelay(true);
                    daemon("carrier-" + i, () -> serve(s));
                }
            } catch (IOException e) {
                System.out.println(e);
            }
        });
        return server.getLocalPort();
    }

    static void serve(Socket s) {
        try {
            Random r = new Random(s.getPort());
            BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream(), StandardCharsets.UTF_8));
            while (in.readLine() != null) {
                Thread.sleep(4);
                s.getOutputStream().write((r.nextInt(100) < 30 ? "LATER\n" : "BOOKED\n").getBytes(StandardCharsets.UTF_8));
            }
        } catch (IOException | InterruptedException e) {
            System.out.println(e);
        }
    }

    static final class Quota {
        final Semaphore permits = new Semaphore(4);

        <T> T within(Callable<T> call) throws Exception {
            permits.acquire();
            try {
                return call.call();
            } finally {
                permits.release();
            }
        }
    }

    static final class Retry {
        void rest(int attempt) throws InterruptedException {
            Thread.sleep(45L + 30 * attempt + ThreadLocalRandom.current().nextInt(10));
        }

        String until(Callable<String> call) throws Exception {
            for (int attempt = 0; attempt < 6; attempt++) {
                String answer = call.call();
                if (!answer.equals("LATER"))
                    return answer;
                rest(attempt);
            }
            return "LATER";
        }
    }

    static final class CarrierGateway {
        final int port;
        final ConcurrentLinkedDeque<Line> lines = new ConcurrentLinkedDeque<>();
        final Quota quota = new Quota();
        final Retry retry = new Retry();
        final boolean inner = Boolean.getBoolean("fixed");

        CarrierGateway(int port) {
            this.port = port;
        }

        String send(String order) throws IOException {
            Line line = lines.pollFirst();
            if (line == null)
                line = new Line(port);
            String answer = line.ask(order);
            lines.addFirst(line);
            return answer;
        }

        String book(String order) throws Exception {
            if (inner)
                return retry.until(() -> quota.within(() -> send(order)));
            return quota.within(() -> retry.until(() -> send(order)));
        }
    }

    static final class Booking {
        final CarrierGateway gateway;

        Booking(CarrierGateway gateway) {
            this.gateway = gateway;
        }

        long volume(int n) {
            long h = n;
            for (int i = 0; i < 60_000; i++)
                h = h * 2862933555777941757L + i;
            return (h >>> 33) % 70;
        }

        boolean request(int n) throws Exception {
            return gateway.book("container " + n + " of " + volume(n) + " m3").equals("BOOKED");
        }
    }

    public static void main(String[] args) throws Exception {
        long start = System.nanoTime();
        long end = start + Integer.getInteger("seconds", 170) * 1_000_000_000L;
        Booking booking = new Booking(new CarrierGateway(carrier()));
        for (int k = 0; k < 16; k++) {
            int first = k * 1000;
            daemon("agent-" + k, () -> {
                try {
                    for (int n = first;; n++) {
                        long t = System.nanoTime();
                        booking.request(n);
                        nanos.add(System.nanoTime() - t);
                        bookings.increment();
                        Thread.sleep(15);
                    }
                } catch (Exception e) {
                    System.out.println(e);
                }
            });
        }
        Thread.sleep(3000);
        System.out.println("READY");
        long last = bookings.sum();
        long lastNs = nanos.sum();
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long b = bookings.sum();
            long ns = nanos.sum();
            System.out.printf("measured: %d bookings/s, %.1f ms each%n", b - last, (ns - lastNs) / 1e6 / Math.max(1, b - last));
            last = b;
            lastNs = ns;
        }
        System.exit(0);
    }
}
