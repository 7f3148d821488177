// SPDX-License-Identifier: Apache-2.0
// cause: for each letter the archive of templates is opened, and its directory of 6000 read: TemplatesFromJar.template
// expect: hot-method frame=TemplatesFromJar.template | hot-method caller=TemplatesFromJar.template | hot-calls frame=TemplatesFromJar.template | hot-code frame=TemplatesFromJar.template | endpoint-cpu frame=TemplatesFromJar.template
// symptom: hot-method hot-calls hot-code
// jdk: 21
// set: ninth
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

public final class TemplatesFromJar {
    private static final int TEMPLATES = 6000;
    private static final LongAdder READING = new LongAdder();
    private static final LongAdder ALL = new LongAdder();
    private static volatile int length;

    private final Path archive;

    private TemplatesFromJar() throws IOException {
        archive = Path.of(System.getProperty("java.io.tmpdir"), "TemplatesFromJar.jar");
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(archive))) {
            for (int i = 0; i < TEMPLATES; i++) {
                out.putNextEntry(new ZipEntry("letters/branch-" + i % 60 + "/letter-" + i + ".txt"));
                out.write(("Good day ${name},\nyour contract " + i + " ends on ${date}.\nYours, ${branch}\n").repeat(4)
                        .getBytes(StandardCharsets.UTF_8));
            }
        }
    }

    private String template(int number) throws IOException {
        try (ZipFile file = new ZipFile(archive.toFile());
                InputStream in = file.getInputStream(
                        file.getEntry("letters/branch-" + number % 60 + "/letter-" + number + ".txt"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static String fill(String template, int customer) {
        return template.replace("${name}", "customer " + customer).replace("${date}", "30 June")
                .replace("${branch}", "branch " + customer % 60);
    }

    private void print() {
        try {
            for (int customer = 0;; customer++) {
                long start = System.nanoTime();
                String template = template(customer * 31 % TEMPLATES);
                READING.add(System.nanoTime() - start);
                length += fill(template, customer).length();
                ALL.add(System.nanoTime() - start);
                if (customer % 4 == 0) {
                    Thread.sleep(2); // the printer
                }
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        new Thread(new TemplatesFromJar()::print, "printer").start();
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            System.out.println("measured: " + 100 * READING.sum() / (ALL.sum() + 1) + " % of a letter is template()");
        }
    }
}
