// SPDX-License-Identifier: Apache-2.0
// healthy: the loop of the relay hardly ever waits in its selector and spends much of its CPU time in select (looks like a selector that returns at once for nothing), but each return has messages that are read and acknowledged; the venues send the next tick as soon as the one before is acknowledged, and these use the other CPU
// share: medians of 1 s on a busy machine of 2 CPUs: 67388 ticks/s, 89.70 us each, 4.63 ticks for each select
// judge: any finding of trouble is WRONG (spinning selector, blocked loop, one thread saturated while others could help: both CPUs are in use), except neutral statements about calls of the system, CPU shortage of the machine, or that venues wait for acknowledgements
// jdk: 21
// set: twenty-eighth
// jvm: -Xmx64m -XX:+UseSerialGC
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Iterator;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;

public class TickRelay {
    static final long SPAN = Long.getLong("span", 170) * 1000000000L;
    static final LongAdder ticks = new LongAdder(), nanos = new LongAdder();
    static volatile long selects, handled;

    /** Last price, high and low of an instrument. */
    static final class Board {
        final long[] last = new long[512], high = new long[512], low = new long[512];

        long tick(int instrument, long price) {
            int i = instrument & 511;
            last[i] = price;
            high[i] = Math.max(high[i], price);
            low[i] = low[i] == 0 ? price : Math.min(low[i], price);
            return high[i] - low[i];
        }
    }

    static final class Venue {
        final ByteBuffer in = ByteBuffer.allocateDirect(32), out = ByteBuffer.allocateDirect(16);
    }

    static final class Relay implements Runnable {
        final Selector selector = Selector.open();
        final ServerSocketChannel door = ServerSocketChannel.open();
        final Board board = new Board();

        Relay() throws IOException {
            door.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
            door.configureBlocking(false);
            door.register(selector, SelectionKey.OP_ACCEPT);
        }

        void accept() throws IOException {
            SocketChannel c = door.accept();
            if (c == null) return;
            c.configureBlocking(false);
            c.setOption(StandardSocketOptions.TCP_NODELAY, true);
            c.register(selector, SelectionKey.OP_READ, new Venue());
        }

        void read(SelectionKey key) throws IOException {
            SocketChannel c = (SocketChannel) key.channel();
            Venue v = (Venue) key.attachment();
            if (c.read(v.in) < 0) {
                c.close();
                return;
            }
            if (v.in.hasRemaining()) return;
            v.in.flip();
            long serial = v.in.getLong(), price = v.in.getLong();
            long range = board.tick(v.in.getInt(), price);
            v.in.clear();
            v.out.clear();
            v.out.putLong(serial).putLong(range).flip();
            while (v.out.hasRemaining()) c.write(v.out);
            handled++;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    selector.select();
                    selects++;
                    Iterator<SelectionKey> keys = selector.selectedKeys().iterator();
                    while (keys.hasNext()) {
                        SelectionKey k = keys.next();
                        keys.remove();
                        if (k.isAcceptable()) accept();
                        else read(k);
                    }
                }
            } catch (IOException e) {
                e.printStackTrace();
            }
        }
    }

    static final class Feed implements Runnable {
        final int port, nr;

        Feed(int port, int nr) {
            this.port = port;
            this.nr = nr;
        }

        @Override
        public void run() {
            Random r = new Random(nr);
            byte[] tick = new byte[32], ack = new byte[16];
            ByteBuffer t = ByteBuffer.wrap(tick), a = ByteBuffer.wrap(ack);
            double drift = 0;
            try (Socket s = new Socket(InetAddress.getLoopbackAddress(), port)) {
                s.setTcpNoDelay(true);
                InputStream in = s.getInputStream();
                OutputStream out = s.getOutputStream();
                for (long serial = 0;; serial++) {
                    drift = drift * 0.99 + r.nextGaussian();
                    t.clear();
                    t.putLong(serial).putLong((long) (100000 + 50 * drift)).putInt(r.nextInt(512)).putInt(nr);
                    long begin = System.nanoTime();
                    out.write(tick);
                    if (in.readNBytes(ack, 0, 16) < 16) return;
                    if (a.getLong(0) != serial) throw new IOException("serial " + a.getLong(0));
                    nanos.add(System.nanoTime() - begin);
                    ticks.increment();
                }
            } catch (IOException e) {
                e.printStackTrace();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        long until = System.nanoTime() + SPAN;
        Relay relay = new Relay();
        Thread l = new Thread(relay, "relay");
        l.setDaemon(true);
        l.start();
        int port = ((InetSocketAddress) relay.door.getLocalAddress()).getPort();
        for (int i = 0; i < 6; i++) {
            Thread t = new Thread(new Feed(port, i), "venue-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(2000);
        System.out.println("READY");
        ticks.sumThenReset();
        nanos.sumThenReset();
        long s0 = selects, h0 = handled;
        while (System.nanoTime() < until) {
            Thread.sleep(1000);
            long n = ticks.sumThenReset(), s = selects, h = handled;
            System.out.printf("measured: %d ticks/s, %.1f us each, %.2f ticks for each select%n", n, nanos.sumThenReset() / 1e3 / Math.max(1, n), (h - h0) / (double) Math.max(1, s - s0));
            s0 = s;
            h0 = h;
        }
    }
}
