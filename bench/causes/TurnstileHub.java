// SPDX-License-Identifier: Apache-2.0
// healthy: one selector thread serves 320 turnstile connections of which a dozen are active; between events it waits in select, which is what it should do, and an answer takes well below a millisecond
// judge: True and harmless: "mostly idle", "hub waits in Selector.select", "turnstiles wait in read". Wrong: "single selector thread is a bottleneck", "too many connections/threads", "blocking I/O", "CPU starved", lock contention, any request for a change.
// jdk: 21
// set: fifteenth
import java.io.IOException;
import java.net.*;
import java.nio.ByteBuffer;
import java.nio.channels.*;
import java.util.*;
import java.util.concurrent.atomic.LongAdder;

/** The hub all turnstiles of the stadiums stay connected to; on most days only a few see visitors. */
public final class TurnstileHub {
    static final int TURNSTILES = 320, ACTIVE = 12, REQUEST = 16, ANSWER = 8;
    static final LongAdder asked = new LongAdder(), nanos = new LongAdder(), beats = new LongAdder();

    /** State of one connection: its buffers, and when it was last heard of. */
    static final class Session {
        final ByteBuffer in = ByteBuffer.allocate(256), out = ByteBuffer.allocate(256);
        long seen = System.nanoTime();
    }

    static final class Hub implements Runnable {
        final Selector selector = Selector.open();
        final ServerSocketChannel server = ServerSocketChannel.open();
        final BitSet used = new BitSet(1 << 20);
        long nextSweep = System.nanoTime();

        Hub() throws IOException {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 512);
            server.configureBlocking(false);
            server.register(selector, SelectionKey.OP_ACCEPT);
        }

        int port() throws IOException { return ((InetSocketAddress) server.getLocalAddress()).getPort(); }

        @Override public void run() {
            try {
                while (true) {
                    selector.select(this::ready, 5000);
                    sweep();
                }
            } catch (IOException e) {
                System.err.println(e);
            }
        }

        void ready(SelectionKey key) {
            try {
                if (key.isAcceptable()) accept();
                else if (key.isReadable()) read(key);
                else if (key.isWritable()) write(key);
            } catch (IOException e) {
                key.cancel();
                try {
                    key.channel().close();
                } catch (IOException again) {
                    System.err.println(again);
                }
            }
        }

        void accept() throws IOException {
            for (SocketChannel ch; (ch = server.accept()) != null; ) {
                ch.configureBlocking(false);
                ch.setOption(StandardSocketOptions.TCP_NODELAY, true);
                ch.register(selector, SelectionKey.OP_READ, new Session());
            }
        }

        void read(SelectionKey key) throws IOException {
            Session s = (Session) key.attachment();
            if (((SocketChannel) key.channel()).read(s.in) < 0) throw new IOException("gone");
            s.seen = System.nanoTime();
            s.in.flip();
            while (s.in.remaining() >= REQUEST && s.out.remaining() >= ANSWER) {
                int kind = s.in.getInt(), ticket = s.in.getInt();
                long stamp = s.in.getLong();
                if (kind == 0) {
                    beats.increment();
                    continue;
                }
                boolean first = !used.get(ticket);
                used.set(ticket);
                s.out.putInt(first ? 1 : 0).putInt((int) stamp);
            }
            s.in.compact();
            write(key);
        }

        void write(SelectionKey key) throws IOException {
            Session s = (Session) key.attachment();
            s.out.flip();
            if (s.out.hasRemaining()) ((SocketChannel) key.channel()).write(s.out);
            key.interestOps(s.out.hasRemaining() ? SelectionKey.OP_WRITE : SelectionKey.OP_READ);
            s.out.compact();
        }

        /** Once in five seconds: drop those not heard of for a minute. */
        void sweep() throws IOException {
            long now = System.nanoTime();
            if (now - nextSweep < 0) return;
            nextSweep = now + 5_000_000_000L;
            for (SelectionKey key : selector.keys()) {
                if (key.attachment() instanceof Session s && now - s.seen > 60_000_000_000L) key.channel().close();
            }
        }
    }

    static void visitors(SocketChannel ch, int seed) {
        SplittableRandom rnd = new SplittableRandom(seed);
        ByteBuffer buf = ByteBuffer.allocate(REQUEST);
        try {
            while (true) {
                Thread.sleep(20 + rnd.nextInt(60));
                long t0 = System.nanoTime();
                buf.clear().putInt(1).putInt(rnd.nextInt(1 << 20)).putLong(t0).flip();
                while (buf.hasRemaining()) ch.write(buf);
                buf.clear().limit(ANSWER);
                while (buf.hasRemaining()) if (ch.read(buf) < 0) return;
                if (buf.getInt(4) != (int) t0) throw new IOException("answers out of order");
                nanos.add(System.nanoTime() - t0);
                asked.increment();
            }
        } catch (IOException | InterruptedException e) {
            System.err.println(e);
        }
    }

    static void heartbeats(List<SocketChannel> quiet) {
        ByteBuffer buf = ByteBuffer.allocate(REQUEST);
        try {
            while (true) {
                for (SocketChannel ch : quiet) {
                    buf.clear().putInt(0).putInt(0).putLong(0).flip();
                    while (buf.hasRemaining()) ch.write(buf);
                    Thread.sleep(30);
                }
            }
        } catch (IOException | InterruptedException e) {
            System.err.println(e);
        }
    }

    public static void main(String[] args) throws Exception {
        Hub hub = new Hub();
        Thread.ofPlatform().daemon().name("hub").start(hub);
        List<SocketChannel> quiet = new ArrayList<>();
        for (int i = 0; i < TURNSTILES; i++) {
            SocketChannel ch = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), hub.port()));
            ch.setOption(StandardSocketOptions.TCP_NODELAY, true);
            int seed = i;
            if (i < ACTIVE) Thread.ofPlatform().daemon().name("turnstile-" + i).start(() -> visitors(ch, seed));
            else quiet.add(ch);
        }
        Thread.ofPlatform().daemon().name("heartbeats").start(() -> heartbeats(quiet));
        System.out.println("READY");
        for (long last = 0; ; ) {
            Thread.sleep(1000);
            long n = asked.sum();
            System.out.printf("measured: %d visitors/s, %.2f ms for an answer, %d heartbeats%n", n - last, nanos.sum() / 1e6 / Math.max(1, n), beats.sum());
            last = n;
        }
    }
}
