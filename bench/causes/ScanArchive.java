// SPDX-License-Identifier: Apache-2.0
// cause: ScanArchive.PageWriter.store allocates a new direct ByteBuffer (512 KB) for every page, so the direct memory limit (16 MB) is reached every ~30 pages and each time Bits.reserveMemory calls System.gc(): a full collection of a heap with ~70 MB live data, and a wait
// share: 300-335 pages/s faulty (64 at heavier load; GC about 900-1000 ms per second), 17,500 pages/s fixed (GC about 0)
// judge: Named = direct buffers allocated per page in PageWriter.store (ByteBuffer.allocateDirect) exhaust direct memory and force System.gc() full collections (reuse/pool the buffers). Near (accept) = "full GCs are caused by System.gc() out of Bits.reserveMemory/allocateDirect". Symptom only = "full GCs / System.gc() calls" without the origin, "long pauses". Wrong = heap too small, heap leak, explicit System.gc() in the program's own code, slow disk, "raise MaxDirectMemorySize" without naming the per-page allocation is a partial.
// expect: explicit-gc what=direct_buffers
// symptom: direct-memory gc-pauses explicit-gc
// jdk: 11
// set: sixteenth
// jvm: -Xmx160m -XX:MaxDirectMemorySize=16m
import java.io.*;
import java.lang.management.*;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.zip.CRC32;

public class ScanArchive {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int PAGE = 512 * 1024;
    static final LongAdder pages = new LongAdder();
    static final AtomicLong worstMs = new AtomicLong();

    static class Entry {
        final long id; final String title; long crc;
        Entry(long id) { this.id = id; title = "Folder " + id / 100 + " sheet " + id % 100; }
    }

    static class Catalogue {
        final Map<Long, Entry> entries = new ConcurrentHashMap<>();
        Catalogue() { for (long i = 0; i < 380_000; i++) entries.put(i, new Entry(i)); }
        void record(long id, long crc) { entries.get(id % 380_000).crc = crc; }
    }

    static class PageWriter {
        final FileChannel volume;
        final Catalogue catalogue;
        final ThreadLocal<ByteBuffer> own = ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(PAGE));
        PageWriter(Catalogue catalogue) throws IOException {
            this.catalogue = catalogue;
            Path file = Files.createTempFile("archive", ".vol");
            file.toFile().deleteOnExit();
            volume = FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE);
        }
        private ByteBuffer pageBuffer() {
            if (FIXED) {
                ByteBuffer b = own.get();
                b.clear();
                return b;
            }
            return ByteBuffer.allocateDirect(PAGE);
        }
        void store(long id, int[] strip) throws IOException {
            ByteBuffer page = pageBuffer();
            while (page.remaining() >= strip.length * 4) {
                page.asIntBuffer().put(strip);
                page.position(page.position() + strip.length * 4);
            }
            page.flip();
            CRC32 crc = new CRC32();
            crc.update(page.duplicate());
            ByteBuffer head = page.duplicate();
            head.limit(64 * 1024);
            volume.write(head, id % 64 * 65536);
            catalogue.record(id, crc.getValue());
        }
    }

    static class Scanner implements Runnable {
        final BlockingQueue<Long> tray; final PageWriter writer; final int[] strip = new int[4096];
        Scanner(BlockingQueue<Long> tray, PageWriter writer, int no) {
            this.tray = tray;
            this.writer = writer;
            Random r = new Random(no);
            for (int i = 0; i < strip.length; i++) strip[i] = r.nextInt();
        }
        public void run() {
            try {
                while (true) {
                    long id = tray.take();
                    long t0 = System.nanoTime();
                    strip[(int) (id % strip.length)]++;
                    writer.store(id, strip);
                    worstMs.accumulateAndGet((System.nanoTime() - t0) / 1_000_000, Math::max);
                    pages.increment();
                }
            } catch (InterruptedException | IOException e) { throw new RuntimeException(e); }
        }
    }

    static long gcMillis() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream().mapToLong(GarbageCollectorMXBean::getCollectionTime).sum();
    }

    static void daemon(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        Catalogue catalogue = new Catalogue();
        PageWriter writer = new PageWriter(catalogue);
        BlockingQueue<Long> tray = new ArrayBlockingQueue<>(50);
        for (int i = 0; i < 4; i++) daemon("scanner-" + i, new Scanner(tray, writer, i));
        daemon("feeder", () -> {
            try { for (long id = 0; ; id++) tray.put(id); } catch (InterruptedException e) { /* end */ }
        });
        for (int s = 0; s < 150; s++) {
            long d = pages.sum(), g = gcMillis();
            Thread.sleep(1000);
            System.out.println("measured: pages/s=" + (pages.sum() - d) + " gcMs=" + (gcMillis() - g) + " worstMs=" + worstMs.getAndSet(0));
            if (s == 4) System.out.println("READY");
        }
        System.exit(0);
    }
}
