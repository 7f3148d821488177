// SPDX-License-Identifier: Apache-2.0
// cause: ServiceRecords$BookStore.append expands the whole compressed service book of a lift (BookStore.unpack) and compresses all of it again (BookStore.pack) for each line of some 90 bytes that is added to it
// share: the workshops spend 55 to 75 % of their time in BookStore.append (0.6 to 0.75 of two CPUs on a busy machine, all but all of it compressing and expanding); 890 bytes are compressed for each byte that is new
// expect: hot-code what=compressing frame=ServiceRecords$BookStore
// symptom: hot-code hot-calls
// judge: NAMED: compressing (and expanding) data, for BookStore.pack (and/or BookStore.unpack), called by BookStore.append: do it less often, a block at a time, not the whole book for each line. SYMPTOM ONLY: CPU time in Deflater/zlib without the program's function; much copying or allocation in BookStore. WRONG: anything else (Workshop.entry's formatting, the lock of a book, collections, too few CPUs). A neutral wording ("time goes to compression for BookStore.pack") is NAMED, as it is the place to change.
// jdk: 17
// set: thirty-third
// jvm: -Xmx256m
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** Service records of lifts: what sensors and mechanics report is appended to the book of the lift, which is kept compressed. */
public class ServiceRecords {
    static final int WORKSHOPS = 2;
    static final int LIFTS = 120;
    static final int BOOK_LIMIT = 160_000;
    static final LongAdder lines = new LongAdder();
    static final LongAdder newBytes = new LongAdder();
    static final LongAdder packedBytes = new LongAdder();
    static final LongAdder appendNanos = new LongAdder();

    record Book(byte[] packed, int length, int entries) {
    }

    /** The records of one workshop. */
    static final class BookStore {
        private final Map<Integer, Book> records = new HashMap<>();
        private final ArrayDeque<Book> full = new ArrayDeque<>();

        private byte[] unpack(Book book) throws IOException {
            try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(book.packed()), 8192)) {
                return in.readAllBytes();
            }
        }

        private byte[] pack(byte[] text, byte[] line) throws IOException {
            ByteArrayOutputStream out = new ByteArrayOutputStream(text.length / 4 + 512);
            try (GZIPOutputStream gzip = new GZIPOutputStream(out, 8192)) {
                gzip.write(text);
                gzip.write(line);
            }
            packedBytes.add(text.length + line.length);
            return out.toByteArray();
        }

        void append(int lift, String entry) {
            long begin = System.nanoTime();
            byte[] line = (entry + '\n').getBytes(StandardCharsets.UTF_8);
            try {
                Book book = records.get(lift);
                byte[] text = book == null ? new byte[0] : unpack(book);
                Book grown = new Book(pack(text, line), text.length + line.length, book == null ? 1 : book.entries() + 1);
                if (grown.length() > BOOK_LIMIT) {
                    archive(grown);
                    grown = null;
                }
                records.put(lift, grown);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            newBytes.add(line.length);
            lines.increment();
            appendNanos.add(System.nanoTime() - begin);
        }

        private void archive(Book book) {
            full.addLast(book);
            if (full.size() > 50) {
                full.removeFirst();
            }
        }

        /** Takes over a book as the former system kept it. */
        void adopt(int lift, String text) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            try {
                records.put(lift, new Book(pack(bytes, new byte[0]), bytes.length, 1));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    static final class Workshop implements Runnable {
        private static final String[] PARTS = {"door motor", "governor rope", "guide shoe", "brake lining", "car button", "safety gear", "pit buffer"};
        private static final String[] NOTES = {"checked, no finding", "adjusted by 2 mm", "replaced, old part kept", "noise at start", "reported by tenant", "greased"};
        private final BookStore store = new BookStore();
        private final SplittableRandom random;
        private int day = 1;

        Workshop(long seed) {
            random = new SplittableRandom(seed);
        }

        String entry(int lift) {
            day += random.nextInt(40) == 0 ? 1 : 0;
            return "day " + day + " lift " + lift + " " + PARTS[random.nextInt(PARTS.length)] + ": " + NOTES[random.nextInt(NOTES.length)] + ", load " + random.nextInt(630) + " kg, trips "
                    + random.nextInt(100_000) + ", by " + Integer.toHexString(random.nextInt(4096));
        }

        void adoptRecords() {
            for (int lift = 0; lift < LIFTS; lift++) {
                StringBuilder text = new StringBuilder();
                int length = 20_000 + random.nextInt(100_000);
                while (text.length() < length) {
                    text.append(entry(lift)).append('\n');
                }
                store.adopt(lift, text.toString());
            }
        }

        @Override
        public void run() {
            adoptRecords();
            try {
                while (true) {
                    for (int i = 0; i < 12; i++) {
                        int lift = random.nextInt(LIFTS);
                        store.append(lift, entry(lift));
                    }
                    Thread.sleep(15);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 1; i <= WORKSHOPS; i++) {
            Thread thread = new Thread(new Workshop(i), "workshop-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        while (lines.sum() < 300) {
            Thread.sleep(50);
        }
        System.out.println("READY");
        System.out.flush();
        long lastLines = lines.sum(), lastNew = newBytes.sum(), lastPacked = packedBytes.sum(), lastNanos = appendNanos.sum(), last = System.nanoTime();
        while (true) {
            Thread.sleep(1000);
            long l = lines.sum(), b = newBytes.sum(), p = packedBytes.sum(), n = appendNanos.sum(), now = System.nanoTime();
            System.out.printf("measured: %d lines/s of %d bytes, %.2f ms each, %.0f bytes compressed for each new one, workshops spend %.0f %% of their time in append%n", l - lastLines,
                    (b - lastNew) / Math.max(1, l - lastLines), (n - lastNanos) / 1e6 / Math.max(1, l - lastLines), (double) (p - lastPacked) / Math.max(1, b - lastNew),
                    100.0 * (n - lastNanos) / WORKSHOPS / (now - last));
            System.out.flush();
            lastLines = l;
            lastNew = b;
            lastPacked = p;
            lastNanos = n;
            last = now;
        }
    }
}
