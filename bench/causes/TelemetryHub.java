// SPDX-License-Identifier: Apache-2.0
// healthy: one event loop serves 80 connections, about 8000 small frames a second, reads until nothing is left, asks for OP_WRITE only while something is left to be written, and rests in select most of the time; the turbines are driven by another loop of the same kind
// share: each frame is acknowledged after about 1 ms (median), 2 to 9 ms (p99) beside other load; all 8000 readings a second get through; 0.1 to 0.2 of 2 CPUs
// judge: RIGHT: nothing stands out, or only neutral sentences (time goes to computing or to calls of the selector, reads and writes in TelemetryHub$Hub or WindFarm; no fault shows), or what is wrong with the machine (other processes take the CPUs, if they do). WRONG: any accusation of the program or JVM: selector spin, a saturated or blocked loop (hub-loop, wind-farm), waiting for answers, held back writes, slow accepting, Turbine.spread as a fault, collections
// jdk: 21
// set: thirty-fourth
// jvm: -Xmx256m
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;

/** Takes readings of wind turbines over TCP and acknowledges each one. */
public class TelemetryHub {
    static final int TURBINES = 80;
    static final int FRAME = 24;
    static final int ACK = 8;

    /** Running figures of one turbine. */
    static final class Turbine {
        private final double[] window = new double[128];
        private int count;
        private double smoothed;

        void add(double power) {
            window[count++ % window.length] = power;
            smoothed = smoothed * 0.95 + power * 0.05;
        }

        double spread() {
            int n = Math.min(count, window.length);
            double sum = 0;
            double squares = 0;
            for (int i = 0; i < n; i++) {
                sum += window[i];
                squares += window[i] * window[i];
            }
            return n == 0 ? 0 : Math.sqrt(Math.max(0, squares / n - sum / n * (sum / n)));
        }
    }

    /** What belongs to one connection at the hub. */
    static final class Link {
        final ByteBuffer in = ByteBuffer.allocateDirect(FRAME * 32);
        final ByteBuffer out = ByteBuffer.allocateDirect(ACK * 64);
    }

    /** The event loop. */
    static final class Hub implements Runnable {
        private final Selector selector = Selector.open();
        private final ServerSocketChannel door = ServerSocketChannel.open();
        private final Map<Integer, Turbine> turbines = new HashMap<>();
        volatile long frames;
        volatile double widest;

        Hub() throws IOException {
            door.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 256);
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
                    selector.select(this::handle);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private void handle(SelectionKey key) {
            try {
                if (key.isAcceptable()) {
                    SocketChannel channel = door.accept();
                    if (channel != null) {
                        channel.configureBlocking(false);
                        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                        channel.register(selector, SelectionKey.OP_READ, new Link());
                    }
                    return;
                }
                if (key.isReadable()) {
                    read(key);
                }
                if (key.isValid() && key.isWritable()) {
                    flush(key);
                }
            } catch (IOException e) {
                key.cancel();
            }
        }

        private void read(SelectionKey key) throws IOException {
            Link link = (Link) key.attachment();
            SocketChannel channel = (SocketChannel) key.channel();
            if (channel.read(link.in) < 0) {
                channel.close();
                return;
            }
            link.in.flip();
            while (link.in.remaining() >= FRAME && link.out.remaining() >= ACK) {
                int turbine = link.in.getInt();
                link.in.getInt();
                long sent = link.in.getLong();
                Turbine figures = turbines.computeIfAbsent(turbine, t -> new Turbine());
                figures.add(link.in.getDouble());
                widest = Math.max(widest * 0.999, figures.spread());
                link.out.putLong(sent);
                frames++;
            }
            link.in.compact();
            flush(key);
        }

        private void flush(SelectionKey key) throws IOException {
            Link link = (Link) key.attachment();
            link.out.flip();
            ((SocketChannel) key.channel()).write(link.out);
            boolean rest = link.out.hasRemaining();
            link.out.compact();
            key.interestOps(rest ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ);
        }
    }

    /** Stands in for the wind farm: all turbines, driven by one thread. */
    static final class WindFarm implements Runnable {
        private static final long EVERY_NS = 10_000_000;
        private final Selector selector = Selector.open();
        private final SocketChannel[] lines = new SocketChannel[TURBINES];
        private final long[] due = new long[TURBINES];
        private final ByteBuffer frame = ByteBuffer.allocateDirect(FRAME);
        private final ByteBuffer answers = ByteBuffer.allocateDirect(ACK * 64);
        private final Random random = new Random(1);
        private long[] delays = new long[4096];
        private int delayCount;

        WindFarm(InetSocketAddress hub) throws IOException {
            for (int i = 0; i < TURBINES; i++) {
                lines[i] = SocketChannel.open(hub);
                lines[i].configureBlocking(false);
                lines[i].setOption(StandardSocketOptions.TCP_NODELAY, true);
                lines[i].register(selector, SelectionKey.OP_READ);
                due[i] = System.nanoTime() + random.nextInt((int) EVERY_NS);
            }
        }

        @Override
        public void run() {
            try {
                while (true) {
                    long now = System.nanoTime();
                    long next = now + EVERY_NS;
                    for (int i = 0; i < TURBINES; i++) {
                        if (due[i] <= now) {
                            send(i, now);
                            due[i] = Math.max(due[i] + EVERY_NS, now + EVERY_NS / 2);
                        }
                        next = Math.min(next, due[i]);
                    }
                    selector.select(this::receive, Math.max(1, (next - System.nanoTime()) / 1_000_000));
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private void send(int turbine, long now) throws IOException {
            frame.clear();
            frame.putInt(turbine).putInt(0).putLong(now).putDouble(1500 + 300 * random.nextGaussian());
            frame.flip();
            lines[turbine].write(frame);
        }

        private void receive(SelectionKey key) {
            try {
                answers.clear();
                ((SocketChannel) key.channel()).read(answers);
                answers.flip();
                long now = System.nanoTime();
                while (answers.remaining() >= ACK) {
                    note(now - answers.getLong());
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private synchronized void note(long delay) {
            delays[delayCount++ % delays.length] = delay;
        }

        synchronized String delays() {
            long[] sorted = Arrays.copyOf(delays, Math.min(delayCount, delays.length));
            delayCount = 0;
            Arrays.sort(sorted);
            if (sorted.length == 0) {
                return "no answers";
            }
            return String.format("acknowledged after %.2f ms (median), %.2f ms (p99)", sorted[sorted.length / 2] / 1e6, sorted[sorted.length * 99 / 100] / 1e6);
        }
    }

    public static void main(String[] args) throws Exception {
        Hub hub = new Hub();
        new Thread(hub, "hub-loop").start();
        WindFarm farm = new WindFarm(hub.address());
        new Thread(farm, "wind-farm").start();
        long frames = 0;
        long at = System.nanoTime();
        for (int second = 1;; second++) {
            Thread.sleep(1000);
            long now = System.nanoTime();
            long n = hub.frames;
            System.out.printf("measured: %.0f readings/s of %d turbines, %s%n", (n - frames) * 1e9 / (now - at), TURBINES, farm.delays());
            frames = n;
            at = now;
            if (second == 3) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
