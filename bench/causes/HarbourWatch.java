// SPDX-License-Identifier: Apache-2.0
// healthy: a ScheduledThreadPoolExecutor of two threads runs several short jobs on time; what takes longer (the report) is handed to a thread of its own, and cancelled overdue checks leave the queue at once
// share: about 0.1 CPUs; jobs begin within a few milliseconds of when they are due, unless other programs take the CPUs (see "measured")
// judge: NAMED: that nothing stands out, or only neutral remarks about where CPU time goes (positions/report computing, formatting in HarbourWatch$Report). WRONG: any accusation of the program: a blocked scheduler, busy pool, growing queue, cancelled tasks, a saturated thread, locks, waiting for futures. (On a crowded machine a finding of the machine that threads wait for CPUs is right if they do.)
// jdk: 11
// set: thirty-fourth
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

public class HarbourWatch {
    static final LongAdder runs = new LongAdder(), lateNs = new LongAdder();
    static final AtomicLong worstNs = new AtomicLong();

    static final class Ship {
        final int mmsi;
        volatile double lat, lon, course, knots;

        Ship(int mmsi) {
            ThreadLocalRandom r = ThreadLocalRandom.current();
            this.mmsi = mmsi;
            lat = 53.5 + r.nextDouble() / 5;
            lon = 9.8 + r.nextDouble() / 5;
            course = r.nextDouble() * 360;
            knots = 2 + r.nextDouble() * 10;
        }

        void sail(double hours) {
            double d = knots * hours / 60, c = Math.toRadians(course);
            lat += d * Math.cos(c);
            lon += d * Math.sin(c) / Math.cos(Math.toRadians(lat));
            if (Math.abs(lat - 53.6) > 0.2 || Math.abs(lon - 9.9) > 0.2) {
                course = (course + 175) % 360;
            }
        }

        double miles(Ship o) {
            double a = Math.toRadians(lat), b = Math.toRadians(o.lat), l = Math.toRadians(lon - o.lon);
            return 3440 * Math.acos(Math.min(1, Math.sin(a) * Math.sin(b) + Math.cos(a) * Math.cos(b) * Math.cos(l)));
        }
    }

    /** A job that comes again at a rate, and notes how late it begins. */
    static final class Job implements Runnable {
        private final Runnable work;
        private final long periodNs;
        private long due;

        Job(long periodMs, Runnable work) {
            this.work = work;
            periodNs = TimeUnit.MILLISECONDS.toNanos(periodMs);
            due = System.nanoTime() + periodNs;
        }

        @Override public void run() {
            long late = Math.max(0, System.nanoTime() - due);
            due += periodNs;
            lateNs.add(late);
            runs.increment();
            worstNs.accumulateAndGet(late, Math::max);
            try {
                work.run();
            } catch (RuntimeException e) {
                System.err.println("job: " + e);
            }
        }

        static void every(ScheduledThreadPoolExecutor s, long ms, Runnable work) {
            s.scheduleAtFixedRate(new Job(ms, work), ms, ms, TimeUnit.MILLISECONDS);
        }
    }

    static final class Berths {
        private final ScheduledThreadPoolExecutor scheduler;
        private final Map<Integer, ScheduledFuture<?>> overdue = new ConcurrentHashMap<>();
        final AtomicInteger missed = new AtomicInteger();

        Berths(ScheduledThreadPoolExecutor scheduler) {
            this.scheduler = scheduler;
        }

        void heard(Ship ship) {
            ScheduledFuture<?> old = overdue.put(ship.mmsi, scheduler.schedule(missed::incrementAndGet, 30, TimeUnit.SECONDS));
            if (old != null) {
                old.cancel(false);
            }
        }
    }

    static final class Report {
        private final List<Ship> ships;
        volatile int size;

        Report(List<Ship> ships) {
            this.ships = ships;
        }

        void write() {
            Map<Long, List<String>> bySpeed = new TreeMap<>();
            for (Ship s : ships) {
                bySpeed.computeIfAbsent(Math.round(s.knots), k -> new ArrayList<>())
                    .add(s.mmsi + " at " + Math.round(s.lat * 1e4) / 1e4 + " N " + Math.round(s.lon * 1e4) / 1e4 + " E");
            }
            StringBuilder b = new StringBuilder();
            bySpeed.forEach((knots, lines) -> b.append(knots).append(" kn: ").append(String.join(", ", lines)).append('\n'));
            size = b.length();
        }
    }

    public static void main(String[] args) throws Exception {
        List<Ship> ships = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            ships.add(new Ship(211000000 + i));
        }
        AtomicInteger number = new AtomicInteger();
        ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(2, r -> {
            Thread t = new Thread(r, "watch-" + number.incrementAndGet());
            t.setDaemon(true);
            return t;
        });
        scheduler.setRemoveOnCancelPolicy(true);
        ExecutorService office = Executors.newSingleThreadExecutor(r -> {
            Thread t = new Thread(r, "office");
            t.setDaemon(true);
            return t;
        });
        Berths berths = new Berths(scheduler);
        Report report = new Report(ships);
        AtomicInteger close = new AtomicInteger(), turn = new AtomicInteger();
        Job.every(scheduler, 100, () -> ships.forEach(s -> s.sail(0.1 / 3600)));
        Job.every(scheduler, 50, () -> {
            int from = turn.getAndAdd(20) % ships.size();
            ships.subList(from, from + 20).forEach(berths::heard);
        });
        Job.every(scheduler, 200, () -> {
            int n = 0;
            for (int i = 0; i < ships.size(); i++) {
                for (int j = i + 1; j < ships.size(); j++) {
                    n += ships.get(i).miles(ships.get(j)) < 0.1 ? 1 : 0;
                }
            }
            close.set(n);
        });
        Job.every(scheduler, 1000, () -> office.execute(report::write));
        Thread.sleep(2500);
        worstNs.set(0);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long n = runs.sum(), l = lateNs.sum();
            Thread.sleep(1000);
            long k = Math.max(1, runs.sum() - n);
            System.out.printf(Locale.ROOT, "measured: %d jobs begun, %.2f ms late on average, %.1f ms at most; %d tasks queued, %d ships overdue, %d pairs close, report of %d letters%n",
                k, (lateNs.sum() - l) / 1e6 / k, worstNs.getAndSet(0) / 1e6, scheduler.getQueue().size(), berths.missed.get(), close.get(), report.size);
        }
    }
}
