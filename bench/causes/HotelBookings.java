// SPDX-License-Identifier: Apache-2.0
// cause: HotelBookings.BookingService.book does not give its connection back to the ConnectionPool when the booking is rejected (RejectedBooking thrown between borrow and giveBack, no finally), so rejected bookings take connections out of the pool until ConnectionPool.reclaim collects them after 3 s, and all others wait in ConnectionPool.borrow
// share: faulty 285 requests/s, 50.55 ms each (median second); fixed 1556 requests/s, 8 ms each (median second); 5.5 times (10 s and 10 s on a shared, loaded 2-CPU machine)
// judge: NAMED = connection leak: connections are not returned on the exception path (RejectedBooking) in BookingService.book; needs finally/try-with-resources. "Connections leak / are borrowed and not in use by any thread while clients wait in ConnectionPool.borrow" also counts as named. SYMPTOM ONLY = "threads wait for the pool / pool exhausted / pool of 12 too small" without leak. WRONG = slow database, lock contention on the pool's lock, GC, too few threads; "enlarge the pool" as the remedy.
// expect: waiting kind=pool peak=.
// symptom: waiting
// jdk: 17
// set: sixteenth
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;

public class HotelBookings {
    static class RejectedBooking extends Exception {
        RejectedBooking(String why) {
            super(why);
        }
    }

    static class Connection {
        final int id;
        volatile long borrowedAt;

        Connection(int id) {
            this.id = id;
        }

        /** A round trip to the reservation data base on the other machine. */
        int query(int room, int night) throws InterruptedException {
            Thread.sleep(3);
            return Math.floorMod(Objects.hash(room, night, id), 100);
        }
    }

    static class ConnectionPool {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition available = lock.newCondition();
        private final ArrayDeque<Connection> idle = new ArrayDeque<>();
        private final Map<Integer, Connection> out = new HashMap<>();
        private int nextId;
        final AtomicInteger reclaimed = new AtomicInteger();

        ConnectionPool(int size) {
            for (int i = 0; i < size; i++) idle.add(new Connection(nextId++));
        }

        Connection borrow() throws InterruptedException {
            lock.lock();
            try {
                while (idle.isEmpty()) available.await();
                Connection c = idle.pop();
                c.borrowedAt = System.nanoTime();
                out.put(c.id, c);
                return c;
            } finally {
                lock.unlock();
            }
        }

        void giveBack(Connection c) {
            lock.lock();
            try {
                if (out.remove(c.id) == null) return;
                idle.push(c);
                available.signal();
            } finally {
                lock.unlock();
            }
        }

        void reclaim(long olderThanNanos) {
            lock.lock();
            try {
                long now = System.nanoTime();
                for (var it = out.values().iterator(); it.hasNext(); ) {
                    Connection c = it.next();
                    if (now - c.borrowedAt < olderThanNanos) continue;
                    it.remove();
                    reclaimed.incrementAndGet();
                    idle.push(new Connection(nextId++));
                    available.signal();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    static class BookingService {
        static final boolean TIDY = Boolean.getBoolean("fixed");
        final ConnectionPool pool;

        BookingService(ConnectionPool pool) {
            this.pool = pool;
        }

        int book(int guest, int room, int night) throws RejectedBooking, InterruptedException {
            Connection c = pool.borrow();
            try {
                int taken = c.query(room, night);
                check(guest, room, taken);
                int confirmation = c.query(room, -night) * 31 + guest;
                pool.giveBack(c);
                return confirmation;
            } catch (RejectedBooking e) {
                if (TIDY) pool.giveBack(c);
                throw e;
            }
        }

        boolean free(int room, int night) throws InterruptedException {
            Connection c = pool.borrow();
            try {
                return c.query(room, night) < 70;
            } finally {
                pool.giveBack(c);
            }
        }

        private void check(int guest, int room, int taken) throws RejectedBooking {
            if (taken > 96) throw new RejectedBooking("room " + room + " is taken");
            if (guest % 90 == 89) throw new RejectedBooking("guest " + guest + " has open bills");
        }
    }

    final ConnectionPool pool = new ConnectionPool(12);
    final BookingService service = new BookingService(pool);
    final LongAdder done = new LongAdder();
    final LongAdder rejected = new LongAdder();
    final LongAdder nanos = new LongAdder();

    void agent(int id) {
        var r = new Random(id);
        try {
            while (true) {
                long t = System.nanoTime();
                int room = r.nextInt(900), night = r.nextInt(365);
                try {
                    if (service.free(room, night)) service.book(r.nextInt(50_000), room, night);
                } catch (RejectedBooking e) {
                    rejected.increment();
                }
                nanos.add(System.nanoTime() - t);
                done.increment();
                Thread.sleep(r.nextInt(5));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        var h = new HotelBookings();
        var keeper = Executors.newSingleThreadScheduledExecutor(r -> {
            var t = new Thread(r, "pool-keeper");
            t.setDaemon(true);
            return t;
        });
        keeper.scheduleWithFixedDelay(() -> h.pool.reclaim(3_000_000_000L), 500, 250, TimeUnit.MILLISECONDS);
        for (int i = 1; i <= 16; i++) {
            int id = i;
            var t = new Thread(() -> h.agent(id), "agent-" + id);
            t.setDaemon(true);
            t.start();
        }
        for (int s = 0; s < 150; s++) {
            Thread.sleep(1000);
            long n = h.done.sumThenReset(), ns = h.nanos.sumThenReset();
            System.out.printf("measured: %d requests/s, %.1f ms each, %d rejected, %d connections reclaimed%n", n, n == 0 ? 0 : ns / 1e6 / n,
                    h.rejected.sumThenReset(), h.pool.reclaimed.getAndSet(0));
            if (s == 5) System.out.println("READY");
        }
        System.exit(0);
    }
}
