// SPDX-License-Identifier: Apache-2.0
// cause: DeedScans.loadPage allocates a new direct ByteBuffer (256 KB) for each request; with -XX:MaxDirectMemorySize=16m the unreleased buffers reach the limit after about 60 requests, so java.nio.Bits.reserveMemory triggers System.gc() and waits for the Cleaner, i.e. a full collection every few dozen requests.
// share: faulty about 1 030 pages/s at mean 4.3 ms, fixed about 61 000 to 80 000 pages/s at mean 0.05 to 0.07 ms (factor 60).
// expect: explicit-gc
// symptom: lock-contention gc-pauses
// judge: NAMED: direct buffer allocation per request in DeedScans.loadPage (ByteBuffer.allocateDirect) that hits the direct memory limit, so Bits.reserveMemory forces System.gc() full collections (either the buffer not being reused or the limit being too small must be tied to the forced GCs). SYMPTOM ONLY: many full GCs / GC pauses, cause "System.gc()", threads sleeping or waiting in Bits.reserveMemory or Reference waiting, without the direct buffers of loadPage. WRONG: an explicit System.gc() call in the program's code, Java heap too small, a heap leak in the index map, slow disk reads, a native memory leak that grows without limit.
// jdk: 11
// set: twenty-fifth
// jvm: -Xmx192m -XX:MaxDirectMemorySize=16m

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class DeedScans {
    static final int PAGE = 256 * 1024;
    static final int PAGES = 48;

    static final class PageInfo {
        final int number;
        final String title;
        final long[] words;

        PageInfo(int number, String title, long[] words) {
            this.number = number;
            this.title = title;
            this.words = words;
        }
    }

    final boolean variant = Boolean.getBoolean("fixed");
    final Map<Integer, PageInfo> index = new HashMap<>();
    final Path store;
    final FileChannel channel;
    final AtomicLong served = new AtomicLong();
    final AtomicLong nanos = new AtomicLong();
    final AtomicLong sum = new AtomicLong();
    final ThreadLocal<ByteBuffer> own = new ThreadLocal<>();
    volatile boolean open = true;

    DeedScans() throws IOException {
        store = Files.createTempFile("scans", ".bin");
        channel = FileChannel.open(store, StandardOpenOption.READ, StandardOpenOption.WRITE);
        Random rnd = new Random(3);
        byte[] block = new byte[PAGE];
        for (int i = 0; i < PAGES; i++) {
            rnd.nextBytes(block);
            channel.write(ByteBuffer.wrap(block), (long) i * PAGE);
        }
        for (int i = 0; i < 60000; i++) {
            long[] words = new long[40 + rnd.nextInt(40)];
            for (int w = 0; w < words.length; w++) {
                words[w] = rnd.nextLong();
            }
            index.put(i, new PageInfo(i % PAGES, "deed " + i, words));
        }
    }

    ByteBuffer area() {
        if (!variant) {
            return ByteBuffer.allocateDirect(PAGE);
        }
        ByteBuffer b = own.get();
        if (b == null) {
            b = ByteBuffer.allocateDirect(PAGE);
            own.set(b);
        }
        b.clear();
        return b;
    }

    ByteBuffer loadPage(int page) throws IOException {
        ByteBuffer b = area();
        long at = (long) page * PAGE;
        while (b.hasRemaining()) {
            int n = channel.read(b, at + b.position());
            if (n < 0) {
                break;
            }
        }
        b.flip();
        return b;
    }

    long stampOf(ByteBuffer b) {
        long h = 17;
        while (b.remaining() >= 64) {
            h = h * 31 + b.getLong();
            b.position(b.position() + 56);
        }
        return h;
    }

    void reader(int no) {
        Random rnd = new Random(no);
        try {
            while (open) {
                long t0 = System.nanoTime();
                PageInfo info = index.get(rnd.nextInt(index.size()));
                long stamp = stampOf(loadPage(info.number));
                for (long w : info.words) {
                    stamp ^= w;
                }
                sum.addAndGet(stamp + info.title.length());
                served.incrementAndGet();
                nanos.addAndGet(System.nanoTime() - t0);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        DeedScans archive = new DeedScans();
        ExecutorService readers = Executors.newFixedThreadPool(4);
        for (int i = 0; i < 4; i++) {
            int no = i;
            readers.submit(() -> {
                try {
                    archive.reader(no);
                } catch (Throwable e) {
                    System.out.println("reader stopped: " + e);
                }
            });
        }
        System.out.println("READY");
        long lastCount = 0;
        long lastNanos = 0;
        for (int s = 0; s < 167; s++) {
            Thread.sleep(1000);
            long c = archive.served.get();
            long n = archive.nanos.get();
            System.out.println("measured: " + (c - lastCount) + " pages/s, mean "
                    + (n - lastNanos) / Math.max(1, c - lastCount) / 1000 + " us");
            lastCount = c;
            lastNanos = n;
        }
        archive.open = false;
        readers.shutdown();
        readers.awaitTermination(5, TimeUnit.SECONDS);
        archive.channel.close();
        Files.delete(archive.store);
        System.out.println("done " + archive.sum.get());
    }
}
