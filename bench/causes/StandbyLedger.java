// SPDX-License-Identifier: Apache-2.0
// healthy: a hot standby that has nearly nothing to do: it follows the primary's replication stream (40 postings/s), answers heartbeats four times a second and has a watchdog that sleeps until the lease would run out; it is idle because that is its purpose
// judge: right: nothing to report, "idle: waits for its input". Wrong: "waits for network is the bottleneck", "sleeping/polling threads should be changed", "starved workers", contention, GC, CPU advice of any kind.
// jdk: 25
// set: fifteenth
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.CRC32C;

/** Standby node of a payment ledger. The primary, another machine in truth, is played by a scheduler in this process. */
public final class StandbyLedger {
    static final LongAdder APPLIED = new LongAdder();
    static final LongAdder BEATS = new LongAdder();
    static final LongAdder WORK_NANOS = new LongAdder();

    enum Role { FOLLOWING, LEADING }

    sealed interface Event {
        record Posting(long sequence, int debit, int credit, long cents) implements Event { }

        record Heartbeat(long term) implements Event { }
    }

    /** Lets the standby take over if the primary is silent for longer than the lease. */
    static final class Lease {
        private static final long LENGTH = TimeUnit.SECONDS.toNanos(2);
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition changed = lock.newCondition();
        private long until = System.nanoTime() + LENGTH;
        private Role role = Role.FOLLOWING;

        void renew() {
            lock.lock();
            try {
                until = System.nanoTime() + LENGTH; // no signal: the watchdog looks again when its old deadline comes
                if (role == Role.LEADING) {
                    role = Role.FOLLOWING;
                    changed.signalAll();
                }
            } finally {
                lock.unlock();
            }
        }

        void watch() {
            lock.lock();
            try {
                while (true) {
                    if (role == Role.LEADING) {
                        changed.await();
                        continue;
                    }
                    long left = until - System.nanoTime();
                    if (left <= 0) {
                        role = Role.LEADING;
                    } else {
                        changed.awaitNanos(left);
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                lock.unlock();
            }
        }

        Role role() {
            lock.lock();
            try {
                return role;
            } finally {
                lock.unlock();
            }
        }
    }

    private final Map<Integer, Long> balances = new HashMap<>(); // only the follower thread touches it
    private final Lease lease = new Lease();
    private long sequence;

    void follow(int port) {
        try (Socket s = new Socket(InetAddress.getLoopbackAddress(), port)) {
            s.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
            ByteBuffer ack = ByteBuffer.allocate(8);
            byte[] frame = new byte[24];
            while (true) {
                int kind = in.readByte();
                in.readFully(frame);
                int sum = in.readInt();
                long t0 = System.nanoTime();
                apply(decode(kind, frame, sum));
                WORK_NANOS.add(System.nanoTime() - t0);
                s.getOutputStream().write(ack.clear().putLong(sequence).array());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Event decode(int kind, byte[] frame, int sum) throws IOException {
        CRC32C crc = new CRC32C();
        crc.update(frame);
        if ((int) crc.getValue() != sum) {
            throw new IOException("broken frame");
        }
        ByteBuffer b = ByteBuffer.wrap(frame);
        return kind == 0 ? new Event.Heartbeat(b.getLong()) : new Event.Posting(b.getLong(), b.getInt(), b.getInt(), b.getLong());
    }

    private void apply(Event e) {
        switch (e) {
            case Event.Heartbeat h -> {
                lease.renew();
                BEATS.increment();
            }
            case Event.Posting p -> {
                balances.merge(p.debit(), -p.cents(), Long::sum);
                balances.merge(p.credit(), p.cents(), Long::sum);
                sequence = p.sequence();
                APPLIED.increment();
            }
        }
    }

    static final class Primary {
        private final Socket link;
        private final SplittableRandom random = new SplittableRandom(4);
        private final byte[] ackBuffer = new byte[8];
        private long sequence, term = 7;

        Primary(ServerSocket server) throws IOException {
            link = server.accept();
            link.setTcpNoDelay(true);
        }

        void posting() {
            send(1, ByteBuffer.allocate(24).putLong(++sequence).putInt(random.nextInt(5000)).putInt(random.nextInt(5000))
                    .putLong(random.nextInt(1, 90_000)).array());
        }

        void heartbeat() {
            send(0, ByteBuffer.allocate(24).putLong(term).array());
        }

        private void send(int kind, byte[] frame) {
            CRC32C crc = new CRC32C();
            crc.update(frame);
            try {
                link.getOutputStream().write(ByteBuffer.allocate(29).put((byte) kind).put(frame).putInt((int) crc.getValue()).array());
                link.getInputStream().readNBytes(ackBuffer, 0, 8);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 4, InetAddress.getLoopbackAddress());
        StandbyLedger standby = new StandbyLedger();
        Thread.ofPlatform().daemon().name("follower").start(() -> standby.follow(server.getLocalPort()));
        Thread.ofPlatform().daemon().name("lease-watch").start(standby.lease::watch);
        Primary primary = new Primary(server);
        ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("primary-", 0).factory());
        clock.scheduleAtFixedRate(primary::posting, 10, 25, TimeUnit.MILLISECONDS);
        clock.scheduleAtFixedRate(primary::heartbeat, 0, 250, TimeUnit.MILLISECONDS);
        System.out.println("READY");
        long last = 0;
        while (true) {
            Thread.sleep(1000);
            long n = APPLIED.sum();
            System.out.printf("measured: %d postings/s applied, %d heartbeats, role %s, at work %.1f ms since start%n",
                    n - last, BEATS.sum(), standby.lease.role(), WORK_NANOS.sum() / 1e6);
            last = n;
        }
    }
}
