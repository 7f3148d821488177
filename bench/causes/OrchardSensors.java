// SPDX-License-Identifier: Apache-2.0
// healthy: a young collection runs several times a second and nearly all objects die at once, but the pauses are short, the live set is small and constant, and the feed is worked off without lag.
// share: measures e.g. "140000 readings/s, longest beat 3.7 ms, collector 2 ms"
// judge: Right is: no fault (allocation is high but collections are cheap, share of GC time small, no lag); naming GC pressure, allocation in Reading.parse/split, or the heap size as a fault is wrong.
// set: twenty-first
// jdk: 11
import java.lang.management.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/** Orchard weather stations: packets of readings come in on a fixed beat and are folded into hourly figures. */
public class OrchardSensors {
    static final int STATIONS = 400;
    static final int PER_BEAT = 700;
    static final long BEAT_NANOS = 10_000_000L;
    static final LongAdder FOLDED = new LongAdder();
    static final AtomicLong WORST_LAG = new AtomicLong();

    static final class Reading {
        final String station;
        final double celsius;
        final double humidity;
        final long at;

        private Reading(String station, double celsius, double humidity, long at) {
            this.station = station;
            this.celsius = celsius;
            this.humidity = humidity;
            this.at = at;
        }

        static Reading parse(String line) {
            String[] f = line.split(",");
            return new Reading(f[0], Double.parseDouble(f[1]), Double.parseDouble(f[2]), Long.parseLong(f[3]));
        }
    }

    /** Figures of one station over the hour. */
    static final class Hour {
        private int count;
        private double sum;
        private double highest = -90;

        void fold(Reading r) {
            if (count == 3600) {
                count = 0;
                sum = 0;
                highest = -90;
            }
            count++;
            sum += r.celsius;
            highest = Math.max(highest, r.celsius);
        }

        double mean() {
            return count == 0 ? 0 : sum / count;
        }
    }

    static final class Almanac {
        private final Map<String, Hour> hours = new HashMap<>();
        private int warnings;

        void fold(List<Reading> readings) {
            Map<String, List<Reading>> byStation = readings.stream().collect(Collectors.groupingBy(r -> r.station));
            byStation.forEach((station, list) -> {
                Hour hour = hours.computeIfAbsent(station, k -> new Hour());
                list.forEach(hour::fold);
                if (hour.mean() < 1.5) {
                    warnings++;
                }
            });
        }
    }

    /** Plays the role of the radio: the packet of one beat as text lines. */
    static List<String> packet(SplittableRandom r) {
        List<String> lines = new ArrayList<>(PER_BEAT);
        for (int i = 0; i < PER_BEAT; i++) {
            lines.add("ST" + r.nextInt(STATIONS) + ',' + (r.nextInt(400) - 50) / 10.0 + ',' + r.nextInt(100) + ','
                + System.currentTimeMillis());
        }
        return lines;
    }

    static void listen(long seed) {
        SplittableRandom r = new SplittableRandom(seed);
        Almanac almanac = new Almanac();
        long due = System.nanoTime();
        while (almanac.warnings >= 0) {
            due += BEAT_NANOS;
            long wait = due - System.nanoTime();
            if (wait > 0) {
                LockSupport.parkNanos(wait);
            }
            almanac.fold(packet(r).stream().map(Reading::parse).collect(Collectors.toList()));
            FOLDED.add(PER_BEAT);
            long lag = System.nanoTime() - due;
            WORST_LAG.accumulateAndGet(lag, Math::max);
        }
    }

    static long collectorMillis() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
            .mapToLong(GarbageCollectorMXBean::getCollectionTime).sum();
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 2; i++) {
            long seed = i + 3;
            Thread t = new Thread(() -> listen(seed), "radio-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(4000);
        System.out.println("READY");
        FOLDED.sumThenReset();
        WORST_LAG.set(0);
        long before = collectorMillis();
        for (int s = 0; s < 240; s++) {
            Thread.sleep(1000);
            long now = collectorMillis();
            System.out.printf("measured: %d readings/s, longest beat %.1f ms, collector %d ms%n",
                FOLDED.sumThenReset(), WORST_LAG.getAndSet(0) / 1e6, now - before);
            before = now;
        }
        System.exit(0);
    }
}
