// SPDX-License-Identifier: Apache-2.0
// healthy: virtual threads, one per payment, that wait for a remote acquirer of 150 ms with no carrier pinned; the rate of 200/s is set by the acquirer's contract and kept by a pacer that hands out one slot in 5 ms; payments arrive at 160/s, so no queue builds up
// judge: right: nothing to report, "waits for a remote service by design / limited by a rate it is given", "idle CPU". Wrong: "undersized pool or semaphore", "contention" in the Pacer, "replace sleep", "too many threads", "pinned virtual threads", anything on GC or CPU.
// jdk: 21
// set: fifteenth
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** Gateway between web shops and a card acquirer that allows 200 authorisations a second and disconnects clients that send more. */
public final class AcquirerGateway {
    static final int CONTRACT_RATE = 200;
    static final int ARRIVAL_RATE = 160;
    static final LongAdder APPROVED = new LongAdder();
    static final LongAdder DECLINED = new LongAdder();
    static final LongAdder LATENCY = new LongAdder();
    static final LongAdder PACED = new LongAdder();

    record Payment(long id, long cents, String merchant) { }

    /** Reserves the next free slot without a lock; the caller waits until its slot comes. */
    static final class Pacer {
        private static final long GAP = 1_000_000_000L / CONTRACT_RATE;
        private final AtomicLong nextSlot = new AtomicLong(System.nanoTime());

        void await() {
            long now = System.nanoTime();
            long slot = nextSlot.getAndUpdate(s -> Math.max(s, now) + GAP);
            for (long left; (left = slot - System.nanoTime()) > 0;) {
                LockSupport.parkNanos(left);
            }
        }
    }

    static final class Connection {
        final DataInputStream in;
        final DataOutputStream out;

        Connection(int port) throws IOException {
            Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
            s.setTcpNoDelay(true);
            in = new DataInputStream(s.getInputStream());
            out = new DataOutputStream(s.getOutputStream());
        }
    }

    private final int port;
    private final Pacer pacer = new Pacer();
    /** Idle connections; as many are opened as payments are in flight at once: about 25. */
    private final ConcurrentLinkedDeque<Connection> idle = new ConcurrentLinkedDeque<>();
    private final LongAdder opened = new LongAdder();

    AcquirerGateway(int port) {
        this.port = port;
    }

    void authorise(Payment p) {
        long t0 = System.nanoTime();
        pacer.await();
        PACED.add(System.nanoTime() - t0);
        try {
            Connection c = idle.pollFirst();
            if (c == null) {
                c = new Connection(port);
                opened.increment();
            }
            java.nio.ByteBuffer request = java.nio.ByteBuffer.allocate(20).putLong(p.id()).putLong(p.cents()).putInt(p.merchant().hashCode());
            c.out.write(request.array());
            boolean ok = c.in.readBoolean();
            idle.addFirst(c);
            (ok ? APPROVED : DECLINED).increment();
        } catch (IOException e) {
            DECLINED.increment();
        }
        LATENCY.add(System.nanoTime() - t0);
    }

    /** Stands for the acquirer, far away: 120 to 180 ms per authorisation. */
    static void acquirer(ServerSocket server) {
        try {
            while (true) {
                Socket s = server.accept();
                Thread.ofVirtual().start(() -> answer(s));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void answer(Socket s) {
        try (s) {
            s.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(s.getInputStream());
            byte[] request = new byte[20];
            while (true) {
                in.readFully(request);
                Thread.sleep(Duration.ofMillis(ThreadLocalRandom.current().nextInt(120, 180)));
                s.getOutputStream().write(ThreadLocalRandom.current().nextInt(25) == 0 ? 0 : 1);
            }
        } catch (IOException | InterruptedException e) {
            // gateway closed the connection
        }
    }

    /** The shops: payments come one by one at random gaps, 160 a second on average. */
    static void arrivals(AcquirerGateway gateway) {
        try (ExecutorService perPayment = Executors.newVirtualThreadPerTaskExecutor()) {
            ThreadLocalRandom random = ThreadLocalRandom.current();
            long due = System.nanoTime();
            for (long id = 1;; id++) {
                due += (long) (-Math.log(1 - random.nextDouble()) * 1e9 / ARRIVAL_RATE);
                for (long left; (left = due - System.nanoTime()) > 0;) {
                    LockSupport.parkNanos(left);
                }
                Payment p = new Payment(id, 100 + random.nextInt(20_000), "shop-" + random.nextInt(300));
                perPayment.execute(() -> gateway.authorise(p));
            }
        }
    }

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 256, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().name("acquirer").start(() -> acquirer(server));
        AcquirerGateway gateway = new AcquirerGateway(server.getLocalPort());
        Thread.ofPlatform().daemon().name("shops").start(() -> arrivals(gateway));
        System.out.println("READY");
        long last = 0, lastLatency = 0, lastPaced = 0;
        while (true) {
            Thread.sleep(1000);
            long n = APPROVED.sum() + DECLINED.sum(), l = LATENCY.sum(), p = PACED.sum();
            double calls = Math.max(1, n - last);
            System.out.printf("measured: %d payments/s, %.0f ms each, of which %.1f ms pacing, %d connections, %d declined%n",
                    n - last, (l - lastLatency) / 1e6 / calls, (p - lastPaced) / 1e6 / calls, gateway.opened.sum(), DECLINED.sum());
            last = n;
            lastLatency = l;
            lastPaced = p;
        }
    }
}
