// SPDX-License-Identifier: Apache-2.0
// healthy: every 6 s a batch of meter readings arrives at once, the queue jumps to thousands and four workers use all CPU for about a second, then everything is idle; this is the schedule, and each batch ends long before its 6 s deadline.
// share: measures bills per second (20000 in each 6 s), readings waiting, duration of the last batch (0.5 to 1.1 s against a deadline of 6 s) and late batches (0)
// judge: WRONG: queue growth or back-up as a fault, CPU saturation as a fault, idle workers or waiting in BlockingQueue.take as a bottleneck, uneven load as a stall (GC or lock freeze), too few workers, a leak of queued readings. ACCEPTABLE as neutral: bursts of CPU use each 6 s in MeterBilling.bill and nearestProfile, idle in between; the queue empties each time; no problem found.
// jdk: 25
// set: twenty-third
// jvm:
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

public class MeterBilling {
    static final int METERS = 20_000;
    static final int SLOTS = 96;
    static final long PERIOD_MILLIS = 6000;

    record Reading(int meter, int[] wattHours, CountDownLatch open) { }

    record Bill(int meter, long cents, double peakKw, int profile) { }

    static final class TariffTable {
        final double[] centsPerKwh = new double[SLOTS];

        TariffTable() {
            for (int i = 0; i < SLOTS; i++) {
                double hour = i / 4.0;
                centsPerKwh[i] = 24 + 9 * Math.exp(-Math.pow(hour - 19, 2) / 6) + 5 * Math.exp(-Math.pow(hour - 8, 2) / 3);
            }
        }
    }

    final TariffTable tariffs = new TariffTable();
    final double[][] profiles = new double[600][SLOTS];
    final BlockingQueue<Reading> queue = new LinkedBlockingQueue<>(METERS);
    final AtomicLong billed = new AtomicLong();
    final AtomicLong cents = new AtomicLong();
    volatile long lastBatchMillis;
    volatile int batches;
    volatile int late;

    MeterBilling() {
        Random rnd = new Random(44);
        for (double[] profile : profiles) {
            for (int i = 0; i < SLOTS; i++) {
                profile[i] = 60 + rnd.nextInt(200) + 60 * Math.sin(i * Math.PI / SLOTS);
            }
        }
    }

    Bill bill(Reading r) {
        double sum = 0;
        double peak = 0;
        for (int i = 0; i < SLOTS; i++) {
            double kwh = r.wattHours()[i] / 1000.0;
            sum += kwh * tariffs.centsPerKwh[i];
            peak = Math.max(peak, kwh * 4);
        }
        return new Bill(r.meter(), Math.round(sum), peak, nearestProfile(r.wattHours()));
    }

    int nearestProfile(int[] load) {
        int best = -1;
        double bestDistance = Double.MAX_VALUE;
        for (int p = 0; p < profiles.length; p++) {
            double d = 0;
            double[] profile = profiles[p];
            for (int i = 0; i < load.length; i++) {
                double diff = load[i] - profile[i];
                d += diff * diff;
            }
            if (d < bestDistance) {
                bestDistance = d;
                best = p;
            }
        }
        return best;
    }

    void worker() {
        try {
            while (true) {
                Reading r = queue.take();
                Bill b = bill(r);
                cents.addAndGet(b.cents());
                billed.incrementAndGet();
                r.open().countDown();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    List<Reading> collect(Random rnd, CountDownLatch open) {
        List<Reading> batch = new ArrayList<>(METERS);
        for (int m = 0; m < METERS; m++) {
            int[] wh = new int[SLOTS];
            int base = 20 + rnd.nextInt(150);
            for (int i = 0; i < SLOTS; i++) {
                wh[i] = base + rnd.nextInt(200);
            }
            batch.add(new Reading(m, wh, open));
        }
        return batch;
    }

    void scheduler() {
        Random rnd = new Random(10);
        long due = System.nanoTime() / 1_000_000 + 500;
        try {
            while (true) {
                long pause = due - System.nanoTime() / 1_000_000;
                if (pause > 0) {
                    Thread.sleep(pause);
                }
                long start = System.nanoTime();
                CountDownLatch open = new CountDownLatch(METERS);
                for (Reading r : collect(rnd, open)) {
                    queue.put(r);
                }
                open.await();
                lastBatchMillis = (System.nanoTime() - start) / 1_000_000;
                batches++;
                if (lastBatchMillis > PERIOD_MILLIS) {
                    late++;
                }
                due += PERIOD_MILLIS;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void daemon(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        MeterBilling mb = new MeterBilling();
        for (int i = 0; i < 4; i++) {
            daemon("billing-" + i, mb::worker);
        }
        daemon("scheduler", mb::scheduler);
        System.out.println("READY");
        long last = 0;
        for (int s = 1; s <= 170; s++) {
            Thread.sleep(1000);
            long n = mb.billed.get();
            System.out.printf("measured: bills/s=%d waiting=%d batches=%d last_batch_ms=%d deadline_ms=%d late=%d%n", n - last,
                    mb.queue.size(), mb.batches, mb.lastBatchMillis, PERIOD_MILLIS, mb.late);
            last = n;
        }
        System.exit(0);
    }
}
