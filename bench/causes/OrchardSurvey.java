// SPDX-License-Identifier: Apache-2.0
// healthy: a batch that evaluates flights of 120 tiles by a parallel stream: each tile is an independent task of about 2 ms without locks, evenly spread over the common pool and the main thread, and it rests 0.05 s between flights.
// share: nothing: main and the one worker of the common pool do the work itself, 1.9 to 2.1 ms of CPU a tile, in nearly all stacks seen; measured only on a crowded machine, where it got 0.1 to 1.1 CPUs (on a free one it should take most of two, not measured); collector and VM threads 0.4 % of CPU time.
// judge: RIGHT: nothing stands out, or a neutral mention that time goes to OrchardSurvey$Evaluation (smooth, texture, index, evaluate), which is its work. WRONG: any accusation of the ForkJoinPool (tasks too small, spinning, waits of main for it), of locks, allocation or collections, of Thread.sleep in main, too many threads; if the machine was crowded, a word on a lack of CPUs is fair.
// jdk: 25
// set: thirty-sixth
// jvm: -Xmx512m
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ForkJoinPool;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Evaluates flights over orchards: of each tile the index of vegetation, its texture, and how well the rows of trees grow. */
public class OrchardSurvey {
    static final int SIDE = 192;

    record Tile(int orchard, int number, float[] red, float[] infrared) {
    }

    record Result(int orchard, int tile, double vigour, double texture, int gaps) {
    }

    record Orchard(int number, double vigour, double worst, int gaps) {
    }

    static final class Flight {
        private final List<Tile> tiles;

        Flight(int orchards, int tilesEach) {
            tiles = IntStream.range(0, orchards * tilesEach).parallel().mapToObj(n -> {
                SplittableRandom r = new SplittableRandom(n);
                float[] red = new float[SIDE * SIDE];
                float[] infrared = new float[SIDE * SIDE];
                for (int i = 0; i < red.length; i++) {
                    boolean row = i % SIDE / 6 % 2 == 0;
                    red[i] = (float) (row ? 0.1 + r.nextDouble() * 0.1 : 0.3 + r.nextDouble() * 0.2);
                    infrared[i] = (float) (row && r.nextInt(40) > 0 ? 0.6 + r.nextDouble() * 0.3 : 0.35);
                }
                return new Tile(n / tilesEach, n % tilesEach, red, infrared);
            }).collect(Collectors.toList());
        }
    }

    static final class Evaluation {
        Result evaluate(Tile t) {
            float[] index = index(t);
            float[] smooth = smooth(index);
            return new Result(t.orchard(), t.number(), mean(smooth), texture(index, smooth), gaps(smooth));
        }

        private float[] index(Tile t) {
            float[] out = new float[t.red().length];
            for (int i = 0; i < out.length; i++) {
                out[i] = (t.infrared()[i] - t.red()[i]) / (t.infrared()[i] + t.red()[i]);
            }
            return out;
        }

        private float[] smooth(float[] in) {
            float[] out = new float[in.length];
            for (int y = 3; y < SIDE - 3; y++) {
                for (int x = 3; x < SIDE - 3; x++) {
                    float sum = 0;
                    for (int dy = -3; dy <= 3; dy++) {
                        for (int dx = -3; dx <= 3; dx++) {
                            sum += in[(y + dy) * SIDE + x + dx] / (1 + Math.abs(dx) + Math.abs(dy));
                        }
                    }
                    out[y * SIDE + x] = sum / 12.8f;
                }
            }
            return out;
        }

        private double mean(float[] a) {
            double sum = 0;
            for (float f : a) {
                sum += f;
            }
            return sum / a.length;
        }

        private double texture(float[] index, float[] smooth) {
            double sum = 0;
            for (int i = 0; i < index.length; i++) {
                double d = index[i] - smooth[i];
                sum += Math.sqrt(Math.abs(d)) * Math.log1p(d * d);
            }
            return sum / index.length;
        }

        private int gaps(float[] smooth) {
            int gaps = 0, run = 0;
            for (int i = 0; i < smooth.length; i++) {
                run = smooth[i] < 0.28 ? run + 1 : 0;
                if (run == 5) {
                    gaps++;
                }
            }
            return gaps;
        }
    }

    static List<Orchard> report(Flight flight, Evaluation evaluation) {
        Map<Integer, List<Result>> byOrchard = flight.tiles.parallelStream().map(evaluation::evaluate).collect(Collectors.groupingBy(Result::orchard));
        List<Orchard> all = new ArrayList<>();
        byOrchard.forEach((number, results) -> all.add(new Orchard(number,
                results.stream().mapToDouble(Result::vigour).average().orElse(0),
                results.stream().mapToDouble(Result::vigour).min().orElse(0),
                results.stream().mapToInt(Result::gaps).sum())));
        all.sort(Comparator.comparingDouble(Orchard::vigour));
        return all;
    }

    public static void main(String[] args) throws Exception {
        Flight flight = new Flight(12, 10);
        Evaluation evaluation = new Evaluation();
        long began = System.nanoTime(), last = began, cpu = cpu();
        int flights = 0;
        for (int n = 1; ; n++) {
            List<Orchard> orchards = report(flight, evaluation);
            flights++;
            Thread.sleep(50);
            long now = System.nanoTime();
            if (now - last >= 1_000_000_000L) {
                long c = cpu();
                System.out.printf("measured: %d flights of %d tiles, %.2f ms of CPU a tile; %.2f CPUs by %d workers and main; weakest orchard %d%n",
                        flights, flight.tiles.size(), (c - cpu) / 1e6 / flights / flight.tiles.size(), (c - cpu) / (double) (now - last),
                        ForkJoinPool.getCommonPoolParallelism(), orchards.get(0).number());
                if (began != 0 && now - began > 4_000_000_000L) {
                    System.out.println("READY");
                    began = Long.MAX_VALUE;
                }
                System.out.flush();
                last = now;
                cpu = c;
                flights = 0;
            }
        }
    }

    private static long cpu() {
        return ((com.sun.management.OperatingSystemMXBean) java.lang.management.ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }
}
