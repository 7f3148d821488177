// SPDX-License-Identifier: Apache-2.0
// healthy: a poller asks 60 car park sensors over UDP each on its own fixed interval and waits for the answers with short timeouts; looks suspicious because of endless polling loops, a timed Selector, mostly empty polls and nearly no CPU
// share: nothing to fix; about 215 answers/s, answer time 1 to 2 ms
// judge: any finding that names a fault is wrong: busy polling, useless wake-ups, selector spin, slow network, empty polls, idle threads, DelayQueue contention. Right is "no fault found" or that the polling is paced by design.
// jdk: 25
// set: seventeenth
import java.io.IOException;
import java.net.*;
import java.nio.ByteBuffer;
import java.nio.channels.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class ParkingSensors {
    static final LongAdder asked = new LongAdder();
    static final LongAdder answered = new LongAdder();
    static final LongAdder nanos = new LongAdder();
    static final LongAdder empty = new LongAdder();

    /** The control boxes of a car park: answer with the bays taken. */
    static final class ControlBox implements Runnable {
        final DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        final Random r = new Random(9);
        final int[] taken = new int[60];

        ControlBox() throws SocketException { }

        @Override
        public void run() {
            byte[] b = new byte[64];
            DatagramPacket p = new DatagramPacket(b, b.length);
            try {
                while (true) {
                    p.setLength(b.length);
                    socket.receive(p);
                    ByteBuffer m = ByteBuffer.wrap(b);
                    int sensor = m.getInt();
                    taken[sensor] = Math.clamp(taken[sensor] + r.nextInt(3) - 1, 0, 40);
                    m.position(12);
                    m.putInt(taken[sensor]);
                    p.setLength(16);
                    socket.send(p);
                }
            } catch (IOException e) {
                System.err.println("box off " + e);
            }
        }
    }

    /** When a sensor is to be asked next. */
    static final class Turn implements Delayed {
        final int sensor;
        final long everyNanos;
        private long due;

        Turn(int sensor, long everyMillis) {
            this.sensor = sensor;
            this.everyNanos = TimeUnit.MILLISECONDS.toNanos(everyMillis);
            this.due = System.nanoTime() + everyNanos;
        }

        void again() {
            due += everyNanos;
        }

        @Override
        public long getDelay(TimeUnit u) {
            return u.convert(due - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed o) {
            return Long.compare(due, ((Turn) o).due);
        }
    }

    /** Free bays by floor, shown on the boards at the entrance. */
    static final class Boards {
        private final int[] taken = new int[60];

        synchronized void put(int sensor, int n) {
            taken[sensor] = n;
        }

        synchronized int free(int floor) {
            int f = 0;
            for (int i = floor * 10; i < floor * 10 + 10; i++) {
                f += 40 - taken[i];
            }
            return f;
        }
    }

    record Asker(DelayQueue<Turn> turns, DatagramChannel ch, SocketAddress box) implements Runnable {
        @Override
        public void run() {
            ByteBuffer b = ByteBuffer.allocate(16);
            try {
                while (true) {
                    Turn t = turns.take();
                    b.clear();
                    b.putInt(t.sensor).putLong(System.nanoTime()).putInt(0).flip();
                    ch.send(b, box);
                    asked.increment();
                    t.again();
                    turns.put(t);
                }
            } catch (IOException | InterruptedException e) {
                System.err.println("asker stopped " + e);
            }
        }
    }

    record Listener(Selector selector, DatagramChannel ch, Boards boards) implements Runnable {
        @Override
        public void run() {
            ByteBuffer b = ByteBuffer.allocate(64);
            try {
                while (true) {
                    if (selector.select(20) == 0) {
                        empty.increment();
                        continue;
                    }
                    selector.selectedKeys().clear();
                    while (true) {
                        b.clear();
                        if (ch.receive(b) == null) {
                            break;
                        }
                        b.flip();
                        int sensor = b.getInt();
                        nanos.add(System.nanoTime() - b.getLong());
                        boards.put(sensor, b.getInt());
                        answered.increment();
                    }
                }
            } catch (IOException e) {
                System.err.println("listener stopped " + e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        ControlBox box = new ControlBox();
        Thread.ofPlatform().daemon().name("control-box").start(box);
        DatagramChannel ch = DatagramChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        ch.configureBlocking(false);
        Selector selector = Selector.open();
        ch.register(selector, SelectionKey.OP_READ);
        DelayQueue<Turn> turns = new DelayQueue<>();
        for (int i = 0; i < 60; i++) {
            turns.add(new Turn(i, 200 + i % 6 * 40));
        }
        Boards boards = new Boards();
        Thread.ofPlatform().daemon().name("listener").start(new Listener(selector, ch, boards));
        Thread.ofPlatform().daemon().name("asker").start(new Asker(turns, ch, box.socket.getLocalSocketAddress()));
        System.out.println("READY");
        for (int s = 0; s < 140; s++) {
            Thread.sleep(1000);
            long n = answered.sumThenReset();
            long ns = nanos.sumThenReset();
            System.out.printf("measured: %d asked/s, %d answers/s after %.3f ms, %d empty rounds, floor 0 free %d%n",
                asked.sumThenReset(), n, n == 0 ? 0 : ns / 1e6 / n, empty.sumThenReset(), boards.free(0));
        }
    }
}
