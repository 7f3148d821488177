// SPDX-License-Identifier: Apache-2.0
// healthy: an in-memory catalogue of spare parts with some 400 MiB that it needs all the time in a heap of 1 GiB; lookups take microseconds, collections cost next to nothing, nothing grows
// share: some 400 MiB stay in use of 1 GiB; 4500 questions a second of 60 to 80 us each, 0.4 CPUs, collections 0 ms in most seconds
// judge: right: nothing stands out, or neutral remarks only (where the CPU time goes: Shop.serve, Catalogue.compatible, Catalogue.search; threads that wait for work or for the next time to ask). WRONG: any accusation: of collections, of a heap that is too small or too large or fills up or leaks, of allocation, of the catalogue's map or locks, of sleeping or parking in Shop.run (the load's pace), of the machine if it is not busy.
// jdk: 21
// set: thirty-sixth
// jvm: -Xmx1g
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** A catalogue of spare parts for farm machines, all of it in memory. */
public class PartsCatalogue {
    static final LongAdder served = new LongAdder();
    static final LongAdder serveNanos = new LongAdder();
    static final LongAdder repriced = new LongAdder();

    record Part(int number, String name, String maker, int[] fits, long cents, byte[] drawing) { }

    record Offer(int number, String name, long cents) { }

    static final class Catalogue {
        private final AtomicReferenceArray<Part> parts;
        private final Map<String, int[]> byName = new HashMap<>();
        private final int[][] byMachine;

        Catalogue(int size, int machines) {
            parts = new AtomicReferenceArray<>(size);
            byMachine = new int[machines][];
            String[] kinds = {"filter", "bearing", "belt", "gasket", "blade", "hose", "valve", "seal", "sprocket", "shaft"};
            String[] makers = {"Holm", "Agritek", "Vandel", "Brunner", "Castell", "Mirov"};
            SplittableRandom random = new SplittableRandom(3);
            List<List<Integer>> fitting = new ArrayList<>();
            for (int i = 0; i < machines; i++) fitting.add(new ArrayList<>());
            Map<String, List<Integer>> names = new HashMap<>();
            for (int n = 0; n < size; n++) {
                String name = kinds[random.nextInt(kinds.length)] + " " + (10 + random.nextInt(990));
                int[] fits = new int[3 + random.nextInt(9)];
                for (int i = 0; i < fits.length; i++) {
                    fits[i] = random.nextInt(machines);
                    fitting.get(fits[i]).add(n);
                }
                byte[] drawing = new byte[400 + random.nextInt(700)];
                for (int i = 0; i < drawing.length; i += 3) drawing[i] = (byte) (n * 31 + i);
                parts.set(n, new Part(n, name, makers[random.nextInt(makers.length)], fits, 150 + random.nextInt(60_000), drawing));
                names.computeIfAbsent(name, k -> new ArrayList<>()).add(n);
            }
            names.forEach((name, numbers) -> byName.put(name, numbers.stream().mapToInt(Integer::intValue).toArray()));
            for (int i = 0; i < machines; i++) byMachine[i] = fitting.get(i).stream().mapToInt(Integer::intValue).distinct().toArray();
        }

        int size() {
            return parts.length();
        }

        int machines() {
            return byMachine.length;
        }

        Part part(int number) {
            return parts.get(number);
        }

        void reprice(int number, long cents) {
            Part p = parts.get(number);
            parts.set(number, new Part(p.number(), p.name(), p.maker(), p.fits(), cents, p.drawing()));
        }

        /** The cheapest parts that fit a machine, of one kind. */
        List<Offer> compatible(int machine, String kind) {
            List<Offer> offers = new ArrayList<>();
            for (int number : byMachine[machine]) {
                Part p = parts.get(number);
                if (p.name().startsWith(kind)) offers.add(new Offer(p.number(), p.name(), p.cents()));
            }
            offers.sort((a, b) -> Long.compare(a.cents(), b.cents()));
            return offers.size() > 10 ? new ArrayList<>(offers.subList(0, 10)) : offers;
        }

        List<Offer> search(String name, int machine) {
            List<Offer> offers = new ArrayList<>();
            for (int number : byName.getOrDefault(name, new int[0])) {
                Part p = parts.get(number);
                for (int fits : p.fits()) {
                    if (fits == machine) offers.add(new Offer(p.number(), p.name(), p.cents()));
                }
            }
            return offers;
        }

        int thumbprint(int number) {
            return Arrays.hashCode(parts.get(number).drawing());
        }
    }

    /** The shops' questions, as they come in during a day. */
    record Shop(Catalogue catalogue, int seed, int perSecond) implements Runnable {
        @Override public void run() {
            SplittableRandom random = new SplittableRandom(seed);
            String[] kinds = {"filter", "bearing", "belt", "gasket", "blade"};
            long due = System.nanoTime(), sum = 0;
            while (true) {
                long now = System.nanoTime();
                if (due - now > 50_000) {
                    LockSupport.parkNanos(due - now);
                    continue;
                }
                due = Math.max(due + 1_000_000_000L / perSecond, now - 100_000_000L);
                sum += serve(random, kinds);
                served.increment();
                serveNanos.add(System.nanoTime() - now);
                if (sum == Long.MIN_VALUE) System.out.println(sum);
            }
        }

        private long serve(SplittableRandom random, String[] kinds) {
            int machine = random.nextInt(catalogue.machines());
            long cents = 0;
            for (Offer offer : catalogue.compatible(machine, kinds[random.nextInt(kinds.length)])) {
                cents += offer.cents() + (catalogue.thumbprint(offer.number()) & 1);
            }
            for (Offer offer : catalogue.search(kinds[random.nextInt(kinds.length)] + " " + (10 + random.nextInt(990)), machine)) cents += offer.cents();
            return cents;
        }
    }

    public static void main(String[] args) throws Exception {
        Catalogue catalogue = new Catalogue(430_000, 12_000);
        for (int i = 1; i <= 3; i++) {
            Thread shop = new Thread(new Shop(catalogue, i, 1500), "shop-" + i);
            shop.setDaemon(true);
            shop.start();
        }
        Thread prices = new Thread(() -> {
            SplittableRandom random = new SplittableRandom(77);
            while (true) {
                for (int i = 0; i < 200; i++) catalogue.reprice(random.nextInt(catalogue.size()), 150 + random.nextInt(60_000));
                repriced.add(200);
                LockSupport.parkNanos(200_000_000L);
            }
        }, "prices");
        prices.setDaemon(true);
        prices.start();
        while (served.sum() < 10_000) Thread.sleep(50);
        System.out.println("READY");
        System.out.flush();
        long n0 = served.sum(), s0 = serveNanos.sum(), gc0 = collections(), r0 = repriced.sum(), c0 = cpu();
        while (true) {
            Thread.sleep(1000);
            long n = served.sum(), s = serveNanos.sum(), gc = collections(), r = repriced.sum(), c = cpu();
            Runtime rt = Runtime.getRuntime();
            System.out.println(String.format(Locale.ROOT, "measured: %d questions, %.0f us each; %d prices changed; %d MiB of the heap in use; collections took %d ms; %.2f CPUs",
                n - n0, (s - s0) / 1e3 / Math.max(1, n - n0), r - r0, (rt.totalMemory() - rt.freeMemory()) >> 20, gc - gc0, (c - c0) / 1e9));
            n0 = n; s0 = s; gc0 = gc; r0 = r; c0 = c;
        }
    }

    private static long cpu() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    private static long collections() {
        long sum = 0;
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
            if (!bean.getName().contains("Concurrent")) sum += Math.max(0, bean.getCollectionTime());
        }
        return sum;
    }
}
