// SPDX-License-Identifier: Apache-2.0
// cause: TariffSheets$Shelf.open reads each sheet by a jar: URL whose connection has setUseCaches(false), so that each request opens the archive of 5,000 entries anew and reads and hashes its whole central directory for the sake of one small entry.
// share: 10 s each: faulty 7,200 parcels/s of 320 us, fixed 35,200 parcels/s of 16 us: 4.9 times as many.
// expect: hot-code kind=archives frame=TariffSheets$Shelf.open
// symptom: gc-pauses gc-cpu hot-calls
// judge: NAMED: opening the zip/jar archive (ZipFile/JarFile, reading its central directory: ZipFile$Source.initCEN) anew for each request in TariffSheets$Shelf.open (JarURLConnection without caches). SYMPTOM ONLY: much CPU time in java.util.zip, reading of files, allocation and collections by it. WRONG: decompression of the entry, a slow disk, parsing of the sheet, the HTTP or URL handling in general, a heap too small.
// jdk: 11
// set: thirtieth
// jvm:
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Answers what a parcel costs, by the sheets of tariffs that the head office sends as one archive. */
public class TariffSheets {
    static final boolean VARIANT = Boolean.getBoolean("fixed");
    static final int SHEETS = 5000;

    /** The archive of sheets. */
    static final class Shelf {
        private final String base;

        Shelf(File archive) {
            base = "jar:" + archive.toURI() + "!/";
        }

        private InputStream open(String name) throws IOException {
            URLConnection connection = new URL(base + name).openConnection();
            connection.setUseCaches(VARIANT);
            return connection.getInputStream();
        }

        String sheet(int zone) throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream(1024);
            byte[] part = new byte[1024];
            try (InputStream in = open("zone/" + zone + ".csv")) {
                for (int n = in.read(part); n >= 0; n = in.read(part))
                    bytes.write(part, 0, n);
            }
            return new String(bytes.toByteArray(), StandardCharsets.UTF_8);
        }
    }

    static File deliver() throws IOException {
        File file = File.createTempFile("tariffs", ".jar");
        file.deleteOnExit();
        Random r = new Random(11);
        try (ZipOutputStream out = new ZipOutputStream(new BufferedOutputStream(new FileOutputStream(file)))) {
            for (int zone = 0; zone < SHEETS; zone++) {
                StringBuilder sheet = new StringBuilder();
                long cents = 300 + r.nextInt(200);
                for (int kilograms = 1; kilograms <= 30; kilograms++)
                    sheet.append(kilograms).append(',').append(cents += r.nextInt(90)).append('\n');
                out.putNextEntry(new ZipEntry("zone/" + zone + ".csv"));
                out.write(sheet.toString().getBytes(StandardCharsets.UTF_8));
                out.closeEntry();
            }
        }
        return file;
    }

    /** One counter, where parcels are weighed. */
    static final class Counter implements Runnable {
        private final Shelf shelf;

        Counter(Shelf shelf) {
            this.shelf = shelf;
        }

        long price(int zone, int kilograms) throws IOException {
            for (String line : shelf.sheet(zone).split("\n")) {
                int comma = line.indexOf(',');
                if (Integer.parseInt(line.substring(0, comma)) >= kilograms)
                    return Long.parseLong(line.substring(comma + 1));
            }
            throw new IllegalArgumentException("no price for " + kilograms + " kg in zone " + zone);
        }

        @Override
        public void run() {
            ThreadLocalRandom r = ThreadLocalRandom.current();
            try {
                for (int i = 1;; i++) {
                    long begin = System.nanoTime();
                    turnover.add(price(r.nextInt(SHEETS), 1 + r.nextInt(30)));
                    took.add(System.nanoTime() - begin);
                    parcels.increment();
                    if (i % 16 == 0)
                        Thread.sleep(1);
                }
            } catch (IOException e) {
                e.printStackTrace();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final LongAdder parcels = new LongAdder();
    static final LongAdder took = new LongAdder();
    static final LongAdder turnover = new LongAdder();

    public static void main(String[] args) throws Exception {
        long span = Long.getLong("span", 170);
        Shelf shelf = new Shelf(deliver());
        for (int i = 1; i <= 3; i++) {
            Thread t = new Thread(new Counter(shelf), "counter-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        long before = System.nanoTime();
        for (long s = 0; s < span; s++) {
            Thread.sleep(1000);
            long now = System.nanoTime();
            double seconds = (now - before) / 1e9;
            before = now;
            long n = Math.max(1, parcels.sumThenReset());
            System.out.printf("measured: %.0f parcels/s, mean %.0f us, turnover %d%n", n / seconds, took.sumThenReset() / 1e3 / n,
                    turnover.sum() / 100);
        }
        System.exit(0);
    }
}
