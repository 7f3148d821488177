// SPDX-License-Identifier: Apache-2.0
// healthy: an ordinary server with one selector loop that does not block, asks for OP_WRITE only while something is left to be written, computes a little for each request and rests most of the time; its eight clients ask, wait for a fraction of a millisecond, and think for some milliseconds
// share: 1350 questions a second, answered in 0.3 to 0.4 ms each; the loop has work 25 to 30 % of the time; none is lost; 0.38 CPUs
// judge: RIGHT: nothing stands out, no fault shows, or neutral statements of where time goes (computing in BerthBoard$Planner.bestBerth, the terminals' waiting for answers at BerthBoard$Terminal.ask, neutral). WRONG: an accusation: a spinning selector, a blocked or saturated event loop, a wait for sockets as a fault, Nagle, too few threads, copying or allocation.
// jdk: 8
// set: thirty-first
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
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

public class BerthBoard {
    static final LongAdder asked = new LongAdder(), askNanos = new LongAdder(), loopBusyNanos = new LongAdder(), lost = new LongAdder();

    /** Finds the berth where a ship of a length and a draught costs least. */
    static final class Planner {
        private final int[] length = new int[900], draught = new int[900], cost = new int[900];
        Planner() {
            Random random = new Random(11);
            for (int i = 0; i < length.length; i++) {
                length[i] = 60 + random.nextInt(300);
                draught[i] = 5 + random.nextInt(12);
                cost[i] = 100 + random.nextInt(900);
            }
        }
        int bestBerth(int ship, int deep) {
            int best = -1, least = Integer.MAX_VALUE;
            for (int tide = 0; tide < 120; tide++) {
                for (int i = 0; i < length.length; i++) {
                    int c = cost[i] + (length[i] - ship) / 3 + tide * 2;
                    if (length[i] >= ship && draught[i] + tide / 40 >= deep && c < least) {
                        least = c;
                        best = i;
                    }
                }
            }
            return best;
        }
    }

    static final class Session {
        final SocketChannel channel;
        final ByteBuffer in = ByteBuffer.allocate(512), out = ByteBuffer.allocate(512);
        Session(SocketChannel channel) { this.channel = channel; }
    }

    static final class Server implements Runnable {
        private final Selector selector = Selector.open();
        private final ServerSocketChannel door = ServerSocketChannel.open();
        private final Planner planner = new Planner();
        Server() throws IOException {
            door.bind(new InetSocketAddress("127.0.0.1", 0), 64);
            door.configureBlocking(false);
            door.register(selector, SelectionKey.OP_ACCEPT);
        }
        int port() throws IOException { return ((InetSocketAddress) door.getLocalAddress()).getPort(); }

        private void accept() throws IOException {
            SocketChannel c = door.accept();
            if (c == null) return;
            c.configureBlocking(false);
            c.setOption(StandardSocketOptions.TCP_NODELAY, true);
            c.register(selector, SelectionKey.OP_READ, new Session(c));
        }

        private void read(SelectionKey key, Session s) throws IOException {
            if (s.channel.read(s.in) < 0) {
                s.channel.close();
                return;
            }
            s.in.flip();
            while (s.in.remaining() >= 8 && s.out.remaining() >= 4) s.out.putInt(planner.bestBerth(s.in.getInt(), s.in.getInt()));
            s.in.compact();
            write(key, s);
        }

        private void write(SelectionKey key, Session s) throws IOException {
            s.out.flip();
            s.channel.write(s.out);
            s.out.compact();
            key.interestOps(s.out.position() > 0 ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ);
        }

        private void handle(SelectionKey key) {
            try {
                if (key.isAcceptable()) {
                    accept();
                    return;
                }
                Session s = (Session) key.attachment();
                if (key.isReadable()) read(key, s);
                else if (key.isWritable()) write(key, s);
            } catch (IOException e) {
                lost.increment();
                key.cancel();
                try {
                    key.channel().close();
                } catch (IOException ignored) {
                    lost.increment();
                }
            }
        }

        public void run() {
            try {
                for (;;) {
                    selector.select();
                    long begin = System.nanoTime();
                    for (Iterator<SelectionKey> i = selector.selectedKeys().iterator(); i.hasNext();) {
                        SelectionKey key = i.next();
                        i.remove();
                        if (key.isValid()) handle(key);
                    }
                    loopBusyNanos.add(System.nanoTime() - begin);
                }
            } catch (IOException e) {
                System.err.println("server ends: " + e);
            }
        }
    }

    static final class Terminal implements Runnable {
        private final int port;
        private final Random random;
        private int berths;
        Terminal(int port, long seed) { this.port = port; random = new Random(seed); }

        private int ask(OutputStream out, DataInputStream in) throws IOException {
            ByteBuffer question = ByteBuffer.allocate(8).putInt(80 + random.nextInt(220)).putInt(4 + random.nextInt(12));
            long begin = System.nanoTime();
            out.write(question.array());
            int berth = in.readInt();
            askNanos.add(System.nanoTime() - begin);
            asked.increment();
            return berth;
        }

        public void run() {
            try (Socket s = new Socket("127.0.0.1", port)) {
                s.setTcpNoDelay(true);
                DataInputStream in = new DataInputStream(s.getInputStream());
                for (;;) {
                    berths += ask(s.getOutputStream(), in);
                    Thread.sleep(3 + random.nextInt(6));
                }
            } catch (IOException e) {
                lost.increment();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Server server = new Server();
        new Thread(server, "berth-loop").start();
        for (int i = 0; i < 8; i++) new Thread(new Terminal(server.port(), i), "terminal-" + i).start();
        Thread.sleep(2500);
        System.out.println("READY");
        System.out.flush();
        for (;;) {
            long a = asked.sum(), n = askNanos.sum(), l = loopBusyNanos.sum(), begin = System.nanoTime();
            Thread.sleep(1000);
            long da = Math.max(1, asked.sum() - a);
            System.out.printf("measured: %d questions answered in %.2f ms each; the loop has work %.0f %% of the time; %d lost%n", da, (askNanos.sum() - n) / 1e6 / da,
                    100.0 * (loopBusyNanos.sum() - l) / (System.nanoTime() - begin), lost.sum());
            System.out.flush();
        }
    }
}
