// SPDX-License-Identifier: Apache-2.0
// cause: pack allocates a 2 MB direct buffer per document; the direct limit is hit and the JDK calls System.gc()
// expect: explicit-gc frame=DocPacker$Packer.buffer
// symptom: direct-memory gc-pauses allocation-stall
// share: 1026 letters/s against 15200 fixed; full GCs ~70% of the time, 13 ms each, ~50 a second
// judge: right: DocPacker$Packer.pack: ByteBuffer.allocateDirect per document (not reused) forces System.gc() calls
// judge: symptom: long/full GC pauses, System.gc() calls, threads wait in Bits.reserveMemory, without allocateDirect
// judge: wrong: the heap is too small or leaks; the Catalogue is too big; Deflater/CRC is the cause
// jdk: 21
// set: fourteenth
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/** Packs letters for the printing centre: lays out the pages, compresses them, writes a spool slot. */
public class DocPacker {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int BUFFER = 2 << 20;
    static final LongAdder documents = new LongAdder();
    static final LongAdder packNanos = new LongAdder();
    static final LongAdder bufferNanos = new LongAdder();
    static final LongAdder packedBytes = new LongAdder();

    record Letter(int customer, int template, int pages) {}

    record Customer(String name, String street, String town, Map<String, String> options) {}

    /** Who the letters are for. */
    static final class Catalogue {
        private final Map<Integer, Customer> customers = new HashMap<>();

        Catalogue(int size) {
            Random r = new Random(3);
            for (int i = 0; i < size; i++) {
                Map<String, String> options = new HashMap<>();
                options.put("language", r.nextBoolean() ? "de" : "fr");
                options.put("branch", "b" + r.nextInt(300));
                customers.put(i, new Customer("Customer " + i, "Long Road " + r.nextInt(900),
                        (10000 + r.nextInt(80000)) + " Town", options));
            }
        }

        Customer find(int number) {
            return customers.get(number % customers.size());
        }
    }

    static final class Packer extends Thread {
        private final BlockingQueue<Letter> inbox;
        private final Catalogue catalogue;
        private final FileChannel spool;
        private final Deflater deflater = new Deflater(Deflater.BEST_SPEED);
        private final CRC32 crc = new CRC32();
        private ByteBuffer own;

        Packer(int n, BlockingQueue<Letter> inbox, Catalogue catalogue) throws IOException {
            super("packer-" + n);
            setDaemon(true);
            this.inbox = inbox;
            this.catalogue = catalogue;
            Path file = Files.createTempFile("spool-" + n + "-", ".slot");
            spool = FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE);
        }

        private ByteBuffer buffer() {
            if (!FIXED) return ByteBuffer.allocateDirect(BUFFER);
            if (own == null) own = ByteBuffer.allocateDirect(BUFFER);
            return own.clear();
        }

        private void layout(Letter l, ByteBuffer pages) {
            Customer c = catalogue.find(l.customer());
            byte[] head = (c.name() + "\n" + c.street() + "\n" + c.town() + "\n" + c.options().get("language") + "\n")
                    .getBytes(StandardCharsets.UTF_8);
            byte[] line = ("Position of contract " + l.template() + "/" + l.customer() + "  amount due  ")
                    .getBytes(StandardCharsets.UTF_8);
            for (int p = 0; p < l.pages(); p++) {
                pages.put(head);
                for (int i = 0; i < 60; i++) {
                    pages.put(line).putInt(i * 7919 + p * l.customer()).put((byte) '\n');
                }
            }
        }

        private void pack(Letter l) throws IOException {
            long t0 = System.nanoTime();
            ByteBuffer work = buffer();
            bufferNanos.add(System.nanoTime() - t0);
            layout(l, work);
            ByteBuffer pages = work.slice(0, work.position());
            ByteBuffer packed = work.slice(work.position(), work.remaining());
            crc.reset();
            crc.update(pages.duplicate());
            deflater.reset();
            deflater.setInput(pages);
            deflater.finish();
            while (!deflater.finished()) deflater.deflate(packed);
            packed.putLong(crc.getValue()).flip();
            packedBytes.add(packed.limit());
            packed.limit(Math.min(packed.limit(), 512));
            spool.write(packed, 0);
            packNanos.add(System.nanoTime() - t0);
            documents.increment();
        }

        @Override public void run() {
            try {
                while (true) pack(inbox.take());
            } catch (Exception e) {
                e.printStackTrace();
                System.exit(1);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Catalogue catalogue = new Catalogue(50_000);
        BlockingQueue<Letter> inbox = new ArrayBlockingQueue<>(50);
        for (int i = 0; i < 3; i++) new Packer(i, inbox, catalogue).start();
        Random r = new Random(1);
        System.out.println("READY");
        long last = System.nanoTime();
        while (true) {
            inbox.put(new Letter(r.nextInt(1_000_000), r.nextInt(40), 8 + r.nextInt(20)));
            long now = System.nanoTime();
            if (now - last >= 1_000_000_000L) {
                long n = documents.sumThenReset();
                long p = packNanos.sumThenReset();
                System.out.printf("measured: %.0f letters/s, mean %.2f ms, getting a buffer %.0f%% of it, %d KB/s%n",
                        n * 1e9 / (now - last), p / 1e6 / Math.max(1, n),
                        100.0 * bufferNanos.sumThenReset() / Math.max(1, p), packedBytes.sumThenReset() / 1024);
                last = now;
            }
        }
    }
}
