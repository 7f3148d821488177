// SPDX-License-Identifier: Apache-2.0
// healthy: internet radio: each listener gets the stream at its bit rate; threads wait by design, nobody lags
// share: none to gain; 1,000 frames/s due and delivered, about 1 ms after encoding, none skipped
// judge: right: nothing is wrong; listeners are paced to real time, threads wait for the next frame by design
// judge: symptom: most threads wait (in Hub.next or socket read) and CPUs are nearly idle (true, but by design)
// judge: wrong: lock contention on the hub monitor, socket waits as bottleneck, too many threads, encoder
// jdk: 17
// set: fourteenth
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

/** Internet radio: an encoder makes a frame each 40 ms, a hub hands it to all the listeners' connections. */
public class HealthyRadioStation {
    static final int LISTENERS = 40, FRAME_MS = 40, FRAME = 1600, RING = 64;

    /** The newest frames; a connection waits here for the frame it has not sent yet. */
    static final class Hub {
        private final byte[][] ring = new byte[RING][];
        private long last = -1;

        synchronized void publish(byte[] frame) {
            ring[(int) (++last % RING)] = frame;
            notifyAll();
        }

        synchronized long now() {
            return last;
        }

        synchronized byte[] next(long number) throws InterruptedException {
            while (last < number) wait();
            return number <= last - RING ? null : ring[(int) (number % RING)];
        }
    }

    private final Hub hub = new Hub();
    final LongAdder skipped = new LongAdder(), encoding = new LongAdder();

    /** Mixes three voices into a frame: a second of music takes some milliseconds. */
    byte[] encode(long number) {
        long t = System.nanoTime();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(FRAME + 16);
        DataOutputStream out = new DataOutputStream(bytes);
        try {
            out.writeLong(System.nanoTime());
            out.writeInt((int) number);
            for (int i = 0; i < FRAME / 2; i++) {
                double x = (number * FRAME / 2 + i) / 20_000.0;
                double y = Math.sin(x * 2764) + Math.sin(x * 3483) * 0.6 + Math.sin(x * 4141) * 0.4;
                out.writeShort((int) (9000 * y));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        encoding.add(System.nanoTime() - t);
        return bytes.toByteArray();
    }

    void serve(Socket s) {
        try (s; OutputStream out = s.getOutputStream()) {
            s.setTcpNoDelay(true);
            long number = hub.now() + 1;
            while (true) {
                byte[] frame = hub.next(number);
                if (frame == null) {
                    skipped.increment();
                    number = hub.now();
                    continue;
                }
                out.write(frame);
                number++;
            }
        } catch (IOException | InterruptedException e) {
            System.err.println("listener gone: " + e);
        }
    }

    public static void main(String[] args) throws Exception {
        HealthyRadioStation radio = new HealthyRadioStation();
        ServerSocket ss = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        ExecutorService connections = Executors.newFixedThreadPool(LISTENERS);
        new Thread(() -> {
            try {
                while (true) {
                    Socket s = ss.accept();
                    connections.execute(() -> radio.serve(s));
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }, "accept").start();
        LongAdder frames = new LongAdder(), delay = new LongAdder();
        AtomicLong worst = new AtomicLong();
        for (int i = 0; i < LISTENERS; i++) {
            new Thread(() -> {
                try (Socket s = new Socket(ss.getInetAddress(), ss.getLocalPort());
                     DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()))) {
                    byte[] sound = new byte[FRAME];
                    while (true) {
                        long made = in.readLong();
                        in.readInt();
                        in.readFully(sound);
                        long d = System.nanoTime() - made;
                        delay.add(d);
                        worst.accumulateAndGet(d, Math::max);
                        frames.increment();
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }, "listener-" + i).start();
        }
        ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(r -> new Thread(r, "encoder"));
        AtomicLong number = new AtomicLong();
        clock.scheduleAtFixedRate(() -> radio.hub.publish(radio.encode(number.getAndIncrement())), 100, FRAME_MS,
            TimeUnit.MILLISECONDS);
        System.out.println("READY");
        while (true) {
            Thread.sleep(1000);
            long n = Math.max(1, frames.sumThenReset());
            System.out.printf(Locale.ROOT,
                "measured: %d frames/s (due %d), from encoder to listener %.2f ms, worst %.1f ms, "
                + "skipped %d, encoder %.1f ms/s%n", n, LISTENERS * 1000 / FRAME_MS, delay.sumThenReset() / 1e6 / n,
                worst.getAndSet(0) / 1e6, radio.skipped.sum(), radio.encoding.sumThenReset() / 1e6);
        }
    }
}
