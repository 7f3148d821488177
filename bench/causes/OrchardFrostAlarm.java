// SPDX-License-Identifier: Apache-2.0
// healthy: 240 virtual threads begin at once every two seconds and most wait for a carrier, but the carriers compute all that time on all CPUs, the round is done well before the next, and nobody needs one forecast before the others.
// share: measured 240 forecasts each 2 s, a round takes 450 to 1290 ms of 2000 on a crowded machine (0.27 s of CPU time), 0 missed.
// judge: WRONG: a lack of carriers, pinned or unstarted virtual threads as a fault, a longer latch wait as a fault, the number of threads, that office sleeps. ACCEPTABLE: a neutral remark that CPU time goes to Orchard.forecast (its purpose), or that forecasts wait for a carrier or the latch while all CPUs compute, or (on a crowded machine) that CPUs are short because of other processes.
// jdk: 21
// set: twenty-ninth
// jvm:

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

/** Works out the frost risk of orchards from a small model of each, a round of all of them every two seconds. */
public class OrchardFrostAlarm {
    static final int ORCHARDS = 240;
    static final int PERIOD = 2_000;
    static final long SPAN = Long.getLong("span", 170);
    static final LongAdder forecasts = new LongAdder();
    static volatile long rounds;
    static volatile long roundNanos;
    static volatile long missed;
    static volatile int alarms;

    /** The air over an orchard, in layers. */
    static final class Orchard {
        private final int number;
        private final double[] air = new double[64];
        private double slope;
        volatile double lowest;

        Orchard(int number) {
            this.number = number;
            this.slope = 0.02 + number % 17 / 400.0;
            for (int i = 0; i < air.length; i++) {
                air[i] = 4 + i * 0.05;
            }
        }

        void forecast(double ground) {
            double[] now = air.clone();
            double[] next = new double[now.length];
            double low = Double.MAX_VALUE;
            for (int step = 0; step < 22_000; step++) {
                next[0] = now[0] + slope * (ground - now[0]);
                for (int i = 1; i < now.length - 1; i++) {
                    next[i] = now[i] + 0.2 * (now[i - 1] - 2 * now[i] + now[i + 1]);
                }
                next[now.length - 1] = now[now.length - 1];
                double[] t = now;
                now = next;
                next = t;
                low = Math.min(low, now[2]);
            }
            lowest = low;
            air[0] = air[0] * 0.95 + ground * 0.05;
            forecasts.increment();
        }

        boolean alarm() {
            return lowest < -1.5;
        }
    }

    /** Makes the rounds, in time for the next one. */
    static final class Office extends Thread {
        private final List<Orchard> orchards = new ArrayList<>();

        Office() {
            super("frost-office");
            setDaemon(true);
            for (int i = 0; i < ORCHARDS; i++) {
                orchards.add(new Orchard(i));
            }
        }

        @Override
        public void run() {
            long due = System.nanoTime();
            try {
                while (true) {
                    long start = System.nanoTime();
                    round();
                    long took = System.nanoTime() - start;
                    roundNanos += took;
                    rounds++;
                    due += PERIOD * 1_000_000L;
                    long rest = (due - System.nanoTime()) / 1_000_000;
                    if (rest > 0) {
                        Thread.sleep(rest);
                    } else {
                        missed++;
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void round() throws InterruptedException {
            CountDownLatch done = new CountDownLatch(orchards.size());
            for (Orchard o : orchards) {
                double ground = ThreadLocalRandom.current().nextDouble(-6, 5);
                Thread.ofVirtual().name("orchard-" + o.number).start(() -> {
                    try {
                        o.forecast(ground);
                    } finally {
                        done.countDown();
                    }
                });
            }
            done.await();
            int n = 0;
            for (Orchard o : orchards) {
                if (o.alarm()) {
                    n++;
                }
            }
            alarms = n;
        }
    }

    public static void main(String[] args) throws Exception {
        new Office().start();
        System.out.println("READY");
        long end = System.nanoTime() + SPAN * 1_000_000_000L;
        long lastRounds = 0;
        long lastNanos = 0;
        long lastForecasts = 0;
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long r = rounds;
            long n = roundNanos;
            long f = forecasts.sum();
            System.out.printf("measured: %d forecasts/s, a round takes %.0f ms of %d, %d missed, %d alarms%n", f - lastForecasts,
                    (n - lastNanos) / 1e6 / Math.max(1, r - lastRounds), PERIOD, missed, alarms);
            lastRounds = r;
            lastNanos = n;
            lastForecasts = f;
        }
        System.exit(0);
    }
}
