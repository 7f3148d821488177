// SPDX-License-Identifier: Apache-2.0
// healthy: a host of tariff packages for depots: about three times a second one of twelve depots gets a new version of its package (seven classes in a class loader of its own), which is tried on some parcels, put in place of the old one, and lets that be unloaded; each package then prices thousands of parcels, and deploying costs next to nothing
// share: 3.3 packages deployed a second, 1 ms each, 0.3 to 0.8 % of the time; a million parcels priced a second; 0.16 CPUs used
// judge: NAMED (right): nothing stands out, or neutral words on where CPU time goes (the rules' price methods, ParcelTariffDesk$Depot.price), or on classes that come and go with deployments, if called no fault. WRONG: an accusation of class loading, class lookup, class unloading, deoptimisations, compilation or a growing metaspace as a fault, collections, locks, waiting, anything else
// jdk: 21
// set: thirty-second
// jvm: -Xmx192m
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** Prices parcels by the tariff package of their depot; packages are deployed while it runs. */
public class ParcelTariffDesk {
    static final int DEPOTS = 12;

    static final AtomicLong parcels = new AtomicLong();
    static final AtomicLong deployed = new AtomicLong();
    static final AtomicLong deployingNs = new AtomicLong();
    static final CountDownLatch warm = new CountDownLatch(10);

    public record Parcel(double kg, double[] sides, int zone, boolean express) {
    }

    public interface Tariff {
        double price(Parcel parcel);
    }

    public static final class PackageWeight implements Tariff {
        @Override
        public double price(Parcel parcel) {
            return 2.4 + 0.9 * Math.pow(parcel.kg(), 0.8);
        }
    }

    public static final class PackageVolume implements Tariff {
        @Override
        public double price(Parcel parcel) {
            double volume = 1;
            for (double side : parcel.sides()) volume *= side;
            return Math.cbrt(volume) * 0.11;
        }
    }

    public static final class PackageZone implements Tariff {
        @Override
        public double price(Parcel parcel) {
            double price = 1.1;
            for (int zone = 1; zone <= parcel.zone(); zone++) price += Math.log1p(zone) * 0.7;
            return price;
        }
    }

    public static final class PackageExpress implements Tariff {
        @Override
        public double price(Parcel parcel) {
            return parcel.express() ? 4.9 + parcel.kg() * 0.2 : 0;
        }
    }

    public static final class PackageFuel implements Tariff {
        @Override
        public double price(Parcel parcel) {
            return Math.sqrt(parcel.zone() * parcel.kg()) * 0.07;
        }
    }

    public static final class PackageRounding implements Tariff {
        @Override
        public double price(Parcel parcel) {
            return parcel.kg() < 0.5 ? -0.3 : 0;
        }
    }

    public static final class PackageTariff implements Tariff {
        private final Tariff[] parts = {new PackageWeight(), new PackageVolume(), new PackageZone(), new PackageExpress(),
            new PackageFuel(), new PackageRounding()};

        @Override
        public double price(Parcel parcel) {
            double sum = 0;
            for (Tariff part : parts) sum += part.price(parcel);
            return Math.round(sum * 100) / 100.0;
        }
    }

    /** What a depot has uploaded: the classes of its package. */
    static final class Upload {
        final Map<String, byte[]> classes = new HashMap<>();

        static Upload read() throws IOException {
            Upload upload = new Upload();
            for (String part : List.of("Weight", "Volume", "Zone", "Express", "Fuel", "Rounding", "Tariff")) {
                String name = "ParcelTariffDesk$Package" + part;
                try (InputStream in = ParcelTariffDesk.class.getResourceAsStream(name + ".class")) {
                    upload.classes.put(name, in.readAllBytes());
                }
            }
            return upload;
        }
    }

    static final class PackageLoader extends ClassLoader {
        private final Upload upload;

        PackageLoader(Upload upload, String name) {
            super(name, ParcelTariffDesk.class.getClassLoader());
            this.upload = upload;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                byte[] bytes = upload.classes.get(name);
                if (bytes == null) return super.loadClass(name, resolve);
                Class<?> known = findLoadedClass(name);
                return known != null ? known : defineClass(name, bytes, 0, bytes.length);
            }
        }
    }

    static final class Depot {
        private final int number;
        private final AtomicReference<Tariff> tariff = new AtomicReference<>();
        private int version;

        Depot(int number) {
            this.number = number;
        }

        void deploy(Upload upload, List<Parcel> samples) throws ReflectiveOperationException {
            PackageLoader loader = new PackageLoader(upload, "depot-" + number + "-" + ++version);
            Tariff next = (Tariff) loader.loadClass("ParcelTariffDesk$PackageTariff").getDeclaredConstructor().newInstance();
            for (Parcel sample : samples) {
                if (!(next.price(sample) > 0)) throw new IllegalStateException("tariff of depot " + number + " gives no price");
            }
            tariff.set(next);
        }

        double price(Parcel parcel) {
            return tariff.get().price(parcel);
        }
    }

    static Parcel parcel(SplittableRandom random) {
        double[] sides = {10 + random.nextInt(80), 10 + random.nextInt(60), 5 + random.nextInt(40)};
        return new Parcel(0.1 + random.nextDouble() * 30, sides, 1 + random.nextInt(9), random.nextInt(5) == 0);
    }

    static void price(List<Depot> depots, int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        double total = 0;
        try {
            while (true) {
                for (Depot depot : depots) {
                    for (int i = 0; i < 1500; i++) total += depot.price(parcel(random));
                    parcels.addAndGet(1500);
                }
                Thread.sleep(12);
            }
        } catch (InterruptedException e) {
            System.out.println("belt stopped at " + total);
        }
    }

    public static void main(String[] args) throws Exception {
        Upload upload = Upload.read();
        SplittableRandom random = new SplittableRandom(1);
        List<Parcel> samples = new ArrayList<>();
        for (int i = 0; i < 200; i++) samples.add(parcel(random));
        List<Depot> depots = new ArrayList<>();
        for (int i = 0; i < DEPOTS; i++) {
            Depot depot = new Depot(i);
            depot.deploy(upload, samples);
            depots.add(depot);
        }
        Thread deployer = new Thread(() -> {
            try {
                for (int i = 0; ; i++) {
                    Thread.sleep(300);
                    long start = System.nanoTime();
                    depots.get(i % DEPOTS).deploy(upload, samples);
                    deployingNs.addAndGet(System.nanoTime() - start);
                    deployed.incrementAndGet();
                    warm.countDown();
                }
            } catch (ReflectiveOperationException | InterruptedException e) {
                System.out.println("no more deployments: " + e);
            }
        }, "deployer");
        deployer.start();
        new Thread(() -> price(depots, 2), "belt").start();
        warm.await();
        System.out.println("READY");
        System.out.flush();
        com.sun.management.OperatingSystemMXBean os = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long last = System.nanoTime(), priced = parcels.get(), versions = deployed.get(), deploying = deployingNs.get(), cpu = os.getProcessCpuTime();
        while (true) {
            Thread.sleep(1000);
            long now = System.nanoTime(), p = parcels.get(), v = deployed.get(), d = deployingNs.get(), used = os.getProcessCpuTime();
            System.out.printf("measured: %d parcels priced, %d packages deployed in %.1f ms each (%.1f %% of the time); %d classes now, CPUs used %.2f%n",
                p - priced, v - versions, (d - deploying) / 1e6 / Math.max(1, v - versions), 100.0 * (d - deploying) / (now - last),
                ManagementFactory.getClassLoadingMXBean().getLoadedClassCount(), (double) (used - cpu) / (now - last));
            last = now; priced = p; versions = v; deploying = d; cpu = used;
        }
    }
}
