// SPDX-License-Identifier: Apache-2.0
// healthy: a batch of conjunctive queries over a memory-mapped index at full CPU on two threads: galloping intersection of sorted int lists with no allocation to speak of, no lock, the shortest list first; what it burns is the search itself
// judge: right: "CPU bound in PostingsReader.intersect/advance: this is the work", nothing to change. Wrong: advice to add threads (2 CPUs are busy), "page faults / disk waits", locks, GC, allocation, or a named inefficiency in intersect.
// jdk: 17
// set: fifteenth
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Replays a query log against an index file to count the matches per query (input for tomorrow's ranking model). */
public final class PostingsReader {
    static final int TERMS = 2000;
    static final int DOCUMENTS = 1_000_000;
    static final LongAdder QUERIES = new LongAdder();
    static final LongAdder MATCHES = new LongAdder();
    static final LongAdder SEEKS = new LongAdder();

    private final IntBuffer postings;
    private final int[] start = new int[TERMS + 1];

    PostingsReader(Path file) throws IOException {
        try (FileChannel c = FileChannel.open(file, StandardOpenOption.READ)) {
            ByteBuffer map = c.map(FileChannel.MapMode.READ_ONLY, 0, c.size()).order(ByteOrder.LITTLE_ENDIAN);
            for (int i = 0; i <= TERMS; i++) {
                start[i] = map.getInt();
            }
            postings = map.slice().order(ByteOrder.LITTLE_ENDIAN).asIntBuffer();
        }
    }

    /** Writes the index: for each term the sorted numbers of the documents that have it, frequent terms first. */
    static void write(Path file) throws IOException {
        SplittableRandom random = new SplittableRandom(11);
        int[] offsets = new int[TERMS + 1];
        for (int t = 0; t < TERMS; t++) {
            offsets[t + 1] = offsets[t] + length(t);
        }
        try (FileChannel c = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            ByteBuffer b = ByteBuffer.allocate(1 << 20).order(ByteOrder.LITTLE_ENDIAN);
            for (int o : offsets) {
                b.putInt(o);
            }
            for (int t = 0; t < TERMS; t++) {
                int n = length(t);
                int gap = DOCUMENTS / n;
                for (int i = 0; i < n; i++) {
                    if (b.remaining() < 4) {
                        drain(c, b);
                    }
                    b.putInt(i * gap + random.nextInt(gap));
                }
            }
            drain(c, b);
        }
    }

    private static void drain(FileChannel c, ByteBuffer b) throws IOException {
        b.flip();
        while (b.hasRemaining()) {
            c.write(b);
        }
        b.clear();
    }

    static int length(int term) {
        return Math.max(64, 300_000 / (term + 1));
    }

    /** Terms in ascending order of frequency, that is: descending by number. */
    int intersect(int rare, int middle, int frequent) {
        int matches = 0;
        int a = start[rare], aEnd = start[rare + 1];
        int b = start[middle], bEnd = start[middle + 1];
        int c = start[frequent], cEnd = start[frequent + 1];
        for (; a < aEnd; a++) {
            int document = postings.get(a);
            b = advance(b, bEnd, document);
            if (b == bEnd) {
                break;
            }
            if (postings.get(b) != document) {
                continue;
            }
            c = advance(c, cEnd, document);
            if (c == cEnd) {
                break;
            }
            if (postings.get(c) == document) {
                matches++;
            }
        }
        SEEKS.add(a - start[rare]);
        return matches;
    }

    /** First position from `from` whose document is at least `target`: doubling steps, then a binary search. */
    private int advance(int from, int end, int target) {
        if (from == end || postings.get(from) >= target) {
            return from;
        }
        int low = from, step = 1;
        while (low + step < end && postings.get(low + step) < target) {
            low += step;
            step <<= 1;
        }
        int high = Math.min(end, low + step);
        low++;
        while (low < high) {
            int mid = (low + high) >>> 1;
            if (postings.get(mid) < target) {
                low = mid + 1;
            } else {
                high = mid;
            }
        }
        return low;
    }

    public static void main(String[] args) throws Exception {
        Path dir = Files.createTempDirectory("postings");
        Path file = dir.resolve("segment.idx");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                Files.deleteIfExists(file);
                Files.deleteIfExists(dir);
            } catch (IOException e) {
                // left to the system's clean-up
            }
        }));
        write(file);
        PostingsReader reader = new PostingsReader(file);
        AtomicLong nextBatch = new AtomicLong();
        for (int i = 0; i < 2; i++) {
            Thread t = new Thread(() -> {
                while (true) {
                    SplittableRandom log = new SplittableRandom(nextBatch.getAndIncrement());
                    int queries = 64;
                    long matches = 0;
                    for (int q = 0; q < queries; q++) {
                        int x = log.nextInt(8), y = 8 + log.nextInt(24), z = 32 + log.nextInt(400);
                        matches += reader.intersect(z, y, x);
                    }
                    MATCHES.add(matches);
                    QUERIES.add(queries);
                }
            }, "replay-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        long last = 0, lastSeeks = 0;
        while (true) {
            Thread.sleep(1000);
            long n = QUERIES.sum(), s = SEEKS.sum();
            System.out.printf("measured: %d queries/s, %d candidates/s, %d matches%n", n - last, s - lastSeeks, MATCHES.sum());
            last = n;
            lastSeeks = s;
        }
    }
}
