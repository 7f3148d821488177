// SPDX-License-Identifier: Apache-2.0
// healthy: packs recordings with Deflater, a packer per CPU, the reader waits for them (bounded queue) by design
// share: none; about 95 % of the CPU time is Deflater's native work, which is the job
// judge: right: nothing to change; at most: the job is CPU bound by compression, which is its work
// judge: symptom: both CPUs busy in Deflater.deflateBytesBytes; reader blocked in ArrayBlockingQueue.put
// judge: wrong: queue of 4 too small, reader contention, buffers allocated, GC, lock of Archive, too few/many threads
// jdk: 21
// set: fourteenth
import java.nio.ByteBuffer;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.zip.*;

public class HealthySegmentPacker {
    static final int SEGMENT = 192 * 1024;

    record Raw(int number, byte[] data) {}

    /** Gives captions and telemetry of a recording, in segments. */
    static final class Recording {
        private final byte[] source = new byte[2_000_000];
        private final Random r = new Random(31);
        Recording() {
            String[] words = ("goal pass foul keeper corner left right shot wide minute half ball home away the "
                    + "temperature 21.4 pressure 1013 bitrate 5400 frame key delta").split(" ");
            int n = 0;
            while (n < source.length - 40) {
                String tail = r.nextInt(4) == 0 ? r.nextInt(100_000) + "\n" : " ";
                byte[] w = (words[r.nextInt(words.length)] + tail).getBytes();
                System.arraycopy(w, 0, source, n, w.length);
                n += w.length;
            }
        }
        Raw read(int number, byte[] into) {
            int from = r.nextInt(source.length - SEGMENT);
            System.arraycopy(source, from, into, 0, SEGMENT);
            return new Raw(number, into);
        }
    }

    /** The last 24 MB of packed segments, for viewers who are delayed; older ones are overwritten. */
    static final class Archive {
        private final ByteBuffer ring = ByteBuffer.allocateDirect(24_000_000);
        private final NavigableMap<Integer, long[]> index = new TreeMap<>();
        final LongAdder bytes = new LongAdder();
        synchronized void add(int number, byte[] packed, int length, long crc) {
            if (ring.remaining() < length) ring.clear();
            index.put(number, new long[] {ring.position(), length, crc});
            if (index.size() > 500) index.pollFirstEntry();
            ring.put(packed, 0, length);
            bytes.add(length);
        }
    }

    static final class Packer implements Runnable {
        private final BlockingQueue<Raw> in; private final BlockingQueue<byte[]> free; private final Archive archive;
        private final Deflater deflater = new Deflater(6);
        private final byte[] out = new byte[SEGMENT + 1024];
        private final LongAdder done, cpu;
        Packer(BlockingQueue<Raw> in, BlockingQueue<byte[]> free, Archive archive, LongAdder done, LongAdder cpu) {
            this.in = in; this.free = free; this.archive = archive; this.done = done; this.cpu = cpu;
        }
        @Override public void run() {
            CRC32 crc = new CRC32();
            try {
                while (true) {
                    Raw raw = in.take();
                    long t = System.nanoTime();
                    crc.reset();
                    crc.update(raw.data);
                    deflater.reset();
                    deflater.setInput(raw.data);
                    deflater.finish();
                    int n = 0;
                    while (!deflater.finished()) n += deflater.deflate(out, n, out.length - n);
                    cpu.add(System.nanoTime() - t);
                    archive.add(raw.number, out, n, crc.getValue());
                    free.put(raw.data);
                    done.increment();
                }
            } catch (InterruptedException e) { System.err.println("packer: " + e); }
        }
    }

    public static void main(String[] args) throws Exception {
        Recording recording = new Recording();
        Archive archive = new Archive();
        BlockingQueue<Raw> queue = new ArrayBlockingQueue<>(4);
        BlockingQueue<byte[]> free = new LinkedBlockingQueue<>();
        for (int i = 0; i < 8; i++) free.add(new byte[SEGMENT]);
        LongAdder done = new LongAdder(), busy = new LongAdder();
        int cpus = 2;
        for (int i = 0; i < cpus; i++)
            Thread.ofPlatform().name("packer-" + i).start(new Packer(queue, free, archive, done, busy));
        Thread.ofPlatform().name("reader").start(() -> {
            try {
                for (int n = 0; ; n++) queue.put(recording.read(n, free.take()));
            } catch (InterruptedException e) { Thread.currentThread().interrupt(); }
        });
        Thread.sleep(1000);
        System.out.println("READY");
        for (long d0 = done.sum(), b0 = archive.bytes.sum(), u0 = busy.sum(); ; ) {
            Thread.sleep(1000);
            long d = done.sum(), b = archive.bytes.sum(), u = busy.sum();
            System.out.printf(Locale.ROOT,
                    "measured: %d segments/s, %.1f MB/s in, %.1f out, packing %.0f %% of time%n",
                    d - d0, (d - d0) * SEGMENT / 1e6, (b - b0) / 1e6, (u - u0) / 1e7 / cpus);
            d0 = d; b0 = b; u0 = u;
        }
    }
}
