// SPDX-License-Identifier: Apache-2.0
// healthy: a batch whose job is to sort policy records and to write compressed archives; it does so on all CPUs with primitive sort keys, reused buffers and buffered streams, one part a worker, nothing shared
// judge: True and harmless: "CPU bound in Deflater (native) and in Arrays.sort / DualPivotQuicksort", "workers write files". Wrong: "compression is the bottleneck, lower the level / do it elsewhere", "sorting should be avoided", "hot spot to be optimised", lock contention, GC pressure, too many or few threads.
// jdk: 8
// set: fifteenth
import java.io.*;
import java.nio.ByteBuffer;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.atomic.*;
import java.util.zip.*;

/** Monthly statements: sorts each part's entries by policy and date and packs them for the long-term archive. */
public final class PolicyStatement {
    static final int ENTRIES = 120_000, LINE = 40;
    static final LongAdder parts = new LongAdder(), entries = new LongAdder(), packed = new LongAdder(), sorting = new LongAdder(), packing = new LongAdder();

    /** The entries of a part, column by column; a sort key holds policy, day and the row. */
    static final class Part {
        final long[] keys = new long[ENTRIES];
        final int[] cents = new int[ENTRIES];
        final byte[] kinds = new byte[ENTRIES];

        /** As they come out of the ledger, in the order of booking. */
        void load(int number) {
            SplittableRandom rnd = new SplittableRandom(number);
            for (int row = 0; row < ENTRIES; row++) {
                long policy = rnd.nextInt(20_000), day = rnd.nextInt(31);
                keys[row] = policy << 40 | day << 24 | row;
                cents[row] = rnd.nextInt(500_00);
                kinds[row] = (byte) rnd.nextInt(6);
            }
        }
    }

    static final class Worker implements Runnable {
        final Path file;
        final AtomicInteger next;
        final Part part = new Part();
        final ByteBuffer line = ByteBuffer.allocate(LINE);

        Worker(Path file, AtomicInteger next) {
            this.file = file;
            file.toFile().deleteOnExit();
            this.next = next;
        }

        private void digits(long v, int n) {
            int at = line.position() + n;
            line.position(at);
            for (int i = 0; i < n; i++, v /= 10) line.put(--at, (byte) ('0' + v % 10));
        }

        private void statement(long key) {
            int row = (int) (key & 0xffffff);
            line.clear();
            digits(key >>> 40, 8);
            line.put((byte) ';');
            digits(key >>> 24 & 0xffff, 2);
            line.put((byte) ';');
            digits(part.cents[row] / 100, 7);
            line.put((byte) ',');
            digits(part.cents[row] % 100, 2);
            line.put((byte) ';').put((byte) ('A' + part.kinds[row])).put((byte) '\n');
        }

        long pack(Path file) throws IOException {
            try (OutputStream out = new GZIPOutputStream(new BufferedOutputStream(Files.newOutputStream(file), 1 << 16), 1 << 14);
                 OutputStream text = new BufferedOutputStream(out, 1 << 15)) {
                for (long key : part.keys) {
                    statement(key);
                    text.write(line.array(), 0, line.position());
                }
            }
            return Files.size(file);
        }

        void month(int number) throws IOException {
            part.load(number);
            long t0 = System.nanoTime();
            Arrays.sort(part.keys);
            long t1 = System.nanoTime();
            long size = pack(file);
            Files.delete(file);                        // handed over to the archive
            long t2 = System.nanoTime();
            sorting.add(t1 - t0);
            packing.add(t2 - t1);
            packed.add(size);
            entries.add(ENTRIES);
            parts.increment();
        }

        @Override public void run() {
            try {
                while (true) month(next.incrementAndGet());
            } catch (IOException e) {
                System.err.println(e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Path dir = Files.createTempDirectory("statements");
        dir.toFile().deleteOnExit();
        AtomicInteger next = new AtomicInteger();
        for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
            Thread t = new Thread(new Worker(dir.resolve("part-" + i + ".gz"), next), "pack-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        long last = 0;
        while (true) {
            Thread.sleep(1000);
            long n = entries.sum();
            System.out.printf("measured: %d entries/s, %d parts, %d MB packed, %.0f %% sorting, rest packing%n", n - last, parts.sum(), packed.sum() >> 20,
                    100.0 * sorting.sum() / Math.max(1, sorting.sum() + packing.sum()));
            last = n;
        }
    }
}
