// SPDX-License-Identifier: Apache-2.0
// cause: FreightDesk.Tariffs.current calls the remote tariff source (30 ms) inside the function given to ConcurrentHashMap.compute, so the map's bin lock is held for the whole remote call and all quotes for the same lane, and for other lanes in the same bin, block although a usable old tariff is there.
// share: faulty quotes/s 3135, mean_us 2727; fixed quotes/s 10863, mean_us 1.00 (means over seconds 3 to 12); throughput 3.5 times better when fixed
// expect: waiting waiter=FreightDesk$Tariffs.current | waiting frame=FreightDesk$Tariffs.current
// symptom: lock-contention
// judge: NAMED: the slow load (RateSource.load, sleep standing for a remote call) runs inside ConcurrentHashMap.compute in FreightDesk.Tariffs.current, so desk threads block on the map's bin (node) monitor held by the loading thread. SYMPTOM ONLY: desk threads BLOCKED on a ConcurrentHashMap$Node monitor; high quote latency; low CPU; the remote source takes 30 ms. WRONG: GC, CPU shortage, hash collisions by a bad hashCode as the main cause, the 1 ms pause between requests, a deadlock.
// jdk: 8
// set: twenty-third
// jvm:
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

public class FreightDesk {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final long VALID_NANOS = 250_000_000L;

    static final class Tariff {
        final String lane;
        final long perKiloCents;
        final long baseCents;
        final long until;
        final AtomicBoolean renewing = new AtomicBoolean();

        Tariff(String lane, long perKiloCents, long baseCents) {
            this.lane = lane;
            this.perKiloCents = perKiloCents;
            this.baseCents = baseCents;
            this.until = System.nanoTime() + VALID_NANOS;
        }

        boolean expired() {
            return System.nanoTime() - until > 0;
        }
    }

    static final class RateSource {
        final AtomicLong calls = new AtomicLong();

        Tariff load(String lane) {
            calls.incrementAndGet();
            try {
                Thread.sleep(30);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            int h = lane.hashCode() & 0xff;
            return new Tariff(lane, 90 + h, 2500 + 10L * h);
        }
    }

    static final class Tariffs {
        final ConcurrentHashMap<String, Tariff> byLane = new ConcurrentHashMap<>(64);
        final RateSource source = new RateSource();
        final ExecutorService renewers = Executors.newFixedThreadPool(8, r -> {
            Thread t = new Thread(r, "renewer");
            t.setDaemon(true);
            return t;
        });

        Tariff current(String lane) {
            if (!FIXED) {
                return byLane.compute(lane, (k, old) -> old == null || old.expired() ? source.load(k) : old);
            }
            Tariff t = byLane.get(lane);
            if (t == null) {
                t = source.load(lane);
                byLane.put(lane, t);
            } else if (t.expired() && t.renewing.compareAndSet(false, true)) {
                renewers.execute(() -> byLane.put(lane, source.load(lane)));
            }
            return t;
        }
    }

    final Tariffs tariffs = new Tariffs();
    final List<String> lanes = new ArrayList<>();
    final AtomicLong quotes = new AtomicLong();
    final AtomicLong nanos = new AtomicLong();
    final AtomicLong cents = new AtomicLong();

    FreightDesk() {
        String[] ports = {"RTM", "HAM", "ANR", "LEH", "FXT", "GDN"};
        for (String a : ports) {
            for (String b : ports) {
                if (!a.equals(b)) {
                    lanes.add(a + "-" + b);
                }
            }
        }
    }

    long quote(String lane, int kilos) {
        Tariff t = tariffs.current(lane);
        long price = t.baseCents + t.perKiloCents * kilos;
        if (kilos > 400) {
            price -= price / 12;
        }
        return price;
    }

    void desk(int seed) {
        Random rnd = new Random(seed);
        try {
            while (true) {
                String lane = lanes.get(rnd.nextInt(lanes.size()));
                long t = System.nanoTime();
                long price = quote(lane, 1 + rnd.nextInt(900));
                nanos.addAndGet(System.nanoTime() - t);
                cents.addAndGet(price);
                quotes.incrementAndGet();
                Thread.sleep(1);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        FreightDesk d = new FreightDesk();
        for (int i = 0; i < 12; i++) {
            int seed = 100 + i;
            Thread t = new Thread(() -> d.desk(seed), "desk-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        long lastQuotes = 0, lastNanos = 0;
        for (int s = 1; s <= 170; s++) {
            Thread.sleep(1000);
            long q = d.quotes.get(), n = d.nanos.get();
            long dq = q - lastQuotes;
            System.out.printf("measured: quotes/s=%d mean_us=%.0f source_calls=%d%n", dq,
                    dq == 0 ? 0.0 : (n - lastNanos) / 1000.0 / dq, d.tariffs.source.calls.get());
            lastQuotes = q;
            lastNanos = n;
        }
        System.exit(0);
    }
}
