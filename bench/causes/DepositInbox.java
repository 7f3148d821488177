// SPDX-License-Identifier: Apache-2.0
// healthy: most CPU time is opening and reading zip files, since that is the work: each deposit is a new file that is opened once (DepositInbox$Checker.check), and each of its documents is read once, with a buffer of 8 KB, to check its CRC against the list.
// share: nothing: 150 deposits a second of 420 documents, 1.3 to 1.8 ms each (0.1 of that to open the file), 3 to 4 us a document; 0.2 to 0.3 CPUs of 2; no deposit waits (on a crowded machine up to 5 for a moment, and each takes longer).
// judge: RIGHT: nothing stands out, or a neutral sentence that time goes to reading archives for DepositInbox$Checker.check or crc. WRONG: an accusation (as a fault) of archives (opened again and again), of compression, reading without a buffer, lookups of classes or resources, of the disk, of waits of checker or depositors, or of collections.
// jdk: 21
// set: thirty-sixth
// jvm: -Xmx256m
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/** An archive of records takes deposits, zip files with some hundred documents, and checks each against its list before it is kept. */
public class DepositInbox {
    static final AtomicLong deposits = new AtomicLong(), documents = new AtomicLong(), checkNanos = new AtomicLong(), openNanos = new AtomicLong(), faults = new AtomicLong();

    record Listed(long size, long crc) {
    }

    record Deposit(Path file, Map<String, Listed> list) {
    }

    /** The depositors: what they send has been packed before. */
    static final class Depositors implements Runnable {
        private final Path inbox;
        private final BlockingQueue<Deposit> arrived;
        private final List<byte[]> packed = new ArrayList<>();
        private final List<Map<String, Listed>> lists = new ArrayList<>();

        Depositors(Path inbox, BlockingQueue<Deposit> arrived) throws IOException {
            this.inbox = inbox;
            this.arrived = arrived;
            for (int d = 0; d < 24; d++) {
                pack(new Random(d));
            }
        }

        private void pack(Random r) throws IOException {
            Map<String, Listed> list = new HashMap<>();
            java.io.ByteArrayOutputStream bytes = new java.io.ByteArrayOutputStream();
            try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
                zip.setMethod(ZipOutputStream.STORED);
                int count = 250 + r.nextInt(300);
                for (int i = 0; i < count; i++) {
                    byte[] document = new byte[300 + r.nextInt(1200)];
                    r.nextBytes(document);
                    CRC32 crc = new CRC32();
                    crc.update(document);
                    ZipEntry e = new ZipEntry("series-" + i % 14 + "/box-" + i % 40 + "/sheet-" + i + ".tif");
                    e.setSize(document.length);
                    e.setCrc(crc.getValue());
                    zip.putNextEntry(e);
                    zip.write(document);
                    zip.closeEntry();
                    list.put(e.getName(), new Listed(document.length, crc.getValue()));
                }
            }
            packed.add(bytes.toByteArray());
            lists.add(list);
        }

        @Override
        public void run() {
            try {
                for (int n = 0; ; n++) {
                    Path file = inbox.resolve("deposit-" + n + ".zip");
                    try (OutputStream out = Files.newOutputStream(file)) {
                        out.write(packed.get(n % packed.size()));
                    }
                    arrived.put(new Deposit(file, lists.get(n % lists.size())));
                    Thread.sleep(6);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (IOException e) {
                System.err.println("the inbox is closed: " + e);
            }
        }
    }

    static final class Checker implements Runnable {
        private final BlockingQueue<Deposit> arrived;
        private final byte[] buffer = new byte[8192];

        Checker(BlockingQueue<Deposit> arrived) {
            this.arrived = arrived;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Deposit d = arrived.take();
                    long t = System.nanoTime();
                    try {
                        check(d);
                        Files.delete(d.file());
                    } catch (IOException e) {
                        faults.incrementAndGet();
                    }
                    checkNanos.addAndGet(System.nanoTime() - t);
                    deposits.incrementAndGet();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void check(Deposit d) throws IOException {
            long t = System.nanoTime();
            try (ZipFile zip = new ZipFile(d.file().toFile())) {
                openNanos.addAndGet(System.nanoTime() - t);
                int seen = 0;
                for (Enumeration<? extends ZipEntry> all = zip.entries(); all.hasMoreElements();) {
                    ZipEntry e = all.nextElement();
                    Listed listed = d.list().get(e.getName());
                    if (listed == null || listed.size() != e.getSize() || listed.crc() != crc(zip, e)) {
                        faults.incrementAndGet();
                    }
                    seen++;
                }
                if (seen != d.list().size()) {
                    faults.incrementAndGet();
                }
                documents.addAndGet(seen);
            }
        }

        private long crc(ZipFile zip, ZipEntry e) throws IOException {
            CRC32 crc = new CRC32();
            try (InputStream in = zip.getInputStream(e)) {
                for (int n = in.read(buffer); n > 0; n = in.read(buffer)) {
                    crc.update(buffer, 0, n);
                }
            }
            return crc.getValue();
        }
    }

    public static void main(String[] args) throws Exception {
        Path inbox = Files.createTempDirectory("deposits");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try (Stream<Path> files = Files.list(inbox)) {
                files.forEach(f -> f.toFile().delete());
            } catch (IOException e) {
                System.err.println(e);
            }
            inbox.toFile().delete();
        }));
        BlockingQueue<Deposit> arrived = new ArrayBlockingQueue<>(20);
        new Thread(new Depositors(inbox, arrived), "depositors").start();
        new Thread(new Checker(arrived), "checker").start();
        long ld = 0, lo = 0, lc = 0, lk = 0;
        for (int s = 1; ; s++) {
            Thread.sleep(1000);
            long d = deposits.get(), o = documents.get(), c = checkNanos.get(), k = openNanos.get();
            System.out.printf("measured: %d deposits of %d documents checked, %.2f ms each (%.2f of that to open it), each opened once; %.1f us a document; %d wait, %d faults%n",
                    d - ld, (o - lo) / Math.max(1, d - ld), (c - lc) / 1e6 / Math.max(1, d - ld), (k - lk) / 1e6 / Math.max(1, d - ld),
                    (c - lc) / 1e3 / Math.max(1, o - lo), arrived.size(), faults.get());
            ld = d;
            lo = o;
            lc = c;
            lk = k;
            if (s == 4) {
                System.out.println("READY");
            }
            System.out.flush();
        }
    }
}
