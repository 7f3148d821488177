// SPDX-License-Identifier: Apache-2.0
// cause: ScanDepot.buffer allocates a new direct ByteBuffer of up to 1 MB for each page and leaves it to the collector; with -XX:MaxDirectMemorySize=24m the limit is reached every 25-30 pages, and Bits.reserveMemory then calls System.gc(), a full collection of the live register of 60,000 documents, and may sleep and retry.
// share: faulty 119-172 documents/s (360-495 MB/s, mean 6.0-8.3 ms), fixed (one direct buffer per thread) 2,315-2,634 documents/s (7,000-7,900 MB/s, mean 0.38-0.43 ms): about 16 times better
// expect: explicit-gc frame=ScanDepot.buffer
// symptom: waiting gc-pauses
// judge: NAMED: ByteBuffer.allocateDirect per page in ScanDepot.buffer (called from load) exhausts the direct memory limit and so forces explicit full collections (Bits.reserveMemory -> System.gc); reuse the buffer. SYMPTOM ONLY: many full GCs, GC cause System.gc() without who calls it; time in allocateDirect / zeroing without the limit. WRONG: heap too small or heap leak, the register map as a leak, slow disk or file reads, CRC32 as the cause, the application calling System.gc directly, the choice of the serial collector as the root cause.
// jdk: 11
// set: twenty-third
// jvm: -XX:MaxDirectMemorySize=24m -XX:+UseSerialGC
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32;

public class ScanDepot {
    private static final boolean FIXED = Boolean.getBoolean("fixed");
    private static final int PAGE = 1 << 20;
    private static final int PAGES = 24;
    private static final AtomicLong STORED = new AtomicLong();
    private static final AtomicLong BYTES = new AtomicLong();
    private static final AtomicLong NANOS = new AtomicLong();

    static final class PageInfo {
        final String document;
        final int page;
        final long crc;
        final int length;

        PageInfo(String document, int page, long crc, int length) {
            this.document = document;
            this.page = page;
            this.crc = crc;
            this.length = length;
        }
    }

    private final Path file;
    private final Map<String, List<PageInfo>> register = new HashMap<>();
    private final ThreadLocal<ByteBuffer> pageBuffer = ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(PAGE));

    ScanDepot(Path file) {
        this.file = file;
    }

    void prepare() throws IOException {
        byte[] content = new byte[PAGE];
        Random random = new Random(3);
        random.nextBytes(content);
        try (FileChannel ch = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            for (int i = 0; i < PAGES; i++) {
                content[i] ^= 0x55;
                ByteBuffer b = ByteBuffer.wrap(content);
                while (b.hasRemaining()) {
                    ch.write(b);
                }
            }
        }
        for (int d = 0; d < 60000; d++) {
            List<PageInfo> pages = new ArrayList<>(3);
            for (int p = 0; p < 3; p++) {
                pages.add(new PageInfo("old-" + d, p, random.nextLong(), PAGE));
            }
            register.put("old-" + d, pages);
        }
    }

    ByteBuffer buffer(int size) {
        if (FIXED) {
            ByteBuffer b = pageBuffer.get();
            b.clear();
            b.limit(size);
            return b;
        }
        return ByteBuffer.allocateDirect(size);
    }

    PageInfo load(FileChannel ch, String document, int page, int length) throws IOException {
        ByteBuffer b = buffer(length);
        long pos = (long) (page % PAGES) * PAGE;
        while (b.hasRemaining()) {
            int n = ch.read(b, pos);
            if (n < 0) {
                throw new IOException("short page " + page);
            }
            pos += n;
        }
        b.flip();
        CRC32 crc = new CRC32();
        crc.update(b);
        return new PageInfo(document, page, crc.getValue(), length);
    }

    void archive(long end) throws IOException {
        Random random = new Random(11);
        try (FileChannel ch = FileChannel.open(file, StandardOpenOption.READ)) {
            int doc = 0;
            while (System.nanoTime() < end) {
                String name = "scan-" + (doc++ % 500);
                int pages = 1 + random.nextInt(6);
                List<PageInfo> infos = new ArrayList<>(pages);
                long t = System.nanoTime();
                for (int p = 0; p < pages; p++) {
                    int length = PAGE - random.nextInt(PAGE / 4);
                    infos.add(load(ch, name, random.nextInt(PAGES), length));
                    BYTES.addAndGet(length);
                }
                NANOS.addAndGet(System.nanoTime() - t);
                register.put(name, infos);
                STORED.incrementAndGet();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Path file = Files.createTempFile("scans", ".bin");
        file.toFile().deleteOnExit();
        ScanDepot archive = new ScanDepot(file);
        archive.prepare();
        long end = System.nanoTime() + 170L * 1_000_000_000L;
        Thread worker = new Thread(() -> {
            try {
                archive.archive(end);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }, "archiver");
        worker.start();
        System.out.println("READY");
        long n0 = 0;
        long b0 = 0;
        long t0 = 0;
        while (worker.isAlive()) {
            worker.join(1000);
            long n = STORED.get();
            long b = BYTES.get();
            long t = NANOS.get();
            System.out.println("measured: " + (n - n0) + " documents/s, " + (b - b0) / 1048576 + " MB/s, mean "
                    + (t - t0) / Math.max(1, n - n0) / 1000 + " us");
            n0 = n;
            b0 = b;
            t0 = t;
        }
    }
}
