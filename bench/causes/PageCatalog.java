// SPDX-License-Identifier: Apache-2.0
// cause: the archive of pages is opened anew for each page
// expect: hot-calls frame=PageCatalog.page | hot-code frame=PageCatalog.page
// symptom: hot-calls hot-code
// jdk: 17
// set: seventh

import java.io.*;
import java.nio.file.*;
import java.util.concurrent.ThreadLocalRandom;
import java.util.zip.*;

public class PageCatalog {
    static final int PAGES = 3_000;
    static Path archive;

    static String page(String number) throws IOException {
        try (ZipFile zip = new ZipFile(archive.toFile())) {
            ZipEntry entry = zip.getEntry("pages/" + number + ".txt");
            try (InputStream in = zip.getInputStream(entry)) {
                return new String(in.readAllBytes(), "UTF-8");
            }
        }
    }

    public static void main(String[] args) throws Exception {
        archive = Path.of("catalog.zip");
        archive.toFile().deleteOnExit();
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(archive))) {
            for (int i = 0; i < PAGES; i++) {
                out.putNextEntry(new ZipEntry("pages/" + i + ".txt"));
                out.write(("page " + i + " of the catalogue, with prices").getBytes());
                out.closeEntry();
            }
        }
        for (int n = 0; n < 2; n++)
            new Thread(() -> {
                try {
                    long letters = 0;
                    while (letters >= 0) {
                        letters += page(Integer.toString(ThreadLocalRandom.current().nextInt(PAGES))).length();
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }, "qtp-" + n).start();
        System.out.println("READY");
    }
}
