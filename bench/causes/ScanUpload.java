// SPDX-License-Identifier: Apache-2.0
// cause: ScanUpload.Encoder.encode allocates a new 1 MB direct ByteBuffer for every page (ByteBuffer.allocateDirect), so the limit of direct memory (48 MB) is reached again and again and java.nio.Bits.reserveMemory forces System.gc() (full collections) to free the old ones
// share: faulty 254 pages/s, 15628.5 us each (median second); fixed 2168 pages/s, 641 us each (median second); 8.5 times (10 s and 9 s on a shared, loaded 2-CPU machine)
// judge: NAMED = direct buffers are allocated per page/request in Encoder.encode (allocateDirect) and exhaust MaxDirectMemorySize so that System.gc()/full GCs are forced; reuse/pool them. Saying "explicit GCs (System.gc) come from direct buffer allocation Bits.reserveMemory in Encoder.encode" counts. SYMPTOM ONLY = "many full GCs / System.gc() calls / GC pauses" without direct buffers. WRONG = heap too small, heap leak, GC algorithm choice, application calling System.gc() itself, the preview cache as leak.
// expect: explicit-gc what=direct_buffers
// symptom: direct-memory gc-pauses explicit-gc
// jdk: 11
// set: sixteenth
// jvm: -Xmx200m -XX:MaxDirectMemorySize=48m -XX:+UseParallelGC
import java.io.*;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;

public class ScanUpload {
    static final class Page {
        final int document;
        final int number;
        final byte[] pixels;

        Page(int document, int number, byte[] pixels) {
            this.document = document;
            this.number = number;
            this.pixels = pixels;
        }
    }

    /** Small previews of the documents shown last. */
    static final class Previews {
        private final Map<Integer, List<String>> lines = new LinkedHashMap<>();

        synchronized void keep(int document, List<String> preview) {
            lines.remove(document);
            lines.put(document, preview);
            if (lines.size() > 1500) {
                Iterator<Integer> it = lines.keySet().iterator();
                it.next();
                it.remove();
            }
        }
    }

    static final class Encoder {
        static final int SIZE = 1 << 20;
        static final boolean OWN = Boolean.getBoolean("fixed");
        private final ThreadLocal<ByteBuffer> mine = ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(SIZE));

        ByteBuffer encode(Page p) {
            ByteBuffer out = OWN ? mine.get() : ByteBuffer.allocateDirect(SIZE);
            out.clear();
            out.putInt(p.document).putInt(p.number);
            byte last = p.pixels[0];
            int run = 0;
            for (byte b : p.pixels) {
                if (b == last && run < 255) run++;
                else {
                    out.put((byte) run).put(last);
                    last = b;
                    run = 1;
                }
            }
            out.put((byte) run).put(last);
            out.flip();
            return out;
        }
    }

    static final class Store implements Closeable {
        private final Path path;
        private final FileChannel channel;
        private long position;

        Store(Path path) throws IOException {
            this.path = path;
            channel = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        }

        void write(ByteBuffer data) throws IOException {
            long at;
            synchronized (this) {
                if (position > 20_000_000) position = 0;
                at = position;
                position += data.remaining();
            }
            while (data.hasRemaining()) at += channel.write(data, at);
        }

        public void close() throws IOException {
            channel.close();
            Files.deleteIfExists(path);
        }
    }

    final Encoder encoder = new Encoder();
    final Previews previews = new Previews();
    final Store store;
    final LongAdder pages = new LongAdder();
    final LongAdder nanos = new LongAdder();

    ScanUpload(Store store) {
        this.store = store;
    }

    Page scan(Random r, int document, int number) {
        byte[] px = new byte[24_000];
        for (int i = 0; i < px.length; ) {
            int run = 1 + r.nextInt(30);
            byte v = (byte) r.nextInt(16);
            while (run-- > 0 && i < px.length) px[i++] = v;
        }
        return new Page(document, number, px);
    }

    void upload(Random r, int document) throws IOException {
        List<String> preview = new ArrayList<>();
        for (int n = 0; n < 3; n++) {
            Page p = scan(r, document, n);
            long t = System.nanoTime();
            store.write(encoder.encode(p));
            nanos.add(System.nanoTime() - t);
            for (int i = 0; i < 200; i++) preview.add(document + "/" + n + ":" + p.pixels[i * 100]);
            pages.increment();
        }
        previews.keep(document, preview);
    }

    void scanner(int id) {
        Random r = new Random(id);
        int document = id * 1_000_000;
        try {
            while (true) upload(r, document++);
        } catch (IOException e) {
            System.out.println("scanner " + id + " ends: " + e);
        }
    }

    public static void main(String[] args) throws Exception {
        Store store = new Store(Files.createTempFile("scans", ".rle"));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                store.close();
            } catch (IOException e) {
                System.out.println(e);
            }
        }));
        ScanUpload u = new ScanUpload(store);
        for (int i = 1; i <= 4; i++) {
            int id = i;
            Thread t = new Thread(() -> u.scanner(id), "scanner-" + id);
            t.setDaemon(true);
            t.start();
        }
        for (int s = 0; s < 150; s++) {
            Thread.sleep(1000);
            long n = u.pages.sumThenReset(), ns = u.nanos.sumThenReset();
            System.out.println("measured: " + n + " pages/s, " + (n == 0 ? 0 : ns / n / 1000) + " us to encode and store a page");
            if (s == 6) System.out.println("READY");
        }
        System.exit(0);
    }
}
