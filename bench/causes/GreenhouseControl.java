// SPDX-License-Identifier: Apache-2.0
// healthy: A scheduler samples 40 greenhouses every 100 ms and recalculates every 2 s in a short burst; between the dates all pool threads wait; every tick is punctual (delay of a few milliseconds); a bounded history of about 10 MB is kept on purpose and does not grow.
// judge: Right: nothing wrong / idle between periodic tasks, ticks punctual, bounded history. Wrong: any fault - memory growth or retention (History is a fixed ring), scheduler starvation, waiting pool threads, bursts of Controller.plan as a CPU problem, monitor contention on House.
// set: nineteenth
// jdk: 25
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class GreenhouseControl {
    private static final long TICK_MS = 100;
    private static final LongAdder ticks = new LongAdder();
    private static final LongAdder delayMicros = new LongAdder();

    record Sample(long time, double celsius, double humidity) { }

    static final class History {
        private final Sample[] ring = new Sample[6000];
        private int next;

        void add(Sample s) {
            ring[next] = s;
            next = (next + 1) % ring.length;
        }

        double mean(int last) {
            double sum = 0;
            int n = 0;
            for (int i = 1; i <= last; i++) {
                Sample s = ring[Math.floorMod(next - i, ring.length)];
                if (s != null) {
                    sum += s.celsius() + s.humidity() * 0.1;
                    n++;
                }
            }
            return n == 0 ? 0 : sum / n;
        }
    }

    static final class House {
        private final History history = new History();
        private final SplittableRandom r;
        private double celsius = 21;
        private double valve = 0.5;

        House(int number) {
            r = new SplittableRandom(number);
            for (int i = 0; i < 6000; i++) measure(i);
        }

        synchronized void measure(long time) {
            celsius += (r.nextDouble() - 0.5) * 0.2 + (valve - 0.5) * 0.05 + (21 - celsius) * 0.01;
            history.add(new Sample(time, celsius, 60 + r.nextDouble() * 10));
        }

        synchronized double mean(int last) {
            return history.mean(last);
        }

        synchronized void valve(double v) {
            valve = Math.max(0, Math.min(1, v));
        }
    }

    static final class Controller {
        private final List<House> houses;

        Controller(List<House> houses) {
            this.houses = houses;
        }

        void plan() {
            for (House h : houses) {
                double now = h.mean(100);
                double trend = now - h.mean(5000);
                double best = 0;
                double cost = Double.MAX_VALUE;
                for (int step = 0; step <= 2000; step++) {
                    double v = step / 2000.0;
                    double c = Math.abs(27.5 - now - trend - (v - 0.5) * 3) + Math.exp(v) * 0.01;
                    if (c < cost) {
                        cost = c;
                        best = v;
                    }
                }
                h.valve(best);
            }
        }
    }

    private static void tick(List<House> houses, AtomicLong due) {
        long t = System.nanoTime();
        delayMicros.add(Math.max(0, t - due.getAndAdd(TICK_MS * 1_000_000)) / 1000);
        for (House h : houses) h.measure(t);
        ticks.increment();
    }

    public static void main(String[] args) throws Exception {
        List<House> houses = new ArrayList<>();
        for (int i = 0; i < 40; i++) houses.add(new House(i));
        Controller controller = new Controller(houses);
        AtomicInteger n = new AtomicInteger();
        ScheduledExecutorService timetable = Executors.newScheduledThreadPool(4, r -> {
            Thread t = new Thread(r, "timetable-" + n.getAndIncrement());
            t.setDaemon(true);
            return t;
        });
        AtomicLong due = new AtomicLong(System.nanoTime() + 500_000_000L);
        timetable.scheduleAtFixedRate(() -> tick(houses, due),
                (due.get() - System.nanoTime()) / 1000, TICK_MS * 1000, TimeUnit.MICROSECONDS);
        timetable.scheduleWithFixedDelay(controller::plan, 730, 2000, TimeUnit.MILLISECONDS);
        Thread.sleep(3000);
        System.out.println("READY");
        ticks.reset();
        delayMicros.reset();
        for (int i = Integer.getInteger("secs", 165); i > 0; i--) {
            Thread.sleep(1000);
            long count = ticks.sumThenReset();
            double ms = delayMicros.sumThenReset() / 1000.0 / Math.max(1, count);
            System.out.printf(Locale.ROOT, "measured: %.2f ms tick delay (%d ticks)%n", ms, count);
        }
        System.exit(0);
    }
}
