// SPDX-License-Identifier: Apache-2.0
// healthy: the names of each register are put in the order of the language as it should be done: one Collator, one CollationKey for each name (computed once), and the sort compares keys; the names of a register hardly ever come again in another one (millions are possible), so that keeping keys would save next to nothing
// share: keys take 53 to 69 % of the work, from 4 us a name (with half a CPU) to 26 us (with a tenth of one, by the clock), once each; it takes a CPU of 2 if it gets one
// judge: RIGHT: nothing stands out, or neutral remarks (time goes to collation keys for ParishIndex$Index.keys, or to what Index.keys calls; no fault of the program shows). WRONG: an accusation that names are compared by a Collator again and again (the sort compares keys), that keys or collators are made anew without need, of the sorting, of collections, of one saturated thread, or any other accusation.
// jdk: 11
// set: thirty-sixth
// jvm: -Xmx400m
import java.lang.management.ManagementFactory;
import java.text.CollationKey;
import java.text.Collator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/** Makes the index of names of old parish registers, volume after volume. */
public class ParishIndex {
    private static long keyed;
    private static long keying;
    private static long working;
    private static long volumes;
    private static long pages;

    static final class Entry {
        final String name;
        final int year;
        final int folio;

        Entry(String name, int year, int folio) {
            this.name = name;
            this.year = year;
            this.folio = folio;
        }
    }

    /** A volume as the transcribers send it: lines of NAME|YEAR|FOLIO. */
    static final class Transcript {
        private static final String[] STARTS = {"Mül", "Schäf", "Bö", "Öst", "Gross", "Weiß", "Hür", "Krä", "Lin", "Zehn", "Éme", "Dü"};
        private static final String[] MIDDLES = {"ler", "er", "mer", "den", "hau", "ling", "gard", "wein"};
        private static final String[] ENDS = {"", "s", "mann", "bach", "berger", "le", "i"};
        private static final String[] FORENAMES = {"Johann", "Jörg", "Änne", "Margarethe", "Hans", "Bärbel", "Götz", "Ursula", "Veit",
            "Käthe", "Andreas", "Jürg", "Matthäus", "Sophie", "Caspar", "Elsbeth", "Balthasar", "Dorothea", "Ulrich", "Anna"};
        private final Random random = new Random(1648);

        List<String> volume() {
            List<String> lines = new ArrayList<>();
            for (int i = 0; i < 4000; i++) {
                String surname = STARTS[random.nextInt(STARTS.length)] + MIDDLES[random.nextInt(MIDDLES.length)]
                    + MIDDLES[random.nextInt(MIDDLES.length)] + ENDS[random.nextInt(ENDS.length)];
                String forenames = FORENAMES[random.nextInt(FORENAMES.length)] + " " + FORENAMES[random.nextInt(FORENAMES.length)];
                lines.add(surname + ", " + forenames + "|" + (1640 + random.nextInt(150)) + "|" + (1 + i / 12));
            }
            return lines;
        }
    }

    static final class Reader {
        List<Entry> read(List<String> lines) {
            List<Entry> entries = new ArrayList<>(lines.size());
            for (String line : lines) {
                int first = line.indexOf('|'), second = line.indexOf('|', first + 1);
                entries.add(new Entry(line.substring(0, first), Integer.parseInt(line.substring(first + 1, second)),
                    Integer.parseInt(line.substring(second + 1))));
            }
            return entries;
        }
    }

    static final class Index {
        private final Collator collator;

        Index(Locale locale) {
            collator = Collator.getInstance(locale);
            collator.setStrength(Collator.TERTIARY);
        }

        /** Entries by name; a name that comes again is keyed once. */
        Map<String, List<Entry>> byName(List<Entry> entries) {
            Map<String, List<Entry>> byName = new HashMap<>();
            for (Entry entry : entries)
                byName.computeIfAbsent(entry.name, s -> new ArrayList<>(4)).add(entry);
            return byName;
        }

        CollationKey[] keys(Iterable<String> names, int count) {
            CollationKey[] keys = new CollationKey[count];
            int at = 0;
            for (String name : names)
                keys[at++] = collator.getCollationKey(name);
            return keys;
        }

        CollationKey[] order(Map<String, List<Entry>> byName) {
            long start = System.nanoTime();
            CollationKey[] keys = keys(byName.keySet(), byName.size());
            keying += System.nanoTime() - start;
            keyed += keys.length;
            Arrays.sort(keys);
            return keys;
        }
    }

    /** Sets pages of two columns of 60 lines each. */
    static final class Typesetter {
        private final StringBuilder page = new StringBuilder(8000);

        int set(CollationKey[] order, Map<String, List<Entry>> byName) {
            int pages = 0, lines = 0;
            page.setLength(0);
            for (CollationKey key : order) {
                String name = key.getSourceString();
                page.append(name);
                for (Entry entry : byName.get(name))
                    page.append(' ').append(entry.year).append('/').append(entry.folio);
                page.append('\n');
                if (++lines == 120) {
                    lines = 0;
                    pages++;
                    page.setLength(0);
                }
            }
            return pages + (lines > 0 ? 1 : 0);
        }
    }

    public static void main(String[] args) throws Exception {
        Transcript transcript = new Transcript();
        Reader reader = new Reader();
        Index index = new Index(Locale.GERMANY);
        Typesetter typesetter = new Typesetter();
        var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long begun = System.nanoTime(), cpu = system.getProcessCpuTime();
        for (int seconds = 0; ; ) {
            long start = System.nanoTime();
            List<Entry> entries = reader.read(transcript.volume());
            Map<String, List<Entry>> byName = index.byName(entries);
            pages += typesetter.set(index.order(byName), byName);
            long end = System.nanoTime();
            working += end - start;
            volumes++;
            if (end - begun < 1_000_000_000L)
                continue;
            if (++seconds == 4)
                System.out.println("READY");
            long now = system.getProcessCpuTime();
            System.out.printf("measured: %d volumes, %d pages; %d names keyed once each, %.2f us each, %.0f %% of the work; %.2f CPUs%n",
                volumes, pages, keyed, keying / 1e3 / Math.max(1, keyed), 100.0 * keying / working, (now - cpu) / (double) (end - begun));
            System.out.flush();
            volumes = pages = keyed = keying = working = 0;
            begun = end;
            cpu = now;
        }
    }
}
