// SPDX-License-Identifier: Apache-2.0
// healthy: two workers, one for each CPU, decode captured frames at full CPU with allocation-free code over reused buffers; no lock is shared, all the time goes into the decoding asked for
// judge: True and harmless: "CPU bound in Decoder.varint / Decoder.frame / CRC32C, both CPUs busy". Wrong: any advice to change it: "hot spot to be optimised", "too many/few threads", lock contention, GC, blocking file reads (a block is read once in a while from the page cache by design).
// jdk: 17
// set: fifteenth
import java.io.*;
import java.nio.*;
import java.nio.channels.*;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.atomic.*;
import java.util.zip.CRC32C;

/** Re-reads a day's captured telemetry frames to build histograms for each channel; a batch that takes the machine it is given. */
public final class FrameDecoder {
    static final int CHANNELS = 64, BUCKETS = 128, FILES = 4, BLOCK = 1 << 18;
    static final LongAdder frames = new LongAdder(), bytes = new LongAdder();

    /** What one worker counts; merged only at the end of the batch. */
    static final class Histogram {
        final long[] counts = new long[CHANNELS * BUCKETS];

        void add(int channel, long value) {
            counts[channel * BUCKETS + Math.min(BUCKETS - 1, 2 * (64 - Long.numberOfLeadingZeros(value)) + (int) (value & 1))]++;
        }
    }

    static final class Decoder {
        private final ByteBuffer block = ByteBuffer.allocate(BLOCK);
        private final byte[] raw = block.array();
        private final CRC32C crc = new CRC32C();
        private final Histogram histogram;
        private int pos;

        Decoder(Histogram histogram) { this.histogram = histogram; }

        private long varint() {
            byte b = raw[pos++];
            if (b >= 0) return b;
            long v = b & 127;
            for (int shift = 7; ; shift += 7) {
                b = raw[pos++];
                v |= (long) (b & 127) << shift;
                if (b >= 0) return v;
            }
        }

        /** A frame: length (2 bytes), crc (4 bytes), then channel, number of samples, and samples as zigzag deltas. */
        private void frame(int start, int length) throws IOException {
            crc.reset();
            crc.update(raw, start + 6, length - 6);
            if ((int) crc.getValue() != block.getInt(start + 2)) throw new IOException("bad crc at " + start);
            pos = start + 6;
            int channel = (int) varint();
            int samples = (int) varint();
            long value = 0;
            for (int i = 0; i < samples; i++) {
                long z = varint();
                value += z >>> 1 ^ -(z & 1);
                histogram.add(channel, value & Long.MAX_VALUE);
            }
        }

        void file(Path path) throws IOException {
            try (FileChannel ch = FileChannel.open(path, StandardOpenOption.READ)) {
                block.clear();
                while (ch.read(block) >= 0) {
                    block.flip();
                    int at = 0, n = 0;
                    while (block.limit() - at >= 2) {
                        int length = block.getShort(at) & 0xffff;
                        if (block.limit() - at < length) break;
                        frame(at, length);
                        at += length;
                        n++;
                    }
                    frames.add(n);
                    bytes.add(at);
                    block.position(at);
                    block.compact();
                }
            }
        }
    }

    static int putVarint(byte[] to, int at, long v) {
        for (; (v & ~127L) != 0; v >>>= 7) to[at++] = (byte) (v | 128);
        to[at++] = (byte) v;
        return at;
    }

    static void capture(Path path, long seed, int size) throws IOException {
        SplittableRandom rnd = new SplittableRandom(seed);
        byte[] frame = new byte[4096];
        CRC32C crc = new CRC32C();
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(path), 1 << 16)) {
            for (int written = 0; written < size; ) {
                int at = putVarint(frame, 6, rnd.nextInt(CHANNELS));
                int samples = 40 + rnd.nextInt(200);
                at = putVarint(frame, at, samples);
                for (int i = 0; i < samples; i++) {
                    long d = rnd.nextInt(1 << 1 + rnd.nextInt(16)) - 40;
                    at = putVarint(frame, at, d << 1 ^ d >> 63);
                }
                crc.reset();
                crc.update(frame, 6, at - 6);
                ByteBuffer.wrap(frame).putShort((short) at).putInt((int) crc.getValue());
                out.write(frame, 0, at);
                written += at;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Path dir = Files.createTempDirectory("frames");
        dir.toFile().deleteOnExit();
        List<Path> files = new ArrayList<>();
        for (int i = 0; i < FILES; i++) {
            Path p = dir.resolve("capture-" + i);
            capture(p, i, 3 << 20);
            p.toFile().deleteOnExit();
            files.add(p);
        }
        AtomicInteger next = new AtomicInteger();
        int workers = Runtime.getRuntime().availableProcessors();
        for (int w = 0; w < workers; w++) {
            Decoder decoder = new Decoder(new Histogram());
            Thread t = new Thread(() -> {
                try {
                    while (true) decoder.file(files.get((next.getAndIncrement() & Integer.MAX_VALUE) % FILES));
                } catch (NoSuchFileException e) {
                    // shutting down, the capture is gone
                } catch (IOException e) {
                    System.err.println(e);
                }
            }, "decode-" + w);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        for (long last = 0, lastBytes = 0; ; ) {
            Thread.sleep(1000);
            long n = frames.sum(), b = bytes.sum();
            System.out.printf("measured: %d frames/s, %d MB/s%n", n - last, (b - lastBytes) >> 20);
            last = n;
            lastBytes = b;
        }
    }
}
