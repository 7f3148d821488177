// SPDX-License-Identifier: Apache-2.0
// cause: each lookup of a specimen is a binary search on the disk: HerbariumDesk$SheetRegister.find asks HerbariumDesk$SheetRegister.block for about 11 blocks of 64 KiB one after another, each a FileChannel.read with direct I/O (no page cache, no cache or index of its own), so the clerks wait for reads of the file
// share: 99 to 100 % of the 5 clerks' time is in the reads, 10.7 reads one after another for each lookup, 2.5 to 3.1 ms a lookup (kernel's figures on a crowded machine: asleep in the read 0.68, on a CPU 0.06, ready without a CPU 0.26 of the time)
// expect: waiting frame=HerbariumDesk$SheetRegister.block | disk-wait frame=HerbariumDesk$SheetRegister.block
// symptom: disk-wait hot-calls
// judge: NAMED: waiting for reads of a file (file-read) at HerbariumDesk$SheetRegister.block (or its caller find), or any sentence that says the threads wait for the disk/file to be read at that place; disk wait with that place or with its stack is also NAMED. SYMPTOM ONLY: "waiting for a disk", disk-wait or io pressure of the machine without the place (advice: faster disk); CPU time in what block calls (hot-calls, pread) as the main answer. WRONG: locks, queues, pools, collections, too few CPUs or threads, fsync, computing in Clerk.label, or nothing stands out.
// jdk: 11
// set: thirty-first
// jvm: -Xmx256m

import com.sun.nio.file.ExtendedOpenOption;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;

/** Loan desk of a herbarium: clerks print labels for the sheets that other institutes ask for. */
public class HerbariumDesk {
    static final int CLERKS = 5;
    static final int SHEETS = 3_200_000;

    static final LongAdder lookups = new LongAdder();
    static final LongAdder reads = new LongAdder();
    static final LongAdder readNanos = new LongAdder();
    static final LongAdder lookupNanos = new LongAdder();
    static final LongAdder loans = new LongAdder();

    /** One line of the register: number of the sheet, and what is written on it. */
    static final class Sheet {
        final long barcode;
        final String genus;
        final int year;

        Sheet(long barcode, String genus, int year) {
            this.barcode = barcode;
            this.genus = genus;
            this.year = year;
        }
    }

    /** The register of all sheets, sorted by barcode, in records of one size. */
    static final class SheetRegister {
        static final int RECORD = 64;
        static final int BLOCK = 65536;
        static final int PER_BLOCK = BLOCK / RECORD;
        static final String[] GENERA = {"Quercus", "Carex", "Salix", "Rosa", "Viola", "Festuca", "Rubus", "Hieracium"};

        private final FileChannel channel;
        private final int blocks;
        private final ThreadLocal<ByteBuffer> buffers =
            ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(BLOCK + 4096).alignedSlice(4096).limit(BLOCK).slice());

        SheetRegister(Path file, int sheets) throws IOException {
            blocks = (sheets + PER_BLOCK - 1) / PER_BLOCK;
            write(file);
            channel = open(file);
            Files.deleteIfExists(file);
        }

        private static FileChannel open(Path file) throws IOException {
            try {
                return FileChannel.open(file, StandardOpenOption.READ, ExtendedOpenOption.DIRECT);
            } catch (IOException | UnsupportedOperationException e) {
                System.out.println("no direct I/O here: " + e);
                return FileChannel.open(file, StandardOpenOption.READ);
            }
        }

        private void write(Path file) throws IOException {
            try (FileChannel out = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                ByteBuffer chunk = ByteBuffer.allocate(4 * BLOCK);
                long barcode = 1;
                for (int b = 0; b < blocks; b++) {
                    for (int r = 0; r < PER_BLOCK; r++) {
                        int start = chunk.position();
                        chunk.putLong(barcode).putInt((int) (1780 + barcode % 240));
                        chunk.put(GENERA[(int) (barcode % GENERA.length)].getBytes(StandardCharsets.US_ASCII));
                        chunk.position(start + RECORD);
                        barcode += 3;
                    }
                    if (!chunk.hasRemaining() || b == blocks - 1) {
                        chunk.flip();
                        while (chunk.hasRemaining()) out.write(chunk);
                        chunk = ByteBuffer.allocate(4 * BLOCK);
                    }
                }
                out.force(true);
            }
        }

        Sheet find(long barcode) throws IOException {
            int low = 0;
            int high = blocks - 1;
            while (low <= high) {
                int middle = (low + high) >>> 1;
                ByteBuffer block = block(middle);
                if (barcode < block.getLong(0)) {
                    high = middle - 1;
                } else if (barcode > block.getLong(BLOCK - RECORD)) {
                    low = middle + 1;
                } else {
                    return within(block, barcode);
                }
            }
            return null;
        }

        private ByteBuffer block(int number) throws IOException {
            ByteBuffer buffer = buffers.get();
            buffer.clear();
            long before = System.nanoTime();
            long at = (long) number * BLOCK;
            if (channel.read(buffer, at) < BLOCK) throw new IOException("register ends at block " + number);
            readNanos.add(System.nanoTime() - before);
            reads.increment();
            return buffer;
        }

        private static Sheet within(ByteBuffer block, long barcode) {
            for (int r = 0; r < PER_BLOCK; r++) {
                int at = r * RECORD;
                if (block.getLong(at) != barcode) continue;
                StringBuilder genus = new StringBuilder();
                for (int i = at + 12; i < at + RECORD && block.get(i) != 0; i++) genus.append((char) block.get(i));
                return new Sheet(barcode, genus.toString(), block.getInt(at + 8));
            }
            return null;
        }
    }

    /** Works off requests for loans: a few dozen sheets each, whose labels go to the printer. */
    static final class Clerk implements Runnable {
        private final SheetRegister register;
        private final Random random;
        private long printed;

        Clerk(SheetRegister register, int number) {
            this.register = register;
            this.random = new Random(number);
        }

        private List<Long> request() {
            List<Long> barcodes = new ArrayList<>();
            for (int i = 10 + random.nextInt(30); i > 0; i--) barcodes.add(1L + 3L * random.nextInt(SHEETS));
            return barcodes;
        }

        private String label(Sheet sheet) {
            return String.join(" ", "HB", Long.toString(sheet.barcode), sheet.genus, Integer.toString(sheet.year));
        }

        @Override
        public void run() {
            while (true) {
                try {
                    for (long barcode : request()) {
                        long before = System.nanoTime();
                        Sheet sheet = register.find(barcode);
                        lookupNanos.add(System.nanoTime() - before);
                        lookups.increment();
                        if (sheet != null) printed += label(sheet).length();
                    }
                    loans.increment();
                } catch (IOException e) {
                    System.out.println("loan put back: " + e);
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Path file = Files.createTempFile("herbarium", ".reg");
        file.toFile().deleteOnExit();
        SheetRegister register = new SheetRegister(file, SHEETS);
        for (int i = 0; i < CLERKS; i++) new Thread(new Clerk(register, i), "clerk-" + i).start();
        while (loans.sum() < 20) Thread.sleep(100);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long n = lookups.sum(), r = reads.sum(), rn = readNanos.sum(), ln = lookupNanos.sum(), began = System.nanoTime();
            Thread.sleep(1000);
            double seconds = (System.nanoTime() - began) / 1e9;
            long dn = Math.max(1, lookups.sum() - n);
            System.out.printf("measured: %.0f lookups/s, %.2f ms each, %.1f reads each; %.0f %% of the %d clerks' time in reads%n",
                dn / seconds, (lookupNanos.sum() - ln) / 1e6 / dn, (double) (reads.sum() - r) / dn,
                (readNanos.sum() - rn) / 1e7 / seconds / CLERKS, CLERKS);
        }
    }
}
