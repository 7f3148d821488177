// SPDX-License-Identifier: Apache-2.0
// healthy: one event loop serves 60 connections, never blocks in its handlers, registers interest in writing only while something is left, and has time to spare; the clients are another loop in the same process that asks at a steady pace
// share: some 6,000 requests a second at 0.1 to 0.3 CPUs, answers after 0.2 to 1 ms
// judge: RIGHT: nothing stands out, or neutral statements (where the little CPU time goes: reading, writing and selecting in Board.serve, Terminals.run, or the handling of requests). WRONG: any accusation: a selector that spins, a blocked loop, a saturated thread, waiting for a server's answer, Nagle, too many threads, collections.
// jdk: 17
// set: thirty-sixth
// jvm: -Xmx256m
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;

/** Berth board of a harbour: ships' agents ask over TCP which berth a ship has, a line each way. */
public class QuayNotices {
    static final int AGENTS = 60;

    static final class Berths {
        private final String[] berths = new String[1000];

        Berths() {
            SplittableRandom random = new SplittableRandom(4);
            for (int i = 0; i < berths.length; i++) {
                berths[i] = "pier " + (char) ('A' + random.nextInt(8)) + random.nextInt(40) + " from " + random.nextInt(24) + ":00";
            }
        }

        String find(int ship) {
            return berths[Math.floorMod(ship, berths.length)];
        }
    }

    static final class Line {
        final ByteBuffer in = ByteBuffer.allocate(512);
        final ByteBuffer out = ByteBuffer.allocate(4096);
    }

    /** The server: one thread, one selector. */
    static final class Board implements Runnable {
        private final Selector selector = Selector.open();
        private final ServerSocketChannel door = ServerSocketChannel.open();
        private final Berths berths = new Berths();

        Board() throws IOException {
            door.bind(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0), 128);
            door.configureBlocking(false);
            door.register(selector, SelectionKey.OP_ACCEPT);
        }

        InetSocketAddress address() throws IOException {
            return (InetSocketAddress) door.getLocalAddress();
        }

        @Override
        public void run() {
            try {
                while (true) {
                    selector.select();
                    Iterator<SelectionKey> keys = selector.selectedKeys().iterator();
                    while (keys.hasNext()) {
                        SelectionKey key = keys.next();
                        keys.remove();
                        try {
                            if (key.isAcceptable()) {
                                accept();
                            } else {
                                serve(key);
                            }
                        } catch (IOException e) {
                            key.cancel();
                            key.channel().close();
                        }
                    }
                }
            } catch (IOException e) {
                System.err.println("board ends: " + e);
            }
        }

        private void accept() throws IOException {
            SocketChannel channel = door.accept();
            if (channel != null) {
                channel.configureBlocking(false);
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                channel.register(selector, SelectionKey.OP_READ, new Line());
            }
        }

        private void serve(SelectionKey key) throws IOException {
            SocketChannel channel = (SocketChannel) key.channel();
            Line line = (Line) key.attachment();
            if (key.isReadable()) {
                if (channel.read(line.in) < 0) {
                    channel.close();
                    return;
                }
                line.in.flip();
                answer(line);
                line.in.compact();
            }
            line.out.flip();
            channel.write(line.out);
            boolean left = line.out.hasRemaining();
            line.out.compact();
            key.interestOps(left ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ);
        }

        private void answer(Line line) {
            int begin = line.in.position();
            for (int i = begin; i < line.in.limit(); i++) {
                if (line.in.get(i) == '\n') {
                    int ship = 0;
                    for (int j = begin; j < i; j++) {
                        ship = ship * 10 + line.in.get(j) - '0';
                    }
                    byte[] text = (ship + " " + berths.find(ship) + "\n").getBytes(StandardCharsets.US_ASCII);
                    if (text.length <= line.out.remaining()) {
                        line.out.put(text);
                    }
                    begin = i + 1;
                    line.in.position(begin);
                }
            }
        }
    }

    /** The agents' terminals: each asks about every 8 ms, if it has had its answer. */
    static final class Terminals implements Runnable {
        private static final class Terminal {
            final ByteBuffer in = ByteBuffer.allocate(512);
            SocketChannel channel;
            long due;
            long asked;
        }

        private final Selector selector = Selector.open();
        private final List<Terminal> terminals = new ArrayList<>();
        private final SplittableRandom random = new SplittableRandom(8);

        Terminals(InetSocketAddress board) throws IOException {
            for (int i = 0; i < AGENTS; i++) {
                Terminal terminal = new Terminal();
                terminal.channel = SocketChannel.open(board);
                terminal.channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                terminal.channel.configureBlocking(false);
                terminal.channel.register(selector, SelectionKey.OP_READ, terminal);
                terminal.due = System.nanoTime() + random.nextInt(8_000_000);
                terminals.add(terminal);
            }
        }

        @Override
        public void run() {
            try {
                while (true) {
                    selector.select(2);
                    for (Iterator<SelectionKey> keys = selector.selectedKeys().iterator(); keys.hasNext();) {
                        take((Terminal) keys.next().attachment());
                        keys.remove();
                    }
                    long now = System.nanoTime();
                    for (Terminal terminal : terminals) {
                        if (terminal.asked == 0 && terminal.due - now <= 0) {
                            terminal.asked = now;
                            terminal.channel.write(ByteBuffer.wrap((random.nextInt(5000) + "\n").getBytes(StandardCharsets.US_ASCII)));
                        }
                    }
                }
            } catch (IOException e) {
                System.err.println("terminals end: " + e);
            }
        }

        private void take(Terminal terminal) throws IOException {
            if (terminal.channel.read(terminal.in) < 0) {
                throw new IOException("closed");
            }
            int end = terminal.in.position();
            if (end > 0 && terminal.in.get(end - 1) == '\n') {
                long now = System.nanoTime();
                answers.increment();
                waited.add(now - terminal.asked);
                terminal.in.clear();
                terminal.asked = 0;
                terminal.due = now + 5_000_000 + random.nextInt(5_000_000);
            }
        }
    }

    static final LongAdder answers = new LongAdder();
    static final LongAdder waited = new LongAdder();

    public static void main(String[] args) throws Exception {
        Board board = new Board();
        Thread loop = new Thread(board, "board-loop");
        loop.setDaemon(true);
        loop.start();
        Thread agents = new Thread(new Terminals(board.address()), "agents");
        agents.setDaemon(true);
        agents.start();
        Thread.sleep(3000);
        System.out.println("READY");
        System.out.flush();
        var os = (com.sun.management.OperatingSystemMXBean) java.lang.management.ManagementFactory.getOperatingSystemMXBean();
        while (true) {
            long n = answers.sum(), w = waited.sum(), t = System.nanoTime(), cpu = os.getProcessCpuTime();
            Thread.sleep(1000);
            double s = (System.nanoTime() - t) / 1e9;
            System.out.printf("measured: %.0f answers/s, %.2f ms each, %.2f CPUs%n", (answers.sum() - n) / s,
                    (waited.sum() - w) / 1e6 / Math.max(1, answers.sum() - n), (os.getProcessCpuTime() - cpu) / 1e9 / s);
        }
    }
}
