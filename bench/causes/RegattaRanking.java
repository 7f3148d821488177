// SPDX-License-Identifier: Apache-2.0
// healthy: the board sorts results often, but by keys that are made once for each entry (a CollationKey for the name, when the boat is entered) or compared as they are (Duration, LocalDate); sorting is what the board is for, and takes a part of one CPU. Files are sorted by lastModified once in some seconds only, nine of them
// share: 13 refreshes/s with 11 to 25 ms of sorting and 2.5 to 6 ms of rendering each, 0.2 to 0.4 CPUs; 9,010 collation keys made once; sorting files costs less than 0.1 %
// judge: RIGHT: nothing stands out, or a neutral statement that CPU time goes to sorting, comparing or rendering for RegattaRanking$Board.ranking, .byClub, .byName or RegattaRanking$Renderer. WRONG: an accusation, above all that each comparison computes something anew (costly comparisons), that collation keys are made again and again, the sort of RegattaRanking$Exports.tidy, locks, waits, copying or collections as a fault.
// jdk: 21
// set: thirty-third
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.CollationKey;
import java.text.Collator;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;

/** Result boards of a regatta: boats of many clubs, shown by rank, by club and by name. */
public class RegattaRanking {
    static final int BOATS = 9000;
    static final LongAdder refreshes = new LongAdder();
    static final LongAdder sortNanos = new LongAdder();
    static final LongAdder renderNanos = new LongAdder();
    static final LongAdder keysMade = new LongAdder();
    static final LongAdder tidyNanos = new LongAdder();

    /** A boat with what it is sorted by. */
    static final class Entry {
        final int number;
        final String name;
        final CollationKey nameKey;
        final CollationKey clubKey;
        final LocalDate built;
        volatile Duration elapsed = Duration.ZERO;

        Entry(int number, String name, CollationKey nameKey, CollationKey clubKey, LocalDate built) {
            this.number = number;
            this.name = name;
            this.nameKey = nameKey;
            this.clubKey = clubKey;
            this.built = built;
        }
    }

    /** One line of a board, with the time as it was when the board was made. */
    record Line(Entry entry, Duration elapsed) {
        CollationKey nameKey() {
            return entry.nameKey;
        }

        CollationKey clubKey() {
            return entry.clubKey;
        }

        LocalDate built() {
            return entry.built;
        }
    }

    static final class Registry {
        private static final String[] FIRST = {"Étoile", "Möwe", "Svale", "Ørnen", "Brise", "Zéphyr", "Ägir", "Alba", "Mistral", "Nordlys"};
        private static final String[] CLUBS = {"Århus", "Brest", "Kiel", "Malmö", "Lübeck", "Saint-Malo", "Tromsø", "Zadar", "Gdańsk", "Cádiz"};
        private final Collator collator = Collator.getInstance(Locale.FRENCH);
        private final SplittableRandom random = new SplittableRandom(12);

        private CollationKey key(String text) {
            keysMade.increment();
            return collator.getCollationKey(text);
        }

        List<Entry> enter() {
            CollationKey[] clubs = new CollationKey[CLUBS.length];
            for (int i = 0; i < clubs.length; i++) {
                clubs[i] = key(CLUBS[i]);
            }
            List<Entry> entries = new ArrayList<>();
            for (int number = 1; number <= BOATS; number++) {
                String name = FIRST[random.nextInt(FIRST.length)] + ' ' + FIRST[random.nextInt(FIRST.length)] + ' ' + random.nextInt(400);
                entries.add(new Entry(number, name, key(name), clubs[random.nextInt(clubs.length)], LocalDate.of(1960, 1, 1).plusDays(random.nextInt(22_000))));
            }
            return entries;
        }
    }

    static final class Board {
        private static final Comparator<Line> RANKING = Comparator.comparing(Line::elapsed).thenComparing(Line::built);
        private static final Comparator<Line> BY_CLUB = Comparator.comparing(Line::clubKey).thenComparing(Line::elapsed);
        private static final Comparator<Line> BY_NAME = Comparator.comparing(Line::nameKey).thenComparing(Line::built);
        private final List<Entry> entries;

        Board(List<Entry> entries) {
            this.entries = entries;
        }

        List<Line> lines() {
            List<Line> lines = new ArrayList<>(entries.size());
            for (Entry entry : entries) {
                lines.add(new Line(entry, entry.elapsed));
            }
            return lines;
        }

        List<Line> ranking(List<Line> lines) {
            List<Line> sorted = new ArrayList<>(lines);
            sorted.sort(RANKING);
            return sorted;
        }

        List<Line> byClub(List<Line> lines) {
            List<Line> sorted = new ArrayList<>(lines);
            sorted.sort(BY_CLUB);
            return sorted;
        }

        List<Line> byName(List<Line> lines) {
            List<Line> sorted = new ArrayList<>(lines);
            sorted.sort(BY_NAME);
            return sorted;
        }
    }

    static final class Renderer {
        private final StringBuilder text = new StringBuilder(1 << 20);

        int render(String title, List<Line> lines) {
            text.setLength(0);
            text.append(title).append('\n');
            for (Line line : lines) {
                long seconds = line.elapsed().toSeconds();
                text.append(line.entry().number).append('\t').append(line.entry().name).append('\t').append(seconds / 3600).append(':').append(seconds / 60 % 60).append(':').append(seconds % 60).append('\n');
            }
            int check = 0;
            for (int i = 0; i < text.length(); i++) {
                check = check * 31 + text.charAt(i);
            }
            return check;
        }
    }

    /** Exports of the boards, of which the newest eight are kept. */
    static final class Exports {
        private final Path folder;

        Exports(Path folder) {
            this.folder = folder;
        }

        void write(int number, int check) throws IOException {
            Files.writeString(folder.resolve("board-" + number % 100 + ".txt"), Integer.toHexString(check));
        }

        void tidy() throws IOException {
            long begin = System.nanoTime();
            File[] files = folder.toFile().listFiles();
            if (files != null) {
                Arrays.sort(files, Comparator.comparingLong(File::lastModified));
                for (int i = 0; i < files.length - 8; i++) {
                    Files.deleteIfExists(files[i].toPath());
                }
            }
            tidyNanos.add(System.nanoTime() - begin);
        }

        void remove() {
            File[] files = folder.toFile().listFiles();
            for (File file : files == null ? new File[0] : files) {
                file.delete();
            }
            folder.toFile().delete();
        }
    }

    /** Boats pass marks, which changes their times. */
    private static void race(List<Entry> entries, SplittableRandom random) {
        for (int i = 0; i < 600; i++) {
            Entry entry = entries.get(random.nextInt(entries.size()));
            entry.elapsed = Duration.ofMillis(entry.elapsed.toMillis() % 80_000_000 + 200_000 + random.nextInt(900_000));
        }
    }

    private static void show(List<Entry> entries, Exports exports) {
        Board board = new Board(entries);
        Renderer renderer = new Renderer();
        SplittableRandom random = new SplittableRandom(5);
        try {
            for (int number = 1;; number++) {
                race(entries, random);
                long begin = System.nanoTime();
                List<Line> lines = board.lines();
                List<Line> ranking = board.ranking(lines), byClub = board.byClub(lines), byName = board.byName(lines);
                long sorted = System.nanoTime();
                int check = renderer.render("ranking", ranking) ^ renderer.render("clubs", byClub) ^ renderer.render("names", byName);
                sortNanos.add(sorted - begin);
                renderNanos.add(System.nanoTime() - sorted);
                refreshes.increment();
                if (number % 40 == 0) {
                    exports.write(number / 40, check);
                    exports.tidy();
                }
                Thread.sleep(60);
            }
        } catch (IOException e) {
            System.out.println("no more boards: " + e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        List<Entry> entries = new Registry().enter();
        Exports exports = new Exports(Files.createTempDirectory("regatta"));
        Runtime.getRuntime().addShutdownHook(new Thread(exports::remove));
        Thread thread = new Thread(() -> show(entries, exports), "board");
        thread.setDaemon(true);
        thread.start();
        while (refreshes.sum() < 60) {
            Thread.sleep(50);
        }
        System.out.println("READY");
        System.out.flush();
        long lastRefreshes = refreshes.sum(), lastSort = sortNanos.sum(), lastRender = renderNanos.sum();
        while (true) {
            Thread.sleep(1000);
            long r = refreshes.sum(), s = sortNanos.sum(), d = renderNanos.sum();
            System.out.printf("measured: %d refreshes/s, %.1f ms of sorting and %.1f ms of rendering each, every 60 ms or more; %d collation keys made in all, %.1f ms of sorting files in all%n", r - lastRefreshes,
                    (s - lastSort) / 1e6 / Math.max(1, r - lastRefreshes), (d - lastRender) / 1e6 / Math.max(1, r - lastRefreshes), keysMade.sum(), tidyNanos.sum() / 1e6);
            System.out.flush();
            lastRefreshes = r;
            lastSort = s;
            lastRender = d;
        }
    }
}
