// SPDX-License-Identifier: Apache-2.0
// healthy: every 2 s some 300 tide gauges report at once and a pool of two threads works the burst off within a fraction of these 2 s, long before the next one; in between the program rests
// share: each burst of 300 reports is worked off within some 160 ms of 2000, nothing is left in the queue; 0.15 CPUs
// judge: RIGHT: nothing stands out, or only neutral remarks (time goes to computing in TideAlerts$Harmonics.height or its callers, no fault shows). WRONG: any accusation, such as a growing queue, a pool that is too small or always busy, CPU starvation of its own making, a lock, collections, a thread that is stuck.
// jdk: 25
// set: thirty-third
// jvm: -Xmx192m

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Compares the levels that tide gauges report with the prediction and raises alerts for storm surges. */
public class TideAlerts {
    static final int GAUGES = 300;
    static final int PERIOD_MS = 2000;

    record Report(int gauge, double hours, double metres) { }

    record Alert(int gauge, double surge) { }

    /** The tide at one gauge, as a sum of its partial tides. */
    static final class Harmonics {
        private final double[] amplitude = new double[37], speed = new double[37], phase = new double[37];

        Harmonics(long seed) {
            Random random = new Random(seed);
            for (int i = 0; i < amplitude.length; i++) {
                amplitude[i] = 1.2 / (i + 1);
                speed[i] = 0.0175 * (1 + random.nextInt(2900) / 100.0);
                phase[i] = random.nextDouble() * 6.28;
            }
        }

        double height(double hours) {
            double sum = 0;
            for (int i = 0; i < amplitude.length; i++) {
                sum += amplitude[i] * Math.cos(speed[i] * hours + phase[i]);
            }
            return sum;
        }

        /** Highest surge if the tide may be early or late by up to half an hour. */
        double surge(double hours, double metres) {
            double least = Double.MAX_VALUE;
            for (int minute = -30; minute <= 30; minute++) {
                for (int second = 0; second < 60; second++) {
                    least = Math.min(least, metres - height(hours + minute / 60.0 + second / 3600.0));
                }
            }
            return least;
        }
    }

    static final class Burst {
        private final long begun = System.nanoTime();
        private final AtomicInteger open = new AtomicInteger(GAUGES);

        void done(Statistics statistics) {
            if (open.decrementAndGet() == 0) {
                statistics.burst(System.nanoTime() - begun);
            }
        }
    }

    static final class Statistics {
        final AtomicLong bursts = new AtomicLong(), longest = new AtomicLong(), alerts = new AtomicLong();

        void burst(long ns) {
            bursts.incrementAndGet();
            longest.accumulateAndGet(ns, Math::max);
        }
    }

    static final class Station {
        private final List<Harmonics> gauges = new ArrayList<>();
        private final ThreadPoolExecutor pool;
        private final Statistics statistics;
        private final Random weather = new Random(5);
        private double clock = 4000;

        Station(ThreadPoolExecutor pool, Statistics statistics) {
            this.pool = pool;
            this.statistics = statistics;
            for (int i = 0; i < GAUGES; i++) {
                gauges.add(new Harmonics(i));
            }
        }

        void reports() {
            Burst burst = new Burst();
            clock += 0.1;
            for (int i = 0; i < GAUGES; i++) {
                Report r = new Report(i, clock, gauges.get(i).height(clock) + weather.nextGaussian() * 0.2);
                pool.execute(() -> {
                    examine(r);
                    burst.done(statistics);
                });
            }
        }

        private void examine(Report r) {
            Alert alert = new Alert(r.gauge(), gauges.get(r.gauge()).surge(r.hours(), r.metres()));
            if (alert.surge() > 0.4) {
                statistics.alerts.incrementAndGet();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Statistics statistics = new Statistics();
        ThreadPoolExecutor pool = new ThreadPoolExecutor(2, 2, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(4 * GAUGES),
                Thread.ofPlatform().daemon().name("surge-", 0).factory(), new ThreadPoolExecutor.DiscardOldestPolicy());
        Station station = new Station(pool, statistics);
        ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().name("gauges").factory());
        clock.scheduleAtFixedRate(station::reports, 0, PERIOD_MS, TimeUnit.MILLISECONDS);
        Thread.sleep(5000);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            Thread.sleep(2000);
            System.out.printf(Locale.ROOT, "measured: %d bursts, the longest of the last ones worked off in %.0f ms of %d, %d reports in the queue now, %d alerts%n",
                    statistics.bursts.get(), statistics.longest.getAndSet(0) / 1e6, PERIOD_MS, pool.getQueue().size(), statistics.alerts.get());
            System.out.flush();
        }
    }
}
