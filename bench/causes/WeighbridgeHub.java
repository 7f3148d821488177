// SPDX-License-Identifier: Apache-2.0
// cause: WeighbridgeHub$Intake.read returns without reading when a lane has 48 tickets or more that are not booked yet, but leaves OP_READ in the key's interest set, so that select() in Intake.run returns at once, again and again, for the data left in that lane's socket: three selector threads spin and take the CPUs from the clerks.
// share: faulty about 28,000 tickets booked/s, fixed (OP_READ taken out while the lane is full, put back when half of it is booked) 56,000 to 76,000/s in turn on the same busy machine (53,000 to 65,000 against 126,000 to 161,000 when it was quieter): 2.0 times or more; three intake threads used 57 % of the CPU time of intakes and clerks.
// expect: hot-code kind=selector-spin frame=WeighbridgeHub$Intake.run
// symptom: cpu-starvation hot-calls
// judge: NAMED: the selector loop WeighbridgeHub$Intake.run (its select()) spins, returns at once all the time since ready keys are not read (Intake.read leaves OP_READ on for lanes at their credit limit). SYMPTOM ONLY: much CPU in select/epoll_wait or in the kernel; too few CPUs, threads that wait for a CPU; the desk's clerks are short of CPU. WRONG: Clerk.run's computing (CRC32, Math.pow) as the cause; bridges that wait in socket writes, too few clerks, the desk queue, a lock, GC.
// jdk: 17
// set: thirtieth
// jvm:

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32;

public class WeighbridgeHub {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int SPAN = Integer.getInteger("span", 170);
    static final int TICKET = 64;
    static final int CREDIT = 48;

    static final class Ticket {
        final Lane lane;
        final long plate;
        final int gross;
        final int tare;

        Ticket(Lane lane, ByteBuffer in) {
            this.lane = lane;
            this.plate = in.getLong();
            this.gross = in.getInt();
            this.tare = in.getInt();
            in.position(in.position() + TICKET - 16);
        }
    }

    static final class Lane {
        final SocketChannel channel;
        final Selector selector;
        final ByteBuffer in = ByteBuffer.allocate(TICKET * 32);
        final AtomicInteger open = new AtomicInteger();
        SelectionKey key;

        Lane(SocketChannel channel, Selector selector) {
            this.channel = channel;
            this.selector = selector;
        }

        void booked() {
            int left = open.decrementAndGet();
            if (FIXED && left == CREDIT / 2) {
                key.interestOpsOr(SelectionKey.OP_READ);
                selector.wakeup();
            }
        }
    }

    static final class Intake implements Runnable {
        final Selector selector;
        final Queue<SocketChannel> arrivals = new ConcurrentLinkedQueue<>();
        final BlockingQueue<Ticket> desk;

        Intake(BlockingQueue<Ticket> desk) throws IOException {
            this.selector = Selector.open();
            this.desk = desk;
        }

        void take(SocketChannel c) {
            arrivals.add(c);
            selector.wakeup();
        }

        @Override
        public void run() {
            try {
                while (true) {
                    selector.select();
                    for (SocketChannel c; (c = arrivals.poll()) != null; ) {
                        c.configureBlocking(false);
                        Lane lane = new Lane(c, selector);
                        lane.key = c.register(selector, SelectionKey.OP_READ, lane);
                    }
                    Iterator<SelectionKey> it = selector.selectedKeys().iterator();
                    while (it.hasNext()) {
                        SelectionKey key = it.next();
                        it.remove();
                        if (key.isValid() && key.isReadable()) {
                            read((Lane) key.attachment());
                        }
                    }
                }
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        void read(Lane lane) throws IOException, InterruptedException {
            if (lane.open.get() >= CREDIT) {
                if (FIXED) {
                    lane.key.interestOps(0);
                    if (lane.open.get() <= CREDIT / 2) {
                        lane.key.interestOps(SelectionKey.OP_READ);
                    }
                }
                return;
            }
            if (lane.channel.read(lane.in) < 0) {
                lane.key.cancel();
                lane.channel.close();
                return;
            }
            lane.in.flip();
            while (lane.in.remaining() >= TICKET) {
                lane.open.incrementAndGet();
                desk.put(new Ticket(lane, lane.in));
            }
            lane.in.compact();
        }
    }

    static final class Clerk implements Runnable {
        final BlockingQueue<Ticket> desk;
        final AtomicLong booked;
        final AtomicLong tonnes;

        Clerk(BlockingQueue<Ticket> desk, AtomicLong booked, AtomicLong tonnes) {
            this.desk = desk;
            this.booked = booked;
            this.tonnes = tonnes;
        }

        @Override
        public void run() {
            byte[] seal = new byte[1024];
            try {
                while (true) {
                    Ticket t = desk.take();
                    int net = t.gross - t.tare;
                    double fee = 4.5;
                    for (int axle = 0; axle < 12; axle++) {
                        fee += Math.pow(1.0 + net / 40000.0, 0.25 * axle) * Math.sqrt(t.plate % 97 + axle);
                    }
                    CRC32 crc = new CRC32();
                    for (int copy = 0; copy < 100; copy++) {
                        for (int i = 0; i < seal.length; i += 8) {
                            seal[i] = (byte) (t.plate >>> (i & 31) ^ net + copy + (int) fee);
                        }
                        crc.update(seal);
                    }
                    tonnes.addAndGet(net + (crc.getValue() & 1));
                    booked.incrementAndGet();
                    t.lane.booked();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static void bridge(int port, int n) {
        try (Socket s = new Socket(InetAddress.getLoopbackAddress(), port)) {
            OutputStream out = s.getOutputStream();
            ByteBuffer b = ByteBuffer.allocate(TICKET * 16);
            while (true) {
                b.clear();
                for (int i = 0; i < 16; i++) {
                    int start = b.position();
                    int tare = 9000 + ThreadLocalRandom.current().nextInt(5000);
                    b.putLong(n * 100_000L + i).putInt(tare + ThreadLocalRandom.current().nextInt(26000)).putInt(tare);
                    b.position(start + TICKET);
                }
                out.write(b.array());
            }
        } catch (IOException e) {
            System.err.println("bridge " + n + ": " + e);
        }
    }

    static void start(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<Ticket> desk = new ArrayBlockingQueue<>(4096);
        AtomicLong booked = new AtomicLong();
        AtomicLong tonnes = new AtomicLong();
        Intake[] intakes = new Intake[3];
        for (int i = 0; i < intakes.length; i++) {
            intakes[i] = new Intake(desk);
            start("intake-" + i, intakes[i]);
        }
        for (int i = 0; i < 2; i++) {
            start("clerk-" + i, new Clerk(desk, booked, tonnes));
        }
        ServerSocketChannel server = ServerSocketChannel.open();
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
        int port = ((InetSocketAddress) server.getLocalAddress()).getPort();
        for (int i = 0; i < 18; i++) {
            int n = i;
            start("bridge-" + n, () -> bridge(port, n));
            intakes[i % intakes.length].take(server.accept());
        }
        System.out.println("READY");
        long last = 0;
        for (int s = 0; s < SPAN; s++) {
            Thread.sleep(1000);
            long now = booked.get();
            System.out.println("measured: " + (now - last) + " tickets booked/s, " + tonnes.get() / 1000 + " t in all");
            last = now;
        }
        System.exit(0);
    }
}
