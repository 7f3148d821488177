// SPDX-License-Identifier: Apache-2.0
// healthy: 400 virtual threads wait nearly all the time and do so inside synchronized methods (Account.book), but the partner contract allows 40 calls a second, this quota is used up to the full, and on JDK 25 a virtual thread that blocks in a synchronized method does not hold its carrier.
// share: measures 40 bookings/s of 40 allowed, mean call 32.07 ms, waiting 399 (means over the seconds after warm-up of a run of 9 to 13 s, shared 2-core machine)
// judge: WRONG: virtual thread pinning or carrier starvation, lock contention on Account as a bottleneck, deadlock, thread leak, slow partner as the fault, too few permits or a stalled pool. ACCEPTABLE as true and neutral: throughput is limited by the contract quota (PartnerBooking.Quota, 40 a second); many threads wait in Quota.take; the CPU is idle.
// jdk: 25
// set: twenty-fourth
// jvm:
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Reserves hotel rooms with a partner that allows a fixed number of calls a second. */
public class PartnerBooking {
    static final int ACCOUNTS = 400;
    static final int CALLS_PER_SECOND = 40;
    static final int LINES = 4;

    /** One permit each 25 ms, as the contract says; at most four unused permits are kept. */
    static final class Quota {
        private final Semaphore permits = new Semaphore(0, true);

        void take() throws InterruptedException {
            permits.acquire();
        }

        void clock() {
            long step = TimeUnit.SECONDS.toNanos(1) / CALLS_PER_SECOND;
            long due = System.nanoTime();
            try {
                while (true) {
                    due += step;
                    long wait = due - System.nanoTime();
                    if (wait > 0) {
                        TimeUnit.NANOSECONDS.sleep(wait);
                    }
                    if (permits.availablePermits() < 4) {
                        permits.release();
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        int waiting() {
            return permits.getQueueLength();
        }
    }

    static final class Line {
        private final DataInputStream in;
        private final DataOutputStream out;

        Line(int port) throws IOException {
            Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            out = new DataOutputStream(socket.getOutputStream());
        }

        int book(int room) throws IOException {
            out.writeInt(room);
            return in.readInt();
        }
    }

    static final class Account {
        private final int number;
        private int bookings;
        private long lastConfirmation;

        Account(int number) {
            this.number = number;
        }

        synchronized void book(Quota quota, BlockingQueue<Line> lines) throws InterruptedException, IOException {
            quota.take();
            Line line = lines.take();
            try {
                long t0 = System.nanoTime();
                lastConfirmation = line.book(number * 100 + bookings % 100);
                bookings++;
                nanos.add(System.nanoTime() - t0);
                booked.increment();
            } finally {
                lines.put(line);
            }
        }
    }

    static final LongAdder booked = new LongAdder();
    static final LongAdder nanos = new LongAdder();

    static void partner(Socket socket) {
        try (socket) {
            DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            while (true) {
                int room = in.readInt();
                Thread.sleep(30);
                out.writeInt(room ^ 0x5f5f5f);
            }
        } catch (IOException | InterruptedException e) {
            System.out.println("partner line ended: " + e);
        }
    }

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().name("partner-accept").start(() -> {
            try {
                while (true) {
                    Socket s = server.accept();
                    s.setTcpNoDelay(true);
                    Thread.ofVirtual().name("partner").start(() -> partner(s));
                }
            } catch (IOException e) {
                System.out.println("partner closed");
            }
        });
        BlockingQueue<Line> lines = new ArrayBlockingQueue<>(LINES);
        for (int i = 0; i < LINES; i++) {
            lines.add(new Line(server.getLocalPort()));
        }
        Quota quota = new Quota();
        Thread.ofPlatform().daemon().name("quota-clock").start(quota::clock);
        List<Account> accounts = new ArrayList<>();
        for (int i = 0; i < ACCOUNTS; i++) {
            Account account = new Account(i);
            accounts.add(account);
            Thread.ofVirtual().name("account-" + i).start(() -> {
                try {
                    while (true) {
                        account.book(quota, lines);
                    }
                } catch (InterruptedException | IOException e) {
                    System.out.println("account ended: " + e);
                }
            });
        }
        System.out.println("READY");
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(170);
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long n = booked.sumThenReset();
            long ns = nanos.sumThenReset();
            System.out.printf("measured: %d bookings/s of %d allowed, mean call %.1f ms, waiting %d%n",
                    n, CALLS_PER_SECOND, n == 0 ? 0.0 : ns / 1e6 / n, quota.waiting());
        }
        System.exit(0);
    }
}
