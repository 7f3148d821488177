// SPDX-License-Identifier: Apache-2.0
// healthy: all plots of a land register are kept in memory on purpose (some 380 MiB of a heap of 1 GiB, no growth); queries and changes make little garbage, so that collections are rare and short
// share: 3100 to 3900 queries a second, 35 to 85 us each, 0.1 to 0.2 CPUs; 375 to 410 MiB of 1024 in use, without growth; a young collection in some five to ten seconds (up to 91 ms with others taking most CPUs), about 1 % of the time
// judge: right: nothing stands out, or only what is neutral and true (computing in ParcelAtlas$Register.areaOwnedSince, Plot.area or Office.visit, building the extract there if it says that time goes there only), or what the machine does (waiting for CPUs that others use, starved collections). WRONG: any accusation: too large or too small a heap, a leak or growth, collections, memory, building strings as a fault, sleeps of the offices
// jdk: 11
// set: thirty-fifth
// jvm: -Xmx1g -Xms1g -XX:+UseG1GC
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** A land register in memory: plots of land by their place, with owners, for the offices of a county. */
public class ParcelAtlas {
    static final LongAdder queries = new LongAdder();
    static final LongAdder queryNanos = new LongAdder();
    static final LongAdder changes = new LongAdder();

    static final class Owner {
        final String name;
        final int since;

        Owner(String name, int since) {
            this.name = name;
            this.since = since;
        }
    }

    static final class Plot {
        final int number;
        final int[] corners;
        volatile Owner owner;

        Plot(int number, int[] corners, Owner owner) {
            this.number = number;
            this.corners = corners;
            this.owner = owner;
        }

        double area() {
            double sum = 0;
            int count = corners.length / 2;
            for (int i = 0; i < count; i++) {
                int j = (i + 1) % count;
                sum += (double) corners[2 * i] * corners[2 * j + 1] - (double) corners[2 * j] * corners[2 * i + 1];
            }
            return Math.abs(sum) / 2;
        }

        boolean contains(int x, int y) {
            boolean inside = false;
            int count = corners.length / 2;
            for (int i = 0, j = count - 1; i < count; j = i++) {
                int yi = corners[2 * i + 1];
                int yj = corners[2 * j + 1];
                if ((yi > y) != (yj > y) && x < (long) (corners[2 * j] - corners[2 * i]) * (y - yi) / (yj - yi) + corners[2 * i]) {
                    inside = !inside;
                }
            }
            return inside;
        }
    }

    /** Plots in squares of the map, one list for each. */
    static final class Register {
        static final int SIDE = 300;
        static final int PER_SQUARE = 20;
        private final List<List<Plot>> squares = new ArrayList<>(SIDE * SIDE);

        Register() {
            SplittableRandom random = new SplittableRandom(3);
            int number = 0;
            for (int square = 0; square < SIDE * SIDE; square++) {
                List<Plot> plots = new ArrayList<>(PER_SQUARE);
                for (int i = 0; i < PER_SQUARE; i++) {
                    plots.add(plot(number++, square, random));
                }
                squares.add(plots);
            }
        }

        private Plot plot(int number, int square, SplittableRandom random) {
            int x = square % SIDE * 1000 + random.nextInt(900);
            int y = square / SIDE * 1000 + random.nextInt(900);
            int[] corners = new int[20];
            for (int i = 0; i < 10; i++) {
                int radius = 40 + random.nextInt(60);
                corners[2 * i] = x + (int) (radius * Math.cos(i * Math.PI / 5));
                corners[2 * i + 1] = y + (int) (radius * Math.sin(i * Math.PI / 5));
            }
            return new Plot(number, corners, new Owner("owner of title " + number, 1950 + random.nextInt(70)));
        }

        Plot at(int x, int y) {
            for (Plot plot : square(x / 1000, y / 1000)) {
                if (plot.contains(x, y)) {
                    return plot;
                }
            }
            return null;
        }

        double areaOwnedSince(int column, int row, int year) {
            double area = 0;
            for (int c = Math.max(0, column - 2); c <= Math.min(SIDE - 1, column + 2); c++) {
                for (int r = Math.max(0, row - 2); r <= Math.min(SIDE - 1, row + 2); r++) {
                    for (Plot plot : square(c, r)) {
                        if (plot.owner.since >= year) {
                            area += plot.area();
                        }
                    }
                }
            }
            return area;
        }

        List<Plot> square(int column, int row) {
            return squares.get(row * SIDE + column);
        }
    }

    /** A clerk looks for a plot, for what lies around it, and now and then enters a new owner. */
    static final class Office implements Runnable {
        private final Register register;
        private final SplittableRandom random;
        private double total;
        private long characters;

        Office(int number, Register register) {
            this.register = register;
            this.random = new SplittableRandom(number);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    long begin = System.nanoTime();
                    for (int i = 0; i < 10; i++) {
                        visit();
                    }
                    queryNanos.add(System.nanoTime() - begin);
                    queries.add(10);
                    TimeUnit.MILLISECONDS.sleep(5 + random.nextInt(10));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void visit() {
            int x = random.nextInt(Register.SIDE * 1000);
            int y = random.nextInt(Register.SIDE * 1000);
            Plot plot = register.at(x, y);
            if (plot != null && random.nextInt(4) == 0) {
                plot.owner = new Owner("owner of title " + plot.number + " by sale", 2024);
                changes.increment();
            }
            StringBuilder extract = new StringBuilder(400);
            for (Plot neighbour : register.square(x / 1000, y / 1000)) {
                extract.append(neighbour.number).append(' ').append(neighbour.owner.name).append(' ').append(neighbour.owner.since).append('\n');
            }
            characters += extract.toString().length();
            total += register.areaOwnedSince(x / 1000, y / 1000, 1990 + random.nextInt(30));
        }
    }

    private static long collectionMillis() {
        long millis = 0;
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
            millis += Math.max(0, bean.getCollectionTime());
        }
        return millis;
    }

    public static void main(String[] args) throws InterruptedException {
        Register register = new Register();
        for (int number = 1; number <= 4; number++) {
            new Thread(new Office(number, register), "office-" + number).start();
        }
        while (queries.sum() < 4000) {
            Thread.sleep(20);
        }
        System.out.println("READY");
        System.out.flush();
        long lastQueries = queries.sum();
        long lastNanos = queryNanos.sum();
        long lastMillis = collectionMillis();
        while (true) {
            Thread.sleep(1000);
            long nowQueries = queries.sum();
            long nowNanos = queryNanos.sum();
            long nowMillis = collectionMillis();
            long count = Math.max(1, nowQueries - lastQueries);
            Runtime runtime = Runtime.getRuntime();
            System.out.printf("measured: %d queries, %d us each, %d ms of collections, %d MiB of %d in use%n", count,
                    (nowNanos - lastNanos) / count / 1000, nowMillis - lastMillis, (runtime.totalMemory() - runtime.freeMemory()) >> 20,
                    runtime.maxMemory() >> 20);
            System.out.flush();
            lastQueries = nowQueries;
            lastNanos = nowNanos;
            lastMillis = nowMillis;
        }
    }
}
