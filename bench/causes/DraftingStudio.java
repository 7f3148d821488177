// SPDX-License-Identifier: Apache-2.0
// cause: drawings are never closed (DraftingStudio$Desk.draw), so their seats are given back by the Cleaner only, whose action DraftingStudio$SeatReturn.run asks the licence office over a socket (DraftingStudio$Office.giveBack) and waits some 12 ms for each answer: the one cleaner thread is busy all the time and falls ever further behind
// share: thread Cleaner-0 is in SeatReturn.run about 100 % of the time, it gives back some 80 seats a second of some 260 that are dropped: the number of seats held by drawings that are gone grows by more than 100 a second
// expect: cleaners-behind
// symptom: waiting
// judge: NAMED: the cleaner thread does not keep up / one slow cleaner holds up all others, at SeatReturn.run or Office.giveBack; or drawings that are left to the cleaner in place of being closed; the wait for a socket at Office.giveBack if it is said to be that of the cleaner thread. SYMPTOM ONLY: a wait for a server's answer at Office.giveBack without the cleaner, the sleep of the licence office (LicenceServer.serve), growth of the heap. WRONG: computing in Desk.sketch, collections, CPUs, nothing stands out
// jdk: 25
// set: thirty-second
// jvm: -Xmx256m
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.lang.ref.Cleaner;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** A drafting studio: each drawing holds a licensed seat, which goes back to the licence office after use. */
public class DraftingStudio {

    static final AtomicLong OPENED = new AtomicLong();
    static final AtomicLong RETURNED = new AtomicLong();
    static final AtomicLong RETURNING = new AtomicLong();

    /** The licence office, with a journal that takes a while. */
    static final class LicenceServer implements Runnable {
        private final ServerSocket server;
        private final AtomicLong journal = new AtomicLong();

        LicenceServer() throws IOException {
            server = new ServerSocket(0, 20, InetAddress.getLoopbackAddress());
        }

        int port() {
            return server.getLocalPort();
        }

        private void serve(Socket socket) {
            try (socket; BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))) {
                socket.setTcpNoDelay(true);
                OutputStream out = socket.getOutputStream();
                while (in.readLine() != null) {
                    TimeUnit.MILLISECONDS.sleep(12);
                    out.write(("OK " + journal.incrementAndGet() + "\n").getBytes(StandardCharsets.US_ASCII));
                }
            } catch (IOException | InterruptedException e) {
                System.err.println("connection ended: " + e);
            }
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Socket socket = server.accept();
                    Thread.ofPlatform().name("office").daemon().start(() -> serve(socket));
                }
            } catch (IOException e) {
                System.err.println("office closed: " + e);
            }
        }
    }

    /** The studio's line to the office. */
    static final class Office {
        private final Socket socket;
        private final BufferedReader in;
        private final OutputStream out;

        Office(int port) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            out = socket.getOutputStream();
        }

        synchronized void giveBack(int seat) throws IOException {
            out.write(("BACK " + seat + "\n").getBytes(StandardCharsets.US_ASCII));
            String answer = in.readLine();
            if (answer == null || !answer.startsWith("OK")) throw new IOException("seat " + seat + ": " + answer);
        }
    }

    record SeatReturn(Office office, int seat) implements Runnable {
        @Override
        public void run() {
            long begin = System.nanoTime();
            try {
                office.giveBack(seat);
                RETURNED.incrementAndGet();
            } catch (IOException e) {
                System.err.println(e);
            } finally {
                RETURNING.addAndGet(System.nanoTime() - begin);
            }
        }
    }

    static final class Drawing implements AutoCloseable {
        private static final Cleaner CLEANER = Cleaner.create();
        private static final AtomicInteger SEATS = new AtomicInteger();
        private final Cleaner.Cleanable seat;
        private final double[] points = new double[24_000];
        private int used;

        Drawing(Office office) {
            seat = CLEANER.register(this, new SeatReturn(office, SEATS.incrementAndGet()));
            OPENED.incrementAndGet();
        }

        void line(double x, double y) {
            points[used++] = x;
            points[used++] = y;
        }

        double length() {
            double sum = 0;
            for (int i = 2; i < used; i += 2) sum += Math.hypot(points[i] - points[i - 2], points[i + 1] - points[i - 1]);
            return sum;
        }

        @Override
        public void close() {
            seat.clean();
        }
    }

    static final class Desk implements Runnable {
        private final Office office;
        private final Random random;
        private double inked;

        Desk(Office office, int seed) {
            this.office = office;
            random = new Random(seed);
        }

        private void sketch(Drawing drawing) {
            double angle = 0, radius = 1;
            for (int i = 0; i < 6000; i++) {
                angle += 0.02 * random.nextDouble();
                radius += 0.01;
                drawing.line(radius * Math.cos(angle), radius * Math.sin(angle));
            }
        }

        private double draw() {
            Drawing drawing = new Drawing(office);
            sketch(drawing);
            return drawing.length();
        }

        @Override
        public void run() {
            try {
                while (true) {
                    inked += draw();
                    TimeUnit.MILLISECONDS.sleep(15);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        LicenceServer server = new LicenceServer();
        Thread.ofPlatform().name("licences").daemon().start(server);
        Office office = new Office(server.port());
        for (int i = 0; i < 4; i++) Thread.ofPlatform().name("desk-" + i).start(new Desk(office, i));
        while (RETURNED.get() < 200) Thread.sleep(50);
        System.out.println("READY");
        System.out.flush();
        long opened = OPENED.get(), returned = RETURNED.get(), returning = RETURNING.get(), at = System.nanoTime();
        while (true) {
            Thread.sleep(1000);
            long o = OPENED.get(), r = RETURNED.get(), t = RETURNING.get(), now = System.nanoTime();
            System.out.printf("measured: %d drawings made, %d seats given back, which took %.0f %% of the time, %d seats out%n",
                    o - opened, r - returned, 100.0 * (t - returning) / (now - at), o - r);
            opened = o;
            returned = r;
            returning = t;
            at = now;
        }
    }
}
