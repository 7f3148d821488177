// SPDX-License-Identifier: Apache-2.0
// cause: BookingDesk.Session.book holds synchronized(this) around the blocking ReservationSystem.reserve call (Thread.sleep 6 ms) in virtual threads: on JDK 21 this pins the carrier, so only as many bookings as carriers (2) run at a time; a ReentrantLock does not pin
// share: 10 s means: faulty 326 bookings/s, fixed (ReentrantLock) 1824 bookings/s, 5.6x (2 carriers; inside the desk 6.1 ms in both, the wait is for a carrier)
// expect: waiting kind=carrier holder=pins
// symptom: waiting
// judge: NAMED: virtual threads are pinned to their carriers by synchronized in Session.book during the blocking call. SYMPTOM ONLY: all carrier threads are busy / sleep in reserve; too little parallelism of virtual threads / ForkJoinPool of 2 carriers saturated, with no mention of pinning; time goes into Thread.sleep. WRONG: contention for the Session monitor (each session is used by one traveller only), slow reservation system as the cause, CPU in the fare loop, raising jdk.virtualThreadScheduler.parallelism as the only diagnosis without pinning, GC
// jdk: 21
// set: twenty-second
import java.util.concurrent.Executors;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

/** Reserves seats for travellers; every traveller has a session which handles one booking at a time. */
public class BookingDesk {
    static final boolean FIXED = Boolean.getBoolean("fixed");

    /** The reservation system answers in about 6 ms. */
    static final class ReservationSystem {
        int reserve(int trip) throws InterruptedException {
            Thread.sleep(6);
            return trip * 31 + 7;
        }
    }

    static final class Session {
        private final ReservationSystem system;
        private final ReentrantLock turn = new ReentrantLock();
        private int last;

        Session(ReservationSystem system) { this.system = system; }

        int book(int trip) throws InterruptedException {
            if (FIXED) {
                turn.lock();
                try {
                    return reserve(trip);
                } finally {
                    turn.unlock();
                }
            }
            synchronized (this) {
                return reserve(trip);
            }
        }

        private int reserve(int trip) throws InterruptedException {
            int seat = system.reserve(trip);
            int fare = seat;
            for (int i = 0; i < 3000; i++) fare = fare * 1103515245 + 12345;
            last = fare;
            return last;
        }
    }

    public static void main(String[] args) throws Exception {
        ReservationSystem system = new ReservationSystem();
        LongAdder bookings = new LongAdder();
        LongAdder micros = new LongAdder();
        LongAdder fares = new LongAdder();
        ExecutorService travellers = Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("traveller-", 0).factory());
        for (int i = 0; i < 48; i++) {
            int id = i;
            travellers.execute(() -> {
                Session session = new Session(system);
                try {
                    for (int trip = id; ; trip++) {
                        long t0 = System.nanoTime();
                        fares.add(session.book(trip));
                        micros.add((System.nanoTime() - t0) / 1000);
                        bookings.increment();
                        Thread.sleep(20);
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        Thread.sleep(3000);
        System.out.println("READY");
        bookings.reset();
        micros.reset();
        for (int s = 0; s < 165; s++) {
            Thread.sleep(1000);
            long n = bookings.sumThenReset();
            System.out.printf("measured: %d bookings/s, mean %.1f ms inside the desk%n", n,
                    micros.sumThenReset() / 1000.0 / Math.max(1, n));
        }
        System.exit(fares.sum() == 1 ? 1 : 0);
    }
}
