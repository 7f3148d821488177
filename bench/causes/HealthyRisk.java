// SPDX-License-Identifier: Apache-2.0
// healthy: the risk of a portfolio is computed by both CPUs as fast as they can, by eight kinds of contracts of about the same weight
// jdk: 17
// set: tenth
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

public final class HealthyRisk {
    private interface Contract {
        double value(double[] path);
    }

    private static double bond(double[] path) {
        double sum = 0;
        for (double rate : path) {
            sum += 2.5 - rate * 0.0125;
        }
        return sum + 100 / (1 + path[path.length - 1] / 100);
    }

    private static double swap(double[] path) {
        double fixed = 0;
        double floating = 0;
        for (int i = 1; i < path.length; i++) {
            fixed += 1.5;
            floating += (path[i] + path[i - 1]) / 2 / 66;
        }
        return floating - fixed;
    }

    private static double cap(double[] path) {
        double sum = 0;
        for (double level : path) {
            sum += Math.max(0, level - 104);
        }
        return sum;
    }

    private static double average(double[] path) {
        double sum = 0;
        for (double level : path) {
            sum += level;
        }
        return Math.max(sum / path.length - 100, 0);
    }

    private static double barrier(double[] path) {
        double least = path[0];
        for (double level : path) {
            if (level < least) {
                least = level;
            }
        }
        return least < 92 ? 0 : Math.max(0, path[path.length - 1] - 99);
    }

    private static double lookback(double[] path) {
        double most = path[0];
        for (double level : path) {
            most = Math.max(most, level);
        }
        return most - path[path.length - 1];
    }

    private static double variance(double[] path) {
        double sum = 0;
        for (int i = 1; i < path.length; i++) {
            double step = (path[i] - path[i - 1]) / path[i - 1];
            sum += step * step;
        }
        return sum * 252 / path.length;
    }

    private static double range(double[] path) {
        int within = 0;
        for (double level : path) {
            within += level > 96 && level < 105 ? 1 : 0;
        }
        return 5.0 * within / path.length;
    }

    private static final List<Contract> KINDS = List.of(HealthyRisk::bond, HealthyRisk::swap, HealthyRisk::cap, HealthyRisk::average,
            HealthyRisk::barrier, HealthyRisk::lookback, HealthyRisk::variance, HealthyRisk::range);

    private static double[] path(SplittableRandom random) {
        double[] path = new double[250];
        double level = 100;
        for (int i = 0; i < path.length; i++) {
            level *= 1 + (random.nextDouble() - 0.5) / 50;
            path[i] = level;
        }
        return path;
    }

    private static double scenarios(int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        double sum = 0;
        for (int n = 0; n < 300; n++) {
            double[] path = path(random);
            for (Contract contract : KINDS) {
                sum += contract.value(path);
            }
        }
        return sum;
    }

    public static void main(String[] args) throws InterruptedException, ExecutionException {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        System.out.println("READY");
        double total = 0;
        for (int seed = 0; !Double.isNaN(total); seed += 64) {
            List<Future<Double>> parts = new ArrayList<>();
            for (int i = 0; i < 64; i++) {
                int part = seed + i;
                parts.add(pool.submit(() -> scenarios(part)));
            }
            for (Future<Double> part : parts) {
                total += part.get();
            }
        }
    }
}
