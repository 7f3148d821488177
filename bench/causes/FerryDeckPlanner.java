// SPDX-License-Identifier: Apache-2.0
// cause: FerryDeckPlanner$Overload.spare calls OperatingSystemMXBean.getProcessCpuLoad() for each vehicle that is placed (from $Lane.place); that call reads /proc under one native mutex of the JDK's library (pthread_mutex_lock in OperatingSystemImpl.c), so the 20 lanes queue up at that native lock instead of placing vehicles
// share: lanes spend 99 % of their time in the call of getProcessCpuLoad, three quarters or more of them asleep on the native mutex at any time (futex); a call takes five to six times as long as when one thread alone makes it
// expect: waiting kind=native-lock frame=FerryDeckPlanner$Overload.spare | hot-calls frame=FerryDeckPlanner$Overload.spare
// symptom: hot-calls
// judge: NAMED: waiting for a native lock at FerryDeckPlanner$Overload.spare (or in getProcessCpuLoad / OperatingSystemImpl called there), as well as hot calls or hot code that say that the CPU time goes to getProcessCpuLoad (reading /proc) which $Overload.spare calls. SYMPTOM ONLY: "many threads wait natively" or "much system time" or crowded CPUs without that place. WRONG: anything about $Deck.fit, $Lane.place as computation, the booking queue, Java monitors, the collector, or too few CPUs as the main cause
// jdk: 11
// set: thirty-fourth
// jvm: -Xmx256m
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import com.sun.management.OperatingSystemMXBean;

/** Assigns vehicles of a ferry line to decks; one thread for each check-in lane of the terminals. */
public class FerryDeckPlanner {
    static final int LANES = 20;

    static final class Vehicle {
        final int id;
        final int lengthCm;
        final int heightCm;
        final int kilograms;

        Vehicle(int id, int lengthCm, int heightCm, int kilograms) {
            this.id = id;
            this.lengthCm = lengthCm;
            this.heightCm = heightCm;
            this.kilograms = kilograms;
        }
    }

    /** One row of a deck, bow to stern. */
    static final class Row {
        final int lengthCm;
        final int heightCm;
        int usedCm;
        int kilograms;

        Row(int lengthCm, int heightCm) {
            this.lengthCm = lengthCm;
            this.heightCm = heightCm;
        }
    }

    static final class Deck {
        final List<Row> rows = new ArrayList<>();

        Deck() {
            for (int i = 0; i < 24; i++) rows.add(new Row(9_000 + 250 * (i % 5), i % 3 == 0 ? 440 : 230));
        }

        /** The row in which the vehicle leaves the least room, with regard to the trim of the ship. */
        Row fit(Vehicle v) {
            Row best = null;
            double bestCost = Double.MAX_VALUE;
            double moment = 0;
            for (int i = 0; i < rows.size(); i++) moment += rows.get(i).kilograms * (i - 11.5);
            for (int i = 0; i < rows.size(); i++) {
                Row r = rows.get(i);
                int left = r.lengthCm - r.usedCm - v.lengthCm - 40;
                if (left < 0 || r.heightCm < v.heightCm) continue;
                double trim = Math.abs(moment + v.kilograms * (i - 11.5));
                double cost = left / 100.0 + trim / 4_000.0 + (r.heightCm - v.heightCm) / 50.0;
                if (cost < bestCost) {
                    bestCost = cost;
                    best = r;
                }
            }
            return best;
        }

        void clear() {
            for (Row r : rows) {
                r.usedCm = 0;
                r.kilograms = 0;
            }
        }
    }

    /** Says whether the machine has room for the thorough search. */
    static final class Overload {
        final OperatingSystemMXBean os = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        final double limit;
        final LongAdder nanos = new LongAdder();
        final LongAdder calls = new LongAdder();

        Overload(double limit) {
            this.limit = limit;
        }

        boolean spare() {
            long t = System.nanoTime();
            double load = os.getProcessCpuLoad();
            nanos.add(System.nanoTime() - t);
            calls.increment();
            return load < limit;
        }
    }

    static final class Lane extends Thread {
        final Overload overload;
        final Deck deck = new Deck();
        final LongAdder placed;
        final LongAdder sailings;
        int seed;

        Lane(int number, Overload overload, LongAdder placed, LongAdder sailings) {
            super("lane-" + number);
            this.overload = overload;
            this.placed = placed;
            this.sailings = sailings;
            this.seed = number * 7919 + 17;
        }

        Vehicle next(int id) {
            seed = seed * 1_103_515_245 + 12_345;
            int kind = (seed >>> 16) % 10;
            if (kind < 7) return new Vehicle(id, 380 + (seed >>> 20) % 120, 150 + (seed >>> 24) % 50, 1_400);
            return new Vehicle(id, 700 + (seed >>> 20) % 500, 300 + (seed >>> 24) % 100, 9_000);
        }

        boolean place(Vehicle v) {
            Row row = deck.fit(v);
            if (row != null && overload.spare()) {
                // room for a second look: is there a better one if the row is filled up?
                Row other = deck.fit(new Vehicle(v.id, v.lengthCm + 20, v.heightCm, v.kilograms));
                if (other != null && other.usedCm > row.usedCm) row = other;
            }
            if (row == null) return false;
            row.usedCm += v.lengthCm + 40;
            row.kilograms += v.kilograms;
            return true;
        }

        @Override
        public void run() {
            for (int id = 0; ; id++) {
                if (place(next(id))) {
                    placed.increment();
                } else {
                    deck.clear();
                    sailings.increment();
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Overload overload = new Overload(0.95);
        long t = System.nanoTime();
        for (int i = 0; i < 2_000; i++) overload.spare();
        double alone = (System.nanoTime() - t) / 2_000 / 1e3;
        LongAdder placed = new LongAdder();
        LongAdder sailings = new LongAdder();
        for (int i = 0; i < LANES; i++) {
            Lane lane = new Lane(i, overload, placed, sailings);
            lane.setDaemon(true);
            lane.start();
        }
        Thread.sleep(1_500);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            overload.nanos.reset();
            overload.calls.reset();
            placed.reset();
            long begin = System.nanoTime();
            Thread.sleep(1_000);
            double all = (double) (System.nanoTime() - begin) * LANES;
            long n = Math.max(1, overload.calls.sum());
            System.out.printf("measured: %d vehicles placed, %d sailings; lanes are %.0f %% of their time in the load check, %.0f us each (%.0f us for one thread alone)%n",
                    placed.sum(), sailings.sum(), 100 * overload.nanos.sum() / all, overload.nanos.sum() / 1e3 / n, alone);
            System.out.flush();
        }
    }
}
