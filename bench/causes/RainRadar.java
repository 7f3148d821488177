// SPDX-License-Identifier: Apache-2.0
// healthy: one radar sweep after another is worked out by a parallel stream over its rays (a few tasks of a millisecond or so each, which only compute and share nothing); both CPUs are used for what the program is for, and a sweep costs no more CPU time than it does in one thread
// share: none: a sweep uses 4.3 ms of CPU in parallel, and 4.0 ms in one thread; both CPUs are used for computing, as far as the machine has them free
// judge: RIGHT: nothing stands out, or only neutral sentences: CPU time is in RainRadar's own computing (Sweep.rain, Sweep.smooth or the lambda of a ray). WRONG: handing out and joining tasks of a ForkJoinPool as the cause, spinning, too many threads, pool-busy, locks, waiting for tasks, costly JDK work, collections, saturated threads.
// jdk: 17
// set: thirty-fourth
// jvm: -Xmx256m
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.DoubleSummaryStatistics;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Estimates rain from the echoes of a weather radar, sweep by sweep. */
public class RainRadar {
    static final int RAYS = 360;
    static final int GATES = 1000;

    /** The echoes of one turn of the antenna, in dBZ. */
    static final class Sweep {
        final float[][] echo = new float[RAYS][GATES];
        final float[][] rain = new float[RAYS][GATES];

        void receive(long seed) {
            for (int cell = 0; cell < 40; cell++) {
                Random random = new Random(seed * 41 + cell);
                int ray = random.nextInt(RAYS);
                int gate = random.nextInt(GATES);
                int size = 10 + random.nextInt(40);
                for (int i = -size; i <= size; i++) {
                    for (int j = -size; j <= size; j++) {
                        int at = gate + j;
                        if (at >= 0 && at < GATES) {
                            float[] line = echo[Math.floorMod(ray + i / 4, RAYS)];
                            line[at] = Math.max(line[at], 55 - (i * i + j * j) * 40f / (size * size));
                        }
                    }
                }
            }
        }

        /** Median of five gates, and the mean with both neighbours of a ray. */
        float smooth(int ray, int gate, float[] window) {
            float[] own = echo[ray];
            int n = 0;
            for (int g = Math.max(0, gate - 2); g <= Math.min(GATES - 1, gate + 2); g++) {
                float value = own[g];
                int place = n++;
                while (place > 0 && window[place - 1] > value) {
                    window[place] = window[place - 1];
                    place--;
                }
                window[place] = value;
            }
            float left = echo[(ray + RAYS - 1) % RAYS][gate];
            float right = echo[(ray + 1) % RAYS][gate];
            return 0.5f * window[n / 2] + 0.25f * (left + right);
        }

        /** Marshall and Palmer: Z = 200 R^1.6. */
        double rain(int ray) {
            float[] window = new float[5];
            float[] result = rain[ray];
            double attenuation = 0;
            double sum = 0;
            for (int gate = 0; gate < GATES; gate++) {
                double dbz = smooth(ray, gate, window) + attenuation;
                double millimetres = dbz < 5 ? 0 : Math.pow(Math.pow(10, dbz / 10) / 200, 0.625);
                attenuation = Math.min(10, attenuation + 0.00001 * millimetres);
                result[gate] = (float) millimetres;
                sum += millimetres * (gate + 1);
            }
            return sum / GATES;
        }
    }

    static DoubleSummaryStatistics estimate(Sweep sweep) {
        return IntStream.range(0, RAYS).parallel().mapToObj(sweep::rain)
                .collect(Collectors.summarizingDouble(Double::doubleValue));
    }

    public static void main(String[] args) throws Exception {
        Sweep[] sweeps = new Sweep[6];
        Arrays.setAll(sweeps, i -> new Sweep());
        for (int i = 0; i < sweeps.length; i++) {
            sweeps[i].receive(i);
        }
        long start = System.nanoTime();
        long report = start;
        long number = 0;
        long nanos = 0;
        double millimetres = 0;
        com.sun.management.OperatingSystemMXBean process =
                (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long cpu = process.getProcessCpuTime();
        double compared = 0;
        int checks = 0;
        boolean ready = false;
        for (long turn = 0; ; turn++) {
            Sweep sweep = sweeps[(int) (turn % sweeps.length)];
            long begin = System.nanoTime();
            DoubleSummaryStatistics rays = estimate(sweep);
            long now = System.nanoTime();
            number++;
            nanos += now - begin;
            millimetres = rays.getAverage() / GATES;
            if (now - report < 1_000_000_000L) {
                continue;
            }
            double used = (process.getProcessCpuTime() - cpu) / 1e6;
            double alone = 0;
            long first = threads.getCurrentThreadCpuTime();
            for (int ray = 0; ray < RAYS; ray++) {
                alone += sweep.rain(ray);
            }
            compared += (threads.getCurrentThreadCpuTime() - first) / 1e6;
            checks++;
            if (Math.abs(alone - rays.getSum()) > 1e-6 * Math.abs(alone)) {
                System.out.println("sums differ: " + alone + " and " + rays.getSum());
            }
            System.out.printf("measured: %d sweeps, %.1f ms each; each used %.2f ms of CPU in parallel, and %.2f ms in one thread, as %d checks say; %.2f mm%n",
                    number, nanos / 1e6 / number, used / number, compared / checks, checks, millimetres);
            if (!ready && now - start > 4_000_000_000L) {
                ready = true;
                System.out.println("READY");
            }
            System.out.flush();
            report = System.nanoTime();
            cpu = process.getProcessCpuTime();
            number = 0;
            nanos = 0;
        }
    }
}
