// SPDX-License-Identifier: Apache-2.0
// cause: TraceFile.next reads every sample with RandomAccessFile.readInt / readShort without any buffer, which makes one read system call per byte.
// share: throughput about 140 000 samples/s, fixed about 9 000 000 (by the ratio over 95 % of the time)
// judge: NAMED only if the finding says that TraceFile.next (or RandomAccessFile.readInt/readShort as called from it) does unbuffered, byte-wise or very small reads, one system call each. "File I/O is slow", "high system CPU time" or "RandomAccessFile.read is hot" without the small unbuffered reads is a symptom. Blaming the disk, the filter mathematics (BandFilter), the pick queue or GC is wrong.
// expect: hot-code kind=field-by-field frame=TraceFile.next
// symptom: hot-calls saturated-thread
// jdk: 11
// set: seventeenth
import java.io.*;
import java.nio.*;
import java.nio.channels.FileChannel;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicLong;

public class SeismogramReplay {
    static final int SAMPLES = 1_500_000;
    static final AtomicLong samples = new AtomicLong();
    static final AtomicLong picks = new AtomicLong();

    public static void main(String[] args) throws Exception {
        Path path = record();
        BlockingQueue<double[]> found = new LinkedBlockingQueue<>(1000);
        Thread replay = new Thread(() -> replayAll(path, found), "trace-replay");
        Thread catalog = new Thread(() -> file(found), "event-catalog");
        for (Thread t : List.of(replay, catalog)) {
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        long last = 0;
        for (int i = 0; i < 200; i++) {
            Thread.sleep(1000);
            long n = samples.get();
            System.out.printf("measured: %d samples/s, %d picks so far%n", n - last, picks.get());
            last = n;
        }
    }

    static Path record() throws IOException {
        Path path = Files.createTempFile("trace", ".seis");
        path.toFile().deleteOnExit();
        Random random = new Random(3);
        try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(path), 1 << 16))) {
            for (int i = 0; i < SAMPLES; i++) {
                out.writeInt(i * 10);
                out.writeShort((int) (200 * random.nextGaussian() + (i % 9000 < 300 ? 2500 * Math.sin(i * 0.7) : 0)));
            }
        }
        return path;
    }

    static void replayAll(Path path, BlockingQueue<double[]> found) {
        try {
            while (true) {
                BandFilter filter = new BandFilter();
                PhasePicker picker = new PhasePicker();
                try (TraceFile trace = new TraceFile(path)) {
                    for (int i = 0; i < SAMPLES; i++) {
                        trace.next();
                        double v = filter.apply(trace.amplitude());
                        if (picker.pick(trace.time(), v)) found.put(new double[] {trace.time(), v});
                        if ((i & 255) == 255) samples.addAndGet(256);
                    }
                }
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void file(BlockingQueue<double[]> found) {
        TreeMap<Double, Double> recent = new TreeMap<>();
        try {
            while (true) {
                double[] p = found.take();
                recent.put(p[0], p[1]);
                if (recent.size() > 500) recent.pollFirstEntry();
                picks.incrementAndGet();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

class TraceFile implements Closeable {
    private final RandomAccessFile file;
    private final FileChannel channel;
    private final ByteBuffer block = ByteBuffer.allocate(6 * 4096);
    private final boolean fixed = Boolean.getBoolean("fixed");
    private int time;
    private short amplitude;

    TraceFile(Path path) throws IOException {
        file = new RandomAccessFile(path.toFile(), "r");
        channel = file.getChannel();
        block.flip();
    }

    void next() throws IOException {
        if (fixed) {
            if (block.remaining() < 6) {
                block.compact();
                if (channel.read(block) < 0) throw new EOFException();
                block.flip();
            }
            time = block.getInt();
            amplitude = block.getShort();
        } else {
            time = file.readInt();
            amplitude = file.readShort();
        }
    }

    int time() { return time; }
    short amplitude() { return amplitude; }
    public void close() throws IOException { file.close(); }
}

class BandFilter {
    private final double[] taps = new double[48];
    private final double[] line = new double[48];
    private int at;
    BandFilter() {
        for (int i = 0; i < taps.length; i++) taps[i] = Math.cos(i * 0.7) * (0.54 - 0.46 * Math.cos(2 * Math.PI * i / 47)) / 24;
    }
    double apply(double x) {
        line[at] = x;
        double sum = 0;
        for (int i = 0, j = at; i < taps.length; i++) {
            sum += taps[i] * line[j];
            j = j == 0 ? line.length - 1 : j - 1;
        }
        at = at + 1 == line.length ? 0 : at + 1;
        return sum;
    }
}

class PhasePicker {
    private double shortAverage, longAverage = 1;
    private int quietUntil;
    boolean pick(int time, double v) {
        double e = v * v;
        shortAverage += (e - shortAverage) / 20;
        longAverage += (e - longAverage) / 800;
        if (time < quietUntil || shortAverage < 6 * longAverage) return false;
        quietUntil = time + 20_000;
        return true;
    }
}
