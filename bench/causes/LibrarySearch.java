// SPDX-License-Identifier: Apache-2.0
// healthy: each search sorts the titles that it has found by the collation of the language, but the keys for that (CollationKey) are made once for each title when it comes into the catalogue, so that a comparison is one of bytes; the folder of new deliveries is sorted by File.lastModified, but it has five files, and is read once a second
// share: see the measured lines: searches take 2 to 5 ms, of which sorting some hundreds or thousands of hits, no two times the same, is a part; sorting the folder takes less than 1 ms a second; 0.2 to 0.5 CPUs
// judge: RIGHT: nothing stands out, or neutral remarks: time goes to searching (LibrarySearch$Catalogue.find, LibrarySearch$Title.matches, String.indexOf) or sorting (LibrarySearch$Catalogue.search) what was found. WRONG: any accusation: comparisons that compute anew or ask the system (File.lastModified at LibrarySearch$Deliveries.*, collation, LibrarySearch$Title.*), sorting as something that need not be, searching collections as a fault, GC, locks, sleep, disk, the machine.
// jdk: 8
// set: thirty-fifth
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.text.CollationKey;
import java.text.Collator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/** The catalogue of a library, in which readers search. */
public class LibrarySearch {
    static final class Title {
        final int number, year;
        final String words;
        private final CollationKey key;

        Title(int number, int year, String words, Collator collator) {
            this.number = number;
            this.year = year;
            this.words = words;
            this.key = collator.getCollationKey(words);
        }

        CollationKey key() {
            return key;
        }

        boolean matches(String word, int since) {
            return year >= since && words.contains(word);
        }
    }

    /** All titles. */
    static final class Catalogue {
        private static final Comparator<Title> BY_TITLE = Comparator.comparing(Title::key).thenComparingInt(t -> t.year);
        private static final String[] STEMS = {"Über", "Garten", "Öl", "Reise", "Kunst", "Ärzte", "Haus", "Brücken", "Wald", "Straße", "Meer", "Musik", "Recht", "Zeit"};
        private final Collator collator = Collator.getInstance(Locale.GERMAN);
        private final Title[] titles;

        Catalogue(int size) {
            Random random = new Random(6);
            titles = new Title[size];
            for (int i = 0; i < size; i++) {
                titles[i] = title(i, random);
            }
        }

        private Title title(int number, Random random) {
            StringBuilder words = new StringBuilder();
            for (int i = 0; i < 4; i++) {
                words.append(STEMS[random.nextInt(STEMS.length)]).append((char) ('a' + random.nextInt(26))).append((char) ('a' + random.nextInt(26))).append(' ');
            }
            return new Title(number, 1900 + random.nextInt(120), words.toString(), collator);
        }

        List<Title> search(String word, int since) {
            List<Title> found = find(word, since);
            found.sort(BY_TITLE);
            return found.size() > 50 ? new ArrayList<>(found.subList(0, 50)) : found;
        }

        private List<Title> find(String word, int since) {
            List<Title> found = new ArrayList<>();
            for (Title title : titles) {
                if (title.matches(word, since)) {
                    found.add(title);
                }
            }
            return found;
        }

        void replace(int number, Random random) {
            titles[number] = title(number, random);
        }
    }

    /** The folder into which the publishers put what is new. */
    static final class Deliveries {
        private final File folder;
        private final Random random = new Random(1);
        final AtomicLong nanos = new AtomicLong();

        Deliveries() throws IOException {
            folder = Files.createTempDirectory("deliveries").toFile();
            folder.deleteOnExit();
            for (int i = 0; i < 5; i++) {
                File file = new File(folder, "publisher-" + i + ".txt");
                file.deleteOnExit();
                Files.write(file.toPath(), ("delivery " + i + "\n").getBytes(StandardCharsets.UTF_8));
                file.setLastModified(System.currentTimeMillis() - 100_000L * random.nextInt(50));
            }
        }

        int take(Catalogue catalogue) {
            long begin = System.nanoTime();
            File[] files = folder.listFiles();
            if (files == null || files.length == 0) {
                return 0;
            }
            Arrays.sort(files, Comparator.comparingLong(File::lastModified));
            nanos.addAndGet(System.nanoTime() - begin);
            if (!files[0].setLastModified(System.currentTimeMillis())) {
                return 0;
            }
            for (int i = 0; i < 20; i++) {
                catalogue.replace(random.nextInt(catalogue.titles.length), random);
            }
            return files.length;
        }
    }

    /** A reader's terminal. */
    static final class Terminal implements Runnable {
        private final Catalogue catalogue;
        private final Random random;
        final AtomicLong searches = new AtomicLong(), hits = new AtomicLong(), nanos = new AtomicLong();

        Terminal(Catalogue catalogue, int number) {
            this.catalogue = catalogue;
            this.random = new Random(number);
        }

        @Override public void run() {
            try {
                for (;;) {
                    String word = Catalogue.STEMS[random.nextInt(Catalogue.STEMS.length)] + (char) ('a' + random.nextInt(26));
                    long begin = System.nanoTime();
                    List<Title> page = catalogue.search(random.nextInt(4) == 0 ? word : word.substring(0, word.length() - 1), 1930 + random.nextInt(80));
                    nanos.addAndGet(System.nanoTime() - begin);
                    hits.addAndGet(page.size());
                    searches.incrementAndGet();
                    Thread.sleep(15 + random.nextInt(30));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Catalogue catalogue = new Catalogue(30_000);
        Deliveries deliveries = new Deliveries();
        Terminal[] terminals = new Terminal[4];
        for (int i = 0; i < terminals.length; i++) {
            terminals[i] = new Terminal(catalogue, i);
            new Thread(terminals[i], "terminal-" + i).start();
        }
        boolean ready = false;
        long sofar = 0;
        for (int second = 1;; second++) {
            Thread.sleep(1000);
            int files = deliveries.take(catalogue);
            long searches = 0, hits = 0, nanos = 0;
            for (Terminal terminal : terminals) {
                searches += terminal.searches.getAndSet(0);
                hits += terminal.hits.getAndSet(0);
                nanos += terminal.nanos.getAndSet(0);
            }
            sofar += searches;
            if (!ready && second >= 5 && sofar >= 300) {
                ready = true;
                System.out.println("READY");
            }
            System.out.printf("measured: %d searches, %.2f ms each, %d titles shown; %d deliveries sorted in %.2f ms%n", searches, nanos / 1e6 / Math.max(1, searches), hits, files,
                    deliveries.nanos.getAndSet(0) / 1e6);
            System.out.flush();
        }
    }
}
