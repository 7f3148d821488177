// SPDX-License-Identifier: Apache-2.0
// healthy: a batch of an insurer (losses by hail, simulated year by year) that is meant to use all CPUs: parallel streams over primitive ranges in the common pool, tasks of tens of milliseconds each, no locks, no boxing, hardly any garbage
// share: 30000 to 200000 (mostly 120000 and more) simulated years a second by two threads, which take what they get of the CPUs (1.1 of 2 at nice 10 beside a load of 14); a year takes some 6 us, a task of the pool tens of milliseconds; no waiting, hardly any garbage
// judge: right: nothing stands out, or only what is neutral and true (computing in HailRisk$Season.track, loss, vulnerability, random numbers or logarithms), or what the machine does (waiting for CPUs that others use, neighbours). WRONG: any accusation: tasks too small (fork-join), spinning, pool busy, too many threads, waits for the pool by main, sorting as a fault, collections
// jdk: 25
// set: thirty-fifth
// jvm: -Xmx256m
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ForkJoinPool;
import java.util.stream.IntStream;

/** What hail may cost an insurer of greenhouses and cars, by simulating many years for each region. */
public class HailRisk {
    record Region(String name, double storms, double meanStone, double[] insured) {
    }

    record Exposure(double mean, double worstInHundred, double worstInThousand) {
    }

    /** A year of storms in one region: tracks, stones, and what they break. */
    static final class Season {
        private final Region region;

        Season(Region region) {
            this.region = region;
        }

        double loss(int year) {
            SplittableRandom random = new SplittableRandom(year * 31L + region.name().hashCode());
            int storms = poisson(region.storms(), random);
            double loss = 0;
            for (int storm = 0; storm < storms; storm++) {
                loss += track(random);
            }
            return loss;
        }

        private static int poisson(double mean, SplittableRandom random) {
            double limit = Math.exp(-mean);
            double product = random.nextDouble();
            int count = 0;
            while (product > limit) {
                product *= random.nextDouble();
                count++;
            }
            return count;
        }

        private double track(SplittableRandom random) {
            double[] insured = region.insured();
            int start = random.nextInt(insured.length);
            int length = 20 + random.nextInt(120);
            double stone = -Math.log(1 - random.nextDouble()) * region.meanStone();
            double sum = 0;
            for (int cell = start; cell < Math.min(insured.length, start + length); cell++) {
                stone = Math.max(0, stone + (random.nextDouble() - 0.52) * 0.3);
                sum += insured[cell] * vulnerability(stone);
            }
            return sum;
        }

        private static double vulnerability(double stone) {
            if (stone < 1.5) {
                return 0;
            }
            double excess = stone - 1.5;
            return excess / (excess + 4);
        }
    }

    /** From the losses of all years to the figures that the reinsurer needs. */
    static final class Tariff {
        Exposure exposure(double[] losses) {
            double[] sorted = losses.clone();
            Arrays.parallelSort(sorted);
            double mean = Arrays.stream(sorted).average().orElse(0);
            return new Exposure(mean, sorted[(int) (sorted.length * 0.99)], sorted[(int) (sorted.length * 0.999)]);
        }
    }

    static final class Portfolio {
        private static final String[] NAMES = {"Tyrol", "Styria", "Baden", "Alsace", "Emilia", "Veneto", "Lazio", "Aragon"};
        final List<Region> regions;

        Portfolio() {
            SplittableRandom random = new SplittableRandom(12);
            regions = Arrays.stream(NAMES).map(name -> {
                double[] insured = new double[2000];
                for (int cell = 0; cell < insured.length; cell++) {
                    insured[cell] = 1000 + random.nextInt(90_000);
                }
                return new Region(name, 4 + random.nextInt(8), 1 + random.nextDouble(), insured);
            }).toList();
        }
    }

    private static final int YEARS = 40_000;

    private static Exposure simulate(Region region) {
        Season season = new Season(region);
        double[] losses = IntStream.range(0, YEARS).parallel().mapToDouble(season::loss).toArray();
        return new Tariff().exposure(losses);
    }

    public static void main(String[] args) {
        Portfolio portfolio = new Portfolio();
        for (Region region : portfolio.regions.subList(0, 4)) {
            simulate(region);
        }
        System.out.println("READY");
        System.out.flush();
        long printed = System.nanoTime();
        long years = 0;
        double worst = 0;
        while (true) {
            for (Region region : portfolio.regions) {
                Exposure exposure = simulate(region);
                worst = Math.max(worst, exposure.worstInThousand());
                years += YEARS;
                long now = System.nanoTime();
                if (now - printed >= 1_000_000_000L) {
                    System.out.printf("measured: %d years of a region simulated in %d ms by %d threads, worst %.0f%n", years,
                            (now - printed) / 1_000_000, ForkJoinPool.getCommonPoolParallelism() + 1, worst);
                    System.out.flush();
                    printed = now;
                    years = 0;
                }
            }
        }
    }
}
