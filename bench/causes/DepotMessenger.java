// SPDX-License-Identifier: Apache-2.0
// healthy: 40 depots hold long polls over loopback sockets, so some 80 threads sit almost always in socket reads and timed waits and CPU is near zero; this is the design, and each message still reaches its depot within a millisecond or so.
// share: measures messages delivered per second (about 10), mean delivery time (about 0.2 ms), undelivered messages (0) and empty polls (4 to 5 a second)
// judge: WRONG: any finding that the socket reads, the waits in Mailbox.next or the many idle threads are a bottleneck, that the server is slow (polls last seconds by design), a deadlock, lock contention, thread leak, too many threads as a fault. ACCEPTABLE as neutral: about 80 threads mostly idle in long polls; CPU nearly unused; polls end after at most 8 s without a message; no problem found.
// jdk: 8
// set: twenty-third
// jvm:
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

public class DepotMessenger {
    static final int DEPOTS = 40;
    static final long POLL_MILLIS = 8000;

    static final class Message {
        final long created = System.nanoTime();
        final String text;

        Message(String text) {
            this.text = text;
        }
    }

    static final class Mailbox {
        private final ArrayDeque<Message> waiting = new ArrayDeque<>();

        synchronized void post(Message m) {
            waiting.addLast(m);
            notifyAll();
        }

        synchronized Message next(long millis) throws InterruptedException {
            long end = System.nanoTime() + millis * 1_000_000L;
            while (waiting.isEmpty()) {
                long left = (end - System.nanoTime()) / 1_000_000L;
                if (left <= 0) {
                    return null;
                }
                wait(left);
            }
            return waiting.removeFirst();
        }
    }

    final List<Mailbox> boxes = new ArrayList<>();
    final AtomicLong delivered = new AtomicLong();
    final AtomicLong emptyPolls = new AtomicLong();
    final AtomicLong nanos = new AtomicLong();
    final AtomicLong posted = new AtomicLong();

    DepotMessenger() {
        for (int i = 0; i < DEPOTS; i++) {
            boxes.add(new Mailbox());
        }
    }

    void serve(Socket s) {
        try (Socket c = s) {
            c.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(c.getInputStream());
            DataOutputStream out = new DataOutputStream(new BufferedOutputStream(c.getOutputStream(), 512));
            while (true) {
                int depot = in.readInt();
                Message m = boxes.get(depot).next(POLL_MILLIS);
                out.writeBoolean(m != null);
                if (m != null) {
                    out.writeLong(m.created);
                    out.writeUTF(m.text);
                }
                out.flush();
            }
        } catch (IOException | InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void depot(int id, int port) {
        try (Socket c = new Socket(InetAddress.getLoopbackAddress(), port)) {
            c.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(c.getInputStream());
            DataOutputStream out = new DataOutputStream(new BufferedOutputStream(c.getOutputStream(), 512));
            while (true) {
                out.writeInt(id);
                out.flush();
                if (in.readBoolean()) {
                    long created = in.readLong();
                    String text = in.readUTF();
                    if (!text.isEmpty()) {
                        nanos.addAndGet(System.nanoTime() - created);
                        delivered.incrementAndGet();
                    }
                } else {
                    emptyPolls.incrementAndGet();
                }
            }
        } catch (IOException e) {
            System.out.println("depot " + id + " closed");
        }
    }

    void dispatcher() {
        Random rnd = new Random(5);
        try {
            while (true) {
                Thread.sleep(20 + rnd.nextInt(160));
                int depot = rnd.nextInt(DEPOTS);
                boxes.get(depot).post(new Message("pickup order " + posted.incrementAndGet() + " for depot " + depot));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void daemon(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        DepotMessenger d = new DepotMessenger();
        ServerSocket server = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
        daemon("acceptor", () -> {
            try {
                for (int n = 0; ; n++) {
                    Socket s = server.accept();
                    daemon("session-" + n, () -> d.serve(s));
                }
            } catch (IOException e) {
                System.out.println("server closed");
            }
        });
        for (int i = 0; i < DEPOTS; i++) {
            int id = i;
            daemon("depot-" + i, () -> d.depot(id, server.getLocalPort()));
        }
        daemon("dispatcher", d::dispatcher);
        System.out.println("READY");
        long lastDelivered = 0, lastNanos = 0;
        for (int s = 1; s <= 170; s++) {
            Thread.sleep(1000);
            long n = d.delivered.get(), t = d.nanos.get();
            long dn = n - lastDelivered;
            System.out.printf("measured: messages/s=%d mean_delivery_ms=%.2f undelivered=%d empty_polls=%d%n", dn,
                    dn == 0 ? 0.0 : (t - lastNanos) / 1e6 / dn, d.posted.get() - n, d.emptyPolls.get());
            lastDelivered = n;
            lastNanos = t;
        }
        System.exit(0);
    }
}
