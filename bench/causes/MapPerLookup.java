// SPDX-License-Identifier: Apache-2.0
// cause: each lookup maps the index of 16 MB and unmaps it, so all pages that it touches fault: MapPerLookup.find
// expect: hot-method frame=MapPerLookup.find | hot-method caller=MapPerLookup.find | hot-calls frame=MapPerLookup.find | hot-code frame=MapPerLookup.find | endpoint-cpu frame=MapPerLookup.find
// symptom: hot-method hot-calls hot-code waiting
// jdk: 25
// set: ninth
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

/** The index is two million sorted longs, searched by halves. */
public final class MapPerLookup {
    private static final int KEYS = 2_000_000;
    private static final LongAdder FINDING = new LongAdder();
    private static final LongAdder ALL = new LongAdder();
    private static final LongAdder KEPT_NANOS = new LongAdder();
    private static final LongAdder LOOKUPS = new LongAdder();
    private static volatile long sum;

    private final FileChannel channel;
    private final MemorySegment kept;

    private MapPerLookup() throws IOException {
        Path file = Files.createTempFile("index", ".bin");
        file.toFile().deleteOnExit();
        channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        ByteBuffer block = ByteBuffer.allocate(KEYS * 8);
        for (int i = 0; i < KEYS; i++) {
            block.putLong(i * 17L);
        }
        block.flip();
        while (block.hasRemaining()) {
            channel.write(block);
        }
        kept = channel.map(FileChannel.MapMode.READ_ONLY, 0, KEYS * 8L, Arena.global());
    }

    private static int search(MemorySegment index, long key) {
        int low = 0;
        int high = KEYS - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (Long.reverseBytes(index.getAtIndex(ValueLayout.JAVA_LONG, middle)) < key) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private int find(long key) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            return search(channel.map(FileChannel.MapMode.READ_ONLY, 0, KEYS * 8L, arena), key);
        }
    }

    private void serve() {
        try {
            for (int i = 0;; i++) {
                long key = ThreadLocalRandom.current().nextInt(KEYS) * 17L;
                long start = System.nanoTime();
                int place = find(key);
                long found = System.nanoTime();
                sum += "document ".concat(Integer.toString(place)).hashCode();
                FINDING.add(found - start);
                ALL.add(System.nanoTime() - start);
                LOOKUPS.increment();
                if (i % 100 == 0) {
                    start = System.nanoTime();
                    sum += search(kept, key);
                    KEPT_NANOS.add(System.nanoTime() - start);
                    Thread.sleep(1); // the next page of queries
                }
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        MapPerLookup index = new MapPerLookup();
        for (int i = 0; i < 2; i++) {
            new Thread(index::serve, "search-" + i).start();
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            System.out.println("measured: " + 100 * FINDING.sum() / (ALL.sum() + 1) + " % of a query is find(), "
                    + FINDING.sum() / (LOOKUPS.sum() + 1) + " ns; in a kept mapping "
                    + KEPT_NANOS.sum() * 100 / (LOOKUPS.sum() + 1) + " ns");
        }
    }
}
