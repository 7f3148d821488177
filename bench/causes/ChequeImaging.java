// SPDX-License-Identifier: Apache-2.0
// cause: ScanStore.keep allocates a new 512 KB direct ByteBuffer (ByteBuffer.allocateDirect) for every cheque image, so the direct memory limit is reached again and again and Bits.reserveMemory forces System.gc() full collections and waits
// share: mean latency 1.6 to 3 ms, fixed 0.04 ms (about 97 %); 220 to 400 cheques/s, fixed about 750 (paced)
// judge: NAMED only if the finding says that ScanStore.keep allocates a direct buffer for each image (not reused) - with or without the words direct memory limit / System.gc from Bits.reserveMemory. "Explicit full GCs (System.gc) / GC pauses / allocateDirect hot" without ScanStore.keep or without the allocation for each image is a symptom. Blaming the heap size, the signature index (live set) as a leak, application code calling System.gc() itself, or disk speed is wrong.
// expect: explicit-gc what=direct_buffers frame=ScanStore.keep
// symptom: direct-memory gc-pauses gc-cpu
// jdk: 17
// set: seventeenth
// jvm: -XX:MaxDirectMemorySize=16m
import java.io.*;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.zip.CRC32;

public class ChequeImaging {
    static final boolean OPT = Boolean.getBoolean("fixed");
    static final LongAdder scans = new LongAdder();
    static final LongAdder nanos = new LongAdder();
    static final LongAdder flagged = new LongAdder();

    record Cheque(long number, int account, byte[] image) { }

    /** Known signatures by account; loaded once, stays in memory. */
    static final class SignatureIndex {
        private final Map<Integer, List<String>> byAccount = new HashMap<>();

        SignatureIndex(int accounts) {
            Random r = new Random(5);
            for (int a = 0; a < accounts; a++) {
                List<String> l = new ArrayList<>();
                for (int i = 0; i < 3; i++) {
                    l.add(Long.toHexString(r.nextLong()) + i);
                }
                byAccount.put(a, l);
            }
        }

        boolean known(int account, long mark) {
            String m = Long.toHexString(mark);
            for (String s : byAccount.getOrDefault(account, List.of())) {
                if (s.regionMatches(0, m, 0, 2)) {
                    return true;
                }
            }
            return false;
        }
    }

    /** Writes images to a ring file on disk. */
    static final class ScanStore implements Closeable {
        static final int FRAME = 512 << 10;
        private final FileChannel file;
        private final ByteBuffer frame = ByteBuffer.allocateDirect(FRAME);
        private int slot;

        ScanStore(Path p) throws IOException {
            file = FileChannel.open(p, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE);
        }

        void keep(Cheque c) throws IOException {
            ByteBuffer b = OPT ? frame.clear() : ByteBuffer.allocateDirect(FRAME);
            b.putLong(c.number()).putInt(c.account()).putInt(c.image().length).put(c.image());
            b.flip();
            long at = (long) slot * FRAME;
            slot = (slot + 1) % 16;
            while (b.hasRemaining()) {
                at += file.write(b, at);
            }
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }

    static final class Sorter implements Runnable {
        final BlockingQueue<Cheque> tray;
        final SignatureIndex index;
        final ScanStore store;

        Sorter(BlockingQueue<Cheque> tray, SignatureIndex index, ScanStore store) {
            this.tray = tray;
            this.index = index;
            this.store = store;
        }

        public void run() {
            try {
                while (true) {
                    Cheque c = tray.take();
                    long t0 = System.nanoTime();
                    CRC32 crc = new CRC32();
                    crc.update(c.image());
                    if (!index.known(c.account(), crc.getValue())) {
                        flagged.increment();
                    }
                    store.keep(c);
                    nanos.add(System.nanoTime() - t0);
                    scans.increment();
                }
            } catch (IOException | InterruptedException e) {
                System.err.println("sorter stopped " + e);
            }
        }
    }

    static void daemon(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        SignatureIndex index = new SignatureIndex(80_000);
        ScanStore store = new ScanStore(Files.createTempFile("cheques", ".img"));
        BlockingQueue<Cheque> tray = new ArrayBlockingQueue<>(4);
        daemon(new Sorter(tray, index, store), "sorter");
        daemon(() -> {
            Random r = new Random(1);
            byte[][] stock = new byte[8][60_000];
            for (byte[] s : stock) {
                r.nextBytes(s);
            }
            long n = 0;
            try {
                while (true) {
                    tray.put(new Cheque(n++, r.nextInt(80_000), stock[(int) (n % 8)]));
                    Thread.sleep(1);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "feeder");
        System.out.println("READY");
        for (int s = 0; s < 140; s++) {
            Thread.sleep(1000);
            long n = scans.sumThenReset();
            long ns = nanos.sumThenReset();
            System.out.printf("measured: %d cheques/s, mean latency %.3f ms, %d flagged%n", n, n == 0 ? 0 : ns / 1e6 / n, flagged.sumThenReset());
        }
        store.close();
    }
}
