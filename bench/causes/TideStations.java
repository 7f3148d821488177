// SPDX-License-Identifier: Apache-2.0
// healthy: the selector thread waits 150 ms of each 400 ms round for the future of the uplink (looks like a blocked event loop), but the stations speak only when asked, a round must be uplinked before the next begins, and each round starts in time
// share: medians of 1 s on a busy machine of 2 CPUs: 2 rounds, 30 answers, latest start 1.15 ms after its time
// judge: any finding of trouble is WRONG (blocked loop, pool of one thread, waiting for a future), except neutral statements that it waits, or that nothing stands out
// jdk: 8
// set: twenty-eighth
// jvm: -Xmx64m -XX:+UseSerialGC
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.zip.CRC32;

public class TideStations {
    static final long SPAN = Long.getLong("span", 170) * 1000000000L;
    static final int STATIONS = 12;
    static volatile long rounds, late, answered;
    static volatile double model;

    /** The gauges of the coast: each answers a question with its level after it has averaged for some milliseconds. */
    static final class Gauges extends Thread {
        final DatagramSocket socket;
        final Random random = new Random(3);

        Gauges() throws IOException {
            super("gauges");
            setDaemon(true);
            socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        }

        public void run() {
            byte[] b = new byte[16];
            try {
                while (true) {
                    DatagramPacket p = new DatagramPacket(b, b.length);
                    socket.receive(p);
                    Thread.sleep(2);
                    ByteBuffer.wrap(b).putInt(8, 200 + random.nextInt(600));
                    socket.send(new DatagramPacket(b, 12, p.getSocketAddress()));
                }
            } catch (IOException | InterruptedException e) {
                return;
            }
        }
    }

    static final class Round {
        final int nr;
        final int[] level = new int[STATIONS];
        int missing = STATIONS;

        Round(int nr) {
            this.nr = nr;
            Arrays.fill(level, -1);
        }

        void put(int station, int value) {
            if (level[station] < 0) missing--;
            level[station] = value;
        }
    }

    /** The satellite modem takes one bulletin at a time, at its own speed. */
    static final class Uplink {
        final ExecutorService modem = Executors.newSingleThreadExecutor(r -> {
            Thread t = new Thread(r, "modem");
            t.setDaemon(true);
            return t;
        });

        Future<Long> send(Round round) {
            return modem.submit(() -> {
                CRC32 crc = new CRC32();
                for (int v : round.level) crc.update(v);
                Thread.sleep(150);
                return crc.getValue();
            });
        }
    }

    static final class Collector extends Thread {
        final Selector selector = Selector.open();
        final DatagramChannel channel = DatagramChannel.open();
        final InetSocketAddress gauges;
        final Uplink uplink = new Uplink();
        final ByteBuffer buffer = ByteBuffer.allocate(64);
        final long until;

        Collector(int port, long until) throws IOException {
            super("collector");
            this.until = until;
            gauges = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
            channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ);
        }

        void ask(Round round) throws IOException {
            for (int s = 0; s < STATIONS; s++) {
                buffer.clear();
                buffer.putInt(round.nr).putInt(s).putInt(0).flip();
                channel.send(buffer, gauges);
            }
        }

        void read(Round round) throws IOException {
            while (true) {
                buffer.clear();
                if (channel.receive(buffer) == null) return;
                buffer.flip();
                if (buffer.getInt() == round.nr) {
                    round.put(buffer.getInt(), buffer.getInt());
                    answered++;
                }
            }
        }

        void drain(Round round, long millis) throws IOException {
            selector.select(Math.max(1, millis));
            Iterator<SelectionKey> keys = selector.selectedKeys().iterator();
            while (keys.hasNext()) {
                keys.next();
                keys.remove();
                read(round);
            }
        }

        /** Surge model of the next hours, from all levels of a round. */
        void forecast(Round round) {
            double m = model;
            for (int i = 0; i < 3000000; i++) m += Math.sqrt(1 + round.level[i % STATIONS] + i % 7) * 1e-6;
            model = m % 1000;
        }

        public void run() {
            long due = System.nanoTime();
            try {
                for (int nr = 0; System.nanoTime() < until; nr++) {
                    Round round = new Round(nr);
                    late = Math.max(late, System.nanoTime() - due);
                    ask(round);
                    long give = System.nanoTime() + 120000000L;
                    while (round.missing > 0 && System.nanoTime() < give) drain(round, 20);
                    forecast(round);
                    uplink.send(round).get();
                    rounds++;
                    due += 400000000L;
                    long rest;
                    while ((rest = due - System.nanoTime()) > 0) drain(round, rest / 1000000);
                }
            } catch (Exception e) {
                e.printStackTrace();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        long until = System.nanoTime() + SPAN;
        Gauges g = new Gauges();
        g.start();
        new Collector(g.socket.getLocalPort(), until).start();
        Thread.sleep(2000);
        System.out.println("READY");
        long before = rounds, answers = answered;
        late = 0;
        while (System.nanoTime() < until) {
            Thread.sleep(1000);
            long r = rounds, a = answered;
            System.out.printf("measured: %d rounds, %d answers, latest start %.1f ms after its time%n", r - before, a - answers, late / 1e6);
            before = r;
            answers = a;
            late = 0;
        }
    }
}
