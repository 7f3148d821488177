// SPDX-License-Identifier: Apache-2.0
// healthy: one event loop (NIO selector) serves the buoys' connections without blocking, answers each report at once, waits for events most of its time, and writes only what is there to be written (OP_WRITE only while something is left)
// share: 2000 reports a second, answered in 0.1 ms each; the loop waits for events 95 % of the time; 0.2 CPUs
// judge: RIGHT: nothing stands out, or only neutral remarks: buoys wait for an answer of this process (Buoy.report), computing in WaveSpectrum.significantHeight, calls of the loop. WRONG: any accusation: selector spin, saturated thread (sea-loop), blocked loop, held-back, slow accept, hot code, locks, too many threads, collections
// jdk: 25
// set: thirty-fifth
// jvm: -Xmx128m
import java.io.DataInputStream;
import java.io.IOException;
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
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

/** Takes the reports of measuring buoys (64 heights each) and answers with the significant height of the waves. */
public class BuoyTelemetry {
    static final InetAddress LOCAL = InetAddress.getLoopbackAddress();
    static final int HEIGHTS = 64;
    static final LongAdder REPORTS = new LongAdder();
    static final LongAdder ANSWER_TIME = new LongAdder();
    static final LongAdder IDLE = new LongAdder();

    /** A spectrum by a plain Fourier sum. */
    static final class WaveSpectrum {
        private static final double[] COS = new double[HEIGHTS];
        private static final double[] SIN = new double[HEIGHTS];

        static {
            for (int i = 0; i < HEIGHTS; i++) {
                COS[i] = Math.cos(2 * Math.PI * i / HEIGHTS);
                SIN[i] = Math.sin(2 * Math.PI * i / HEIGHTS);
            }
        }

        static double significantHeight(double[] heights) {
            double energy = 0;
            for (int wave = 1; wave < HEIGHTS / 2; wave++) {
                double re = 0, im = 0;
                for (int i = 0; i < HEIGHTS; i++) {
                    re += heights[i] * COS[wave * i % HEIGHTS];
                    im += heights[i] * SIN[wave * i % HEIGHTS];
                }
                energy += (re * re + im * im) / HEIGHTS / HEIGHTS;
            }
            return 4 * Math.sqrt(2 * energy);
        }
    }

    /** What is known of a connection. */
    static final class Mooring {
        private final ByteBuffer in = ByteBuffer.allocateDirect(HEIGHTS * 8);
        private final ByteBuffer out = ByteBuffer.allocateDirect(4096);
        private final double[] heights = new double[HEIGHTS];

        boolean readable(SocketChannel channel) throws IOException {
            while (true) {
                int read = channel.read(in);
                if (read < 0)
                    return false;
                if (read == 0)
                    break;
                if (!in.hasRemaining()) {
                    in.flip();
                    in.asDoubleBuffer().get(heights);
                    in.clear();
                    if (out.remaining() < 8)
                        return false;
                    out.putDouble(WaveSpectrum.significantHeight(heights));
                    REPORTS.increment();
                }
            }
            return true;
        }

        boolean flush(SocketChannel channel) throws IOException {
            out.flip();
            if (out.hasRemaining())
                channel.write(out);
            out.compact();
            return out.position() == 0;
        }
    }

    static final class SeaLoop implements Runnable {
        private final Selector selector = Selector.open();
        private final ServerSocketChannel server = ServerSocketChannel.open();

        SeaLoop() throws IOException {
            server.bind(new InetSocketAddress(LOCAL, 0), 200);
            server.configureBlocking(false);
            server.register(selector, SelectionKey.OP_ACCEPT);
        }

        int port() {
            return server.socket().getLocalPort();
        }

        @Override
        public void run() {
            while (true)
                try {
                    long begin = System.nanoTime();
                    selector.select();
                    IDLE.add(System.nanoTime() - begin);
                    Iterator<SelectionKey> keys = selector.selectedKeys().iterator();
                    while (keys.hasNext()) {
                        SelectionKey key = keys.next();
                        keys.remove();
                        if (key.isAcceptable())
                            moor();
                        else
                            serve(key);
                    }
                } catch (IOException e) {
                    System.err.println("loop: " + e);
                }
        }

        private void moor() throws IOException {
            SocketChannel channel = server.accept();
            if (channel == null)
                return;
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.register(selector, SelectionKey.OP_READ, new Mooring());
        }

        private void serve(SelectionKey key) {
            SocketChannel channel = (SocketChannel) key.channel();
            Mooring mooring = (Mooring) key.attachment();
            try {
                boolean open = !key.isReadable() || mooring.readable(channel);
                boolean done = mooring.flush(channel);
                if (!open)
                    channel.close();
                else
                    key.interestOps(done ? SelectionKey.OP_READ : SelectionKey.OP_READ | SelectionKey.OP_WRITE);
            } catch (IOException e) {
                key.cancel();
                try {
                    channel.close();
                } catch (IOException ignored) {
                    // it is gone
                }
            }
        }
    }

    static final class Buoy implements Runnable {
        private final int port;
        private final byte[] report = new byte[HEIGHTS * 8];

        Buoy(int port) {
            this.port = port;
        }

        private double report(Socket link, DataInputStream in) throws IOException {
            ByteBuffer heights = ByteBuffer.wrap(report);
            double height = 0;
            for (int i = 0; i < HEIGHTS; i++) {
                height = 0.8 * height + ThreadLocalRandom.current().nextDouble() - 0.5;
                heights.putDouble(height);
            }
            link.getOutputStream().write(report);
            return in.readDouble();
        }

        @Override
        public void run() {
            while (true)
                try (Socket link = new Socket(LOCAL, port)) {
                    link.setTcpNoDelay(true);
                    link.setSoTimeout(60000);
                    DataInputStream in = new DataInputStream(new java.io.BufferedInputStream(link.getInputStream()));
                    while (true) {
                        long begin = System.nanoTime();
                        report(link, in);
                        ANSWER_TIME.add(System.nanoTime() - begin);
                        Thread.sleep(ThreadLocalRandom.current().nextInt(10, 50));
                    }
                } catch (IOException e) {
                    System.err.println("buoy: " + e);
                } catch (InterruptedException e) {
                    return;
                }
        }
    }

    public static void main(String[] args) throws Exception {
        SeaLoop loop = new SeaLoop();
        new Thread(loop, "sea-loop").start();
        for (int i = 0; i < 60; i++)
            new Thread(new Buoy(loop.port()), "buoy-" + i).start();
        for (int second = 0;; second++) {
            long reports = REPORTS.sum(), answer = ANSWER_TIME.sum(), idle = IDLE.sum(), begin = System.nanoTime();
            Thread.sleep(1000);
            reports = REPORTS.sum() - reports;
            System.out.printf("measured: %d reports, answered in %.2f ms each; the loop waited for events %.0f %% of the time%n", reports,
                (ANSWER_TIME.sum() - answer) / 1e6 / Math.max(1, reports), 100.0 * (IDLE.sum() - idle) / (System.nanoTime() - begin));
            if (second == 3) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
