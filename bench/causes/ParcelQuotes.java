// SPDX-License-Identifier: Apache-2.0
// cause: The quote executor is a ThreadPoolExecutor with core 2, maximum 24 and an unbounded LinkedBlockingQueue, so it never grows beyond its 2 core threads and requests queue behind two waiting carrier calls.
// share: mean quote time: about 190 ms instead of about 19 ms (90 % of the time is queueing in the executor); about 107 instead of about 945 quotes/s
// judge: Right: the pool built in ParcelQuotes.quotePool runs only 2 threads (quote-0, quote-1), all busy/waiting in CarrierApi.price, while its queue holds the other requests; the maximum 24 is never reached because the LinkedBlockingQueue is unbounded (core size too small for blocking work is right as well). Clients waiting in Future.get are symptoms, the sleep in CarrierApi.price is the service time, not the fault. Wrong: CPU, GC, lock contention, connection pool.
// expect: pool-busy pool=quote
// symptom: waiting
// set: nineteenth
// jdk: 17
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class ParcelQuotes {
    private static final boolean WIDE = Boolean.getBoolean("fixed");
    private static final LongAdder answered = new LongAdder();
    private static final LongAdder totalMicros = new LongAdder();

    record Parcel(int id, int grams, String zone) { }

    record Quote(int parcel, String carrier, long cents) { }

    interface CarrierApi {
        Quote price(Parcel p) throws InterruptedException;
    }

    static final class TableCarrier implements CarrierApi {
        private final String name;
        private final int perKilo;
        private final Map<String, Integer> zones = new HashMap<>();

        TableCarrier(String name, int perKilo) {
            this.name = name;
            this.perKilo = perKilo;
            for (String z : ZONES) zones.put(z, Math.floorMod(z.hashCode() * perKilo, 400));
        }

        @Override
        public Quote price(Parcel p) throws InterruptedException {
            Thread.sleep(6);
            long cents = zones.get(p.zone()) + (long) p.grams() * perKilo / 1000;
            return new Quote(p.id(), name, cents);
        }
    }

    private static final String[] ZONES = {"DE", "FR", "PL", "CZ", "AT", "DK"};
    private final List<CarrierApi> carriers = List.of(
            new TableCarrier("north", 310), new TableCarrier("swift", 290), new TableCarrier("post", 270));
    private final ThreadPoolExecutor executor = quotePool();

    private static ThreadPoolExecutor quotePool() {
        AtomicInteger n = new AtomicInteger();
        int core = WIDE ? 24 : 2;
        return new ThreadPoolExecutor(core, 24, 30, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), r -> {
            Thread t = new Thread(r, "quote-" + n.getAndIncrement());
            t.setDaemon(true);
            return t;
        });
    }

    private Quote cheapest(Parcel p) throws InterruptedException {
        Quote best = null;
        for (CarrierApi c : carriers) {
            Quote q = c.price(p);
            if (best == null || q.cents() < best.cents()) best = q;
        }
        return best;
    }

    Future<Quote> request(Parcel p) {
        return executor.submit(() -> cheapest(p));
    }

    private void shop(int number) {
        SplittableRandom r = new SplittableRandom(number);
        long sum = 0;
        try {
            for (int i = 0; ; i++) {
                Parcel p = new Parcel(number * 100000 + i, 100 + r.nextInt(20000), ZONES[r.nextInt(ZONES.length)]);
                long begin = System.nanoTime();
                sum += request(p).get().cents();
                totalMicros.add((System.nanoTime() - begin) / 1000);
                answered.increment();
                Thread.sleep(2);
            }
        } catch (InterruptedException | ExecutionException e) {
            System.err.println("shop " + number + " ended at " + sum + ": " + e);
        }
    }

    public static void main(String[] args) throws Exception {
        ParcelQuotes service = new ParcelQuotes();
        for (int s = 0; s < 20; s++) {
            int number = s;
            Thread t = new Thread(() -> service.shop(number), "shop-" + s);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(3000);
        System.out.println("READY");
        answered.reset();
        totalMicros.reset();
        int seconds = Integer.getInteger("secs", 165);
        for (int i = 0; i < seconds; i++) {
            Thread.sleep(1000);
            long n = answered.sumThenReset();
            long micros = totalMicros.sumThenReset();
            System.out.printf(Locale.ROOT, "measured: %.1f ms mean quote time (%d quotes)%n",
                    n == 0 ? 0.0 : micros / 1000.0 / n, n);
        }
        System.exit(0);
    }
}
