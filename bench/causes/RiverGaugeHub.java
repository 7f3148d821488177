// SPDX-License-Identifier: Apache-2.0
// cause: RiverGaugeHub$Hub.receive returns without reading when a station has used up its share of the 200 ms slice, but leaves OP_READ in the key's interest set; its bytes stay in the socket, so that select() in RiverGaugeHub$Hub.run returns at once, all the time: the thread hub spins on its selector
// share: the thread hub uses a whole CPU when it gets one (0.7 to 1.0), three quarters of it in the kernel, for 350,000 to 520,000 rounds a second, of which the 74,000 readings a second (200 to 400 reads) need next to nothing
// expect: hot-code kind=selector-spin frame=RiverGaugeHub$Hub
// symptom: saturated-thread hot-calls
// judge: NAMED: the thread hub (RiverGaugeHub$Hub.run, its select call, or Hub.receive) spins on a selector that returns at once, or keys that are ready are not handled / OP_READ is left on. SYMPTOM ONLY: the thread hub has work all the time (saturated, hot), CPU time is in epoll_wait / select or in what Hub.run calls, without a word that the selector returns at once for nothing. WRONG: decoding of readings, the gauges (Gauge.run: writes or sleep), locks, collections, the machine, "nothing stands out", a quota that is too small.
// jdk: 21
// set: thirty-fourth
// jvm: -Xmx256m
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/** Takes the water levels of river gauges, which send what they have stored once a second. */
public class RiverGaugeHub {
    static final int READING = 16;
    static final int GAUGES = 12;
    static final AtomicLong readings = new AtomicLong();
    static final AtomicLong rounds = new AtomicLong();

    /** What is known of one gauge at the other end of a connection. */
    static final class Station {
        final int[] recent = new int[64];
        int next;
        int highest = Integer.MIN_VALUE;
        long sum;
        long count;
        long slice;
        int used;
        int alarms;

        void level(int gauge, long when, int millimetres) {
            recent[next++ & 63] = millimetres;
            highest = Math.max(highest, millimetres);
            sum += millimetres;
            count++;
            if (count > 64 && millimetres > 2 * (sum / count)) {
                alarms++;
            }
        }
    }

    /** Serves all stations in one thread, and lets none have more than its share. */
    static final class Hub implements Runnable {
        static final long SLICE_NANOS = 200_000_000L;
        static final int SLICE_BYTES = 20 << 10;
        final Selector selector;
        final ServerSocketChannel door;
        final ByteBuffer buffer = ByteBuffer.allocateDirect(4096);

        Hub() throws IOException {
            selector = Selector.open();
            door = ServerSocketChannel.open();
            door.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
            door.configureBlocking(false);
            door.register(selector, SelectionKey.OP_ACCEPT);
        }

        int port() throws IOException {
            return ((InetSocketAddress) door.getLocalAddress()).getPort();
        }

        @Override
        public void run() {
            while (true) {
                try {
                    selector.select(250);
                    Iterator<SelectionKey> keys = selector.selectedKeys().iterator();
                    while (keys.hasNext()) {
                        SelectionKey key = keys.next();
                        keys.remove();
                        if (key.isAcceptable()) {
                            accept();
                        } else if (key.isReadable()) {
                            receive(key);
                        }
                    }
                    rounds.incrementAndGet();
                } catch (IOException e) {
                    System.err.println("hub: " + e);
                }
            }
        }

        void accept() throws IOException {
            SocketChannel channel = door.accept();
            if (channel != null) {
                channel.configureBlocking(false);
                channel.register(selector, SelectionKey.OP_READ, new Station());
            }
        }

        void receive(SelectionKey key) throws IOException {
            Station station = (Station) key.attachment();
            long slice = System.nanoTime() / SLICE_NANOS;
            if (station.slice != slice) {
                station.slice = slice;
                station.used = 0;
            }
            if (station.used >= SLICE_BYTES) {
                return;
            }
            buffer.clear();
            int length = ((SocketChannel) key.channel()).read(buffer);
            if (length < 0) {
                key.channel().close();
                return;
            }
            station.used += length;
            buffer.flip();
            int number = 0;
            while (buffer.remaining() >= READING) {
                station.level(buffer.getInt(), buffer.getLong(), buffer.getInt());
                number++;
            }
            readings.addAndGet(number);
        }
    }

    /** A gauge at a river: measures, stores, and sends once a second. */
    static final class Gauge implements Runnable {
        final int number;
        final int port;
        final Random random;
        int level = 1800;

        Gauge(int number, int port) {
            this.number = number;
            this.port = port;
            this.random = new Random(number);
        }

        @Override
        public void run() {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                OutputStream out = socket.getOutputStream();
                Thread.sleep(number * 83L);
                while (true) {
                    out.write(stored(6144));
                    Thread.sleep(1000);
                }
            } catch (IOException | InterruptedException e) {
                System.err.println("gauge " + number + ": " + e);
            }
        }

        byte[] stored(int count) {
            ByteBuffer message = ByteBuffer.allocate(count * READING);
            long now = System.currentTimeMillis();
            for (int i = 0; i < count; i++) {
                level = Math.max(200, level + random.nextInt(21) - 10);
                message.putInt(number).putLong(now - count + i).putInt(level);
            }
            return message.array();
        }
    }

    public static void main(String[] args) throws Exception {
        Hub hub = new Hub();
        Thread loop = new Thread(hub, "hub");
        loop.start();
        List<Thread> gauges = new ArrayList<>();
        for (int i = 0; i < GAUGES; i++) {
            Thread gauge = new Thread(new Gauge(i, hub.port()), "gauge-" + i);
            gauge.setDaemon(true);
            gauge.start();
            gauges.add(gauge);
        }
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long time = System.nanoTime();
        long cpu = threads.getThreadCpuTime(loop.threadId());
        long before = 0;
        long turned = 0;
        for (int second = 1; ; second++) {
            Thread.sleep(1000);
            long now = System.nanoTime();
            long used = threads.getThreadCpuTime(loop.threadId());
            long got = readings.get();
            long turns = rounds.get();
            System.out.printf("measured: %d readings, %d rounds of the hub in %d ms, in which it used %d ms of CPU%n",
                    got - before, turns - turned, (now - time) / 1_000_000, (used - cpu) / 1_000_000);
            if (second == 3) {
                System.out.println("READY");
            }
            System.out.flush();
            time = now;
            cpu = used;
            before = got;
            turned = turns;
        }
    }
}
