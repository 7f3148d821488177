// SPDX-License-Identifier: Apache-2.0
// cause: locales: GuestRegister$CountryCodes.codeOf makes a Locale and asks Locale.getDisplayCountry (resource bundles) for one country of the world after the other, for each form anew, in place of a map from name to code for each language.
// share: 98 % of the time for a form, 47 of 48 us (7500 forms a second, 0.37 threads at it; the process uses 0.35 to 0.45 CPUs); 139 names looked up on average for each form.
// expect: hot-code kind=locales frame=GuestRegister$
// symptom: hot-calls hot-method
// judge: NAMED: most of the CPU time is work with locales, display names or resource bundles (Locale.getDisplayCountry, LocaleServiceProviderPool, LocaleResources) for GuestRegister$CountryCodes.codeOf (or GuestRegister$Intake.enter, its caller). SYMPTOM ONLY: codeOf named as where the CPU time goes without locales, names of countries or resource bundles. WRONG: parsing of forms, Statistics, the synchronized count, building strings, collections, searching collections, waits for the queue of parcels.
// jdk: 17
// set: thirty-sixth
// jvm: -Xmx256m
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

/** Takes registration forms of hotels, whose guests write their country in their own language, for the statistics of tourism. */
public class GuestRegister {
    static final AtomicLong forms = new AtomicLong(), formNanos = new AtomicLong();
    static final AtomicLong countryNanos = new AtomicLong(), unknown = new AtomicLong();

    record Form(String hotel, String guest, String country, String language, int nights) {
        static Form parse(String line) {
            String[] f = line.split(";");
            return new Form(f[0], f[1], f[2], f[3], Integer.parseInt(f[4]));
        }
    }

    /** Codes of countries by the names that guests write. */
    static final class CountryCodes {
        String codeOf(String name, Locale language) {
            for (String code : Locale.getISOCountries()) {
                String known = new Locale("", code).getDisplayCountry(language);
                if (known.equalsIgnoreCase(name)) {
                    return code;
                }
            }
            return null;
        }
    }

    static final class Statistics {
        private final Map<String, long[]> byCountry = new TreeMap<>();

        synchronized void count(String code, int nights) {
            long[] c = byCountry.computeIfAbsent(code, k -> new long[2]);
            c[0]++;
            c[1] += nights;
        }

        synchronized String most() {
            String best = "-";
            long nights = -1;
            for (Map.Entry<String, long[]> e : byCountry.entrySet()) {
                if (e.getValue()[1] > nights) {
                    nights = e.getValue()[1];
                    best = e.getKey();
                }
            }
            return best;
        }
    }

    static final class Intake implements Runnable {
        private final BlockingQueue<List<String>> parcels;
        private final Statistics statistics;
        private final CountryCodes codes = new CountryCodes();

        Intake(BlockingQueue<List<String>> parcels, Statistics statistics) {
            this.parcels = parcels;
            this.statistics = statistics;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    for (String line : parcels.take()) {
                        long t = System.nanoTime();
                        enter(Form.parse(line));
                        formNanos.addAndGet(System.nanoTime() - t);
                        forms.incrementAndGet();
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void enter(Form form) {
            if (form.nights() < 1 || form.nights() > 365 || form.guest().isBlank()) {
                return;
            }
            long t = System.nanoTime();
            String code = codes.codeOf(form.country(), Locale.forLanguageTag(form.language()));
            countryNanos.addAndGet(System.nanoTime() - t);
            if (code == null) {
                unknown.incrementAndGet();
            } else {
                statistics.count(code, form.nights());
            }
        }
    }

    /** The hotels: each sends a parcel of forms now and then. */
    static final class Hotels implements Runnable {
        private final BlockingQueue<List<String>> parcels;
        private final List<String> origins = new ArrayList<>();

        Hotels(BlockingQueue<List<String>> parcels) {
            this.parcels = parcels;
            for (String language : new String[] {"de", "fr", "it", "es", "nl", "pl", "ja", "pt"}) {
                for (String code : new String[] {"DE", "FR", "IT", "ES", "NL", "PL", "JP", "PT", "CH", "US", "SE", "ZA"}) {
                    origins.add(new Locale("", code).getDisplayCountry(Locale.forLanguageTag(language)) + ";" + language);
                }
            }
        }

        @Override
        public void run() {
            Random random = new Random(11);
            try {
                while (true) {
                    List<String> parcel = new ArrayList<>();
                    for (int i = 0; i < 32; i++) {
                        parcel.add("H" + random.nextInt(200) + ";Guest " + random.nextInt(100000) + ";"
                                + origins.get(random.nextInt(origins.size())) + ";" + (1 + random.nextInt(14)));
                    }
                    parcels.put(parcel);
                    Thread.sleep(PAUSE);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final int PAUSE = 4;

    public static void main(String[] args) throws Exception {
        BlockingQueue<List<String>> parcels = new ArrayBlockingQueue<>(200);
        Statistics statistics = new Statistics();
        for (int i = 0; i < 2; i++) {
            new Thread(new Intake(parcels, statistics), "intake-" + i).start();
        }
        new Thread(new Hotels(parcels), "hotels").start();
        long lastForms = 0, lastNanos = 0, lastCountry = 0;
        for (int s = 1; ; s++) {
            Thread.sleep(1000);
            long f = forms.get(), n = formNanos.get(), c = countryNanos.get();
            System.out.printf("measured: %d forms, %.0f us each; %.1f %% of that finds the country's code, %.2f s; unknown %d, most from %s, %d parcels wait%n",
                    f - lastForms, (n - lastNanos) / 1e3 / Math.max(1, f - lastForms), 100.0 * (c - lastCountry) / Math.max(1, n - lastNanos),
                    (c - lastCountry) / 1e9, unknown.get(), statistics.most(), parcels.size());
            lastForms = f;
            lastNanos = n;
            lastCountry = c;
            if (s == 4) {
                System.out.println("READY");
            }
            System.out.flush();
        }
    }
}
