// SPDX-License-Identifier: Apache-2.0
// cause: MailIntake$PartDecoder.charsetOf calls Charset.isSupported for every part; for a label that no charset has (utf8mb4, x-unicode ...) the JDK keeps no answer and searches the class path for charset providers with a ServiceLoader each time.
// share: faulty 3,600 mails/s at 1.7 ms each; fixed 27,100 mails/s at 0.11 ms each
// expect: hot-code kind=lookups
// symptom: waiting pool-busy
// judge: NAMED: looking up charset providers (services / resources on the class path, ServiceLoader) again and again for MailIntake$PartDecoder.charsetOf, by Charset.isSupported. SYMPTOM ONLY: CPU time in opening or reading of files, in URLClassPath or ServiceLoader without the caller; senders wait for futures while the intake pool is busy; much is allocated. WRONG: decoding or splitting of the text, the inbox queue, too few threads, collections.
// jdk: 11
// set: twenty-sixth
// jvm:

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

public class MailIntake {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final String[] LABELS = {"utf-8", "utf8mb4", "iso-8859-1", "x-unicode", "us-ascii", "utf-8-mac", "windows-1252", "ansi"};
    static final AtomicLong mails = new AtomicLong();
    static final AtomicLong nanos = new AtomicLong();
    static final AtomicLong tickets = new AtomicLong();

    static final class Part {
        final Map<String, String> headers;
        final byte[] body;

        Part(Map<String, String> headers, byte[] body) {
            this.headers = headers;
            this.body = body;
        }
    }

    /** Splits a mail into its parts, each with headers, an empty line and a body. */
    static final class MailParser {
        List<Part> parts(String mail) {
            List<Part> parts = new ArrayList<>();
            for (String piece : mail.split("\n--part\n")) {
                Map<String, String> headers = new HashMap<>();
                int from = 0;
                while (true) {
                    int end = piece.indexOf('\n', from);
                    if (end <= from) {
                        from = end + 1;
                        break;
                    }
                    String line = piece.substring(from, end);
                    int colon = line.indexOf(':');
                    headers.put(line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).trim());
                    from = end + 1;
                }
                parts.add(new Part(headers, piece.substring(from).getBytes(StandardCharsets.ISO_8859_1)));
            }
            return parts;
        }
    }

    static final class PartDecoder {
        private final Map<String, Charset> known = new ConcurrentHashMap<>();

        private String label(Part part) {
            String type = part.headers.getOrDefault("content-type", "text/plain");
            int at = type.indexOf("charset=");
            return at < 0 ? "us-ascii" : type.substring(at + 8);
        }

        private Charset charsetOf(String label) {
            return Charset.isSupported(label) ? Charset.forName(label) : StandardCharsets.ISO_8859_1;
        }

        String text(Part part) {
            String label = label(part);
            Charset charset = FIXED ? known.computeIfAbsent(label, this::charsetOf) : charsetOf(label);
            return new String(part.body, charset);
        }
    }

    static final class TicketRouter {
        private final Map<String, AtomicLong> desks = new ConcurrentHashMap<>();

        void route(String text) {
            int words = 0;
            int hash = 0;
            for (int i = 0; i < text.length(); i++) {
                char c = text.charAt(i);
                if (c == ' ') {
                    words++;
                }
                hash = hash * 31 + Character.toLowerCase(c);
            }
            String desk = "desk-" + Math.floorMod(hash + words, 12);
            desks.computeIfAbsent(desk, d -> new AtomicLong()).incrementAndGet();
            tickets.incrementAndGet();
        }
    }

    static final class Intake {
        private final MailParser parser = new MailParser();
        private final PartDecoder decoder = new PartDecoder();
        private final TicketRouter router = new TicketRouter();

        int accept(String mail) {
            List<Part> parts = parser.parts(mail);
            for (Part part : parts) {
                router.route(decoder.text(part));
            }
            return parts.size();
        }
    }

    static String compose(Random random) {
        StringBuilder mail = new StringBuilder();
        int parts = 3 + random.nextInt(4);
        for (int p = 0; p < parts; p++) {
            if (p > 0) {
                mail.append("\n--part\n");
            }
            mail.append("Content-Type: text/plain; charset=").append(LABELS[random.nextInt(LABELS.length)]).append('\n');
            mail.append("Content-Id: ").append(random.nextInt()).append("\n\n");
            int words = 60 + random.nextInt(120);
            for (int w = 0; w < words; w++) {
                mail.append("order ").append(random.nextInt(9999)).append(' ');
            }
        }
        return mail.toString();
    }

    public static void main(String[] args) throws Exception {
        Intake intake = new Intake();
        AtomicInteger number = new AtomicInteger();
        ExecutorService pool = Executors.newFixedThreadPool(3, r -> new Thread(r, "intake-" + number.getAndIncrement()));
        for (int s = 0; s < 6; s++) {
            Random random = new Random(s);
            List<String> outbox = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                outbox.add(compose(random));
            }
            Thread sender = new Thread(() -> {
                try {
                    for (int i = 0; ; i++) {
                        String mail = outbox.get(i % outbox.size());
                        long begin = System.nanoTime();
                        pool.submit(() -> intake.accept(mail)).get();
                        nanos.addAndGet(System.nanoTime() - begin);
                        mails.incrementAndGet();
                        if (i % 10 == 0) {
                            Thread.sleep(1);
                        }
                    }
                } catch (Exception e) {
                    e.printStackTrace();
                }
            }, "sender-" + s);
            sender.setDaemon(true);
            sender.start();
        }
        System.out.println("READY");
        long end = System.nanoTime() + 170_000_000_000L;
        while (System.nanoTime() < end) {
            long m = mails.get();
            long n = nanos.get();
            Thread.sleep(1000);
            long done = mails.get() - m;
            System.out.printf("measured: %d mails/s, %.2f ms each, %d tickets in all%n", done,
                (nanos.get() - n) / 1e6 / Math.max(1, done), tickets.get());
        }
        System.exit(0);
    }
}
