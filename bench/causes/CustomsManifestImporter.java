// SPDX-License-Identifier: Apache-2.0
// cause: The regular expression GOODS used by CustomsManifestImporter.LineReader.goodsOf has nested quantifiers, so that it backtracks exponentially on the few manifest lines whose long goods code ends in '/' instead of ';'.
// share: throughput: about 18,000 lines/s with the fault, 1,200,000 lines/s without it (98 % lost, CPU of both import threads).
// judge: right = catastrophic regex backtracking in the pattern used by CustomsManifestImporter$LineReader.goodsOf (Matcher.find/lookingAt below it); symptom only = "CPU is busy in java.util.regex" without saying that the pattern's nesting/backtracking is at fault; wrong = recompiling the pattern, allocation/GC, contention, weighing or booking code.
// expect: hot-code kind=nested-repetitions
// symptom: hot-code hot-calls
// set: nineteenth
// jdk: 8
import java.util.*;
import java.util.concurrent.atomic.*;
import java.util.regex.*;

public class CustomsManifestImporter {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final AtomicLong imported = new AtomicLong();
    static final AtomicLong rejected = new AtomicLong();

    static final class Line {
        final String container;
        final String goods;
        final int kilos;

        Line(String container, String goods, int kilos) {
            this.container = container;
            this.goods = goods;
            this.kilos = kilos;
        }
    }

    static final class LineReader {
        private static final Pattern GOODS = Pattern.compile(
            FIXED ? "[A-Z0-9]+(?:[ -][A-Z0-9]+)*+;" : "(?:[A-Z0-9]+[ -]?)+;");
        private static final Pattern CONTAINER = Pattern.compile("([A-Z]{4})([0-9]{7})");

        Line read(String raw) {
            int first = raw.indexOf('|');
            int second = raw.indexOf('|', first + 1);
            String container = containerOf(raw.substring(0, first));
            String goods = goodsOf(raw.substring(first + 1, second));
            if (container == null || goods == null) {
                return null;
            }
            return new Line(container, goods, Integer.parseInt(raw.substring(second + 1)));
        }

        String containerOf(String s) {
            Matcher m = CONTAINER.matcher(s);
            return m.matches() ? m.group(1) + '-' + m.group(2) : null;
        }

        String goodsOf(String s) {
            Matcher m = GOODS.matcher(s);
            return m.lookingAt() ? s.substring(0, m.end() - 1) : null;
        }
    }

    static final class Ledger {
        private final Map<String, Long> kilosByPrefix = new HashMap<String, Long>();

        void book(Line line) {
            String prefix = line.container.substring(0, 4);
            Long old = kilosByPrefix.get(prefix);
            kilosByPrefix.put(prefix, (old == null ? 0L : old) + line.kilos);
        }
    }

    static final class Manifest {
        private static final String[] WORDS = {"STEEL", "COIL", "FROZEN", "FISH", "A4", "PAPER", "TYRES", "COTTON", "BALE"};
        private final Random random;

        Manifest(long seed) {
            random = new Random(seed);
        }

        List<String> next() {
            List<String> lines = new ArrayList<String>(200);
            for (int i = 0; i < 200; i++) {
                StringBuilder b = new StringBuilder();
                char c = (char) ('A' + random.nextInt(20));
                b.append(c).append(c).append("CU").append(1000000 + random.nextInt(8999999)).append('|');
                if (i % 50 == 7) {
                    b.append("HS84");
                    for (int k = 0; k < 13; k++) {
                        b.append((char) ('0' + random.nextInt(10)));
                    }
                    b.append('/');
                } else {
                    int n = 2 + random.nextInt(4);
                    for (int k = 0; k < n; k++) {
                        b.append(k == 0 ? "" : " ").append(WORDS[random.nextInt(WORDS.length)]);
                    }
                    b.append(';');
                }
                b.append('|').append(random.nextInt(24000));
                lines.add(b.toString());
            }
            return lines;
        }
    }

    static void importAll(long seed) {
        Manifest manifest = new Manifest(seed);
        LineReader reader = new LineReader();
        Ledger ledger = new Ledger();
        while (true) {
            for (String raw : manifest.next()) {
                Line line = reader.read(raw);
                if (line == null) {
                    rejected.incrementAndGet();
                } else {
                    ledger.book(line);
                }
                imported.incrementAndGet();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 2; i++) {
            final long seed = 40 + i;
            Thread t = new Thread(() -> importAll(seed), "import-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(3000);
        System.out.println("READY");
        long last = imported.get();
        for (int s = 0; s < 165; s++) {
            Thread.sleep(1000);
            long now = imported.get();
            System.out.println("measured: " + (now - last) + " lines/s rejected=" + rejected.get());
            last = now;
        }
        System.exit(0);
    }
}
