// SPDX-License-Identifier: Apache-2.0
// healthy: 18 customer threads and 18 connection threads wait nearly all the time in socketRead and Object.wait, which is a long-poll protocol by design: each event is delivered within about 1 ms and the CPU is nearly idle.
// share: 7-9 alerts/s, mean delivery 0.2-1.4 ms from event to customer, empty polls every 5 s as designed
// judge: WRONG: lock or monitor contention on Mailbox, slow server or slow network (socketRead waits up to 5 s), too many threads, a deadlock or hang, thread pool starvation. ACCEPTABLE: most threads are idle, waiting for events (long polling); CPU is low; no fault found.
// jdk: 8
// set: twenty-third
// jvm:
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

public class ParcelAlerts {
    private static final int CUSTOMERS = 18;
    private static final long HOLD_MS = 5000;
    private static final AtomicLong DELIVERED = new AtomicLong();
    private static final AtomicLong DELAY = new AtomicLong();
    private static final AtomicLong EMPTY = new AtomicLong();

    static final class Event {
        final String parcel;
        final String state;
        final long born = System.nanoTime();

        Event(String parcel, String state) {
            this.parcel = parcel;
            this.state = state;
        }
    }

    static final class Mailbox {
        private final Deque<Event> events = new ArrayDeque<>();

        synchronized void put(Event e) {
            events.addLast(e);
            notify();
        }

        synchronized Event poll(long millis) throws InterruptedException {
            long until = System.nanoTime() + millis * 1000000L;
            while (events.isEmpty()) {
                long left = (until - System.nanoTime()) / 1000000L;
                if (left <= 0) {
                    return null;
                }
                wait(left);
            }
            return events.pollFirst();
        }
    }

    static final class Server {
        private final ServerSocket socket;
        private final Mailbox[] boxes = new Mailbox[CUSTOMERS];

        Server() throws IOException {
            socket = new ServerSocket(0, 128, InetAddress.getLoopbackAddress());
            for (int i = 0; i < boxes.length; i++) {
                boxes[i] = new Mailbox();
            }
        }

        void accept() {
            try {
                while (true) {
                    final Socket s = socket.accept();
                    s.setTcpNoDelay(true);
                    start("poll-conn", () -> serve(s));
                }
            } catch (IOException e) {
                System.out.println("accept ended " + e);
            }
        }

        private void serve(Socket s) {
            try {
                BufferedReader in = reader(s);
                OutputStream out = s.getOutputStream();
                String line;
                while ((line = in.readLine()) != null) {
                    int customer = Integer.parseInt(line.substring(5));
                    Event e = boxes[customer].poll(HOLD_MS);
                    String answer = e == null ? "NONE\n" : "EVENT " + e.parcel + " " + e.state + " " + e.born + "\n";
                    out.write(answer.getBytes(StandardCharsets.US_ASCII));
                }
            } catch (IOException | InterruptedException e) {
                System.out.println("poll ended " + e);
            }
        }
    }

    static void customer(int port, int id) {
        try {
            Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
            s.setTcpNoDelay(true);
            BufferedReader in = reader(s);
            OutputStream out = s.getOutputStream();
            byte[] ask = ("POLL " + id + "\n").getBytes(StandardCharsets.US_ASCII);
            while (true) {
                out.write(ask);
                String answer = in.readLine();
                if (answer == null) {
                    return;
                }
                if (answer.startsWith("NONE")) {
                    EMPTY.incrementAndGet();
                } else {
                    long born = Long.parseLong(answer.substring(answer.lastIndexOf(' ') + 1));
                    DELAY.addAndGet(System.nanoTime() - born);
                    DELIVERED.incrementAndGet();
                }
            }
        } catch (IOException e) {
            System.out.println("customer " + id + " ended " + e);
        }
    }

    static void depot(Server server) {
        Random random = new Random(8);
        String[] states = {"COLLECTED", "SORTED", "ON-VAN", "DELIVERED"};
        try {
            while (true) {
                Thread.sleep(40 + random.nextInt(160));
                int c = random.nextInt(100) < 90 ? random.nextInt(CUSTOMERS / 2) : random.nextInt(CUSTOMERS);
                server.boxes[c].put(new Event("P" + random.nextInt(1000000), states[random.nextInt(4)]));
            }
        } catch (InterruptedException e) {
            System.out.println("depot closed");
        }
    }

    static BufferedReader reader(Socket s) throws IOException {
        return new BufferedReader(new InputStreamReader(s.getInputStream(), StandardCharsets.US_ASCII));
    }

    static void start(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        final Server server = new Server();
        start("acceptor", server::accept);
        for (int i = 0; i < CUSTOMERS; i++) {
            final int id = i;
            start("customer-" + i, () -> customer(server.socket.getLocalPort(), id));
        }
        start("depot", () -> depot(server));
        System.out.println("READY");
        long n0 = 0;
        long d0 = 0;
        for (int s = 0; s < 170; s++) {
            Thread.sleep(1000);
            long n = DELIVERED.get();
            long d = DELAY.get();
            System.out.println("measured: " + (n - n0) + " alerts/s, mean delivery "
                    + (d - d0) / Math.max(1, n - n0) / 1000 + " us, empty polls " + EMPTY.get());
            n0 = n;
            d0 = d;
        }
    }
}
