// SPDX-License-Identifier: Apache-2.0
// healthy: a service that keeps its whole catalogue of specimens (some 400 MiB) in memory on purpose, in a heap of 1 GiB: it is filled once, stays as large, a little garbage is made by queries, and collections are rare and short
// share: no fault; the heap in use stays at 40 to 60 % of its maximum, collections take 1 % of the time or less, queries take well under a millisecond
// judge: right: nothing stands out, no fault, or only neutral statements of where the CPU time goes (such as HerbariumCatalogue$Catalogue.near). WRONG: any accusation, such as a heap too full or too large, a leak or growing live set, what keeps the heap alive as a fault, pauses of the collector, waits of the "reader" threads for the time of their next query
// jdk: 25
// set: thirty-fourth
// jvm: -Xmx1g
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;

/** A herbarium's catalogue: all specimens in memory, by sheet, species and place. */
public class HerbariumCatalogue {
    static final int SPECIMENS = 2_400_000;
    static final int SPECIES = 30_000;

    record Specimen(int sheet, int species, short year, float latitude, float longitude, String collector, byte[] note) { }

    record Hit(Specimen specimen, double kilometres) { }

    static final class Catalogue {
        static final int COLUMNS = 360;
        final Map<Integer, Specimen> bySheet = new HashMap<>(SPECIMENS * 4 / 3 + 1);
        final List<List<Specimen>> bySpecies = new ArrayList<>();
        final List<List<Specimen>> byCell = new ArrayList<>();

        Catalogue() {
            for (int i = 0; i < SPECIES; i++) bySpecies.add(new ArrayList<>(96));
            for (int i = 0; i < COLUMNS * 180; i++) byCell.add(new ArrayList<>());
        }

        static int cell(float latitude, float longitude) {
            return ((int) latitude + 90) % 180 * COLUMNS + ((int) longitude + 180) % COLUMNS;
        }

        void add(Specimen s) {
            bySheet.put(s.sheet(), s);
            bySpecies.get(s.species()).add(s);
            byCell.get(cell(s.latitude(), s.longitude())).add(s);
        }

        /** Those found nearest to a place. */
        List<Hit> near(float latitude, float longitude, int most) {
            List<Hit> hits = new ArrayList<>();
            for (Specimen s : byCell.get(cell(latitude, longitude))) {
                double dy = (s.latitude() - latitude) * 111.2;
                double dx = (s.longitude() - longitude) * 111.2 * Math.cos(Math.toRadians(latitude));
                double d = Math.sqrt(dx * dx + dy * dy);
                if (d < 60) hits.add(new Hit(s, d));
            }
            hits.sort(Comparator.comparingDouble(Hit::kilometres));
            return hits.size() > most ? hits.subList(0, most) : hits;
        }

        int[] decades(int species) {
            int[] n = new int[30];
            for (Specimen s : bySpecies.get(species)) n[(s.year() - 1750) / 10]++;
            return n;
        }
    }

    static Catalogue load() {
        Catalogue c = new Catalogue();
        SplittableRandom r = new SplittableRandom(1753);
        String[] collectors = new String[4_000];
        for (int i = 0; i < collectors.length; i++) collectors[i] = "coll. " + Integer.toString(i * 7_919, 36);
        for (int i = 0; i < SPECIMENS; i++) {
            float latitude = (float) (36 + r.nextDouble() * 30);
            float longitude = (float) (-10 + r.nextDouble() * 60);
            byte[] note = new byte[24 + r.nextInt(48)];
            note[0] = (byte) i;
            c.add(new Specimen(i, r.nextInt(SPECIES), (short) (1750 + r.nextInt(270)), latitude, longitude, collectors[r.nextInt(collectors.length)], note));
        }
        return c;
    }

    static final class Reader extends Thread {
        final Catalogue catalogue;
        final SplittableRandom random;
        final LongAdder queries;
        final LongAdder nanos;
        long seen;

        Reader(int number, Catalogue catalogue, LongAdder queries, LongAdder nanos) {
            super("reader-" + number);
            this.catalogue = catalogue;
            this.random = new SplittableRandom(number);
            this.queries = queries;
            this.nanos = nanos;
            setDaemon(true);
        }

        void query() {
            switch (random.nextInt(3)) {
                case 0 -> {
                    Specimen s = catalogue.bySheet.get(random.nextInt(SPECIMENS));
                    seen += s.note().length + s.collector().length();
                }
                case 1 -> {
                    for (int n : catalogue.decades(random.nextInt(SPECIES))) seen += n;
                }
                default -> seen += catalogue.near((float) (36 + random.nextDouble() * 30), (float) (-10 + random.nextDouble() * 60), 20).size();
            }
        }

        @Override
        public void run() {
            try {
                while (true) {
                    for (int i = 1 + random.nextInt(6); i > 0; i--) {
                        long begin = System.nanoTime();
                        query();
                        nanos.add(System.nanoTime() - begin);
                        queries.increment();
                    }
                    Thread.sleep(random.nextInt(4, 12));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Catalogue catalogue = load();
        LongAdder queries = new LongAdder();
        LongAdder nanos = new LongAdder();
        for (int i = 0; i < 4; i++) new Reader(i, catalogue, queries, nanos).start();
        Thread.sleep(5_000);
        System.out.println("READY");
        System.out.flush();
        Runtime rt = Runtime.getRuntime();
        long before = collectorMillis();
        while (true) {
            queries.reset();
            nanos.reset();
            Thread.sleep(1_000);
            long now = collectorMillis();
            System.out.printf("measured: %d queries, %.0f us each; %d of %d MiB of heap in use; collections took %d ms of the last second%n", queries.sum(),
                    nanos.sum() / 1e3 / Math.max(1, queries.sum()), rt.totalMemory() - rt.freeMemory() >> 20, rt.maxMemory() >> 20, now - before);
            System.out.flush();
            before = now;
        }
    }

    static long collectorMillis() {
        long sum = 0;
        for (GarbageCollectorMXBean b : ManagementFactory.getGarbageCollectorMXBeans()) sum += b.getName().contains("Concurrent") ? 0 : b.getCollectionTime();
        return sum;
    }
}
