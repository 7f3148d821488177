// SPDX-License-Identifier: Apache-2.0
// healthy: all or nearly all collections are asked for by System.gc(), from Shift.rest, every 4 s; they are made on purpose in the rest between two firings, when no reading is under way, take a few ms each with the small heap (well below 1 % of the time), and keep collections out of the firing itself.
// share: measures readings per second (about 500, the pace of the sensors), the mean time of a reading (some ten microseconds) and the longest one within firings
// judge: WRONG: explicit collections called a fault that slows the program, remove System.gc() to make it faster, gc-pauses, heap too small, sensors sleep too long, wait for the firing (Shift.await) as a fault. ACCEPTABLE: a neutral remark that System.gc() is called from Shift.rest every 4 s and costs less than 1 % of the time; nothing stands out; the process did next to nothing.
// jdk: 25
// set: twenty-fifth
// jvm: -XX:+UseSerialGC -Xmn40m
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;

public class KilnMonitor {
    record Sample(int zone, double celsius, double draught) { }

    static class Profile {
        private final double[] target = new double[240];
        Profile() {
            for (int i = 0; i < target.length; i++) target[i] = 20 + 1180 * Math.sin(Math.PI * i / target.length);
        }
        double at(double share) {
            double x = Math.min(0.999, Math.max(0, share)) * (target.length - 1);
            int i = (int) x;
            return target[i] + (x - i) * (target[i + 1] - target[i]);
        }
    }

    static class Shift {
        private final Lock state = new ReentrantLock();
        private final Condition began = state.newCondition();
        private boolean firing;
        private long from;
        final AtomicInteger firings = new AtomicInteger();

        void fire(long millis) throws InterruptedException {
            state.lock();
            try {
                firing = true;
                from = System.nanoTime();
                firings.incrementAndGet();
                began.signalAll();
            } finally {
                state.unlock();
            }
            Thread.sleep(millis);
        }
        void rest(long millis) throws InterruptedException {
            state.lock();
            try {
                firing = false;
            } finally {
                state.unlock();
            }
            Thread.sleep(millis / 2);
            System.gc();
            Thread.sleep(millis / 2);
        }
        long await() throws InterruptedException {
            state.lock();
            try {
                while (!firing) began.await();
                return from;
            } finally {
                state.unlock();
            }
        }
    }

    static class Controller {
        private final double[] valve = new double[8];
        private final double[] error = new double[8];
        private final Deque<String> protocol = new ArrayDeque<>();
        double adjust(Sample s, double target) {
            double e = target - s.celsius();
            error[s.zone()] = error[s.zone()] * 0.95 + e;
            valve[s.zone()] = Math.max(0, Math.min(1, 0.5 + e * 0.004 + error[s.zone()] * 0.0002));
            synchronized (protocol) {
                protocol.addLast(String.format(Locale.ROOT, "zone %d %.1f C of %.1f, valve %.2f", s.zone(), s.celsius(), target, valve[s.zone()]));
                if (protocol.size() > 400) protocol.removeFirst();
            }
            return valve[s.zone()];
        }
    }

    static class Totals {
        final LongAdder readings = new LongAdder(), nanos = new LongAdder();
        final AtomicLong longest = new AtomicLong();
        void add(long ns) {
            readings.increment();
            nanos.add(ns);
            longest.accumulateAndGet(ns, Math::max);
        }
    }

    static class Zone implements Runnable {
        private final int id;
        private final Shift shift;
        private final Controller controller;
        private final Profile profile;
        private final Totals totals;
        private final Random r;
        private double celsius = 20;
        Zone(int id, Shift shift, Controller controller, Profile profile, Totals totals) {
            this.id = id;
            this.shift = shift;
            this.controller = controller;
            this.profile = profile;
            this.totals = totals;
            r = new Random(id);
        }
        @Override public void run() {
            try {
                while (true) {
                    long from = shift.await();
                    long t = System.nanoTime();
                    double target = profile.at((t - from) / 3.5e9);
                    double valve = controller.adjust(new Sample(id, celsius + r.nextGaussian(), r.nextDouble()), target);
                    celsius += (valve - 0.3) * 12 - (celsius - 20) * 0.002;
                    totals.add(System.nanoTime() - t);
                    Thread.sleep(13);
                }
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Shift shift = new Shift();
        Controller controller = new Controller();
        Profile profile = new Profile();
        Totals totals = new Totals();
        for (int i = 0; i < 8; i++) start(new Zone(i, shift, controller, profile, totals), "zone-" + i);
        start(() -> {
            try {
                while (true) {
                    shift.fire(3500);
                    shift.rest(500);
                }
            } catch (InterruptedException e) {
                return;
            }
        }, "shift");
        System.out.println("READY");
        for (long end = System.nanoTime() + 170_000_000_000L; System.nanoTime() < end; ) {
            Thread.sleep(1000);
            long n = totals.readings.sumThenReset(), t = totals.nanos.sumThenReset();
            System.out.printf("measured: %d readings/s, %.1f us each, longest %.2f ms, firing %d%n",
                n, n == 0 ? 0 : t / 1e3 / n, totals.longest.getAndSet(0) / 1e6, shift.firings.get());
        }
        System.exit(0);
    }

    static void start(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }
}
