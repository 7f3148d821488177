// SPDX-License-Identifier: Apache-2.0
// cause: the cache RouteTariffs.TariffService.cache never hits, because its key (TariffService.keyOf -> TariffKey.asOf) contains the exact time of the request instead of the tariff day, so every quote runs the route search again and fills the cache with useless entries
// share: faulty 3113 quotes/s, 4.19 ms each (median second); fixed 191293 quotes/s, 0.04 ms each (median second); 61.4 times (10 s and 10 s on a shared, loaded 2-CPU machine)
// judge: NAMED = the tariff cache has (almost) no hits / is useless because its key contains something unique per request (time stamp, asOf, Instant); fix the key. A diagnosis that says "the cache in TariffService does not hit: the same routes are computed again and again" counts as named even if it does not know which field. SYMPTOM ONLY = "CPU is in RoadNet.cheapest / PriorityQueue", "repeated computation" without the cache, "cache evicts much/allocation by cache". WRONG = lock contention on the cache monitor, GC, cache too small, too few threads as the cause.
// expect: cache-misses frame=RouteTariffs$TariffService.quote
// symptom: hot-method hot-calls
// jdk: 21
// set: sixteenth
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;

public class RouteTariffs {
    static final boolean BY_DAY = Boolean.getBoolean("fixed");

    record Road(int to, double km, double toll) {}
    record TariffKey(int from, int to, int weightClass, Instant asOf) {}
    record Quote(int from, int to, double km, double price) {}
    record Request(int from, int to, int kilos, Instant at, CompletableFuture<Quote> answer) {}

    static class RoadNet {
        final List<List<Road>> roads = new ArrayList<>();

        RoadNet(int towns) {
            var r = new SplittableRandom(11);
            for (int i = 0; i < towns; i++) roads.add(new ArrayList<>());
            for (int i = 0; i < towns; i++)
                for (int k = 0; k < 4; k++) {
                    int to = (i + 1 + r.nextInt(60)) % towns;
                    double km = 5 + r.nextInt(90);
                    roads.get(i).add(new Road(to, km, r.nextInt(4)));
                    roads.get(to).add(new Road(i, km, r.nextInt(4)));
                }
        }

        double cheapest(int from, int to, int weightClass) {
            double[] best = new double[roads.size()];
            Arrays.fill(best, Double.MAX_VALUE);
            best[from] = 0;
            record Stop(int town, double cost) {}
            var open = new PriorityQueue<Stop>(Comparator.comparingDouble(Stop::cost));
            open.add(new Stop(from, 0));
            while (!open.isEmpty()) {
                Stop s = open.poll();
                if (s.town == to) return s.cost;
                if (s.cost > best[s.town]) continue;
                for (Road road : roads.get(s.town)) {
                    double c = s.cost + road.km + road.toll * weightClass;
                    if (c < best[road.to]) {
                        best[road.to] = c;
                        open.add(new Stop(road.to, c));
                    }
                }
            }
            return Double.NaN;
        }
    }

    static class TariffService {
        final RoadNet net = new RoadNet(1200);
        final Map<TariffKey, Double> cache = Collections.synchronizedMap(new LinkedHashMap<>(4096, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<TariffKey, Double> e) {
                return size() > 6000;
            }
        });
        final LongAdder searches = new LongAdder();

        TariffKey keyOf(Request q) {
            Instant asOf = BY_DAY ? q.at.truncatedTo(ChronoUnit.DAYS) : q.at;
            return new TariffKey(q.from, q.to, q.kilos / 500, asOf);
        }

        Quote quote(Request q) {
            TariffKey key = keyOf(q);
            Double km = cache.get(key);
            if (km == null) {
                searches.increment();
                km = net.cheapest(q.from, q.to, key.weightClass);
                cache.put(key, km);
            }
            double price = 35 + km * 1.18 + surcharge(q);
            return new Quote(q.from, q.to, km, Math.round(price * 100) / 100.0);
        }

        double surcharge(Request q) {
            double s = 0;
            for (int k = q.kilos; k > 100; k -= 250) s += 2.4 * Math.sqrt(k);
            return s;
        }
    }

    final TariffService service = new TariffService();
    final BlockingQueue<Request> inbox = new ArrayBlockingQueue<>(256);
    final LongAdder done = new LongAdder();
    final LongAdder nanos = new LongAdder();

    void desk() {
        try {
            while (true) {
                Request q = inbox.take();
                try {
                    q.answer.complete(service.quote(q));
                } catch (RuntimeException e) {
                    q.answer.completeExceptionally(e);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void shipper(int id) {
        var r = new Random(id);
        try {
            while (true) {
                int from = (int) (Math.abs(r.nextGaussian()) * 12) % 40 * 7;
                int to = 500 + r.nextInt(25) * 9;
                long t = System.nanoTime();
                var q = new Request(from, to, 200 + r.nextInt(1800), Instant.now(), new CompletableFuture<>());
                inbox.put(q);
                q.answer.get(20, TimeUnit.SECONDS);
                nanos.add(System.nanoTime() - t);
                done.increment();
                if (r.nextInt(50) == 0) Thread.sleep(1);
            }
        } catch (Exception e) {
            System.out.println("shipper " + id + " ends: " + e);
        }
    }

    public static void main(String[] args) throws Exception {
        var app = new RouteTariffs();
        for (int i = 0; i < 4; i++) Thread.ofPlatform().daemon().name("tariff-desk-" + i).start(app::desk);
        for (int i = 0; i < 12; i++) {
            int id = i;
            Thread.ofPlatform().daemon().name("shipper-" + i).start(() -> app.shipper(id));
        }
        for (int s = 0; s < 150; s++) {
            Thread.sleep(1000);
            long n = app.done.sumThenReset(), ns = app.nanos.sumThenReset(), se = app.service.searches.sumThenReset();
            System.out.printf("measured: %d quotes/s, %.2f ms each, %d route searches/s%n", n, n == 0 ? 0 : ns / 1e6 / n, se);
            if (s == 4) System.out.println("READY");
        }
        System.exit(0);
    }
}
