// SPDX-License-Identifier: Apache-2.0
// cause: ResidentsRegister$NameIndex.matches compares what a clerk has typed with the beginning of each of 4000 names by Collator.compare, for every key typed, in place of collation keys made once (or a folded, sorted index)
// share: about 95 % of the CPU time of the process and of each search is in these comparisons, as measured
// expect: hot-code kind=collation frame=ResidentsRegister$NameIndex
// symptom: hot-calls hot-method
// judge: NAMED: collation (java.text.Collator/RuleBasedCollator.compare, CollationElementIterator) for ResidentsRegister$NameIndex.matches (or NameIndex.search, which calls it). SYMPTOM ONLY: hot calls/hot method in java.text or NameIndex without naming collation (e.g. the JDK's CollationElementIterator.next or NormalizerBase as hot method), or Clerk.type as what computes; the searches are slow. WRONG: substring/strings, collections, locks, waiting of the clerks (their pauses), the machine, that nothing is wrong
// jdk: 21
// set: thirty-fourth
// jvm: -Xmx128m
import java.text.Collator;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;

/** The residents' register of a town: clerks type a name, and see who begins like that after each key. */
public class ResidentsRegister {
    static final LongAdder keys = new LongAdder(), keyNanos = new LongAdder(), matchNanos = new LongAdder(), hits = new LongAdder();

    record Resident(int number, String family, String given, int born) { }

    /** Who lives in the town. Made up from syllables, with the accents that names have. */
    static final class Town {
        private static final String[] ONSET = {"B", "Br", "D", "F", "G", "H", "K", "L", "M", "N", "P", "R", "S", "Sch", "St", "T", "W", "Z", "Ç", "Š"};
        private static final String[] MIDDLE = {"a", "e", "i", "o", "u", "ä", "ö", "ü", "é", "ei", "au", "á", "ø"};
        private static final String[] CODA = {"ller", "nn", "rk", "st", "nder", "ß", "tz", "cker", "mann", "wald", "lić", "sen", "r", "ndez"};
        private static final String[] GIVEN = {"Anna", "Émile", "Jürgen", "Zoë", "Lech", "María", "Søren", "Ida", "Otto", "Ayşe"};

        static List<Resident> people(int count) {
            Random random = new Random(1848);
            List<Resident> people = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                String family = ONSET[random.nextInt(ONSET.length)] + MIDDLE[random.nextInt(MIDDLE.length)] + CODA[random.nextInt(CODA.length)];
                people.add(new Resident(i, family, GIVEN[random.nextInt(GIVEN.length)], 1930 + random.nextInt(90)));
            }
            people.sort(Comparator.comparing(Resident::family).thenComparing(Resident::given));
            return people;
        }
    }

    /** Finds by the beginning of the name, whatever the accents and capitals. Each desk has one. */
    static final class NameIndex {
        private final List<Resident> people;
        private final Collator collator;

        NameIndex(List<Resident> people) {
            this.people = people;
            collator = Collator.getInstance(Locale.GERMAN);
            collator.setStrength(Collator.PRIMARY);
            collator.setDecomposition(Collator.CANONICAL_DECOMPOSITION);
        }

        private boolean matches(String name, String typed) {
            if (name.length() < typed.length())
                return false;
            return collator.compare(name.substring(0, typed.length()), typed) == 0;
        }

        List<Resident> search(String typed, int most) {
            List<Resident> found = new ArrayList<>();
            long begin = System.nanoTime();
            for (Resident resident : people) {
                if (matches(resident.family(), typed) && found.size() < most)
                    found.add(resident);
            }
            matchNanos.add(System.nanoTime() - begin);
            return found;
        }
    }

    /** The list under the field: name, year, number, cut to its width. */
    static final class Suggestions {
        private final StringBuilder text = new StringBuilder();

        int show(List<Resident> found) {
            text.setLength(0);
            for (Resident resident : found) {
                int start = text.length();
                text.append(resident.family()).append(", ").append(resident.given());
                while (text.length() - start < 32)
                    text.append('.');
                text.append(resident.born()).append(' ').append(resident.number()).append('\n');
            }
            return text.length();
        }
    }

    static final class Clerk implements Runnable {
        private final List<Resident> people;
        private final NameIndex index;
        private final Suggestions suggestions = new Suggestions();
        private final Random random;

        Clerk(List<Resident> people, int desk) {
            this.people = people;
            index = new NameIndex(people);
            random = new Random(desk);
        }

        private void type(String name) throws InterruptedException {
            for (int n = 1; n <= name.length(); n++) {
                long begin = System.nanoTime();
                List<Resident> found = index.search(name.substring(0, n).toLowerCase(Locale.GERMAN), 20);
                suggestions.show(found);
                keyNanos.add(System.nanoTime() - begin);
                keys.increment();
                hits.add(found.size());
                Thread.sleep(6);
            }
        }

        @Override public void run() {
            try {
                while (true)
                    type(people.get(random.nextInt(people.size())).family());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        List<Resident> people = Town.people(4000);
        for (int desk = 0; desk < 3; desk++)
            new Thread(new Clerk(people, desk), "desk-" + desk).start();
        for (int second = 0; ; second++) {
            Thread.sleep(1000);
            long n = Math.max(1, keys.sumThenReset()), all = Math.max(1, keyNanos.sumThenReset());
            System.out.printf("measured: %d keys typed, %.2f ms each, %.0f %% of it comparing names; %.1f found%n",
                n, all / 1e6 / n, 100.0 * matchNanos.sumThenReset() / all, hits.sumThenReset() / (double) n);
            if (second == 3) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
