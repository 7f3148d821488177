// SPDX-License-Identifier: Apache-2.0
// healthy: most CPU time is looking up services and resources on a class path (ClassLoader.getResourceAsStream in ExtensionClearance$Inspector.resolve), but to check that each file of a newly submitted extension is found through the chain of class loaders, and not hidden by the host, is what the program is for: each name of each extension is looked up once, and no extension comes twice.
// share: 11 to 53 extensions cleared/s with 120 files each (12 to 52 ms an extension), as the busy machine allows.
// judge: WRONG: that the lookups are needless, repeated, or to be cached (none comes twice); class loading, archives, disk or the queue as the cause of bad performance; a pool that is too small; a leak of class loaders (they are closed). ACCEPTABLE: the neutral and true remark that most CPU time is looking up resources (or ServiceLoader) on the class path in Inspector.resolve/inspect, that the program computes, or that nothing stands out; that the partner waits for room in the queue since the inspectors are the slower side, on 2 CPUs that are busy.
// jdk: 17
// set: thirtieth
// jvm:

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.channels.ClosedByInterruptException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Random;
import java.util.ServiceLoader;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

public class ExtensionClearance {
    static final int SPAN = Integer.getInteger("span", 170);
    static final int FILES = 120;

    public interface Extension {
        String code();
    }

    public static final class Tax implements Extension {
        @Override
        public String code() {
            return "tax";
        }
    }

    public static final class Freight implements Extension {
        @Override
        public String code() {
            return "freight";
        }
    }

    record Submission(int number, Path jar) { }

    static final class Partner implements Runnable {
        final Path folder;
        final BlockingQueue<Submission> desk;
        final Random random = new Random(31);

        Partner(Path folder, BlockingQueue<Submission> desk) {
            this.folder = folder;
            this.desk = desk;
        }

        @Override
        public void run() {
            try {
                for (int n = 0; ; n++) {
                    desk.put(new Submission(n, build(n)));
                }
            } catch (InterruptedException | ClosedByInterruptException e) {
                Thread.currentThread().interrupt();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        Path build(int n) throws IOException {
            Path jar = folder.resolve("extension-" + n + ".jar");
            StringBuilder list = new StringBuilder();
            try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
                zip.setLevel(1);
                for (int i = 0; i < FILES; i++) {
                    String name = "ext/n" + n + "/texts-" + i + ".properties";
                    String text = "title=Extension " + n + " page " + i + "\nrate=" + random.nextInt(1000) + "\nunit=kg\n";
                    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
                    CRC32 crc = new CRC32();
                    crc.update(bytes);
                    zip.putNextEntry(new ZipEntry(name));
                    zip.write(bytes);
                    zip.closeEntry();
                    list.append(name).append(' ').append(Long.toHexString(crc.getValue())).append('\n');
                }
                zip.putNextEntry(new ZipEntry("META-INF/services/" + Extension.class.getName()));
                zip.write((Tax.class.getName() + "\n" + Freight.class.getName() + "\n").getBytes(StandardCharsets.UTF_8));
                zip.closeEntry();
                zip.putNextEntry(new ZipEntry("ext/contents.txt"));
                zip.write(list.toString().getBytes(StandardCharsets.UTF_8));
                zip.closeEntry();
            }
            return jar;
        }
    }

    static final class Inspector implements Runnable {
        final BlockingQueue<Submission> desk;
        final LongAdder cleared;
        final LongAdder nanos;

        Inspector(BlockingQueue<Submission> desk, LongAdder cleared, LongAdder nanos) {
            this.desk = desk;
            this.cleared = cleared;
            this.nanos = nanos;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Submission s = desk.take();
                    long t = System.nanoTime();
                    List<String> complaints = inspect(s);
                    nanos.add(System.nanoTime() - t);
                    Files.delete(s.jar());
                    if (!complaints.isEmpty()) {
                        throw new IllegalStateException(s.number() + ": " + complaints);
                    }
                    cleared.increment();
                }
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        List<String> inspect(Submission s) throws IOException {
            List<String> complaints = new ArrayList<>();
            URL[] urls = {s.jar().toUri().toURL()};
            try (URLClassLoader loader = new URLClassLoader(urls, ExtensionClearance.class.getClassLoader())) {
                int services = 0;
                for (Extension e : ServiceLoader.load(Extension.class, loader)) {
                    services += e.code().length();
                }
                if (services == 0) {
                    complaints.add("no service");
                }
                String contents;
                try (InputStream in = loader.getResourceAsStream("ext/contents.txt")) {
                    contents = new String(in.readAllBytes(), StandardCharsets.UTF_8);
                }
                for (String line : contents.split("\n")) {
                    resolve(loader, line, complaints);
                }
            }
            return complaints;
        }

        void resolve(ClassLoader loader, String line, List<String> complaints) throws IOException {
            int space = line.indexOf(' ');
            String name = line.substring(0, space);
            byte[] bytes;
            try (InputStream in = loader.getResourceAsStream(name)) {
                if (in == null) {
                    complaints.add("missing " + name);
                    return;
                }
                bytes = in.readAllBytes();
            }
            CRC32 crc = new CRC32();
            crc.update(bytes);
            if (!line.substring(space + 1).equals(Long.toHexString(crc.getValue()))) {
                complaints.add("changed, or hidden by the host: " + name);
            }
            Properties texts = new Properties();
            texts.load(new java.io.ByteArrayInputStream(bytes));
            if (texts.getProperty("title") == null || texts.getProperty("unit") == null) {
                complaints.add("incomplete " + name);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Path folder = Files.createTempDirectory("clearance");
        BlockingQueue<Submission> desk = new ArrayBlockingQueue<>(6);
        LongAdder cleared = new LongAdder();
        LongAdder nanos = new LongAdder();
        Thread partner = new Thread(new Partner(folder, desk), "partner");
        partner.setDaemon(true);
        partner.start();
        for (int i = 0; i < 2; i++) {
            Thread t = new Thread(new Inspector(desk, cleared, nanos), "inspector-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        for (int s = 0; s < SPAN; s++) {
            Thread.sleep(1000);
            long n = cleared.sumThenReset();
            long t = nanos.sumThenReset();
            System.out.println("measured: " + n + " extensions cleared/s, " + n * FILES + " files read once each, mean "
                    + (n == 0 ? 0 : t / n / 1000) + " us an extension");
        }
        partner.interrupt();
        partner.join(2000);
        try (var left = Files.list(folder)) {
            left.forEach(p -> p.toFile().delete());
        }
        folder.toFile().delete();
        System.exit(0);
    }
}
