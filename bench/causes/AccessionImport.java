// SPDX-License-Identifier: Apache-2.0
// cause: AccessionImport$LineCheck.wellFormed matches lines with a regular expression that has a repetition within a repetition ((?:[A-Za-z]+[ .-]?)+ with a reference back to the quote), which tries every division of a maker's name into pieces before it finds that a line does not match
// share: 98 to 99 % of the time of the importer, which uses a CPU all the time (93 % of the CPU time of the program); most of it for the twelfth of the cards that do not match (half a millisecond each)
// expect: hot-code what=regular frame=AccessionImport$LineCheck.wellFormed
// symptom: saturated-thread hot-code
// judge: NAMED: regular expressions (nested repetitions, backtracking, java.util.regex) for AccessionImport$LineCheck.wellFormed. SYMPTOM ONLY: one thread or the pool is busy all the time, CPU time in java.util.regex without the function, or in a caller (Importer.run, accept) without the regular expression; the reader waits for room in the queue. WRONG: collections, reading of the lines (AccessionImport$Scanner), splitting into fields (Record.parse), too few threads as the cause.
// jdk: 17
// set: thirty-third
// jvm: -Xmx256m

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/** Takes the old card index of a museum, scanned and typed in by hand, into its catalogue. */
public class AccessionImport {
    /** Cards as they were typed: 'Maker Name';1893;oil on canvas - with what goes wrong in typing. */
    static final class Scanner implements Runnable {
        private static final String[] FIRST = {"Johanna", "Friedrich", "Marguerite", "Ambrosius", "Wilhelmina", "Theodor"};
        private static final String[] LAST = {"Lindqvist", "Oppenheim", "Vandersteen", "Castellano", "Brzezinski", "Hathaway"};
        private static final String[] STUFF = {"oil on canvas", "etching", "bronze", "glazed clay", "walnut"};
        private final BlockingQueue<String> cards;
        private final Random random = new Random(1893);

        Scanner(BlockingQueue<String> cards) {
            this.cards = cards;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    cards.put(card());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private String card() {
            String first = FIRST[random.nextInt(FIRST.length)], last = LAST[random.nextInt(LAST.length)];
            String year = Integer.toString(1700 + random.nextInt(250));
            String stuff = STUFF[random.nextInt(STUFF.length)];
            if (random.nextInt(12) == 0) {
                first = first.substring(0, 5);
                year = "c." + year;
            }
            return "'" + first + " " + last + "';" + year + ";" + stuff;
        }
    }

    static final class LineCheck {
        private static final Pattern CARD = Pattern.compile("^(['\"]?)((?:[A-Za-z]+[ .-]?)+)\\1;(\\d{4});([a-z ]+)$");

        boolean wellFormed(String line) {
            return CARD.matcher(line).matches();
        }
    }

    static final class Record {
        final String maker;
        final int year;
        final String material;

        private Record(String maker, int year, String material) {
            this.maker = maker;
            this.year = year;
            this.material = material;
        }

        static Record parse(String line) {
            int a = line.indexOf(';'), b = line.indexOf(';', a + 1);
            return new Record(line.substring(1, a - 1), Integer.parseInt(line.substring(a + 1, b)), line.substring(b + 1));
        }
    }

    static final class Catalogue {
        private final Map<String, Integer> works = new HashMap<>();
        private final Map<Integer, Integer> decades = new HashMap<>();

        synchronized void add(Record r) {
            works.merge(r.maker + "/" + r.material, 1, Integer::sum);
            decades.merge(r.year / 10, 1, Integer::sum);
        }
    }

    static final class Importer implements Runnable {
        private final BlockingQueue<String> cards;
        private final Catalogue catalogue;
        private final LineCheck check = new LineCheck();
        final AtomicLong taken = new AtomicLong(), refused = new AtomicLong(), checking = new AtomicLong(), all = new AtomicLong();

        Importer(BlockingQueue<String> cards, Catalogue catalogue) {
            this.cards = cards;
            this.catalogue = catalogue;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    String line = cards.take();
                    long begun = System.nanoTime();
                    accept(line);
                    all.addAndGet(System.nanoTime() - begun);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void accept(String line) {
            long begun = System.nanoTime();
            boolean ok = check.wellFormed(line);
            checking.addAndGet(System.nanoTime() - begun);
            if (ok) {
                catalogue.add(Record.parse(line));
                taken.incrementAndGet();
            } else {
                refused.incrementAndGet();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<String> cards = new ArrayBlockingQueue<>(500);
        Importer importer = new Importer(cards, new Catalogue());
        for (Runnable r : new Runnable[] {new Scanner(cards), importer}) {
            Thread t = new Thread(r, r instanceof Scanner ? "scanner" : "importer");
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(3000);
        System.out.println("READY");
        System.out.flush();
        long taken = importer.taken.get(), refused = importer.refused.get(), checking = importer.checking.get(), all = importer.all.get();
        while (true) {
            Thread.sleep(1000);
            long t = importer.taken.get(), r = importer.refused.get(), c = importer.checking.get(), a = importer.all.get();
            System.out.printf(Locale.ROOT, "measured: %d cards/s taken and %d refused, %.1f %% of the importer's time is checking lines%n",
                    t - taken, r - refused, 100.0 * (c - checking) / Math.max(1, a - all));
            System.out.flush();
            taken = t;
            refused = r;
            checking = c;
            all = a;
        }
    }
}
