// SPDX-License-Identifier: Apache-2.0
// healthy: most of its CPU time is collation, since putting titles in the order that German readers expect is its very purpose: each title gets its collation key once (Collator.getCollationKey), all later comparisons are of the keys' bytes, and deliveries are done with long before the next one is due.
// share: 16,000 titles/s (the rate of deliveries), a delivery is in the catalogue after 9 ms of the 125 ms until the next one; 0.2 CPUs.
// judge: WRONG: that collation (UnionCatalogue$Delivery.index) makes it slow, is done again and again, or that Collator.compare is used for sorting; that the librarian's pauses or the queue are a cause; that it lacks CPUs or heap. ACCEPTABLE: a neutral remark that its CPU time is the making of collation keys (or sorting by them) in UnionCatalogue$Delivery.index, that this is what it is for.
// jdk: 21
// set: thirtieth
// jvm: -Xmx128m
import java.text.CollationKey;
import java.text.Collator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.LongAdder;

/** The common alphabetical catalogue of several libraries, each of which delivers lists of new titles. */
public class UnionCatalogue {
    static final String[] FIRST = {"Über", "Die", "Das", "Ein", "Vom", "Zur", "Österreichs", "Grundriß", "Ältere", "Neue", "Kleine", "Große"};
    static final String[] SECOND = {"Geschichte", "Mühlen", "Straßen", "Bäume", "Flüsse", "Häfen", "Märkte", "Brücken", "Gärten", "Glocken",
        "Vögel", "Öfen", "Schlösser", "Uhren", "Werften", "Zünfte"};
    static final String[] THIRD = {"im Mittelalter", "an der Küste", "der Städte", "am Oberrhein", "in Böhmen", "des Nordens", "und ihre Erbauer",
        "zwischen Elbe und Weser", "für Anfänger"};

    record Title(String text, int library, int year) {
    }

    record Entry(CollationKey key, Title title) {
    }

    /** A list of titles of one library. */
    record Delivery(int number, List<Title> titles, long at) {
        Entry[] index(Collator collator) {
            Entry[] entries = new Entry[titles.size()];
            for (int i = 0; i < entries.length; i++) {
                Title title = titles.get(i);
                entries[i] = new Entry(collator.getCollationKey(title.text), title);
            }
            Arrays.sort(entries, Comparator.comparing(Entry::key));
            return entries;
        }
    }

    /** The latest titles in alphabetical order. */
    static final class Catalogue {
        private final List<Entry[]> parts = new ArrayList<>();

        synchronized void add(Entry[] part) {
            parts.add(part);
            if (parts.size() > 6)
                parts.remove(0);
        }

        /** The first titles from a place on, of all parts. */
        synchronized List<Title> page(CollationKey from, int length) {
            List<Entry> found = new ArrayList<>();
            for (Entry[] part : parts) {
                int low = 0;
                int high = part.length;
                while (low < high) {
                    int middle = (low + high) >>> 1;
                    if (part[middle].key().compareTo(from) < 0)
                        low = middle + 1;
                    else
                        high = middle;
                }
                for (int i = low; i < Math.min(part.length, low + length); i++)
                    found.add(part[i]);
            }
            found.sort(Comparator.comparing(Entry::key));
            return found.stream().limit(length).map(Entry::title).toList();
        }
    }

    static final BlockingQueue<Delivery> desk = new ArrayBlockingQueue<>(10);
    static final Catalogue catalogue = new Catalogue();
    static final LongAdder titles = new LongAdder();
    static final LongAdder deliveries = new LongAdder();
    static final LongAdder took = new LongAdder();
    static final LongAdder pages = new LongAdder();

    static void libraries() {
        try {
            Random r = new Random(7);
            long due = System.nanoTime();
            for (int number = 1;; number++) {
                List<Title> list = new ArrayList<>(2000);
                for (int i = 0; i < 2000; i++)
                    list.add(new Title(FIRST[r.nextInt(FIRST.length)] + " " + SECOND[r.nextInt(SECOND.length)] + " "
                            + THIRD[r.nextInt(THIRD.length)] + ", " + r.nextInt(400) + ". Band", number % 9, 1900 + r.nextInt(127)));
                desk.put(new Delivery(number, list, System.nanoTime()));
                due += 125_000_000;
                long rest = due - System.nanoTime();
                if (rest > 0)
                    Thread.sleep(rest / 1_000_000);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void librarian() {
        try {
            Collator collator = Collator.getInstance(Locale.GERMANY);
            while (true) {
                Delivery delivery = desk.take();
                catalogue.add(delivery.index(collator));
                took.add(System.nanoTime() - delivery.at());
                titles.add(delivery.titles().size());
                deliveries.increment();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void reader() {
        try {
            Collator collator = Collator.getInstance(Locale.GERMANY);
            Random r = new Random(3);
            while (true) {
                CollationKey from = collator.getCollationKey(FIRST[r.nextInt(FIRST.length)] + " " + SECOND[r.nextInt(SECOND.length)]);
                pages.add(catalogue.page(from, 25).size());
                Thread.sleep(50);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void start(String name, Runnable run) {
        Thread t = new Thread(run, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        long span = Long.getLong("span", 170);
        start("libraries", UnionCatalogue::libraries);
        start("librarian", UnionCatalogue::librarian);
        start("reader", UnionCatalogue::reader);
        System.out.println("READY");
        for (long s = 0; s < span; s++) {
            Thread.sleep(1000);
            long n = Math.max(1, deliveries.sumThenReset());
            System.out.printf("measured: %d titles/s, a delivery is in the catalogue after %.1f ms, waiting deliveries %d, lines read %d%n",
                    titles.sumThenReset(), took.sumThenReset() / 1e6 / n, desk.size(), pages.sumThenReset());
        }
        System.exit(0);
    }
}
