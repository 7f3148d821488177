// SPDX-License-Identifier: Apache-2.0
// healthy: a batch that computes rain from an archive of radar scans by parallel streams in the common pool: each element is a whole ray (some 45 microseconds of computing), nothing waits, nothing is shared, and both CPUs are used for what the program is there for
// share: all CPUs that there are compute rain (some 32 ms of CPU time for each scan); collections take less than 1 % of the time; two runnable threads on 2 CPUs
// judge: RIGHT: nothing stands out, or neutral: time goes to computing in StormRadar$RayMath.rain (Math.pow), Scan.decibels, wetGates. WRONG: fork-join overhead, spinning, too many threads, pool-busy, a saturated thread, collections, waits for the pool. On a crowded machine a lack of CPUs is true and no mistake
// jdk: 17
// set: thirty-fifth
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ForkJoinPool;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Computes anew how much rain fell in each sector around a weather radar, scan by scan of the archive. */
public class StormRadar {
    static final int RAYS = 720;
    static final int GATES = 960;

    /** What the radar received in one turn; as the archive has it, a byte for each gate. */
    static final class Scan {
        final int number;
        private final byte[] echoes = new byte[RAYS * GATES];

        Scan(int number) {
            this.number = number;
            long state = number * 0x9E3779B97F4A7C15L + 1;
            for (int i = 0; i < echoes.length; i++) {
                state ^= state << 13;
                state ^= state >>> 7;
                state ^= state << 17;
                echoes[i] = (byte) ((state & 0x3f) + (i / GATES % 120 < 40 ? 70 : 20));
            }
        }

        double decibels(int ray, int gate) {
            return (echoes[ray * GATES + gate] & 0xff) * 0.5 - 10;
        }
    }

    record Ray(int sector, double millimetres, int wetGates) { }

    /** From echoes to rain, along one ray. */
    static final class RayMath {
        Ray rain(Scan scan, int ray) {
            double[] decibels = new double[GATES];
            double attenuation = 0;
            for (int gate = 0; gate < GATES; gate++) {
                double measured = scan.decibels(ray, gate) + attenuation;
                attenuation = Math.min(6, attenuation + 0.00002 * Math.max(0, measured));
                decibels[gate] = measured;
            }
            double millimetres = 0;
            int wet = 0;
            for (int gate = 2; gate < GATES - 2; gate++) {
                double quiet = middle(decibels[gate - 2], decibels[gate], decibels[gate + 2]);
                if (quiet > 7) {
                    double reflectivity = Math.pow(10, quiet / 10);
                    millimetres += Math.pow(reflectivity / 200, 0.625) / 12;
                    wet++;
                }
            }
            return new Ray(ray / 60, millimetres / GATES, wet);
        }

        private static double middle(double a, double b, double c) {
            return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
        }
    }

    /** Sums of all scans so far. */
    static final class Climate {
        private final Map<Integer, Double> millimetres = new TreeMap<>();
        private long wetGates;

        void add(Map<Integer, Double> scan, long wet) {
            scan.forEach((sector, mm) -> millimetres.merge(sector, mm, Double::sum));
            wetGates += wet;
        }

        double wettest() {
            return millimetres.values().stream().mapToDouble(Double::doubleValue).max().orElse(0);
        }
    }

    static final class Archive {
        private final Scan[] day = IntStream.range(0, 24).parallel().mapToObj(Scan::new).toArray(Scan[]::new);

        Scan scan(long number) {
            return day[(int) (number % day.length)];
        }
    }

    private static void rework(Scan scan, RayMath math, Climate climate) {
        Map<Integer, Double> sectors = IntStream.range(0, RAYS).parallel()
            .mapToObj(ray -> math.rain(scan, ray))
            .collect(Collectors.groupingBy(Ray::sector, Collectors.summingDouble(Ray::millimetres)));
        long wet = IntStream.range(0, 12).parallel()
            .mapToLong(sector -> wetGates(scan, sector))
            .sum();
        climate.add(sectors, wet);
    }

    private static long wetGates(Scan scan, int sector) {
        long wet = 0;
        for (int ray = sector * 60; ray < sector * 60 + 60; ray++) {
            for (int gate = 0; gate < GATES; gate++) {
                if (scan.decibels(ray, gate) > 7) {
                    wet++;
                }
            }
        }
        return wet;
    }

    public static void main(String[] args) {
        Archive archive = new Archive();
        RayMath math = new RayMath();
        Climate climate = new Climate();
        long scans = 0;
        long start = System.nanoTime();
        while (System.nanoTime() - start < 3_000_000_000L || scans < 20) {
            rework(archive.scan(scans++), math, climate);
        }
        System.out.println("READY");
        System.out.flush();
        var os = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long at = System.nanoTime(), cpu = os.getProcessCpuTime(), done = scans;
        for (;;) {
            rework(archive.scan(scans++), math, climate);
            long now = System.nanoTime();
            if (now - at >= 1_000_000_000L) {
                long cpu2 = os.getProcessCpuTime(), collected = 0;
                for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
                    collected += bean.getCollectionTime();
                }
                double cores = (double) (cpu2 - cpu) / (now - at);
                System.out.printf("measured: %.0f scans a second, %.2f ms of CPU time each; %.2f of %d CPUs used; %d ms of collections since the start; pool of %d; %.0f mm%n",
                    (scans - done) * 1e9 / (now - at), (cpu2 - cpu) / 1e6 / (scans - done), cores, Runtime.getRuntime().availableProcessors(), collected,
                    ForkJoinPool.commonPool().getParallelism(), climate.wettest());
                at = now;
                cpu = cpu2;
                done = scans;
            }
        }
    }
}
