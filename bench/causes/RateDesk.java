// SPDX-License-Identifier: Apache-2.0
// cause: RateDesk.refresh calls ConcurrentHashMap.compute with a function that waits about 40 ms for the remote provider (RateDesk.fetch), so the bin lock of the map is held during the remote call, and all RateDesk.price calls whose computeIfAbsent reaches the same bin (JDK 8 locks the bin even for a present key) stay blocked until the answer comes.
// share: faulty: 1085 orders/s, mean pricing 9873.58 us; fixed: 10449 orders/s, mean pricing 0.48 us; ratio 9.6 (means over the seconds after warm-up of a run of 9 to 13 s, shared 2-core machine)
// expect: waiting map=compute
// symptom: waiting lock-contention
// judge: NAMED: the remote fetch runs inside ConcurrentHashMap.compute in RateDesk.refresh and so holds the map's bin lock; dealers block in computeIfAbsent in RateDesk.price. SYMPTOM ONLY: dealer threads BLOCKED on a ConcurrentHashMap node; low CPU use; high latency of orders. WRONG: slow provider as the only cause without the lock held over the call; too few dealer threads; GC; hash collisions; deadlock.
// jdk: 8
// set: twenty-fourth
// jvm:
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Currency desk: dealers price orders with rates that are renewed all the time from a provider. */
public class RateDesk {
    static final boolean ALT = Boolean.getBoolean("fixed");
    static final int DEALERS = 12;
    static final int REFRESHERS = 3;

    static final class Rate {
        final String pair;
        final double bid;
        final double ask;
        final long version;

        Rate(String pair, double bid, double ask, long version) {
            this.pair = pair;
            this.bid = bid;
            this.ask = ask;
            this.version = version;
        }
    }

    /** In-process stand-in of the provider: answers after a network-like delay. */
    static final class Provider {
        private final ScheduledExecutorService wire = Executors.newScheduledThreadPool(2, r -> {
            Thread t = new Thread(r, "provider");
            t.setDaemon(true);
            return t;
        });
        private final LongAdder version = new LongAdder();

        CompletableFuture<Rate> request(String pair) {
            CompletableFuture<Rate> reply = new CompletableFuture<>();
            wire.schedule(() -> {
                version.increment();
                double mid = 1.0 + (pair.hashCode() & 0xff) / 100.0;
                reply.complete(new Rate(pair, mid - 0.001, mid + 0.001, version.sum()));
            }, 40, TimeUnit.MILLISECONDS);
            return reply;
        }
    }

    private final ConcurrentHashMap<String, Rate> rates = new ConcurrentHashMap<>();
    private final Provider provider = new Provider();
    private final List<String> pairs = new ArrayList<>();
    private final LongAdder orders = new LongAdder();
    private final LongAdder spentNanos = new LongAdder();
    private final LongAdder volume = new LongAdder();
    private volatile boolean open = true;

    RateDesk() {
        String[] codes = {"EUR", "USD", "GBP", "CHF", "JPY", "SEK"};
        for (String a : codes) {
            for (String b : codes) {
                if (a.compareTo(b) < 0) {
                    pairs.add(a + b);
                }
            }
        }
    }

    Rate fetch(String pair) {
        return provider.request(pair).join();
    }

    void refresh(String pair) {
        if (ALT) {
            Rate fresh = fetch(pair);
            rates.compute(pair, (k, old) -> newer(old, fresh));
        } else {
            rates.compute(pair, (k, old) -> newer(old, fetch(k)));
        }
    }

    static Rate newer(Rate old, Rate fresh) {
        return old == null || fresh.version >= old.version ? fresh : old;
    }

    double price(String pair, int amount, boolean buy) {
        Rate rate = rates.computeIfAbsent(pair, this::fetch);
        return amount * (buy ? rate.ask : rate.bid);
    }

    void dealer(int seed) {
        Random random = new Random(seed);
        while (open) {
            String pair = pairs.get(random.nextInt(pairs.size()));
            long t0 = System.nanoTime();
            double value = price(pair, 100 + random.nextInt(900), random.nextBoolean());
            spentNanos.add(System.nanoTime() - t0);
            volume.add((long) value);
            orders.increment();
            try {
                Thread.sleep(1);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    void refresher(int part) {
        while (open) {
            for (int i = part; i < pairs.size(); i += REFRESHERS) {
                refresh(pairs.get(i));
            }
        }
    }

    static void start(String name, Runnable body) {
        Thread t = new Thread(body, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        RateDesk desk = new RateDesk();
        for (String pair : desk.pairs) {
            desk.rates.put(pair, new Rate(pair, 1, 1.01, 0));
        }
        for (int i = 0; i < REFRESHERS; i++) {
            int part = i;
            start("refresher-" + i, () -> desk.refresher(part));
        }
        for (int i = 0; i < DEALERS; i++) {
            int seed = i;
            start("dealer-" + i, () -> desk.dealer(seed));
        }
        System.out.println("READY");
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(170);
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long n = desk.orders.sumThenReset();
            long ns = desk.spentNanos.sumThenReset();
            System.out.printf("measured: %d orders/s, mean pricing %.1f us%n", n, n == 0 ? 0.0 : ns / 1e3 / n);
        }
        desk.open = false;
    }
}
