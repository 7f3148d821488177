// SPDX-License-Identifier: Apache-2.0
// cause: The cache key made in FreightQuoteService.Quoting.quote contains the request's own time stamp, so QuoteCache never hits and Network.cheapest is computed again for each of the same few hundred questions.
// share: throughput and latency: about 5,400 quotes/s at 1.1 ms with the fault, 55,000 quotes/s at 0.1 ms without it (90 % of the throughput lost, CPU of the pricing threads).
// judge: right = the results of FreightQuoteService$Network.cheapest are computed again and again for equal inputs because the cache lookup (Quoting.quote / QuoteCache, key QuoteKey with its time component) never hits; half right = "the quote cache has no hits/is of no use" without the key; symptom only = CPU in Network.cheapest or PriorityQueue below it; wrong = the cache being too small or growing, contention for QuoteCache, GC, queue waits between the pools.
// symptom: hot-calls hot-method cache-misses
// set: nineteenth
// jdk: 25
import java.time.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class FreightQuoteService {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final AtomicLong quoted = new AtomicLong();
    static final AtomicLong nanos = new AtomicLong();

    record Inquiry(int from, int to, int weightClass, Instant asked, CompletableFuture<Integer> price) { }

    record QuoteKey(int from, int to, int weightClass, Instant asOf) { }

    record Hop(int node, int cost) { }

    static final class Network {
        final int side = 40;
        final int[] toll = new int[side * side];

        Network() {
            Random random = new Random(25);
            for (int i = 0; i < toll.length; i++) {
                toll[i] = 5 + random.nextInt(90);
            }
        }

        int cheapest(int from, int to, int weightClass) {
            int[] best = new int[toll.length];
            Arrays.fill(best, Integer.MAX_VALUE);
            PriorityQueue<Hop> open = new PriorityQueue<>(Comparator.comparingInt(Hop::cost));
            best[from] = 0;
            open.add(new Hop(from, 0));
            while (!open.isEmpty()) {
                Hop hop = open.poll();
                if (hop.node() == to) {
                    return hop.cost();
                }
                if (hop.cost() > best[hop.node()]) {
                    continue;
                }
                int x = hop.node() % side, y = hop.node() / side;
                for (int d = 0; d < 4; d++) {
                    int nx = x + (d == 0 ? 1 : d == 1 ? -1 : 0), ny = y + (d == 2 ? 1 : d == 3 ? -1 : 0);
                    if (nx < 0 || ny < 0 || nx >= side || ny >= side) {
                        continue;
                    }
                    int n = ny * side + nx, cost = hop.cost() + toll[n] * (1 + weightClass);
                    if (cost < best[n]) {
                        best[n] = cost;
                        open.add(new Hop(n, cost));
                    }
                }
            }
            return -1;
        }
    }

    static final class QuoteCache {
        private final Map<QuoteKey, Integer> quotes = new LinkedHashMap<>(1024, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<QuoteKey, Integer> e) {
                return size() > 1000;
            }
        };

        synchronized Integer get(QuoteKey key) {
            return quotes.get(key);
        }

        synchronized void put(QuoteKey key, int price) {
            quotes.put(key, price);
        }
    }

    static final class Quoting {
        final Network network = new Network();
        final QuoteCache cache = new QuoteCache();
        final Instant today = LocalDate.now(ZoneOffset.UTC).atStartOfDay().toInstant(ZoneOffset.UTC);
        final ExecutorService intake = Executors.newSingleThreadExecutor(r -> daemon("intake", r));
        final ExecutorService pricing = Executors.newFixedThreadPool(2, r -> daemon("pricing", r));

        Future<Integer> submit(Inquiry q) {
            intake.execute(() -> pricing.execute(() -> q.price().complete(quote(q))));
            return q.price();
        }

        int quote(Inquiry q) {
            QuoteKey key = new QuoteKey(q.from(), q.to(), q.weightClass(), FIXED ? today : q.asked());
            Integer price = cache.get(key);
            if (price == null) {
                price = network.cheapest(q.from(), q.to(), q.weightClass());
                cache.put(key, price);
            }
            return price;
        }
    }

    static Thread daemon(String name, Runnable r) {
        return Thread.ofPlatform().daemon().name(name).unstarted(r);
    }

    static void ask(Quoting quoting, int seed) {
        Random random = new Random(seed);
        try {
            while (true) {
                int from = random.nextInt(12) * 31, to = 1599 - random.nextInt(12) * 29;
                long t0 = System.nanoTime();
                quoting.submit(new Inquiry(from, to, random.nextInt(3), Instant.now(), new CompletableFuture<>())).get();
                nanos.addAndGet(System.nanoTime() - t0);
                quoted.incrementAndGet();
            }
        } catch (InterruptedException | ExecutionException e) {
            return;
        }
    }

    public static void main(String[] args) throws Exception {
        Quoting quoting = new Quoting();
        for (int i = 0; i < 6; i++) {
            final int seed = i;
            daemon("forwarder-" + i, () -> ask(quoting, seed)).start();
        }
        Thread.sleep(4000);
        System.out.println("READY");
        for (int s = 0; s < 165; s++) {
            long a = quoted.get(), b = nanos.get();
            Thread.sleep(1000);
            long n = quoted.get() - a;
            System.out.println("measured: " + n + " quotes/s latency=" + (nanos.get() - b) / Math.max(1, n) / 1000 + "us");
        }
        System.exit(0);
    }
}
