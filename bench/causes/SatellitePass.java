// SPDX-License-Identifier: Apache-2.0
// healthy: a pipeline of five stages (downlink, decode, calibrate by two threads, grid, store) with bounded queues; frames come at the pace of the downlink, every stage has time to spare, the queues are nearly empty, and each frame is stored within some ms
// share: 0.2 to 0.4 of 2 CPUs; queues hold no frame when sampled, of 64 (some after the machine had no CPU), a frame takes some 4 ms from downlink to store ("stored after" in the measured lines)
// judge: NAMED: nothing stands out; or only neutral statements (CPU time goes to SatellitePass$Decoder.correct or another stage's computing) that call nothing a fault. SYMPTOM ONLY: does not apply. WRONG: any accusation, such as waits at a queue (take or put) in SatellitePass$Stage.run, a saturated stage, the sleep of SatellitePass$Downlink.run, file writes in SatellitePass$Store.accept, locks, too many threads, collections.
// jdk: 8
// set: thirty-sixth

import java.io.*;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.LockSupport;

public class SatellitePass {
    static final AtomicLong stored = new AtomicLong(), storeNanos = new AtomicLong(), worst = new AtomicLong();

    static final class Frame {
        final int number;
        final long nanos = System.nanoTime();
        byte[] raw;
        float[] samples;
        float[] cells;

        Frame(int number, byte[] raw) {
            this.number = number;
            this.raw = raw;
        }
    }

    interface Step {
        void accept(Frame frame) throws IOException;
    }

    /** A thread that takes frames from one queue and hands them on by the next one. */
    static final class Stage implements Runnable {
        final BlockingQueue<Frame> in, out;
        final Step step;

        Stage(BlockingQueue<Frame> in, BlockingQueue<Frame> out, Step step) {
            this.in = in;
            this.out = out;
            this.step = step;
        }

        @Override public void run() {
            try {
                while (true) {
                    Frame frame = in.take();
                    step.accept(frame);
                    if (out != null) out.put(frame);
                }
            } catch (IOException | InterruptedException e) {
                System.out.println("stage ends: " + e);
            }
        }
    }

    /** What comes from the antenna: 100 frames a second. */
    static final class Downlink implements Runnable {
        final BlockingQueue<Frame> out;
        final Random random = new Random(9);

        Downlink(BlockingQueue<Frame> out) { this.out = out; }

        @Override public void run() {
            long due = System.nanoTime();
            try {
                for (int n = 0; ; n++) {
                    byte[] raw = new byte[4096];
                    random.nextBytes(raw);
                    out.put(new Frame(n, raw));
                    due = Math.max(due + 10_000_000L, System.nanoTime() - 50_000_000L);
                    long rest = due - System.nanoTime();
                    if (rest > 0) LockSupport.parkNanos(rest);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class Decoder implements Step {
        private final int[] syndrome = new int[256];

        Decoder() {
            for (int i = 0; i < 256; i++) {
                int v = i;
                for (int b = 0; b < 8; b++) v = (v & 1) != 0 ? v >>> 1 ^ 0xB8 : v >>> 1;
                syndrome[i] = v;
            }
        }

        @Override public void accept(Frame frame) {
            frame.samples = new float[frame.raw.length];
            for (int round = 0; round < 40; round++) correct(frame.raw, round);
            for (int i = 0; i < frame.raw.length; i++) frame.samples[i] = frame.raw[i] / 128f;
            frame.raw = null;
        }

        void correct(byte[] raw, int round) {
            int state = round;
            for (int i = 0; i < raw.length; i++) {
                state = syndrome[(state ^ raw[i]) & 0xff];
                if (state == 0x5a) raw[i] ^= 1 << (round & 7);
            }
        }
    }

    static final class Calibrator implements Step {
        @Override public void accept(Frame frame) {
            float[] s = frame.samples;
            float[] smooth = new float[s.length];
            for (int i = 8; i < s.length - 8; i++) {
                double sum = 0;
                for (int k = -8; k <= 8; k++) sum += s[i + k] * Math.exp(-k * k / 20.0);
                smooth[i] = (float) (sum / 7.4);
            }
            frame.samples = smooth;
        }
    }

    static final class Grid implements Step {
        private final float[] map = new float[512 * 512];

        @Override public void accept(Frame frame) {
            float[] s = frame.samples;
            frame.cells = new float[256];
            for (int i = 0; i < s.length; i++) {
                int cell = (frame.number * 31 + i * 7) & map.length - 1;
                map[cell] += (s[i] - map[cell]) * 0.1f;
                frame.cells[i & 255] += map[cell];
            }
        }
    }

    static final class Store implements Step {
        private final FileChannel file;
        private final ByteBuffer buffer = ByteBuffer.allocateDirect(1024);
        private long at;

        Store() throws IOException {
            Path path = Files.createTempFile("pass", ".grid");
            path.toFile().deleteOnExit();
            file = FileChannel.open(path, StandardOpenOption.WRITE);
        }

        @Override public void accept(Frame frame) throws IOException {
            buffer.clear();
            for (float c : frame.cells) buffer.putFloat(c);
            buffer.flip();
            while (buffer.hasRemaining()) at += file.write(buffer, at);
            if (at > 4 << 20) at = 0;
            long took = System.nanoTime() - frame.nanos;
            stored.incrementAndGet();
            storeNanos.addAndGet(took);
            worst.accumulateAndGet(took, Math::max);
        }
    }

    public static void main(String[] args) throws Exception {
        List<BlockingQueue<Frame>> queues = new ArrayList<>();
        for (int i = 0; i < 4; i++) queues.add(new ArrayBlockingQueue<>(64));
        new Thread(new Stage(queues.get(3), null, new Store()), "store").start();
        new Thread(new Stage(queues.get(2), queues.get(3), new Grid()), "grid").start();
        for (int i = 1; i <= 2; i++) new Thread(new Stage(queues.get(1), queues.get(2), new Calibrator()), "calibrate-" + i).start();
        new Thread(new Stage(queues.get(0), queues.get(1), new Decoder()), "decode").start();
        new Thread(new Downlink(queues.get(0)), "downlink").start();
        long done = 0, nanos = 0;
        for (int s = 1; ; s++) {
            Thread.sleep(1000);
            long d = stored.get(), n = storeNanos.get();
            StringBuilder fill = new StringBuilder();
            for (BlockingQueue<Frame> q : queues) fill.append(q.size()).append(' ');
            System.out.printf("measured: %d frames, stored after %.1f ms on average, %d ms at most, queues hold %sof 64%n",
                d - done, (n - nanos) / 1e6 / Math.max(1, d - done), worst.getAndSet(0) / 1_000_000, fill);
            done = d;
            nanos = n;
            if (s == 5) System.out.println("READY");
            System.out.flush();
        }
    }
}
