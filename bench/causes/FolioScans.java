// SPDX-License-Identifier: Apache-2.0
// cause: PageReader.buffer() calls ByteBuffer.allocateDirect(512 KB) for every page; with MaxDirectMemorySize=16m the limit is reached every 32 pages, so Bits.reserveMemory() calls System.gc() (a full collection of the heap with a big live index) and sleeps until the Cleaner has freed old buffers.
// share: faulty 546 pages/s, mean 5.87 ms; fixed 18586 pages/s, mean 0.174 ms; 34.1 times better (10 s each, 2 busy cores)
// expect: explicit-gc
// symptom: lock-contention gc-pauses
// judge: NAMED: a direct ByteBuffer is allocated per page in PageReader.buffer() and the direct memory limit (16 MB) forces System.gc() from java.nio.Bits.reserveMemory; reuse one direct buffer per reader. SYMPTOM ONLY: many full collections with cause System.gc(); readers wait in Bits.reserveMemory; GC takes most of the CPU. WRONG: the heap is too small or leaks, the index in memory is the cause, the program calls System.gc() itself, slow disk reads, CRC32 is slow.
// jdk: 17
// set: twenty-sixth
// jvm: -Xmx128m -XX:MaxDirectMemorySize=16m
import java.io.IOException;
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

public class FolioScans {
    static final boolean VARIANT = Boolean.getBoolean("fixed");
    static final long END = System.nanoTime() + 170_000_000_000L;
    static final int PAGE = 512 * 1024;
    static final int PAGES = 16;
    static final LongAdder pages = new LongAdder();
    static final LongAdder spentNanos = new LongAdder();

    record Entry(int scan, String title, long checksum) {
    }

    static final class Index {
        private final Map<Integer, Entry> entries = new HashMap<>();

        Index(int count) {
            for (int i = 0; i < count; i++) {
                entries.put(i, new Entry(i, "scan " + i + " box " + i % 97, i * 31L));
            }
        }

        Entry find(int scan) {
            return entries.get(scan);
        }

        int size() {
            return entries.size();
        }
    }

    static final class PageReader extends Thread {
        final Path store;
        final Index index;
        final Random random;
        ByteBuffer own;
        long mismatches;

        PageReader(int id, Path store, Index index) {
            super("page-reader-" + id);
            this.store = store;
            this.index = index;
            this.random = new Random(id);
        }

        ByteBuffer buffer() {
            if (VARIANT) {
                if (own == null) {
                    own = ByteBuffer.allocateDirect(PAGE);
                }
                own.clear();
                return own;
            }
            return ByteBuffer.allocateDirect(PAGE);
        }

        long checksum(FileChannel channel, int page) throws IOException {
            ByteBuffer target = buffer();
            long position = (long) page * PAGE;
            while (target.hasRemaining()) {
                int n = channel.read(target, position + target.position());
                if (n < 0) {
                    break;
                }
            }
            target.flip();
            CRC32 crc = new CRC32();
            crc.update(target);
            return crc.getValue();
        }

        @Override
        public void run() {
            try (FileChannel channel = FileChannel.open(store, StandardOpenOption.READ)) {
                while (System.nanoTime() < END) {
                    long start = System.nanoTime();
                    int scan = random.nextInt(index.size());
                    Entry entry = index.find(scan);
                    long sum = checksum(channel, scan % PAGES);
                    if (sum != entry.checksum()) {
                        mismatches++;
                    }
                    spentNanos.add(System.nanoTime() - start);
                    pages.increment();
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static Path createStore() throws IOException {
        Path store = Files.createTempFile("scan-archive", ".bin");
        store.toFile().deleteOnExit();
        byte[] page = new byte[PAGE];
        Random random = new Random(5);
        try (var out = Files.newOutputStream(store)) {
            for (int i = 0; i < PAGES; i++) {
                random.nextBytes(page);
                out.write(page);
            }
        }
        return store;
    }

    public static void main(String[] args) throws Exception {
        Path store = createStore();
        Index index = new Index(350_000);
        PageReader[] readers = new PageReader[3];
        for (int i = 0; i < readers.length; i++) {
            readers[i] = new PageReader(i, store, index);
            readers[i].start();
        }
        System.out.println("READY");
        long lastCount = 0;
        long lastSpent = 0;
        while (System.nanoTime() < END) {
            Thread.sleep(1000);
            long count = pages.sum();
            long spent = spentNanos.sum();
            long n = count - lastCount;
            System.out.printf("measured: %d pages/s, mean %.3f ms%n", n,
                    n == 0 ? 0.0 : (spent - lastSpent) / 1e6 / n);
            lastCount = count;
            lastSpent = spent;
        }
        for (PageReader reader : readers) {
            reader.join(3000);
        }
        System.exit(0);
    }
}
