// SPDX-License-Identifier: Apache-2.0
// cause: each quote looks up the extensions by ServiceLoader.load anew, which searches the class path, reads the index and finds and makes the classes again: ParcelSurcharges$Tariff.surcharges, called by Tariff.quote; the loader or a list of the rules should be kept
// share: 97 to 99 % of the time of a quote (19 to 30 us) is to find the extensions; 0.5 to 0.8 of a CPU
// expect: hot-code kind=lookups frame=ParcelSurcharges$Tariff
// symptom: hot-calls hot-method hot-code
// judge: NAMED: looking up services or resources on the class path (ServiceLoader) for ParcelSurcharges$Tariff.surcharges (or quote) as the first or most costly finding; also hot calls or class lookup there if ServiceLoader is named. SYMPTOM ONLY: hot calls or a hot method in surcharges or quote without ServiceLoader; looking up or loading classes by name, reflection, reading files or the file system, URLs, for surcharges, without the services. WRONG: the rules themselves (Bulky, Island, CashOnDelivery), collections alone, classes that are unloaded, sleep in ShopFeed.run, disk, anything else first
// jdk: 17
// set: thirty-fourth
// jvm: -Xmx256m
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.ServiceLoader;
import java.util.concurrent.atomic.AtomicLong;

/** Quotes the carriage of parcels; surcharges come from extensions in a directory of their own. */
public class ParcelSurcharges {
    static final AtomicLong QUOTES = new AtomicLong();
    static final AtomicLong QUOTE_NS = new AtomicLong();
    static final AtomicLong EXTENSION_NS = new AtomicLong();

    public record Parcel(int grams, int lengthMm, int girthMm, String postcode, boolean cash) {}

    /** What an extension has to offer. */
    public interface SurchargeRule {
        int cents(Parcel parcel);
    }

    public static final class Bulky implements SurchargeRule {
        @Override
        public int cents(Parcel parcel) {
            return parcel.lengthMm() + parcel.girthMm() > 3000 ? 2390 : 0;
        }
    }

    public static final class Island implements SurchargeRule {
        @Override
        public int cents(Parcel parcel) {
            return parcel.postcode().startsWith("259") || parcel.postcode().startsWith("265") ? 1450 : 0;
        }
    }

    public static final class CashOnDelivery implements SurchargeRule {
        @Override
        public int cents(Parcel parcel) {
            return parcel.cash() ? 690 : 0;
        }
    }

    /** The directory of extensions. */
    static final class ExtensionDirectory {
        private final ClassLoader loader;

        ExtensionDirectory() throws IOException {
            Path root = Files.createTempDirectory("extensions");
            Path services = Files.createDirectories(root.resolve("META-INF").resolve("services"));
            Path index = services.resolve(SurchargeRule.class.getName());
            Files.write(index, List.of(Bulky.class.getName(), Island.class.getName(), CashOnDelivery.class.getName()));
            for (Path path : List.of(root, root.resolve("META-INF"), services, index)) {
                path.toFile().deleteOnExit();
            }
            loader = new URLClassLoader(new URL[] {root.toUri().toURL()}, ParcelSurcharges.class.getClassLoader());
        }

        ClassLoader loader() {
            return loader;
        }
    }

    static final class Tariff {
        private static final int[] STEPS = {1000, 2000, 5000, 10000, 20000, 31500};
        private static final int[] CENTS = {479, 549, 679, 1049, 1849, 2399};
        private final ExtensionDirectory extensions;
        private final int[] zones = new int[100];

        Tariff(ExtensionDirectory extensions) {
            this.extensions = extensions;
            Random random = new Random(2);
            for (int i = 0; i < zones.length; i++) {
                zones[i] = 100 + random.nextInt(40);
            }
        }

        int quote(Parcel parcel) {
            int step = 0;
            while (step < STEPS.length - 1 && parcel.grams() > STEPS[step]) {
                step++;
            }
            int zone = zones[Integer.parseInt(parcel.postcode().substring(0, 2))];
            return CENTS[step] * zone / 100 + surcharges(parcel);
        }

        private int surcharges(Parcel parcel) {
            long begin = System.nanoTime();
            int cents = 0;
            for (SurchargeRule rule : ServiceLoader.load(SurchargeRule.class, extensions.loader())) {
                cents += rule.cents(parcel);
            }
            EXTENSION_NS.addAndGet(System.nanoTime() - begin);
            return cents;
        }
    }

    /** A shop that has baskets quoted, a few parcels at a time. */
    static final class ShopFeed implements Runnable {
        private final Tariff tariff;
        private final Random random;
        private long turnover;

        ShopFeed(Tariff tariff, int shop) {
            this.tariff = tariff;
            this.random = new Random(shop);
        }

        @Override
        public void run() {
            while (true) {
                int parcels = 20 + random.nextInt(40);
                for (int i = 0; i < parcels; i++) {
                    long begin = System.nanoTime();
                    turnover += tariff.quote(next());
                    QUOTE_NS.addAndGet(System.nanoTime() - begin);
                }
                QUOTES.addAndGet(parcels);
                rest(5);
            }
        }

        private Parcel next() {
            String postcode = Integer.toString(10000 + random.nextInt(89999));
            return new Parcel(random.nextInt(31500), 100 + random.nextInt(1100), 200 + random.nextInt(2000), postcode, random.nextInt(9) == 0);
        }
    }

    static void rest(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws IOException {
        Tariff tariff = new Tariff(new ExtensionDirectory());
        for (int shop = 0; shop < 2; shop++) {
            new Thread(new ShopFeed(tariff, shop), "shop-" + shop).start();
        }
        long quotes = 0;
        long whole = 0;
        long extension = 0;
        long at = System.nanoTime();
        for (int second = 1;; second++) {
            rest(1000);
            long now = System.nanoTime();
            long q = QUOTES.get();
            long w = QUOTE_NS.get();
            long e = EXTENSION_NS.get();
            double count = Math.max(1, q - quotes);
            System.out.printf("measured: %.0f quotes/s, %.1f us each, %.1f us of it (%.0f %%) to find the extensions and ask them%n",
                (q - quotes) * 1e9 / (now - at), (w - whole) / 1e3 / count, (e - extension) / 1e3 / count, (e - extension) * 100.0 / Math.max(1, w - whole));
            quotes = q;
            whole = w;
            extension = e;
            at = now;
            if (second == 6) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
