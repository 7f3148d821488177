// SPDX-License-Identifier: Apache-2.0
// cause: CountryIndex.codeOf (nested class SpecimenIntake$CountryIndex) finds the ISO code of a country's name by going through all 250 ISO codes for every label and having the JDK look up each one's display name (Locale.getDisplayCountry) anew; the names never change, a map made once for each language would do
// share: about 90 % of the process's CPU time (0.7 of a CPU) is in CountryIndex.codeOf, as measured by thread CPU time
// expect: hot-code kind=locales frame=SpecimenIntake$
// symptom: hot-calls hot-method
// judge: NAMED: CPU time goes to locales / resource bundles (display names of countries) for SpecimenIntake$CountryIndex.codeOf (or its caller SpecimenIntake$Drawer.register). SYMPTOM ONLY: a method of the JDK (Locale.getDisplayCountry, LocaleServiceProviderPool, ResourceBundle, a HashMap in them) as a hot method without the program's function; "hot calls" of codeOf without saying that it is about locales; threads that compute. WRONG: collections, locks, lack of CPUs or threads, Drawer's checksum or parsing, string building.
// jdk: 17
// set: thirty-fourth
// jvm: -Xmx256m
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.*;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Takes in the labels of a herbarium: each drawer is scanned, its labels are parsed and registered by country. */
public class SpecimenIntake {
    static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    static final LongAdder resolving = new LongAdder(), labels = new LongAdder(), unknown = new LongAdder();

    /** What a label says. */
    record Label(String barcode, String species, String collector, String country, Locale language, int year, int elevation) {}

    /** Finds the ISO code of a country that a label names in its collector's language. */
    static class CountryIndex {
        String codeOf(String name, Locale language) {
            String wanted = name.trim();
            for (String iso : Locale.getISOCountries()) {
                Locale country = new Locale("", iso);
                if (country.getDisplayCountry(language).equalsIgnoreCase(wanted)) return iso;
            }
            return null;
        }
    }

    /** The register: how many specimens there are by country and species. */
    static class Register {
        private final Map<String, Map<String, AtomicLong>> byCountry = new ConcurrentHashMap<>();
        private final long[] decades = new long[40];

        void add(String iso, Label label) {
            byCountry.computeIfAbsent(iso, k -> new ConcurrentHashMap<>())
                     .computeIfAbsent(label.species(), k -> new AtomicLong()).incrementAndGet();
            synchronized (decades) { decades[(label.year() - 1700) / 10]++; }
        }

        int countries() { return byCountry.size(); }
    }

    /** The scanner's text of labels, as the readers in the museum deliver it. */
    static class Scanner {
        private static final String[] GENERA = {"Carex", "Salix", "Rubus", "Quercus", "Viola", "Festuca", "Silene"};
        private static final String[] EPITHETS = {"alba", "alpina", "montana", "vulgaris", "repens", "palustris"};
        private static final String[] LANGUAGES = {"de", "fr", "es", "en", "it", "sv"};
        private final Random random;
        private final List<String[]> origins = new ArrayList<>();

        Scanner(long seed) {
            random = new Random(seed);
            String[] codes = Locale.getISOCountries();
            for (int i = 0; i < 300; i++) {
                String language = LANGUAGES[random.nextInt(LANGUAGES.length)];
                String iso = codes[random.nextInt(codes.length)];
                origins.add(new String[] {new Locale("", iso).getDisplayCountry(new Locale(language)), language});
            }
        }

        String next() {
            String[] origin = origins.get(random.nextInt(origins.size()));
            int number = 1_000_000 + random.nextInt(9_000_000);
            return "H" + number + number % 97 + ";" + GENERA[random.nextInt(GENERA.length)] + " "
                + EPITHETS[random.nextInt(EPITHETS.length)] + ";coll. " + random.nextInt(800) + ";"
                + origin[0] + ";" + origin[1] + ";" + (1750 + random.nextInt(270)) + ";" + random.nextInt(4200);
        }
    }

    /** One drawer after another: reads its labels, checks and registers them. */
    static class Drawer implements Runnable {
        private final CountryIndex countries;
        private final Register register;
        private final Scanner scanner;
        private final Map<String, Locale> languages = new HashMap<>();

        Drawer(CountryIndex countries, Register register, long seed) {
            this.countries = countries;
            this.register = register;
            this.scanner = new Scanner(seed);
        }

        @Override public void run() {
            try {
                while (true) {
                    for (int i = 0; i < 120; i++) register(parse(scanner.next()));
                    Thread.sleep(4);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private Label parse(String line) {
            String[] part = line.split(";");
            Locale language = languages.computeIfAbsent(part[4], Locale::new);
            return new Label(part[0], part[1], part[2], part[3], language, Integer.parseInt(part[5]), Integer.parseInt(part[6]));
        }

        private boolean barcodeHolds(String barcode) {
            int number = Integer.parseInt(barcode.substring(1, 8));
            return number % 97 == Integer.parseInt(barcode.substring(8));
        }

        private void register(Label label) {
            labels.increment();
            if (!barcodeHolds(label.barcode())) { unknown.increment(); return; }
            long before = THREADS.getCurrentThreadCpuTime();
            String iso = countries.codeOf(label.country(), label.language());
            resolving.add(THREADS.getCurrentThreadCpuTime() - before);
            if (iso == null) unknown.increment();
            else register.add(iso, label);
        }
    }

    public static void main(String[] args) throws Exception {
        var os = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        CountryIndex countries = new CountryIndex();
        Register register = new Register();
        for (int i = 0; i < 2; i++) new Thread(new Drawer(countries, register, 11 + i), "drawer-" + i).start();
        long cpu = os.getProcessCpuTime(), time = System.nanoTime(), spent = 0, done = 0;
        for (int second = 1; ; second++) {
            Thread.sleep(1000);
            long c = os.getProcessCpuTime(), t = System.nanoTime(), s = resolving.sum(), d = labels.sum();
            System.out.printf(Locale.ROOT, "measured: %d labels/s, %.2f CPUs, %.0f %% of them to find countries' codes (%d us each), %d countries, %d unknown%n",
                (d - done) * 1_000_000_000L / (t - time), (c - cpu) / (double) (t - time), 100.0 * (s - spent) / Math.max(1, c - cpu),
                (s - spent) / 1000 / Math.max(1, d - done), register.countries(), unknown.sum());
            cpu = c; time = t; spent = s; done = d;
            if (second == 3) System.out.println("READY");
            System.out.flush();
        }
    }
}
