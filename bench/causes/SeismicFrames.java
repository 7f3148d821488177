// SPDX-License-Identifier: Apache-2.0
// cause: a new 256 KB direct buffer is allocated for every frame and never reused, so the direct memory limit is hit again and again and Bits.reserveMemory forces a full System.gc() to get memory back
// share: without: about 1,950 frames/s, longest 45-69 ms (760-1,270 frames/s, longest 96-157 ms beside another JVM); fixed: about 26,000 frames/s, longest 2-9 ms (13 times)
// expect: explicit-gc what=direct frame=SeismicFrames$Recorder.store
// symptom: explicit-gc gc-pauses gc-cpu
// judge: right = names ByteBuffer.allocateDirect per frame in Recorder.store (direct buffer to be reused); naming explicit System.gc() calls from Bits.reserveMemory with that allocation is also right; only symptom = "full GCs are long/frequent", "the heap is too small", "station catalogue is large", "file writes"
// set: twenty-first
// jdk: 21
// jvm: -XX:+UseSerialGC -XX:MaxDirectMemorySize=32m
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

public class SeismicFrames {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final long RUN_MILLIS = 220_000L;
    static final int FRAME_BYTES = 256 * 1024;
    static final int STATIONS = 180_000;

    record Station(int code, String name, double gain) {
    }

    record Frame(long number, int station, int[] samples) {
    }

    /** Appends encoded frames to a ring file of a fixed size. */
    static final class Recorder implements AutoCloseable {
        private static final long RING = 8L * FRAME_BYTES;
        private final FileChannel file;
        private final Map<Integer, Station> catalogue;
        private final ByteBuffer shared = ByteBuffer.allocateDirect(FRAME_BYTES);
        private long position;

        Recorder(Path path, Map<Integer, Station> catalogue) throws IOException {
            this.catalogue = catalogue;
            this.file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        }

        void store(Frame frame) throws IOException {
            ByteBuffer buffer = FIXED ? shared.clear() : ByteBuffer.allocateDirect(FRAME_BYTES);
            encode(frame, buffer);
            buffer.flip();
            while (buffer.hasRemaining()) {
                position += file.write(buffer, position % RING);
            }
        }

        private void encode(Frame frame, ByteBuffer to) {
            Station station = catalogue.get(frame.station());
            to.putLong(frame.number());
            to.putInt(station.code());
            int before = 0;
            for (int sample : frame.samples()) {
                int scaled = (int) (sample * station.gain());
                int delta = scaled - before;
                if (delta >= -128 && delta < 128) {
                    to.put((byte) delta);
                } else {
                    to.putInt(scaled);
                }
                before = scaled;
            }
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }

    static Map<Integer, Station> catalogue() {
        Map<Integer, Station> map = new HashMap<>(STATIONS * 2);
        for (int i = 0; i < STATIONS; i++) {
            map.put(i, new Station(i, "ST" + Integer.toString(i, 36), 0.5 + (i % 100) / 100.0));
        }
        return map;
    }

    static int[] samples(int count) {
        int[] s = new int[count];
        int x = 7;
        for (int i = 0; i < count; i++) {
            x ^= x << 13;
            x ^= x >>> 17;
            x ^= x << 5;
            s[i] = x >> 18;
        }
        return s;
    }

    public static void main(String[] args) throws Exception {
        Path path = Files.createTempFile("frames", ".ring");
        path.toFile().deleteOnExit();
        AtomicLong stored = new AtomicLong();
        AtomicLong longest = new AtomicLong();
        Map<Integer, Station> catalogue = catalogue();
        Thread recorder = new Thread(() -> {
            int[] samples = samples(12_000);
            try (Recorder r = new Recorder(path, catalogue)) {
                for (long n = 0; !Thread.currentThread().isInterrupted(); n++) {
                    long t = System.nanoTime();
                    r.store(new Frame(n, (int) (n * 7919 % STATIONS), samples));
                    longest.accumulateAndGet(System.nanoTime() - t, Math::max);
                    stored.incrementAndGet();
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }, "recorder");
        recorder.setDaemon(true);
        recorder.start();
        Thread.sleep(3000);
        System.out.println("READY");
        long end = System.currentTimeMillis() + RUN_MILLIS;
        long last = stored.get();
        while (System.currentTimeMillis() < end) {
            Thread.sleep(1000);
            long n = stored.get();
            System.out.printf("measured: %d frames/s, longest %.1f ms%n", n - last, longest.getAndSet(0) / 1e6);
            last = n;
        }
    }
}
