// SPDX-License-Identifier: Apache-2.0
// cause: each mail opens the theme's archive anew with new ZipFile, which reads the directory of 6000 entries
// share: opening takes 87 % of the mailers' time (444 of 508 ms/s)
// expect: hot-code kind=archives frame=MailTemplates$Themes.load | hot-method caller=MailTemplates$Themes.load | hot-calls frame=MailTemplates$Themes.load
// symptom: hot-method hot-calls
// judge: right: Themes.load opens the archive (new ZipFile, ZipFile$Source.initCEN / checkAndAddEntry / open) for each
// judge: mail. symptom: CPU in zip code without who calls it, allocation of byte[]/int[] by it, reads of the file.
// judge: wrong: locks, GC as the cause, Mail.render's string work, the outbox queue.
// jdk: 21
// set: thirteenth

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

public class MailTemplates {
    static final LongAdder mails = new LongAdder(), loading = new LongAdder(), rendering = new LongAdder();

    static class Themes {
        final Path archive;

        Themes(Path archive) {
            this.archive = archive;
        }

        String load(String name) throws IOException {
            try (ZipFile zip = new ZipFile(archive.toFile())) {
                ZipEntry entry = zip.getEntry("themes/" + name + ".html");
                try (InputStream in = zip.getInputStream(entry)) {
                    return new String(in.readAllBytes(), StandardCharsets.UTF_8);
                }
            }
        }
    }

    record Mail(String to, String theme, Map<String, String> fields) {
        String render(String template) {
            StringBuilder text = new StringBuilder();
            int at = 0;
            while (true) {
                int open = template.indexOf("${", at);
                if (open < 0) {
                    return text.append(template, at, template.length()).toString();
                }
                int close = template.indexOf('}', open);
                text.append(template, at, open).append(fields.getOrDefault(template.substring(open + 2, close), "?"));
                at = close + 1;
            }
        }
    }

    static Path build() throws IOException {
        Path file = Files.createTempFile("themes", ".zip");
        file.toFile().deleteOnExit();
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file))) {
            for (int i = 0; i < 6000; i++) {
                zip.putNextEntry(new ZipEntry(i < 40 ? "themes/t" + i + ".html" : "assets/2024/" + i + "/icon" + i + ".svg"));
                StringBuilder text = new StringBuilder();
                for (int line = 0; line < (i < 40 ? 30 : 1); line++) {
                    text.append("<p>Hello ${name}, your order ${order} of ${day} is on its way.</p>\n");
                }
                zip.write(text.toString().getBytes(StandardCharsets.UTF_8));
            }
        }
        return file;
    }

    static void send(BlockingQueue<Mail> mailbox, Themes themes, BlockingQueue<String> outbox) {
        try {
            while (true) {
                Mail mail = mailbox.take();
                long from = System.nanoTime();
                String template = themes.load(mail.theme);
                long loaded = System.nanoTime();
                outbox.put(mail.render(template));
                mails.increment();
                loading.add(loaded - from);
                rendering.add(System.nanoTime() - loaded);
            }
        } catch (InterruptedException | IOException e) {
            e.printStackTrace();
        }
    }

    public static void main(String[] args) throws Exception {
        Themes themes = new Themes(build());
        BlockingQueue<Mail> mailbox = new LinkedBlockingQueue<>(100);
        BlockingQueue<String> outbox = new LinkedBlockingQueue<>(100);
        for (int i = 0; i < 3; i++) {
            new Thread(() -> send(mailbox, themes, outbox), "mailer-" + i).start();
        }
        new Thread(() -> {
            try {
                for (long sent = 0;; sent += outbox.take().length()) {
                    Thread.onSpinWait();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "smtp").start();
        System.out.println("READY");
        Thread.currentThread().setName("campaign");
        for (long last = System.nanoTime(), n = 0;; n++) {
            ThreadLocalRandom r = ThreadLocalRandom.current();
            Map<String, String> fields = new LinkedHashMap<>();
            fields.put("name", "Customer " + n);
            fields.put("order", Long.toString(r.nextLong(1_000_000_000L)));
            fields.put("day", "2026-01-" + (1 + r.nextInt(31)));
            mailbox.put(new Mail("c" + n + "@example.com", "t" + r.nextInt(40), fields));
            Thread.sleep(4);
            if (System.nanoTime() - last > 1_000_000_000L) {
                last = System.nanoTime();
                System.out.printf("measured: %d mails/s, loading %d, rendering %d ms/s%n", mails.sumThenReset(),
                        loading.sumThenReset() / 1_000_000, rendering.sumThenReset() / 1_000_000);
            }
        }
    }
}
