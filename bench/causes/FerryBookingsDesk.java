// SPDX-License-Identifier: Apache-2.0
// cause: FerryBookingsDesk$DeckReport.look asks ThreadMXBean.dumpAllThreads(true, true) every 15 ms; with locked synchronizers the VM thread walks the whole heap (about two and a half million live objects) at a safepoint each time, so that all bookings stop for that long.
// share: faulty 118,800 bookings/s at 13.5 us each; fixed 249,100 bookings/s at 6.6 us each
// expect: vm-operations operation=ThreadDump
// symptom: waiting hot-method
// judge: NAMED: the VM operation ThreadDump (thread dumps with locked synchronizers, a walk of the heap) requested by FerryBookingsDesk$DeckReport.look through dumpAllThreads. SYMPTOM ONLY: the VM thread is busy or the program is stopped at safepoints; bookings wait for the lock of a Deck (its holder is stopped). WRONG: lock contention on Deck as the cause; collections or a heap that is too small; slow arrival at safepoints; a leak in Sailings.
// jdk: 17
// set: twenty-sixth
// jvm: -Xmx320m

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

public class FerryBookingsDesk {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int DECKS = 24;
    static final AtomicLong booked = new AtomicLong();
    static final AtomicLong nanos = new AtomicLong();
    static final AtomicLong reports = new AtomicLong();

    record Vehicle(String plate, int centimetres, int kilograms) {
    }

    record Place(int lane, int from, Vehicle vehicle) {
    }

    /** All sailings of the season with the places that are booked already. */
    static final class Sailings {
        private final Map<Integer, List<Place>> byNumber = new HashMap<>();

        void load(int sailings, int places) {
            Random random = new Random(3);
            for (int s = 0; s < sailings; s++) {
                List<Place> list = new ArrayList<>(places);
                for (int p = 0; p < places; p++) {
                    Vehicle vehicle = new Vehicle("P" + random.nextInt(10_000_000), 350 + random.nextInt(1200), 900 + random.nextInt(30000));
                    list.add(new Place(p % 8, p / 8 * 500, vehicle));
                }
                byNumber.put(s, list);
            }
        }

        int weight(int sailing) {
            int sum = 0;
            for (Place place : byNumber.get(sailing)) {
                sum += place.vehicle().kilograms() / 100;
            }
            return sum;
        }

        int size() {
            return byNumber.size();
        }
    }

    static final class Deck {
        final ReentrantLock lock = new ReentrantLock();
        private final int[] used = new int[8];
        private int turn;

        int place(int centimetres) {
            lock.lock();
            try {
                int best = 0;
                for (int lane = 1; lane < used.length; lane++) {
                    if (used[lane] < used[best]) {
                        best = lane;
                    }
                }
                used[best] += centimetres;
                if (++turn % 400 == 0) {
                    java.util.Arrays.fill(used, 0);
                }
                return best;
            } finally {
                lock.unlock();
            }
        }
    }

    static final class Office {
        private final Sailings sailings;
        private final Deck[] decks = new Deck[DECKS];

        Office(Sailings sailings) {
            this.sailings = sailings;
            for (int i = 0; i < DECKS; i++) {
                decks[i] = new Deck();
            }
        }

        String book(Random random) {
            int sailing = random.nextInt(sailings.size());
            int weight = sailings.weight(sailing);
            int length = 350 + random.nextInt(1200);
            int lane = decks[sailing % DECKS].place(length);
            return sailing + "/" + lane + "/" + weight;
        }
    }

    /** Notes which threads hold the locks of decks, for the operators' page. */
    static final class DeckReport implements Runnable {
        private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        private volatile int holders;

        private void look() {
            int count = 0;
            for (ThreadInfo info : threads.dumpAllThreads(true, !FIXED)) {
                if (info.getThreadName().startsWith("counter") && (info.getLockedSynchronizers().length > 0 || info.getLockInfo() != null)) {
                    count++;
                }
            }
            holders = count;
            reports.incrementAndGet();
        }

        @Override
        public void run() {
            while (true) {
                look();
                LockSupport.parkNanos(15_000_000);
            }
        }
    }

    static void start(Runnable what, String name) {
        Thread thread = new Thread(what, name);
        thread.setDaemon(true);
        thread.start();
    }

    public static void main(String[] args) throws Exception {
        Sailings sailings = new Sailings();
        sailings.load(2600, 240);
        Office office = new Office(sailings);
        DeckReport report = new DeckReport();
        for (int c = 0; c < 5; c++) {
            Random random = new Random(c);
            start(() -> {
                for (int i = 0; ; i++) {
                    long begin = System.nanoTime();
                    if (office.book(random).isEmpty()) {
                        throw new IllegalStateException("no place");
                    }
                    nanos.addAndGet(System.nanoTime() - begin);
                    booked.incrementAndGet();
                    if (i % 50 == 0) {
                        LockSupport.parkNanos(300_000);
                    }
                }
            }, "counter-" + c);
        }
        start(report, "deck-report");
        System.out.println("READY");
        long end = System.nanoTime() + 170_000_000_000L;
        while (System.nanoTime() < end) {
            long b = booked.get();
            long n = nanos.get();
            long r = reports.get();
            Thread.sleep(1000);
            long done = booked.get() - b;
            System.out.printf("measured: %d bookings/s, %.1f us each, %d reports, %d holders%n", done,
                (nanos.get() - n) / 1e3 / Math.max(1, done), reports.get() - r, report.holders);
        }
        System.exit(0);
    }
}
