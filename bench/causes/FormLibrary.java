// SPDX-License-Identifier: Apache-2.0
// cause: FormLibrary.read opens a new java.util.zip.ZipFile for every lookup of one small template and closes it again; each open reads and indexes the whole central directory of the 6000-entry archive (ZipFile.Source.initCEN), which costs far more than reading the one entry.
// share: faulty about 2 750 forms/s at mean 370 us, fixed about 30 800 forms/s at mean 40 us (factor 9 to 11).
// expect: hot-code kind=archives
// symptom: hot-calls
// judge: NAMED: the ZipFile (archive) is opened per lookup in FormLibrary.read, so the central directory is parsed each time (ZipFile.Source.initCEN / checkAndAddEntry / Source.get). SYMPTOM ONLY: zip code is hot, many file reads or opens of forms*.zip, I/O on the archive, high byte[] allocation, without saying that the open per lookup is the cause. WRONG: inflating/decompression as the bottleneck, slow disk, the template filling (merge), GC, lock contention in the zip library as a root cause.
// jdk: 21
// set: twenty-fifth
// jvm:

import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.atomic.*;
import java.util.zip.*;

public class FormLibrary {
    static final int FORMS = 6000;

    final boolean variant = Boolean.getBoolean("fixed");
    final Path archive;
    final AtomicLong printed = new AtomicLong();
    final AtomicLong nanos = new AtomicLong();
    final AtomicLong characters = new AtomicLong();
    volatile boolean open = true;
    volatile ZipFile standing;

    FormLibrary() throws IOException {
        archive = Files.createTempFile("forms", ".zip");
        Random rnd = new Random(9);
        try (ZipOutputStream zip = new ZipOutputStream(new BufferedOutputStream(Files.newOutputStream(archive)))) {
            for (int i = 0; i < FORMS; i++) {
                zip.putNextEntry(new ZipEntry(nameOf(i)));
                zip.write(template(i, rnd).getBytes(StandardCharsets.UTF_8));
                zip.closeEntry();
            }
        }
    }

    static String nameOf(int i) {
        return "forms/dep" + i % 40 + "/form-" + i + ".txt";
    }

    static String template(int i, Random rnd) {
        StringBuilder sb = new StringBuilder();
        sb.append("Form ").append(i).append("\nApplicant: ${name}\nCase: ${case}\n");
        int lines = 6 + rnd.nextInt(14);
        for (int l = 0; l < lines; l++) {
            sb.append("Section ").append(l).append(": the office states under number ").append(rnd.nextInt(99999))
                    .append(" that ${name} has paid ${sum}.\n");
        }
        return sb.toString();
    }

    String read(String name) throws IOException {
        if (variant) {
            ZipFile z = standing;
            if (z == null) {
                synchronized (this) {
                    if (standing == null) {
                        standing = new ZipFile(archive.toFile());
                    }
                    z = standing;
                }
            }
            return text(z, name);
        }
        try (ZipFile z = new ZipFile(archive.toFile())) {
            return text(z, name);
        }
    }

    static String text(ZipFile z, String name) throws IOException {
        ZipEntry e = z.getEntry(name);
        try (InputStream in = z.getInputStream(e)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    static String merge(String template, Map<String, String> values) {
        StringBuilder out = new StringBuilder(template.length() + 64);
        int at = 0;
        while (true) {
            int from = template.indexOf("${", at);
            if (from < 0) {
                return out.append(template, at, template.length()).toString();
            }
            int to = template.indexOf('}', from);
            out.append(template, at, from).append(values.get(template.substring(from + 2, to)));
            at = to + 1;
        }
    }

    void counter(int no) {
        Random rnd = new Random(no);
        try {
            while (open) {
                long t0 = System.nanoTime();
                Map<String, String> values = Map.of("name", "Citizen " + rnd.nextInt(9000), "case",
                        "C" + rnd.nextInt(70000), "sum", rnd.nextInt(900) + ".00");
                characters.addAndGet(merge(read(nameOf(rnd.nextInt(FORMS))), values).length());
                nanos.addAndGet(System.nanoTime() - t0);
                printed.incrementAndGet();
            }
        } catch (IOException e) {
            System.out.println("counter stopped: " + e);
        }
    }

    public static void main(String[] args) throws Exception {
        FormLibrary library = new FormLibrary();
        List<Thread> counters = new ArrayList<>();
        for (int i = 0; i < 1; i++) {
            int no = i;
            counters.add(Thread.ofPlatform().daemon().name("counter-" + i).start(() -> library.counter(no)));
        }
        System.out.println("READY");
        long last = 0, lastNanos = 0;
        for (int s = 0; s < 167; s++) {
            Thread.sleep(1000);
            long c = library.printed.get(), n = library.nanos.get();
            System.out.println("measured: " + (c - last) + " forms/s, mean "
                    + (n - lastNanos) / Math.max(1, c - last) / 1000 + " us");
            last = c;
            lastNanos = n;
        }
        library.open = false;
        for (Thread t : counters) {
            t.join(2000);
        }
        Files.delete(library.archive);
        System.out.println("done " + library.characters.get());
    }
}
