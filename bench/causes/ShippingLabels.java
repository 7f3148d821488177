// SPDX-License-Identifier: Apache-2.0
// cause: ShippingLabels.print returns early for voided parcels (1 in 150) without giving its printer session back to SessionPool; the lost session comes back only when the pool's janitor reclaims it 5 s later, so nearly all of the 16 sessions are out of use most of the time and the 12 workers wait for the few left.
// share: faulty parcels/s 342 (seconds 3 to 12; 428 over seconds 3 to 170), uneven from second to second; fixed parcels/s 2903, mean_ms 4.13 (seconds 3 to 12); throughput 6.8 to 8.5 times better when fixed
// expect: waiting peak=.
// symptom: waiting
// judge: NAMED: printer sessions leak in ShippingLabels.print (voided parcels return without SessionPool.giveBack; they come back only through the janitor's reclaim after 5 s), so the pool is nearly empty. Also right: sessions are held much longer than they are used / are not returned by print's early-return path. SYMPTOM ONLY: workers wait in SessionPool.borrow (queue poll/take); pool exhausted; low CPU; low throughput. WRONG: pool is merely too small, printer slow (4 ms is normal), lock contention inside the pool, too few workers, GC, memory leak, janitor thread as a fault.
// jdk: 21
// set: twenty-third
// jvm:
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

public class ShippingLabels {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int SESSIONS = 16;
    static final int WORKERS = 12;
    static final long LEASE_NANOS = 5_000_000_000L;

    record Parcel(long number, String zip, int grams, boolean voided) { }

    static final class PrinterSession {
        final int id;
        long labels;

        PrinterSession(int id) {
            this.id = id;
        }

        String label(Parcel p) throws InterruptedException {
            String code = "%010d/%s/%d".formatted(p.number(), p.zip(), p.grams());
            Thread.sleep(4);
            labels++;
            return code;
        }
    }

    static final class SessionPool {
        private final BlockingQueue<PrinterSession> idle = new ArrayBlockingQueue<>(64);
        private final Map<PrinterSession, Long> leased = new ConcurrentHashMap<>();
        final AtomicLong reclaimed = new AtomicLong();
        private int nextId;

        SessionPool() {
            while (nextId < SESSIONS) {
                idle.add(new PrinterSession(nextId++));
            }
        }

        PrinterSession borrow() throws InterruptedException {
            while (true) {
                PrinterSession s = idle.poll(2, TimeUnit.SECONDS);
                if (s != null) {
                    leased.put(s, System.nanoTime());
                    return s;
                }
            }
        }

        void giveBack(PrinterSession s) {
            if (leased.remove(s) != null) {
                idle.add(s);
            }
        }

        void reclaim() {
            long now = System.nanoTime();
            for (Map.Entry<PrinterSession, Long> e : leased.entrySet()) {
                if (now - e.getValue() > LEASE_NANOS && leased.remove(e.getKey()) != null) {
                    reclaimed.incrementAndGet();
                    idle.add(new PrinterSession(nextId++));
                }
            }
        }

        int free() {
            return idle.size();
        }
    }

    final SessionPool pool = new SessionPool();
    final BlockingQueue<Parcel> parcels = new LinkedBlockingQueue<>(200);
    final AtomicLong printed = new AtomicLong();
    final AtomicLong voided = new AtomicLong();
    final AtomicLong nanos = new AtomicLong();
    final AtomicLong bytes = new AtomicLong();

    String print(Parcel p) throws InterruptedException {
        PrinterSession s = pool.borrow();
        if (p.voided()) {
            if (FIXED) {
                pool.giveBack(s);
            }
            voided.incrementAndGet();
            return null;
        }
        try {
            return s.label(p);
        } finally {
            pool.giveBack(s);
        }
    }

    void worker() {
        try {
            while (true) {
                Parcel p = parcels.take();
                long t = System.nanoTime();
                String label = print(p);
                nanos.addAndGet(System.nanoTime() - t);
                if (label != null) {
                    bytes.addAndGet(label.length());
                }
                printed.incrementAndGet();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void intake() {
        Random rnd = new Random(6);
        try {
            for (long n = 1; ; n++) {
                parcels.put(new Parcel(n, "D" + (10000 + rnd.nextInt(89999)), 100 + rnd.nextInt(20000), rnd.nextInt(150) == 0));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void janitor() {
        try {
            while (true) {
                Thread.sleep(250);
                pool.reclaim();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void daemon(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        ShippingLabels sl = new ShippingLabels();
        daemon("intake", sl::intake);
        daemon("janitor", sl::janitor);
        for (int i = 0; i < WORKERS; i++) {
            daemon("worker-" + i, sl::worker);
        }
        System.out.println("READY");
        long lastN = 0, lastT = 0;
        for (int s = 1; s <= 170; s++) {
            Thread.sleep(1000);
            long n = sl.printed.get(), t = sl.nanos.get();
            long dn = n - lastN;
            System.out.printf("measured: parcels/s=%d mean_ms=%.2f free_sessions=%d voided=%d reclaimed=%d%n", dn,
                    dn == 0 ? 0.0 : (t - lastT) / 1e6 / dn, sl.pool.free(), sl.voided.get(), sl.pool.reclaimed.get());
            lastN = n;
            lastT = t;
        }
        System.exit(0);
    }
}
