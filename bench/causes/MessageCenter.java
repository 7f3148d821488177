// SPDX-License-Identifier: Apache-2.0
// cause: MessageCenter.Texts.getTimeToLive() returns TTL_DONT_CACHE, so ResourceBundle.getBundle() in Composer.compose() finds no cached bundle and opens, reads and parses the properties files (400 keys, locale and parent) again for every message.
// share: faulty 657 notices/s, mean 2910 us; fixed 82841 notices/s, mean 16 us; 126.0 times better (10 s each, 2 busy cores)
// expect: hot-code kind=locales
// symptom: hot-calls
// judge: NAMED: ResourceBundle.getBundle() in Composer.compose() uses a Control with TTL_DONT_CACHE (Texts.getTimeToLive), so the properties files are loaded and parsed for each message; use the default caching (or keep the bundles). SYMPTOM ONLY: CPU in Properties.load / LineReader / PropertyResourceBundle; many file opens; high allocation. WRONG: MessageFormat as the main cause, the disk is slow, garbage collection, too many threads, a lock in the class loader as the cause.
// jdk: 17
// set: twenty-sixth
// jvm:
import java.io.IOException;
import java.io.Writer;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.MessageFormat;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.ResourceBundle;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

public class MessageCenter {
    static final boolean VARIANT = Boolean.getBoolean("fixed");
    static final long END = System.nanoTime() + 170_000_000_000L;
    static volatile boolean closing;
    static final int KEYS = 400;
    static final Locale[] LOCALES = {Locale.ENGLISH, Locale.GERMAN, Locale.FRENCH, Locale.ITALIAN};
    static final LongAdder sent = new LongAdder();
    static final LongAdder chars = new LongAdder();
    static final LongAdder spentNanos = new LongAdder();

    record Notice(int customer, int template, Locale locale, long cents) {
    }

    static final class Texts extends ResourceBundle.Control {
        @Override
        public long getTimeToLive(String baseName, Locale locale) {
            return VARIANT ? TTL_NO_EXPIRATION_CONTROL : TTL_DONT_CACHE;
        }

        @Override
        public Locale getFallbackLocale(String baseName, Locale locale) {
            return null;
        }
    }

    static final class Composer extends Thread {
        final BlockingQueue<Notice> inbox;
        final ClassLoader loader;
        final Texts texts = new Texts();

        Composer(int id, BlockingQueue<Notice> inbox, ClassLoader loader) {
            super("composer-" + id);
            this.inbox = inbox;
            this.loader = loader;
            setDaemon(true);
        }

        String compose(Notice notice) {
            ResourceBundle bundle = ResourceBundle.getBundle("notices", notice.locale(), loader, texts);
            String pattern = bundle.getString("notice." + notice.template());
            String footer = bundle.getString("common.footer");
            MessageFormat format = new MessageFormat(pattern, notice.locale());
            return format.format(new Object[] {notice.customer(), notice.cents() / 100.0}) + "\n" + footer;
        }

        @Override
        public void run() {
            try {
                while (!closing && System.nanoTime() < END) {
                    Notice notice = inbox.poll(1, TimeUnit.SECONDS);
                    if (notice == null) {
                        continue;
                    }
                    long start = System.nanoTime();
                    chars.add(compose(notice).length());
                    spentNanos.add(System.nanoTime() - start);
                    sent.increment();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static void writeTexts(Path dir, String suffix, String word) throws IOException {
        Path file = dir.resolve("notices" + suffix + ".properties");
        try (Writer out = Files.newBufferedWriter(file, StandardCharsets.ISO_8859_1)) {
            out.write("common.footer=" + word + " - office hours 8 to 17\n");
            for (int i = 0; i < KEYS; i++) {
                out.write("notice." + i + "=" + word + " {0}, invoice type " + i
                        + " over {1,number,#.00} is due within 14 days of receipt\n");
            }
        }
    }

    static void close(Composer[] composers, Path dir) {
        closing = true;
        try {
            for (Composer composer : composers) {
                composer.join(2000);
            }
            for (String suffix : List.of("", "_en", "_de", "_fr", "_it")) {
                Files.deleteIfExists(dir.resolve("notices" + suffix + ".properties"));
            }
            Files.deleteIfExists(dir);
        } catch (IOException | InterruptedException e) {
            System.out.println("closing: " + e);
        }
    }

    public static void main(String[] args) throws Exception {
        Locale.setDefault(Locale.ENGLISH);
        Path dir = Files.createTempDirectory("message-center");
        writeTexts(dir, "", "Customer");
        writeTexts(dir, "_en", "Hello customer");
        writeTexts(dir, "_de", "Kunde");
        writeTexts(dir, "_fr", "Client");
        writeTexts(dir, "_it", "Cliente");
        ClassLoader loader = new URLClassLoader(new URL[] {dir.toUri().toURL()}, null);
        BlockingQueue<Notice> inbox = new ArrayBlockingQueue<>(500);
        Composer[] composers = {new Composer(0, inbox, loader), new Composer(1, inbox, loader)};
        for (Composer composer : composers) {
            composer.start();
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> close(composers, dir), "closing"));
        Thread intake = new Thread(() -> {
            Random random = new Random(3);
            try {
                while (true) {
                    inbox.put(new Notice(random.nextInt(90_000), random.nextInt(KEYS),
                            LOCALES[random.nextInt(LOCALES.length)], random.nextInt(500_000)));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "intake");
        intake.setDaemon(true);
        intake.start();
        System.out.println("READY");
        long lastCount = 0;
        long lastSpent = 0;
        while (System.nanoTime() < END) {
            Thread.sleep(1000);
            long count = sent.sum();
            long spent = spentNanos.sum();
            long n = count - lastCount;
            System.out.printf("measured: %d notices/s, mean %.1f us, %d MB text%n", n,
                    n == 0 ? 0.0 : (spent - lastSpent) / 1e3 / n, chars.sum() >> 20);
            lastCount = count;
            lastSpent = spent;
        }
        System.exit(0);
    }
}
