// SPDX-License-Identifier: Apache-2.0
// cause: Countries.code looks for the country of each address by asking Locale.getDisplayCountry for up to 250 countries in up to five languages, each with a new Locale, and compares the lower-case names; the JDK gets each name from resource bundles of locale data, every time; a map of names made once needs one lookup.
// share: faulty 11208 addresses read a second; fixed 909420 addresses read a second (81.1 times better in throughput; medians of 11 s runs on a crowded machine of 2 CPUs)
// expect: hot-code frame=ParcelAddressBook$Countries.code kind=locales
// symptom: hot-code hot-calls waiting gc-cpu
// judge: NAMED: CPU time goes to locale data (Locale.getDisplayCountry, resource bundles, new Locale) for ParcelAddressBook$Countries.code, called by Reader.read: make the table of names once. SYMPTOM ONLY: readers are busy all the time and the intake waits for room in the queue; much garbage; time in ConcurrentHashMap.get or String.toLowerCase below Countries.code; String formatting below getDisplayCountry. WRONG: the split of text, the queue's size, the lock of Sorter, collections as the cause, too few readers.
// jdk: 8
// set: twenty-ninth
// jvm:
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

public class ParcelAddressBook {
    static final boolean REVISED = Boolean.getBoolean("fixed");
    static final LongAdder LINES = new LongAdder();
    static final LongAdder UNKNOWN = new LongAdder();

    static final class Consignment {
        final String sender;
        final String text;
        String country;
        String town;
        String postcode;

        Consignment(String sender, String text) {
            this.sender = sender;
            this.text = text;
        }
    }

    static final class Countries {
        private final List<Locale> languages = Arrays.asList(
            Locale.ENGLISH, Locale.GERMAN, Locale.FRENCH, Locale.ITALIAN, new Locale("es"));
        private final String[] codes = Locale.getISOCountries();
        private final Map<String, String> known = new HashMap<>();

        Countries() {
            if (REVISED) {
                for (Locale language : languages) {
                    for (String code : codes) {
                        known.putIfAbsent(plain(new Locale("", code).getDisplayCountry(language)), code);
                    }
                }
            }
        }

        private String plain(String text) {
            return text.trim().toLowerCase(Locale.ROOT);
        }

        String code(String text) {
            if (REVISED) {
                return known.get(plain(text));
            }
            String wanted = plain(text);
            for (Locale language : languages) {
                for (String code : codes) {
                    if (plain(new Locale("", code).getDisplayCountry(language)).equals(wanted)) {
                        return code;
                    }
                }
            }
            return null;
        }
    }

    static final class Reader {
        private final Countries countries;

        Reader(Countries countries) {
            this.countries = countries;
        }

        void read(Consignment c) {
            String[] lines = c.text.split("\n");
            int last = lines.length - 1;
            c.country = countries.code(lines[last]);
            if (c.country == null) {
                UNKNOWN.increment();
            }
            String town = lines[last - 1];
            int cut = 0;
            while (cut < town.length() && (Character.isDigit(town.charAt(cut)) || town.charAt(cut) == '-')) {
                cut++;
            }
            c.postcode = town.substring(0, cut);
            c.town = town.substring(cut).trim();
        }
    }

    static final class Manifests {
        private final Random random = new Random(58);
        private final String[] towns = {"Lyon", "Basel", "Porto", "Ulm", "Gent", "Turin", "Cork", "Graz", "Brno"};
        private final String[] places = {"France", "Schweiz", "Portugal", "Deutschland", "Belgique", "Italia",
            "Ireland", "\u00d6sterreich", "Espa\u00f1a", "Netherlands", "Finnland", "Su\u00e8de", "Poland", "Norvegia"};

        List<Consignment> next(int size) {
            List<Consignment> list = new ArrayList<>(size);
            for (int i = 0; i < size; i++) {
                String text = "Receiver " + random.nextInt(100000) + "\n" + (1 + random.nextInt(200)) + " Station Road\n"
                    + (1000 + random.nextInt(90000)) + " " + towns[random.nextInt(towns.length)] + "\n"
                    + places[random.nextInt(places.length)];
                list.add(new Consignment("S" + random.nextInt(500), text));
            }
            return list;
        }
    }

    static final class Sorter {
        private final Map<String, Integer> byCountry = new HashMap<>();

        synchronized void add(List<Consignment> manifest) {
            for (Consignment c : manifest) {
                byCountry.merge(c.country == null ? "??" : c.country, 1, Integer::sum);
            }
        }

        synchronized int size() {
            return byCountry.size();
        }
    }

    public static void main(String[] args) throws Exception {
        int span = Integer.getInteger("span", 170);
        long end = System.nanoTime() + span * 1_000_000_000L;
        BlockingQueue<List<Consignment>> intake = new ArrayBlockingQueue<>(8);
        Sorter sorter = new Sorter();
        Reader reader = new Reader(new Countries());
        for (int i = 0; i < 2; i++) {
            Thread t = new Thread(() -> {
                try {
                    while (System.nanoTime() < end) {
                        List<Consignment> manifest = intake.take();
                        for (Consignment c : manifest) {
                            reader.read(c);
                            LINES.increment();
                        }
                        sorter.add(manifest);
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }, "reader-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread feed = new Thread(() -> {
            Manifests manifests = new Manifests();
            try {
                while (System.nanoTime() < end) {
                    intake.offer(manifests.next(40), 1, TimeUnit.SECONDS);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "intake");
        feed.setDaemon(true);
        feed.start();
        System.out.println("READY");
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            System.out.printf(Locale.ROOT, "measured: %d addresses read a second, %d countries, %d unknown%n",
                LINES.sumThenReset(), sorter.size(), UNKNOWN.sumThenReset());
        }
    }
}
