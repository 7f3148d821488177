// SPDX-License-Identifier: Apache-2.0
// healthy: 6000 virtual threads sleep nearly all of their life and wake every 2 s at times of their own to make a reading; all 3000 readings due a second are made, 0.1 to 0.2 ms late, the carriers are mostly free, and the stacks that keep a third of the heap in use do not grow.
// share: measures readings/s (3000 due, 3000 made) and by how much they are delayed (0.1 to 0.2 ms).
// judge: WRONG: an accusation of waiting for a timer (Thread.sleep) in Meter.run, of unmounted or unstarted virtual threads, of too many threads, of pinning, of a heap that fills up, of collections. ACCEPTABLE: neutral remarks that CPU time goes to scheduling virtual threads (ForkJoinPool, timed sleep) or to Forecast.smooth, that the process rests most of the time, or that nothing stands out.
// jdk: 21
// set: twenty-fourth
// jvm:
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.CRC32;

public class MeterFleet {
    static final LongAdder readings = new LongAdder();
    static final LongAdder lateness = new LongAdder();
    static final AtomicLong alarms = new AtomicLong();

    record Reading(int meter, long minute, int watts) {
        byte[] encode() {
            return ("meter=" + meter + ";minute=" + minute + ";watts=" + watts).getBytes();
        }
    }

    static final class Household {
        private final int number;
        private final Random random;
        private int level = 300;

        Household(int number) {
            this.number = number;
            this.random = new Random(number);
        }

        Reading read(long minute) {
            level = Math.max(50, Math.min(9000, level + random.nextInt(401) - 200));
            return new Reading(number, minute, level);
        }
    }

    static final class District {
        private final LongAdder watts = new LongAdder();
        private final LongAdder seals = new LongAdder();
        private volatile int peak;

        void add(Reading reading) {
            CRC32 crc = new CRC32();
            crc.update(reading.encode());
            seals.add(crc.getValue());
            watts.add(reading.watts());
            if (reading.watts() > peak) peak = reading.watts();
        }

        long total() {
            return watts.sum();
        }
    }

    static final class Grid {
        private final ConcurrentHashMap<Integer, District> districts = new ConcurrentHashMap<>();

        Grid(int count) {
            for (int i = 0; i < count; i++) districts.put(i, new District());
        }

        void accept(Reading reading) {
            districts.get(reading.meter() % districts.size()).add(reading);
            if (reading.watts() > 8900) alarms.incrementAndGet();
        }

        long total() {
            return districts.values().stream().mapToLong(District::total).sum();
        }
    }

    static final class Meter implements Runnable {
        private final Household household;
        private final Grid grid;
        private final long period;

        Meter(Household household, Grid grid, long period) {
            this.household = household;
            this.grid = grid;
            this.period = period;
        }

        @Override
        public void run() {
            try {
                long next = System.nanoTime() + ThreadLocalRandom.current().nextLong(period);
                for (long minute = 0; ; minute++) {
                    long rest = next - System.nanoTime();
                    if (rest > 0) Thread.sleep(Duration.ofNanos(rest));
                    grid.accept(household.read(minute));
                    lateness.add(Math.max(0, System.nanoTime() - next));
                    readings.increment();
                    next += period;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class Forecast implements Runnable {
        private final Grid grid;
        private final List<Double> loads = new ArrayList<>();

        Forecast(Grid grid) {
            this.grid = grid;
        }

        private double smooth(long total) {
            loads.add((double) total);
            if (loads.size() > 600) loads.remove(0);
            double level = loads.get(0);
            for (int pass = 0; pass < 40; pass++) {
                double weight = 0.02 * (pass + 1);
                for (double load : loads) level = level * (1 - weight) + load * weight;
            }
            return level;
        }

        @Override
        public void run() {
            try {
                while (smooth(grid.total()) >= 0) Thread.sleep(100);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Grid grid = new Grid(24);
        ExecutorService meters = Executors.newVirtualThreadPerTaskExecutor();
        for (int i = 0; i < 6000; i++) meters.submit(new Meter(new Household(i), grid, 2_000_000_000L));
        Thread.ofPlatform().daemon().name("forecast").start(new Forecast(grid));
        System.out.println("READY");
        for (int second = 0; second < 170; second++) {
            long n = readings.sum();
            long l = lateness.sum();
            Thread.sleep(1000);
            long count = readings.sum() - n;
            System.out.printf("measured: %d readings/s of 3000 due, %.2f ms late on average%n", count,
                    count == 0 ? 0.0 : (lateness.sum() - l) / 1e6 / count);
        }
        System.exit(0);
    }
}
