// SPDX-License-Identifier: Apache-2.0
// healthy: a batch that works through days of traffic counts with parallel streams of the common pool: pieces of about 100 to 200 us each, nothing is shared but the result, nothing blocks, all CPUs compute
// share: up to 2 CPUs of 2, all in the analysis itself; about as many stations a second as CPUs that it gets can do (speed-up near 2 on an idle machine)
// judge: right: nothing stands out, or only neutral statements of where time goes (computing in Analysis.*, sorting, hot method), or that CPUs are scarce as others use them. WRONG: any accusation of the program or the JVM (fork-join tasks too small, waiting for tasks, collections, locks).
// jdk: 21
// set: thirty-third
// jvm: -Xmx512m
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.stream.*;

public class TrafficCounts {
    static final int MINUTES = 1440;

    record Station(int id, String road, double scale) { }
    record Day(Station station, short[] perMinute) { }
    record Profile(String road, int vehicles, int peakHour, double p95, double roughness) { }

    static final class Source {
        private final List<Station> stations = new ArrayList<>();

        Source(int n) {
            Random random = new Random(3);
            for (int i = 0; i < n; i++)
                stations.add(new Station(i, "A" + (1 + random.nextInt(40)), 5 + 40 * random.nextDouble()));
        }

        Day day(Station s, int number) {
            SplittableRandom random = new SplittableRandom(s.id() * 1000L + number);
            short[] counts = new short[MINUTES];
            for (int m = 0; m < MINUTES; m++) {
                double rush = Math.exp(-Math.pow((m - 480) / 70.0, 2)) + 0.8 * Math.exp(-Math.pow((m - 1030) / 90.0, 2));
                counts[m] = (short) (s.scale() * (0.2 + rush) * (0.5 + random.nextDouble()));
            }
            return new Day(s, counts);
        }
    }

    static final class Analysis {
        static Profile profile(Day day) {
            double[] smooth = smooth(day.perMinute(), 15);
            int peak = peakHour(smooth);
            return new Profile(day.station().road(), sum(day.perMinute()), peak, percentile(day.perMinute(), 95), roughness(day.perMinute(), smooth));
        }

        static int sum(short[] counts) {
            int n = 0;
            for (short c : counts)
                n += c;
            return n;
        }

        static double[] smooth(short[] counts, int half) {
            double[] out = new double[counts.length];
            for (int m = 0; m < counts.length; m++) {
                double sum = 0, weights = 0;
                for (int k = Math.max(0, m - half); k <= Math.min(counts.length - 1, m + half); k++) {
                    double w = half + 1 - Math.abs(m - k);
                    sum += w * counts[k];
                    weights += w;
                }
                out[m] = sum / weights;
            }
            return out;
        }

        static int peakHour(double[] smooth) {
            int best = 0;
            double most = -1;
            for (int h = 0; h < 24; h++) {
                double sum = 0;
                for (int m = 0; m < 60; m++)
                    sum += smooth[h * 60 + m];
                if (sum > most) {
                    most = sum;
                    best = h;
                }
            }
            return best;
        }

        static double percentile(short[] counts, int p) {
            short[] sorted = counts.clone();
            Arrays.sort(sorted);
            return sorted[sorted.length * p / 100];
        }

        static double roughness(short[] counts, double[] smooth) {
            double sum = 0;
            for (int m = 0; m < counts.length; m++)
                sum += Math.abs(counts[m] - smooth[m]) / (1 + smooth[m]);
            return sum / counts.length;
        }
    }

    record RoadReport(String road, long vehicles, double meanP95, int busiestHour) {
        static RoadReport of(String road, List<Profile> profiles) {
            long vehicles = 0;
            double p95 = 0;
            int[] hours = new int[24];
            for (Profile p : profiles) {
                vehicles += p.vehicles();
                p95 += p.p95();
                hours[p.peakHour()]++;
            }
            int busiest = 0;
            for (int h = 1; h < 24; h++)
                if (hours[h] > hours[busiest])
                    busiest = h;
            return new RoadReport(road, vehicles, p95 / profiles.size(), busiest);
        }
    }

    static final class Batch {
        final Source source = new Source(2500);
        final AtomicLong stations = new AtomicLong();
        int number;

        List<RoadReport> next() {
            int day = number++;
            Map<String, List<Profile>> roads = source.stations.parallelStream()
                .map(s -> source.day(s, day))
                .map(Analysis::profile)
                .peek(p -> stations.incrementAndGet())
                .collect(Collectors.groupingByConcurrent(Profile::road));
            return roads.entrySet().stream().map(e -> RoadReport.of(e.getKey(), e.getValue()))
                .sorted(Comparator.comparing(RoadReport::road)).toList();
        }

        double secondsAlone(int n) {
            long t = System.nanoTime();
            long vehicles = 0;
            for (int i = 0; i < n; i++)
                vehicles += Analysis.profile(source.day(source.stations.get(i), 0)).vehicles();
            return vehicles == 0 ? 1 : (System.nanoTime() - t) / 1e9;
        }
    }

    public static void main(String[] args) {
        Batch batch = new Batch();
        for (int i = 0; i < 3; i++)
            batch.next();
        double alone = batch.secondsAlone(500) / 500;
        batch.stations.set(0);
        System.out.println("READY");
        System.out.flush();
        long from = System.nanoTime(), days = 0, vehicles = 0;
        for (;;) {
            for (RoadReport r : batch.next())
                vehicles += r.vehicles();
            days++;
            long now = System.nanoTime();
            if (now - from > 1_000_000_000L) {
                long n = batch.stations.getAndSet(0);
                double s = (now - from) / 1e9;
                System.out.printf("measured: %.0f stations/s, %.0f us each alone, speed-up %.2f with %d CPUs, %d days, %d million vehicles%n",
                    n / s, alone * 1e6, n * alone / s, Runtime.getRuntime().availableProcessors(), days, vehicles / 1_000_000);
                from = now;
            }
        }
    }
}
