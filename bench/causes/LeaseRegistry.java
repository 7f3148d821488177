// SPDX-License-Identifier: Apache-2.0
// cause: LeaseRegistry.reposition takes a renewed lease out of the expiry queue with PriorityQueue.remove(Object), which searches the whole array of 12000 leases from the front (indexOf with equals), so each renewal costs linear time, under the registry's lock.
// share: faulty: 116068 renewals/s; fixed: 770338 renewals/s; ratio 6.6 (means over the seconds after warm-up of a run of 9 to 13 s, shared 2-core machine)
// expect: hot-code callee=PriorityQueue.remove
// symptom: hot-code lock-contention waiting
// judge: NAMED: linear search of PriorityQueue.remove(Object) (indexOf) in LeaseRegistry.reposition, called for each renewal. SYMPTOM ONLY: contention on the registry's monitor in LeaseRegistry.renew; high CPU in PriorityQueue.indexOf or Lease.equals with no word on why. WRONG: the lock as the root cause; GC; too many threads; a slow equals implementation as the only cause; heap leak of leases.
// jdk: 25
// set: twenty-fourth
// jvm:
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Keeps the leases of rented scooters; riders renew, and leases that were not renewed run out. */
public class LeaseRegistry {
    static final boolean ALT = Boolean.getBoolean("fixed");
    static final int LEASES = 12_000;
    static final long TERM_NANOS = TimeUnit.SECONDS.toNanos(20);

    static final class Lease {
        final int id;
        final String rider;
        long expiresAt;
        int renewals;

        Lease(int id, String rider, long expiresAt) {
            this.id = id;
            this.rider = rider;
            this.expiresAt = expiresAt;
        }

        @Override
        public boolean equals(Object o) {
            return o instanceof Lease other && other.id == id;
        }

        @Override
        public int hashCode() {
            return id;
        }
    }

    static final Comparator<Lease> BY_EXPIRY =
            Comparator.<Lease>comparingLong(l -> l.expiresAt).thenComparingInt(l -> l.id);

    private final Map<Integer, Lease> byId = new HashMap<>();
    private final Collection<Lease> order = ALT ? new TreeSet<>(BY_EXPIRY) : new PriorityQueue<>(BY_EXPIRY);

    synchronized void open(int id, long now) {
        Lease lease = new Lease(id, "rider-" + id, now + TERM_NANOS);
        byId.put(id, lease);
        order.add(lease);
    }

    synchronized boolean renew(int id, String rider, long now) {
        Lease lease = byId.get(id);
        if (lease == null || !lease.rider.equals(rider)) {
            return false;
        }
        reposition(lease, now + TERM_NANOS);
        return true;
    }

    private void reposition(Lease lease, long expiresAt) {
        order.remove(lease);
        lease.expiresAt = expiresAt;
        lease.renewals++;
        order.add(lease);
    }

    private Lease first() {
        return order instanceof PriorityQueue<Lease> q ? q.peek() : order.isEmpty() ? null : ((TreeSet<Lease>) order).first();
    }

    synchronized List<Integer> expire(long now) {
        List<Integer> gone = new ArrayList<>();
        for (Lease head = first(); head != null && head.expiresAt < now; head = first()) {
            order.remove(head);
            byId.remove(head.id);
            gone.add(head.id);
        }
        return gone;
    }

    static final LongAdder renewed = new LongAdder();
    static final LongAdder refused = new LongAdder();
    static final LongAdder reopened = new LongAdder();

    static void riders(LeaseRegistry registry, int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        while (true) {
            String message = "RENEW;" + random.nextInt(LEASES) + ";v1";
            String[] parts = message.split(";");
            int id = Integer.parseInt(parts[1]);
            if (registry.renew(id, "rider-" + id, System.nanoTime())) {
                renewed.increment();
            } else {
                refused.increment();
            }
        }
    }

    static void sweeper(LeaseRegistry registry) {
        try {
            while (true) {
                Thread.sleep(200);
                long now = System.nanoTime();
                for (int id : registry.expire(now)) {
                    registry.open(id, now);
                    reopened.increment();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        LeaseRegistry registry = new LeaseRegistry();
        for (int id = 0; id < LEASES; id++) {
            registry.open(id, System.nanoTime());
        }
        for (int i = 0; i < 3; i++) {
            int seed = i;
            Thread.ofPlatform().daemon().name("riders-" + i).start(() -> riders(registry, seed));
        }
        Thread.ofPlatform().daemon().name("sweeper").start(() -> sweeper(registry));
        System.out.println("READY");
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(170);
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            System.out.printf("measured: %d renewals/s, refused %d, reopened %d%n",
                    renewed.sumThenReset(), refused.sumThenReset(), reopened.sumThenReset());
        }
    }
}
