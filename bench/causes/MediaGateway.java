// SPDX-License-Identifier: Apache-2.0
// cause: MediaGateway.ChunkReader.room allocates a fresh 256 KB direct ByteBuffer for each request; under -XX:MaxDirectMemorySize=24m the limit is reached every ~96 requests and Bits.reserveMemory calls System.gc() (full collections of the heap) and waits for the Cleaner; buffers should be reused per thread
// share: 10 s means on a busy machine: faulty 4288 chunks/s at 0.72 ms, fixed (buffer per thread) 7855 chunks/s at 0.39 ms, 1.8x; on a quieter machine about 4400 against 14400, 3.3x; faulty has about 34 full GCs by System.gc() a second of 20 ms each
// expect: explicit-gc what=direct_buffers
// symptom: gc-pauses gc-cpu explicit-gc
// judge: NAMED: direct buffers allocated per request (ByteBuffer.allocateDirect in room/stamp) exhaust the direct memory limit and so trigger System.gc()/full GCs; saying 'allocateDirect per request, reuse or pool the buffers' counts, also 'System.gc() called from Bits.reserveMemory because of direct memory' counts. SYMPTOM ONLY: many full GCs / explicit System.gc() with no link to direct buffers; GC pauses dominate; threads wait in Bits.reserveMemory without naming the allocation per request or the limit. WRONG: heap too small, Catalogue too big or leaking, application calls System.gc, CRC32 or file reads as the fault, wrong collector, ThreadLocal leak. Just adding -XX:+DisableExplicitGC is WRONG as a remedy
// jdk: 17
// set: twenty-second
// jvm: -Xmx96m -XX:+UseG1GC -XX:MaxDirectMemorySize=24m
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.CRC32;

/** Serves chunks of media files: reads a chunk, stamps it with its check value and counts it. */
public class MediaGateway {
    static final int CHUNK = 256 * 1024;
    static final int CHUNKS = 32;

    static final class Catalogue {
        private final Map<Integer, String[]> titles = new HashMap<>();

        Catalogue() {
            for (int i = 0; i < 60000; i++) {
                titles.put(i, new String[] {"title-" + i, "artist-" + i % 900, "genre-" + i % 40});
            }
        }

        String artist(int id) { return titles.get(id % titles.size())[1]; }
    }

    static final class ChunkReader {
        private final FileChannel file;
        private final ThreadLocal<ByteBuffer> desk = ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(CHUNK));

        ChunkReader(FileChannel file) { this.file = file; }

        private ByteBuffer room() {
            if (Boolean.getBoolean("fixed")) {
                ByteBuffer b = desk.get();
                b.clear();
                return b;
            }
            return ByteBuffer.allocateDirect(CHUNK);
        }

        long stamp(int chunk) throws IOException {
            ByteBuffer b = room();
            long at = (long) chunk * CHUNK;
            while (b.hasRemaining()) {
                int n = file.read(b, at);
                if (n < 0) break;
                at += n;
            }
            b.flip();
            CRC32 crc = new CRC32();
            crc.update(b);
            return crc.getValue();
        }
    }

    public static void main(String[] args) throws Exception {
        Path dir = Files.createTempDirectory("media-gateway");
        Path media = dir.resolve("reel.bin");
        byte[] content = new byte[CHUNK];
        Random fill = new Random(3);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                Files.deleteIfExists(media);
                Files.deleteIfExists(dir);
            } catch (IOException e) {
                // leave it
            }
        }, "tidy"));
        try (FileChannel file = FileChannel.open(media, StandardOpenOption.CREATE, StandardOpenOption.WRITE,
                StandardOpenOption.READ)) {
            for (int i = 0; i < CHUNKS; i++) {
                fill.nextBytes(content);
                file.write(ByteBuffer.wrap(content));
            }
            Catalogue catalogue = new Catalogue();
            ChunkReader reader = new ChunkReader(file);
            LongAdder served = new LongAdder();
            LongAdder micros = new LongAdder();
            LongAdder check = new LongAdder();
            for (int w = 0; w < 3; w++) {
                Random rnd = new Random(50 + w);
                Thread t = new Thread(() -> {
                    while (true) {
                        try {
                            long t0 = System.nanoTime();
                            long stamp = reader.stamp(rnd.nextInt(CHUNKS));
                            check.add(stamp ^ catalogue.artist(rnd.nextInt(100000)).length());
                            micros.add((System.nanoTime() - t0) / 1000);
                            served.increment();
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    }
                }, "gateway-" + w);
                t.setDaemon(true);
                t.start();
            }
            Thread.sleep(3000);
            System.out.println("READY");
            served.reset();
            micros.reset();
            for (int s = 0; s < 165; s++) {
                Thread.sleep(1000);
                long n = served.sumThenReset();
                System.out.printf("measured: %d chunks/s, mean %.2f ms%n", n,
                        micros.sumThenReset() / 1000.0 / Math.max(1, n));
            }
            System.exit(0);
        }
    }
}
