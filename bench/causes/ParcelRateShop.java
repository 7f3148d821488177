// SPDX-License-Identifier: Apache-2.0
// cause: starting-threads: ParcelRateShop$RateDesk.cheapest has a new platform thread started for each of 10 tariffs of each parcel (Executors.newThreadPerTaskExecutor with a platform thread factory, made in ParcelRateShop.main), for microseconds of work each
// share: nearly all CPU time (0.6 to 1.5 CPUs, much of it in the kernel, some 150 to 200 us for each offer) starts and ends threads, some 4,000 to 7,000 a second; the pricing itself is 1 % of it
// expect: hot-code kind=starting-threads frame=ParcelRateShop | waiting kind=thread-start frame=ParcelRateShop
// symptom: hot-calls hot-code waiting
// judge: NAMED: starting (and ending) threads, for ParcelRateShop$RateDesk.cheapest (its invokeAll/submit) or for the executor of ParcelRateShop. Also right: waiting for thread starts (thread-start) at cheapest. SYMPTOM ONLY: hot-calls in what RateDesk.cheapest calls (clone, mmap) without saying that threads are started; waiting for futures/invokeAll at cheapest; many context switches. WRONG: Tariff.price as hot code, too many threads that compute, a pool with too few threads, locks, collections, nothing stands out.
// jdk: 21
// set: thirty-sixth
// jvm: -Xmx256m
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;

/** Rate shopping of a web shop's dispatch: finds the cheapest of the carriers' tariffs for each parcel of the day. */
public class ParcelRateShop {
    record Parcel(int grams, int lengthCm, int girthCm, int zone, boolean insured) { }

    record Offer(String carrier, long cents) { }

    static final class Tariff {
        private final String carrier;
        private final int[][] steps;
        private final int divisor;

        Tariff(String carrier, SplittableRandom random) {
            this.carrier = carrier;
            steps = new int[8][24];
            for (int zone = 0; zone < steps.length; zone++) {
                int cents = 300 + zone * 90;
                for (int step = 0; step < steps[zone].length; step++) {
                    cents += 20 + random.nextInt(60);
                    steps[zone][step] = cents;
                }
            }
            divisor = 4000 + random.nextInt(2000);
        }

        Offer price(Parcel parcel) {
            long volumetric = (long) parcel.lengthCm() * parcel.girthCm() * parcel.girthCm() / 16 * 1000 / divisor;
            long grams = Math.max(parcel.grams(), volumetric);
            int step = (int) Math.min(23, grams / 1000);
            long cents = steps[parcel.zone()][step];
            if (parcel.lengthCm() + parcel.girthCm() > 300) {
                cents += 1990;
            }
            if (parcel.insured()) {
                cents += Math.max(150, cents * 3 / 100);
            }
            return new Offer(carrier, cents);
        }
    }

    static final class RateDesk {
        private final List<Tariff> tariffs;
        private final ExecutorService executor;

        RateDesk(List<Tariff> tariffs, ExecutorService executor) {
            this.tariffs = tariffs;
            this.executor = executor;
        }

        Offer cheapest(Parcel parcel) throws InterruptedException, ExecutionException {
            List<Callable<Offer>> asked = new ArrayList<>(tariffs.size());
            for (Tariff tariff : tariffs) {
                asked.add(() -> {
                    offers.increment();
                    return tariff.price(parcel);
                });
            }
            Offer best = null;
            for (Future<Offer> answer : executor.invokeAll(asked)) {
                Offer offer = answer.get();
                if (best == null || offer.cents() < best.cents()) {
                    best = offer;
                }
            }
            return best;
        }
    }

    static final class Wave implements Runnable {
        private final RateDesk desk;
        private final SplittableRandom random;

        Wave(RateDesk desk, int number) {
            this.desk = desk;
            random = new SplittableRandom(number);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Parcel parcel = new Parcel(200 + random.nextInt(20000), 20 + random.nextInt(100),
                            40 + random.nextInt(200), random.nextInt(8), random.nextInt(5) == 0);
                    Offer offer = desk.cheapest(parcel);
                    spent.add(offer.cents());
                    parcels.increment();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (ExecutionException e) {
                throw new IllegalStateException(e.getCause());
            }
        }
    }

    static final LongAdder parcels = new LongAdder();
    static final LongAdder spent = new LongAdder();
    static final LongAdder offers = new LongAdder();

    public static void main(String[] args) throws Exception {
        SplittableRandom random = new SplittableRandom(7);
        List<Tariff> tariffs = new ArrayList<>();
        for (String carrier : List.of("Nordpost", "Alpex", "Rhenus", "Kite", "Morava", "Postillon", "Iberal", "Danube", "Baltic", "Etna")) {
            tariffs.add(new Tariff(carrier, random));
        }
        ExecutorService executor = Executors.newThreadPerTaskExecutor(Thread.ofPlatform().daemon().name("tariff-", 0).factory());
        RateDesk desk = new RateDesk(tariffs, executor);
        for (int i = 0; i < 2; i++) {
            Thread thread = new Thread(new Wave(desk, i), "wave-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        Thread.sleep(3000);
        System.out.println("READY");
        System.out.flush();
        var os = (com.sun.management.OperatingSystemMXBean) java.lang.management.ManagementFactory.getOperatingSystemMXBean();
        var threads = java.lang.management.ManagementFactory.getThreadMXBean();
        while (true) {
            long p = parcels.sum(), t = System.nanoTime(), cpu = os.getProcessCpuTime(), n = threads.getTotalStartedThreadCount(), o = offers.sum();
            Thread.sleep(1000);
            double s = (System.nanoTime() - t) / 1e9;
            double used = Math.max(1, os.getProcessCpuTime() - cpu);
            double started = threads.getTotalStartedThreadCount() - n, count = Math.max(1, offers.sum() - o);
            long begin = threads.getCurrentThreadCpuTime();
            for (int i = 0; i < 2000; i++) {
                spent.add(tariffs.get(i % tariffs.size()).price(new Parcel(i * 9, 60, 120, i & 7, false)).cents());
            }
            double one = (threads.getCurrentThreadCpuTime() - begin) / 2000.0;
            System.out.printf("measured: %.0f parcels/s, %.0f threads started/s, %.2f CPUs, %.0f us of CPU time for an offer, of which %.2f us (%.1f %%) is its pricing%n",
                    (parcels.sum() - p) / s, started / s, used / 1e9 / s, used / count / 1000, one / 1000, 100 * one * count / used);
        }
    }
}
