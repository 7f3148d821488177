// SPDX-License-Identifier: Apache-2.0
// cause: ReceiptBundles$Bundler.bundle collects all scanned receipts of a quarter in one ByteArrayOutputStream, which needs more than the heap has: each attempt ends with OutOfMemoryError (Java heap space), is tried again, and no bundle is ever delivered
// share: every attempt (one in 1.6 s) ends with an OutOfMemoryError, none of the bundles is delivered; collections take some 3 % of the time, the rest of the program goes on
// expect: out-of-memory
// symptom: gc-pauses gc-cpu humongous-allocation live-set heap-limit promotion
// judge: NAMED: OutOfMemoryError (Java heap space) in thread audit-bundles, at ReceiptBundles$Bundler.bundle or its ByteArrayOutputStream, or without the place (the place is not asked for if the rule says the thread and the error). SYMPTOM ONLY: full collections, a full heap, gc-pauses or gc-cpu, copying arrays, without the OutOfMemoryError. WRONG: a leak that stays (nothing stays after an attempt), the ledger (ReceiptBundles$Ledger.run), a thread that has died (audit-bundles lives on), direct memory, file I/O
// jdk: 21
// set: thirty-fifth
// jvm: -Xmx192m -XX:+UseSerialGC
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32;

/** Records expenses, and hands the scans of each quarter's receipts to the auditors as one bundle. */
public class ReceiptBundles {
    record Receipt(int number, Path scan, long cents) { }

    record Quarter(String name, List<Receipt> receipts) { }

    /** The scans, as the scanner leaves them: one file for each kind of paper. */
    static final class ScanStore {
        private final List<Path> scans = new ArrayList<>();
        private final Path folder;

        ScanStore() throws IOException {
            folder = Files.createTempDirectory("scans");
            Random random = new Random(5);
            for (int i = 0; i < 8; i++) {
                byte[] scan = new byte[260_000];
                random.nextBytes(scan);
                Path file = folder.resolve("scan-" + i + ".jpg");
                Files.write(file, scan);
                scans.add(file);
            }
            Runtime.getRuntime().addShutdownHook(new Thread(this::delete));
        }

        Path scan(int number) {
            return scans.get(number % scans.size());
        }

        private void delete() {
            for (Path scan : scans) {
                scan.toFile().delete();
            }
            folder.toFile().delete();
        }
    }

    static final class Bundler {
        private final Deque<Quarter> due = new ArrayDeque<>();
        private final Path outbox;
        final AtomicLong attempts = new AtomicLong();
        final AtomicLong delivered = new AtomicLong();
        final AtomicLong failed = new AtomicLong();

        Bundler(Path outbox) {
            this.outbox = outbox;
        }

        synchronized void add(Quarter quarter) {
            due.add(quarter);
        }

        void deliverNext() {
            Quarter quarter;
            synchronized (this) {
                quarter = due.peek();
            }
            if (quarter == null) {
                return;
            }
            attempts.incrementAndGet();
            try {
                byte[] bundle = bundle(quarter);
                Files.write(outbox.resolve(quarter.name()), bundle);
                delivered.incrementAndGet();
                synchronized (this) {
                    due.remove(quarter);
                }
            } catch (Throwable t) {
                failed.incrementAndGet();
                System.out.println("bundle " + quarter.name() + " not delivered, will be tried again: " + t);
            }
        }

        private byte[] bundle(Quarter quarter) throws IOException {
            ByteArrayOutputStream bundle = new ByteArrayOutputStream();
            CRC32 sum = new CRC32();
            for (Receipt receipt : quarter.receipts()) {
                byte[] scan = Files.readAllBytes(receipt.scan());
                sum.update(scan);
                bundle.write(("receipt " + receipt.number() + " " + receipt.cents() + " " + scan.length + "\n").getBytes(StandardCharsets.US_ASCII));
                bundle.write(scan);
            }
            bundle.write(("sum " + sum.getValue() + "\n").getBytes(StandardCharsets.US_ASCII));
            return bundle.toByteArray();
        }
    }

    /** The daily work: posts expenses to accounts. */
    static final class Ledger implements Runnable {
        private final long[] accounts = new long[2000];
        private final Random random = new Random(9);
        final AtomicLong booked = new AtomicLong();

        @Override
        public void run() {
            for (int i = 0; i < 150; i++) {
                String line = "4" + random.nextInt(1000) + ";" + random.nextInt(90_000) + ";travel " + random.nextInt(400);
                String[] fields = line.split(";");
                accounts[Integer.parseInt(fields[0]) % accounts.length] += Long.parseLong(fields[1]);
                booked.incrementAndGet();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        ScanStore store = new ScanStore();
        Bundler bundler = new Bundler(store.folder);
        for (String name : List.of("2031-Q1", "2031-Q2")) {
            List<Receipt> receipts = new ArrayList<>();
            for (int i = 0; i < 1400; i++) {
                receipts.add(new Receipt(i, store.scan(i), 100 + i * 17 % 9000));
            }
            bundler.add(new Quarter(name, receipts));
        }
        Ledger ledger = new Ledger();
        ScheduledExecutorService desk = Executors.newScheduledThreadPool(1, r -> new Thread(r, "ledger"));
        desk.scheduleWithFixedDelay(ledger, 0, 20, TimeUnit.MILLISECONDS);
        ScheduledExecutorService audit = Executors.newScheduledThreadPool(1, r -> new Thread(r, "audit-bundles"));
        audit.scheduleWithFixedDelay(bundler::deliverNext, 100, 1500, TimeUnit.MILLISECONDS);
        while (bundler.attempts.get() < 2) {
            Thread.sleep(100);
        }
        System.out.println("READY");
        System.out.flush();
        for (;;) {
            Thread.sleep(1000);
            System.out.println("measured: " + bundler.attempts.get() + " attempts to bundle a quarter, " + bundler.failed.get() + " of them ended by OutOfMemoryError, "
                + bundler.delivered.get() + " delivered; " + ledger.booked.get() + " expenses booked");
        }
    }
}
