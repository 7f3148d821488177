// SPDX-License-Identifier: Apache-2.0
// cause: Each position frame is packed into a freshly allocated direct buffer; the off-heap limit (64 MiB, from -Xmx) is reached after about a hundred frames and Bits.reserveMemory then forces a full System.gc() to get memory back.
// share: 2069 frames/s without, 16352 frames/s with -Dfixed=true (7.9 times; means over 7 and 7 s after READY; e.g. "1881 frames/s, mean 1.06 ms" against "17304 frames/s, mean 0.12 ms")
// expect: explicit-gc what=direct frame=HarbourTelemetry$FramePacker.buffer
// symptom: explicit-gc gc-pauses gc-cpu
// judge: Must name ByteBuffer.allocateDirect per frame in FramePacker.pack / buffer() (direct memory exhausted, Bits.reserveMemory calls System.gc) and that the buffer should be reused or be on the heap; "full collections/explicit GC", "heap too small" or "vessel index is large" alone is only the symptom.
// set: twenty-first
// jdk: 17
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.CRC32;

/** Harbour traffic: radar sweeps are packed into frames and handed to the shore recorder. */
public class HarbourTelemetry {
    static final int FRAME = 640 * 1024;
    static final LongAdder FRAMES = new LongAdder();
    static final LongAdder NANOS = new LongAdder();

    record Vessel(int mmsi, String name, String flag, int lengthMetres, List<String> ports) { }

    /** All vessels the harbour knows, by their radio identity. */
    static final class VesselIndex {
        private final Map<Integer, Vessel> byMmsi = new HashMap<>();
        private final int[] numbers;

        VesselIndex(int count) {
            Random r = new Random(5);
            numbers = new int[count];
            for (int i = 0; i < count; i++) {
                int mmsi = 200_000_000 + i * 37;
                numbers[i] = mmsi;
                byMmsi.put(mmsi, new Vessel(mmsi, "MV " + Integer.toString(r.nextInt(), 36),
                    "F" + r.nextInt(180), 12 + r.nextInt(380),
                    List.of("PORT" + r.nextInt(900), "PORT" + r.nextInt(900))));
            }
        }

        Vessel any(ThreadLocalRandom r) {
            return byMmsi.get(numbers[r.nextInt(numbers.length)]);
        }
    }

    /** Packs sweeps; one packer for each radar. */
    static final class FramePacker {
        private final boolean keep;
        private ByteBuffer kept;

        FramePacker(boolean keep) {
            this.keep = keep;
        }

        private ByteBuffer buffer() {
            if (!keep) {
                return ByteBuffer.allocateDirect(FRAME);
            }
            if (kept == null) {
                kept = ByteBuffer.allocateDirect(FRAME);
            }
            return kept.clear();
        }

        ByteBuffer pack(int radar, List<Vessel> seen) {
            ThreadLocalRandom r = ThreadLocalRandom.current();
            ByteBuffer frame = buffer();
            frame.putInt(radar).putInt(seen.size()).putLong(System.currentTimeMillis());
            for (Vessel v : seen) {
                frame.putInt(v.mmsi()).putShort((short) v.lengthMetres());
                frame.putDouble(53 + r.nextDouble()).putDouble(8 + r.nextDouble());
            }
            return frame.flip();
        }
    }

    /** The shore recorder: a ring file of the latest frames. */
    static final class Recorder {
        private final FileChannel file;
        private final CRC32 sum = new CRC32();
        private long slot;

        Recorder(Path path) throws IOException {
            file = FileChannel.open(path, StandardOpenOption.WRITE);
        }

        synchronized void take(ByteBuffer frame) throws IOException {
            sum.update(frame.duplicate());
            file.write(frame, slot++ % 32 * 16 * 1024);
        }
    }

    static void sweep(int radar, FramePacker packer, VesselIndex index, Recorder recorder) {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        try {
            while (true) {
                long t0 = System.nanoTime();
                List<Vessel> seen = new ArrayList<>();
                for (int i = 0, n = 300 + r.nextInt(200); i < n; i++) {
                    seen.add(index.any(r));
                }
                recorder.take(packer.pack(radar, seen));
                NANOS.add(System.nanoTime() - t0);
                FRAMES.increment();
            }
        } catch (IOException e) {
            throw new IllegalStateException("radar " + radar, e);
        }
    }

    public static void main(String[] args) throws Exception {
        Path path = Files.createTempFile("harbour", ".ring");
        path.toFile().deleteOnExit();
        VesselIndex index = new VesselIndex(90_000);
        Recorder recorder = new Recorder(path);
        for (int i = 0; i < 2; i++) {
            int radar = i;
            FramePacker packer = new FramePacker(Boolean.getBoolean("fixed"));
            Thread t = new Thread(() -> sweep(radar, packer, index, recorder), "radar-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(2000);
        System.out.println("READY");
        FRAMES.sumThenReset();
        NANOS.sumThenReset();
        for (int s = 0; s < 240; s++) {
            Thread.sleep(1000);
            long n = FRAMES.sumThenReset();
            long ns = NANOS.sumThenReset();
            System.out.printf("measured: %d frames/s, mean %.2f ms%n", n, n == 0 ? 0.0 : ns / 1e6 / n);
        }
        System.exit(0);
    }
}
