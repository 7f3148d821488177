// SPDX-License-Identifier: Apache-2.0
// cause: LaneExchange$Lane.listed (called by best) sorts all some 2,500 offers of a lane anew for each search (stream().sorted() by price, pickup and number), for the first five of them, though offers change a few times a second only and the order could be kept between changes.
// share: 10 s each: faulty 2,570 searches/s of 750 us, fixed 112,000 searches/s of 0.6 us: 43 times as many.
// expect: hot-code kind=sorting frame=LaneExchange$Lane.listed
// symptom: gc-pauses gc-cpu hot-method hot-calls
// judge: NAMED: sorting (Stream.sorted, Arrays.sort/TimSort with the comparator LaneExchange.ORDER) of a lane's offers in LaneExchange$Lane.listed, called by best, for each search. SYMPTOM ONLY: streams, comparators or Offer's accessors are hot, allocation of arrays, collections. WRONG: the lock of a lane or waits for it as the cause, the changes of offers by the carriers, boxing, heap too small.
// jdk: 21
// set: thirtieth
// jvm:
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** A freight exchange: carriers offer room in lorries on a lane, shippers search for the cheapest. */
public class LaneExchange {
    static final boolean VARIANT = Boolean.getBoolean("fixed");
    static final int LANES = 12;
    static final int OFFERS = 2500;

    record Offer(int number, int carrier, long cents, int pickupHour, int pallets) {
    }

    static final Comparator<Offer> ORDER = Comparator.comparingLong(Offer::cents).thenComparingInt(Offer::pickupHour)
            .thenComparingInt(Offer::number);

    /** From one region to another. */
    static final class Lane {
        private final Map<Integer, Offer> offers = new ConcurrentHashMap<>();
        private final AtomicInteger version = new AtomicInteger();
        private volatile List<Offer> view = List.of();
        private volatile int viewed = -1;

        void put(Offer offer) {
            offers.put(offer.number(), offer);
            version.incrementAndGet();
        }

        void withdraw(int number) {
            if (offers.remove(number) != null)
                version.incrementAndGet();
        }

        private List<Offer> listed() {
            int now = version.get();
            List<Offer> list = view;
            if (!VARIANT || viewed != now) {
                list = offers.values().stream().sorted(ORDER).toList();
                if (VARIANT) {
                    view = list;
                    viewed = now;
                }
            }
            return list;
        }

        List<Offer> best(int pallets) {
            List<Offer> found = new ArrayList<>(5);
            for (Offer offer : listed())
                if (offer.pallets() >= pallets) {
                    found.add(offer);
                    if (found.size() == 5)
                        break;
                }
            return found;
        }
    }

    static final Lane[] lanes = new Lane[LANES];
    static final LongAdder searches = new LongAdder();
    static final LongAdder took = new LongAdder();
    static final LongAdder changes = new LongAdder();
    static final LongAdder quoted = new LongAdder();

    static Offer offer(int number) {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        return new Offer(number, r.nextInt(400), 20_000 + r.nextInt(90_000), r.nextInt(72), 1 + r.nextInt(33));
    }

    static void carriers() {
        try {
            ThreadLocalRandom r = ThreadLocalRandom.current();
            while (true) {
                Lane lane = lanes[r.nextInt(LANES)];
                int number = r.nextInt(OFFERS);
                if (r.nextInt(4) == 0)
                    lane.withdraw(number);
                else
                    lane.put(offer(number));
                changes.increment();
                Thread.sleep(40);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void shipper() {
        try {
            ThreadLocalRandom r = ThreadLocalRandom.current();
            for (int i = 0;; i++) {
                long begin = System.nanoTime();
                List<Offer> best = lanes[r.nextInt(LANES)].best(1 + r.nextInt(24));
                took.add(System.nanoTime() - begin);
                for (Offer offer : best)
                    quoted.add(offer.cents());
                searches.increment();
                if (i % 64 == 0)
                    Thread.sleep(1);
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
        for (int i = 0; i < LANES; i++) {
            lanes[i] = new Lane();
            for (int number = 0; number < OFFERS; number++)
                lanes[i].put(offer(number));
        }
        start("carriers", LaneExchange::carriers);
        start("shipper-1", LaneExchange::shipper);
        start("shipper-2", LaneExchange::shipper);
        System.out.println("READY");
        long before = System.nanoTime();
        for (long s = 0; s < span; s++) {
            Thread.sleep(1000);
            long now = System.nanoTime();
            double seconds = (now - before) / 1e9;
            before = now;
            long n = Math.max(1, searches.sumThenReset());
            System.out.printf("measured: %.0f searches/s, mean %.1f us, %d changes/s%n", n / seconds, took.sumThenReset() / 1e3 / n,
                    changes.sumThenReset());
        }
        System.exit(0);
    }
}
