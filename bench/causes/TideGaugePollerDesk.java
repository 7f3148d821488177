// SPDX-License-Identifier: Apache-2.0
// healthy: gauge-poller runs a selector and also sleeps within its loop for nearly 90 % of the time, but it is a client that asks all gauges at once each 400 ms, reads all answers as they come, and rests until the next round is due; nobody waits for it.
// share: measured 2 to 3 rounds/s (each 400 ms), 48 to 72 levels/s, a round takes 12 to 46 ms, 0 late.
// judge: WRONG: a blocked event loop (the sleep in Poller.run), slow answers of the gauges as a fault, threads that wait for requests (gauge reads). ACCEPTABLE: nothing stands out, next to nothing is done, a neutral remark that the poller rests by the clock.
// jdk: 25
// set: twenty-ninth
// jvm:

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Asks the tide gauges of a coast for their levels, all of them at once, every 400 ms as the harbour office has ordered. */
public class TideGaugePollerDesk {
    static final int GAUGES = 24;
    static final int PERIOD = 400;
    static final long SPAN = Long.getLong("span", 170);
    static volatile long rounds;
    static volatile long answers;
    static volatile long late;
    static volatile long roundNanos;

    /** A gauge, and what it has said. */
    static final class Gauge {
        final int number;
        final SocketChannel channel;
        final ByteBuffer question = ByteBuffer.allocate(8);
        final ByteBuffer answer = ByteBuffer.allocate(16);
        long asked;
        double level;

        Gauge(int number, SocketChannel channel) {
            this.number = number;
            this.channel = channel;
        }

        void ask(long round) throws IOException {
            question.clear();
            question.putLong(round).flip();
            while (question.hasRemaining()) {
                channel.write(question);
            }
            answer.clear();
            asked = round;
        }

        boolean read() throws IOException {
            if (channel.read(answer) < 0) {
                throw new IOException("gauge " + number + " is gone");
            }
            if (answer.hasRemaining()) {
                return false;
            }
            answer.flip();
            if (answer.getLong() != asked) {
                throw new IOException("gauge " + number + " has answered another question");
            }
            level = level * 0.9 + answer.getDouble() * 0.1;
            return true;
        }
    }

    /** Makes the rounds. */
    static final class Poller extends Thread {
        private final Selector selector = Selector.open();
        private final List<Gauge> gauges = new ArrayList<>();

        Poller(int port) throws IOException {
            super("gauge-poller");
            setDaemon(true);
            for (int i = 0; i < GAUGES; i++) {
                SocketChannel c = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                c.configureBlocking(false);
                Gauge g = new Gauge(i, c);
                c.register(selector, SelectionKey.OP_READ, g);
                gauges.add(g);
            }
        }

        @Override
        public void run() {
            try {
                long due = System.nanoTime();
                for (long round = 1;; round++) {
                    long start = System.nanoTime();
                    int missing = round(round);
                    late += missing;
                    roundNanos += System.nanoTime() - start;
                    rounds++;
                    due += PERIOD * 1_000_000L;
                    long rest = due - System.nanoTime();
                    if (rest > 0) {
                        Thread.sleep(rest / 1_000_000, (int) (rest % 1_000_000));
                    }
                }
            } catch (IOException | InterruptedException e) {
                System.out.println("poller: " + e);
            }
        }

        private int round(long round) throws IOException {
            for (Gauge g : gauges) {
                g.ask(round);
            }
            int missing = gauges.size();
            while (missing > 0 && selector.select(250) > 0) {
                for (SelectionKey key : selector.selectedKeys()) {
                    if (((Gauge) key.attachment()).read()) {
                        missing--;
                        answers++;
                    }
                }
                selector.selectedKeys().clear();
            }
            return missing;
        }
    }

    /** The gauges' side; each answers a few milliseconds after it was asked. */
    static void gauge(SocketChannel c) {
        ByteBuffer in = ByteBuffer.allocate(8);
        ByteBuffer out = ByteBuffer.allocate(16);
        try {
            while (true) {
                in.clear();
                while (in.hasRemaining()) {
                    if (c.read(in) < 0) {
                        return;
                    }
                }
                in.flip();
                Thread.sleep(ThreadLocalRandom.current().nextInt(2, 12));
                out.clear();
                out.putLong(in.getLong()).putDouble(3.4 + ThreadLocalRandom.current().nextDouble()).flip();
                while (out.hasRemaining()) {
                    c.write(out);
                }
            }
        } catch (IOException | InterruptedException e) {
            System.out.println("gauge: " + e);
        }
    }

    public static void main(String[] args) throws Exception {
        ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
        Thread door = new Thread(() -> {
            try {
                for (int i = 0; i < GAUGES; i++) {
                    SocketChannel c = server.accept();
                    Thread t = new Thread(() -> gauge(c), "gauge-" + i);
                    t.setDaemon(true);
                    t.start();
                }
            } catch (IOException e) {
                System.out.println("door: " + e);
            }
        }, "gauge-door");
        door.setDaemon(true);
        door.start();
        Poller poller = new Poller(((InetSocketAddress) server.getLocalAddress()).getPort());
        poller.start();
        System.out.println("READY");
        long end = System.nanoTime() + SPAN * 1_000_000_000L;
        long lastRounds = 0;
        long lastAnswers = 0;
        long lastNanos = 0;
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long r = rounds;
            long a = answers;
            long n = roundNanos;
            System.out.printf("measured: %d rounds/s, %d levels/s, a round takes %.1f ms, %d late%n", r - lastRounds, a - lastAnswers,
                    (n - lastNanos) / 1e6 / Math.max(1, r - lastRounds), late);
            lastRounds = r;
            lastAnswers = a;
            lastNanos = n;
        }
        System.exit(0);
    }
}
