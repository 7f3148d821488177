// SPDX-License-Identifier: Apache-2.0
// healthy: editions of a timetable are kept for some seconds, because journeys that began under one are finished under it, and then replaced; so they get old, the old generation fills up and full collections find more than half of it dead; but they are few and short (some 10 ms every few seconds, all pauses together about 1 % of the time), and no young generation of a sensible size would keep editions from getting old
// share: a full collection of 10 to 20 ms about every second and five young ones a second of about 1 ms, 1.4 % of the time all together; 0.3 CPUs
// judge: RIGHT: nothing stands out, or only neutral remarks (time goes to computing in RailTimetable$Edition.arrival or RailTimetable$Planner, no fault shows). WRONG: any accusation: promotion, a larger young generation is needed, collections cost too much, the heap is too small or too large, memory is held (live set).
// jdk: 21
// set: thirty-third
// jvm: -Xmx92m -Xms92m -Xmn40m -XX:+UseSerialGC

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Plans journeys by the timetable as it is now: with delays, each edition holds for a second. */
public class RailTimetable {
    static final int STATIONS = 600;
    static final int LINES = 900;

    /** Minutes of arrival by line and stop. */
    static final class Edition {
        final int number;
        private final int[][] arrivals = new int[LINES][];

        Edition(int number, Random delays) {
            this.number = number;
            for (int line = 0; line < LINES; line++) {
                int[] minutes = new int[3000];
                int at = delays.nextInt(15), late = delays.nextInt(10) == 0 ? 5 : 0;
                for (int stop = 0; stop < minutes.length; stop++) {
                    at += 2 + ((line + stop) & 3);
                    minutes[stop] = at + late;
                }
                arrivals[line] = minutes;
            }
        }

        int arrival(int line, int afterMinute) {
            int[] minutes = arrivals[line];
            int low = 0, high = minutes.length - 1;
            while (low < high) {
                int mid = (low + high) >>> 1;
                if (minutes[mid] < afterMinute) {
                    low = mid + 1;
                } else {
                    high = mid;
                }
            }
            return minutes[low];
        }
    }

    /** The editions by which somebody may still be on the way. */
    static final class Timetable {
        private static final int KEPT = 3;
        private final Deque<Edition> editions = new ArrayDeque<>();
        private final Random delays = new Random(11);
        private volatile Edition current;

        Timetable() {
            publish();
        }

        synchronized void publish() {
            Edition e = new Edition(current == null ? 1 : current.number + 1, delays);
            editions.addLast(e);
            if (editions.size() > KEPT) {
                editions.removeFirst();
            }
            current = e;
        }

        Edition current() {
            return current;
        }
    }

    static final class Leg {
        final int line;
        final int arrives;

        Leg(int line, int arrives) {
            this.line = line;
            this.arrives = arrives;
        }
    }

    static final class Planner implements Runnable {
        private final Timetable timetable;
        private final AtomicLong journeys;
        private final Random random;

        Planner(Timetable timetable, AtomicLong journeys, long seed) {
            this.timetable = timetable;
            this.journeys = journeys;
            this.random = new Random(seed);
        }

        @Override
        public void run() {
            long minutes = 0;
            while (minutes >= 0) {
                for (int i = 0; i < 150; i++) {
                    List<Leg> plan = plan(timetable.current(), random.nextInt(STATIONS), random.nextInt(1200));
                    minutes += plan.get(plan.size() - 1).arrives & 1;
                    journeys.incrementAndGet();
                }
                LockSupport.parkNanos(3_000_000);
            }
        }

        private List<Leg> plan(Edition edition, int from, int minute) {
            List<Leg> best = null;
            for (int choice = 0; choice < 12; choice++) {
                List<Leg> legs = new ArrayList<>();
                int now = minute;
                for (int leg = 0; leg < 4; leg++) {
                    int line = (from * 31 + choice * 7 + leg * 101) % LINES;
                    now = edition.arrival(line, now) + 3;
                    legs.add(new Leg(line, now));
                }
                if (best == null || now < best.get(best.size() - 1).arrives) {
                    best = legs;
                }
            }
            return best;
        }
    }

    static void start(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        Timetable timetable = new Timetable();
        AtomicLong journeys = new AtomicLong();
        start(() -> {
            while (true) {
                LockSupport.parkNanos(1_000_000_000);
                timetable.publish();
            }
        }, "editions");
        for (int i = 0; i < 2; i++) {
            start(new Planner(timetable, journeys, i), "planner-" + i);
        }
        Thread.sleep(5000);
        System.out.println("READY");
        System.out.flush();
        long j = journeys.get(), young = 0, youngMs = 0, full = 0, fullMs = 0;
        while (true) {
            for (GarbageCollectorMXBean b : ManagementFactory.getGarbageCollectorMXBeans()) {
                if (b.getName().contains("MarkSweep")) {
                    full = b.getCollectionCount();
                    fullMs = b.getCollectionTime();
                } else {
                    young = b.getCollectionCount();
                    youngMs = b.getCollectionTime();
                }
            }
            long up = ManagementFactory.getRuntimeMXBean().getUptime(), n = journeys.get();
            System.out.printf(Locale.ROOT, "measured: %d journeys/s, so far %d full collections (%d ms) and %d young ones (%d ms), %.2f %% of the time%n",
                    n - j, full, fullMs, young, youngMs, 100.0 * (fullMs + youngMs) / up);
            System.out.flush();
            j = n;
            Thread.sleep(1000);
        }
    }
}
