// SPDX-License-Identifier: Apache-2.0
// healthy: the heap in use after collections rises steadily for 85 s, to two thirds of the maximum or more, as if there were a leak; these are the readings of the current tide, which are kept in Tide by design and dropped when the tide has ended (every 85 s), the heap is large enough for them, and collections cost little.
// share: measures readings per second (about 16000, the rate at which the gauges send) and the mean time that one batch takes (well below 1 ms)
// judge: WRONG: a leak, Tide or its list of readings keeps ever more, out of memory is near, the heap is too small, gc-pauses or collector CPU as a fault, Gauge threads sleep too long. ACCEPTABLE: a neutral or estimated remark that the heap in use grew during the recording and that Tide.readings (double[]/Reading) holds it, if it does not claim a fault that slows the program; nothing stands out.
// jdk: 8
// set: twenty-fifth
// jvm: -Xmx96m -Xmn16m -XX:+UseConcMarkSweepGC
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class TideLogger {
    static class Reading {
        final int gauge;
        final long at;
        final double level;
        final float wind;
        Reading(int gauge, long at, double level, float wind) {
            this.gauge = gauge;
            this.at = at;
            this.level = level;
            this.wind = wind;
        }
    }

    static class Tide {
        static final long LENGTH = 85_000;
        final int number;
        final long began = System.currentTimeMillis();
        private final List<Reading> readings = new ArrayList<Reading>(1_500_000);
        private double highest = -1e9, sum;
        Tide(int number) {
            this.number = number;
        }
        void add(Reading r) {
            readings.add(r);
            sum += r.level;
            if (r.level > highest) highest = r.level;
        }
        boolean over() {
            return System.currentTimeMillis() - began >= LENGTH;
        }
        String summary() {
            return String.format("tide %d: %d readings, highest %.2f m, mean %.2f m", number, readings.size(), highest, readings.isEmpty() ? 0 : sum / readings.size());
        }
        double between(int gauge, long from, long to) {
            double s = 0;
            int n = 0;
            for (int i = readings.size() - 1; i >= 0 && n < 100; i--) {
                Reading r = readings.get(i);
                if (r.at < from) break;
                if (r.gauge == gauge && r.at <= to) {
                    s += r.level;
                    n++;
                }
            }
            return n == 0 ? 0 : s / n;
        }
    }

    static class Station {
        private Tide current = new Tide(1);
        private final Deque<String> log = new ArrayDeque<String>();
        synchronized void record(List<Reading> batch) {
            if (current.over()) {
                log.addLast(current.summary());
                if (log.size() > 50) log.removeFirst();
                current = null;
                current = new Tide(log.size() + 1);
            }
            for (Reading r : batch) current.add(r);
        }
        synchronized double recent(int gauge) {
            long now = System.currentTimeMillis();
            return current.between(gauge, now - 2000, now);
        }
        synchronized String state() {
            return current.summary();
        }
    }

    static class Gauge implements Runnable {
        private final Station station;
        private final int id;
        private final LongAdder done, nanos;
        private final Random r;
        Gauge(Station station, int id, LongAdder done, LongAdder nanos) {
            this.station = station;
            this.id = id;
            this.done = done;
            this.nanos = nanos;
            r = new Random(id);
        }
        private Reading parse(String line) {
            String[] f = line.split(";");
            return new Reading(id, Long.parseLong(f[0]), Integer.parseInt(f[1]) / 1000.0, Float.parseFloat(f[2]));
        }
        @Override public void run() {
            try {
                long next = System.nanoTime();
                while (true) {
                    long t = System.nanoTime();
                    List<Reading> batch = new ArrayList<Reading>(200);
                    for (int i = 0; i < 200; i++) {
                        long at = System.currentTimeMillis();
                        batch.add(parse(at + ";" + (int) (2000 + 1500 * Math.sin(at / 13_500.0) + r.nextInt(80)) + ";" + r.nextInt(30) + ".5"));
                    }
                    station.record(batch);
                    done.add(batch.size());
                    nanos.add(System.nanoTime() - t);
                    next += 50_000_000L;
                    long rest = next - System.nanoTime();
                    if (rest > 0) TimeUnit.NANOSECONDS.sleep(rest);
                    else next = System.nanoTime();
                }
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        final Station station = new Station();
        LongAdder done = new LongAdder(), nanos = new LongAdder();
        for (int i = 0; i < 4; i++) start(new Gauge(station, i, done, nanos), "gauge-" + i);
        start(() -> {
            try {
                for (int g = 0; ; g = (g + 1) % 4) {
                    if (station.recent(g) > 1e6) System.out.println("implausible level at gauge " + g);
                    Thread.sleep(100);
                }
            } catch (InterruptedException e) {
                return;
            }
        }, "watch");
        System.out.println("READY");
        for (long end = System.nanoTime() + 170_000_000_000L; System.nanoTime() < end; ) {
            Thread.sleep(1000);
            long d = done.sumThenReset(), t = nanos.sumThenReset();
            System.out.printf("measured: %d readings/s, %.3f ms for a batch of 200, %s%n", d, d == 0 ? 0 : t / 1e6 / (d / 200.0), station.state());
        }
        System.exit(0);
    }

    static void start(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }
}
