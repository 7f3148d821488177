// SPDX-License-Identifier: Apache-2.0
// healthy: a game server's event loop by the book: one selector thread reads the players' datagrams as they come and simulates at a fixed 20 ticks a second with reused direct buffers; it sleeps in select until the next tick or packet, and the tick takes well below a millisecond
// judge: right: nothing to report, "mostly idle / waits for network by design", "paced at 50 ms". Wrong: any advice on the waits in Selector.select, on the single thread ("undersized pool", "serial bottleneck"), on the pacing, allocation, locks, GC, or the bots' datagram sends as a hot spot to be changed.
// jdk: 25
// set: fifteenth
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Arena shooter: authoritative server over UDP and, in the same process, a thread that plays 32 bots. */
public final class ArenaTick {
    static final int BOTS = 32;
    static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    static final LongAdder INPUTS = new LongAdder();
    static final LongAdder TICKS = new LongAdder();
    static final LongAdder TICK_WORK = new LongAdder();
    static final LongAdder SNAPSHOTS_SEEN = new LongAdder();

    static final class Fighter {
        final int id;
        final SocketAddress address;
        float x, y, vx, vy;
        int health = 100;

        Fighter(int id, SocketAddress address) {
            this.id = id;
            this.address = address;
            this.x = id * 17 % 100;
            this.y = id * 29 % 100;
        }
    }

    static final class Server implements Runnable {
        final DatagramChannel channel = DatagramChannel.open();
        private final Selector selector = Selector.open();
        private final Map<Integer, Fighter> fighters = new HashMap<>();
        private final ByteBuffer in = ByteBuffer.allocateDirect(64);
        private final ByteBuffer out = ByteBuffer.allocateDirect(8 + BOTS * 16);

        Server() throws IOException {
            channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ);
        }

        @Override
        public void run() {
            try {
                long next = System.nanoTime() + TICK_NANOS;
                for (int tick = 0;;) {
                    long left = next - System.nanoTime();
                    if (left > 0) {
                        selector.select(Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)));
                        selector.selectedKeys().clear();
                        receive();
                        continue;
                    }
                    long t0 = System.nanoTime();
                    simulate();
                    broadcast(++tick);
                    TICK_WORK.add(System.nanoTime() - t0);
                    TICKS.increment();
                    next = Math.max(next + TICK_NANOS, System.nanoTime() - 2 * TICK_NANOS);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private void receive() throws IOException {
            for (SocketAddress from; (from = channel.receive(in.clear())) != null;) {
                in.flip();
                if (in.remaining() != 12) {
                    continue;
                }
                SocketAddress address = from;
                Fighter f = fighters.computeIfAbsent(in.getInt(), id -> new Fighter(id, address));
                f.vx = Math.clamp(in.getFloat(), -5f, 5f);
                f.vy = Math.clamp(in.getFloat(), -5f, 5f);
                INPUTS.increment();
            }
        }

        private void simulate() {
            for (Fighter f : fighters.values()) {
                f.x = Math.clamp(f.x + f.vx * 0.05f, 0f, 100f);
                f.y = Math.clamp(f.y + f.vy * 0.05f, 0f, 100f);
                for (Fighter o : fighters.values()) {
                    float dx = o.x - f.x, dy = o.y - f.y;
                    if (o != f && dx * dx + dy * dy < 1f && --o.health <= 0) {
                        o.health = 100;
                    }
                }
            }
        }

        private void broadcast(int tick) throws IOException {
            out.clear().putInt(tick).putInt(fighters.size());
            for (Fighter f : fighters.values()) {
                out.putInt(f.id).putFloat(f.x).putFloat(f.y).putInt(f.health);
            }
            out.flip();
            for (Fighter f : fighters.values()) {
                channel.send(out.rewind(), f.address); // UDP: what the kernel cannot take is lost, the next tick corrects it
            }
        }
    }

    /** Each bot reacts to the snapshot it gets by its next input; one selector for all of them. */
    static void bots(SocketAddress server) {
        try {
            Selector selector = Selector.open();
            List<DatagramChannel> channels = new ArrayList<>();
            SplittableRandom random = new SplittableRandom(3);
            ByteBuffer b = ByteBuffer.allocateDirect(1024);
            for (int i = 0; i < BOTS; i++) {
                DatagramChannel c = DatagramChannel.open().connect(server);
                c.configureBlocking(false);
                c.register(selector, SelectionKey.OP_READ, i);
                channels.add(c);
                input(c, i, random, b);
            }
            while (true) {
                if (selector.select(1000) == 0) { // lost packets: join again
                    for (int i = 0; i < BOTS; i++) {
                        input(channels.get(i), i, random, b);
                    }
                }
                for (SelectionKey k : selector.selectedKeys()) {
                    DatagramChannel c = (DatagramChannel) k.channel();
                    int got = 0;
                    while (c.read(b.clear()) > 0) {
                        got++;
                    }
                    SNAPSHOTS_SEEN.add(got);
                    input(c, (Integer) k.attachment(), random, b);
                }
                selector.selectedKeys().clear();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void input(DatagramChannel c, int id, SplittableRandom random, ByteBuffer b) throws IOException {
        c.write(b.clear().putInt(id).putFloat((float) random.nextDouble(-5, 5)).putFloat((float) random.nextDouble(-5, 5)).flip());
    }

    public static void main(String[] args) throws Exception {
        Server server = new Server();
        SocketAddress address = server.channel.getLocalAddress();
        Thread.ofPlatform().daemon().name("arena-loop").start(server);
        Thread.ofPlatform().daemon().name("bots").start(() -> bots(address));
        System.out.println("READY");
        long last = 0, lastIn = 0, lastWork = 0;
        while (true) {
            Thread.sleep(1000);
            long t = TICKS.sum(), i = INPUTS.sum(), w = TICK_WORK.sum();
            System.out.printf("measured: %d ticks/s, %.2f ms work per tick, %d inputs/s, %d snapshots seen by bots%n",
                    t - last, (w - lastWork) / 1e6 / Math.max(1, t - last), i - lastIn, SNAPSHOTS_SEEN.sum());
            last = t;
            lastIn = i;
            lastWork = w;
        }
    }
}
