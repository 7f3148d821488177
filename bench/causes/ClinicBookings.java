// SPDX-License-Identifier: Apache-2.0
// cause: BookingService.reserve returns early for an occupied slot without giving its Link back to LinkPool, so about 1 in 20 calls leaks a link, which comes back only when LinkPool.sweep reclaims it after 2 s; most links are lost at any time and callers wait in LinkPool.borrow.
// share: throughput about 40-75 bookings/s, mean latency 12 to 540 ms by the second; fixed 463 bookings/s, 6.1 ms
// judge: NAMED only if the finding says that links/connections are not returned (leaked, held after the work is over) by BookingService.reserve, on its early return / occupied-slot path, so that the pool runs dry. "Threads wait in LinkPool.borrow", "pool exhausted" or "pool too small" without the leak is a symptom (leak named without BookingService or its reject path: also a symptom). Blaming Link.query, the database, the lock of the pool or the sweep interval alone is wrong.
// expect: waiting kind=pool peak=.
// symptom: waiting
// jdk: 17
// set: seventeenth
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class ClinicBookings {
    static final LongAdder answered = new LongAdder(), refused = new LongAdder(), nanos = new LongAdder();

    public static void main(String[] args) throws Exception {
        LinkPool pool = new LinkPool(8);
        ScheduledExecutorService keeper = Executors.newSingleThreadScheduledExecutor(r -> daemon(r, "link-keeper"));
        keeper.scheduleWithFixedDelay(pool::sweep, 100, 100, TimeUnit.MILLISECONDS);
        BookingService service = new BookingService(pool);
        for (int i = 0; i < 12; i++) daemon(new FrontDesk(service, i), "front-desk-" + i).start();
        System.out.println("READY");
        for (int i = 0; i < 200; i++) {
            Thread.sleep(1000);
            long n = answered.sumThenReset();
            System.out.printf("measured: %d bookings/s, mean latency %.1f ms, refused %d%n", n, nanos.sumThenReset() / 1e6 / Math.max(1, n), refused.sum());
        }
    }

    static Thread daemon(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        return t;
    }
}

class Link {
    private volatile long since;
    private final AtomicInteger lease = new AtomicInteger();

    int take() {
        since = System.nanoTime();
        return lease.incrementAndGet();
    }
    boolean endLease(int number) { return lease.compareAndSet(number, number + 1); }
    int lease() { return lease.get(); }
    boolean heldLongerThan(long ns) { return System.nanoTime() - since > ns; }

    String query(String text) throws InterruptedException {
        Thread.sleep(3);
        int h = 0;
        for (int round = 0; round < 20; round++) for (int i = 0; i < text.length(); i++) h = h * 33 + text.charAt(i);
        return text + ":" + Integer.toHexString(h);
    }
}

class Lease {
    final Link link;
    final int number;
    Lease(Link link) {
        this.link = link;
        this.number = link.take();
    }
}

class LinkPool {
    private final BlockingQueue<Link> free = new LinkedBlockingQueue<>();
    private final Set<Lease> out = ConcurrentHashMap.newKeySet();

    LinkPool(int size) {
        for (int i = 0; i < size; i++) free.add(new Link());
    }

    Lease borrow() throws InterruptedException {
        Lease lease = new Lease(free.take());
        out.add(lease);
        return lease;
    }

    void giveBack(Lease lease) {
        if (out.remove(lease) && lease.link.endLease(lease.number)) free.add(lease.link);
    }

    void sweep() {
        for (Lease lease : out) if (lease.link.heldLongerThan(2_000_000_000L)) giveBack(lease);
    }
}

class SlotBook {
    private final ConcurrentHashMap<Integer, String> taken = new ConcurrentHashMap<>();
    boolean occupied(int slot) { return taken.containsKey(slot); }
    void take(int slot, String patient) { taken.put(slot, patient); }
    SlotBook() {
        for (int i = 0; i < 20_000; i += 20) taken.put(i, "standing appointment");
    }
    void release(int slot) { taken.remove(slot); }
}

class BookingService {
    private final LinkPool pool;
    private final SlotBook book = new SlotBook();
    private final boolean fixed = Boolean.getBoolean("fixed");
    BookingService(LinkPool pool) { this.pool = pool; }

    boolean reserve(String patient, int slot) throws InterruptedException {
        Lease lease = pool.borrow();
        String row = lease.link.query("select slot " + slot + " for " + patient);
        if (book.occupied(slot) || row.isEmpty()) {
            if (fixed) pool.giveBack(lease);
            return false;
        }
        try {
            book.take(slot, patient);
            lease.link.query("insert booking " + row);
            book.release(slot);
            return true;
        } finally {
            pool.giveBack(lease);
        }
    }
}

class FrontDesk implements Runnable {
    private final BookingService service;
    private final Random random;
    FrontDesk(BookingService service, int seed) {
        this.service = service;
        this.random = new Random(seed);
    }
    public void run() {
        try {
            while (true) {
                Thread.sleep(15 + random.nextInt(10));
                long t0 = System.nanoTime();
                if (!service.reserve("patient-" + random.nextInt(5000), random.nextInt(20_000))) ClinicBookings.refused.increment();
                ClinicBookings.nanos.add(System.nanoTime() - t0);
                ClinicBookings.answered.increment();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
