// SPDX-License-Identifier: Apache-2.0
// cause: Survey.correlate (through Survey.part) runs one int-counted loop of about 100 ms, from which C2 of JDK 8 has removed the safepoint poll, so each young collection (several a second, each of a few ms) is begun only after that loop has ended, while all other threads already stand still.
// share: faulty about 1390 bundles/s, worst latency 240 to 660 ms; fixed about 10300 bundles/s, worst 25 to 215 ms (7.4 times)
// expect: late-safepoints
// symptom: hot-method waiting
// judge: NAMED: threads are slow to reach safepoints because of the loop in Survey.part, called by Survey.correlate (thread "survey"), a counted loop without a poll. SYMPTOM ONLY: long GC pauses or stop times as such; threads wait for futures or in a queue; Survey.part or Survey.correlate is a hot method (true, honest work); the desk threads allocate much. WRONG: heap too small or collector as the cause, CPU starvation as the only cause, leak, lock contention.
// jdk: 8
// set: twenty-fifth
// jvm: -Xmn24m
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class SeismicDesk {
    static final boolean REVISED = Boolean.getBoolean("fixed");

    static class Trace {
        final float[] samples;
        Trace(int bits, long seed) {
            samples = new float[1 << bits];
            Random r = new Random(seed);
            for (int i = 0; i < samples.length; i++) samples[i] = (float) r.nextGaussian();
        }
    }

    static class Survey implements Runnable {
        private final Trace a = new Trace(16, 1), b = new Trace(16, 2);
        private final int length = 60_000_000;
        final AtomicLong passes = new AtomicLong();
        volatile double best;

        double correlate(int shift) {
            return REVISED ? inBlocks(shift) : part(shift, 0, length);
        }
        private double inBlocks(int shift) {
            double sum = 0;
            for (long from = 0; from < length; from += 20_000) sum += part(shift, (int) from, (int) Math.min(length, from + 20_000));
            return sum;
        }
        private double part(int shift, int from, int to) {
            float[] x = a.samples, y = b.samples;
            int mask = x.length - 1;
            double sum = 0;
            for (int i = from; i < to; i++) sum += x[i & mask] * y[(i + shift) & mask];
            return sum;
        }
        @Override public void run() {
            try {
                for (int shift = 0; ; shift++) {
                    double c = correlate(shift);
                    if (c > best) best = c;
                    passes.incrementAndGet();
                    Thread.sleep(5);
                }
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    static class Reading {
        final String station;
        final long at;
        final List<Double> values = new ArrayList<Double>();
        Reading(String line) {
            String[] f = line.split(" ");
            station = f[0];
            at = Long.parseLong(f[1]);
            for (int i = 2; i < f.length; i++) values.add(Double.parseDouble(f[i]) / 100);
        }
        double peak() {
            double p = 0;
            for (double v : values) p = Math.max(p, Math.abs(v));
            return p;
        }
    }

    static class Desk {
        private final Map<String, Deque<Double>> recent = new HashMap<String, Deque<Double>>();
        synchronized boolean alarm(Reading r) {
            Deque<Double> d = recent.get(r.station);
            if (d == null) recent.put(r.station, d = new ArrayDeque<Double>());
            double p = r.peak(), mean = 0;
            for (double x : d) mean += x;
            d.addLast(p);
            if (d.size() > 50) d.removeFirst();
            return d.size() > 10 && p > 3 * mean / d.size();
        }
    }

    static String line(Random r, long n) {
        StringBuilder b = new StringBuilder("ST").append(n % 40).append(' ').append(n);
        for (int i = 0; i < 60; i++) b.append(' ').append(r.nextInt(2000) - 1000);
        return b.toString();
    }

    public static void main(String[] args) throws Exception {
        Desk desk = new Desk();
        Survey survey = new Survey();
        ExecutorService pool = Executors.newFixedThreadPool(2, r -> daemon(r, "desk"));
        LongAdder done = new LongAdder(), nanos = new LongAdder(), alarms = new LongAdder();
        AtomicLong worst = new AtomicLong();
        for (int i = 0; i < 4; i++) {
            int id = i;
            daemon(() -> {
                Random r = new Random(id);
                try {
                    for (long n = id; ; n += 4) {
                        List<String> lines = new ArrayList<String>();
                        for (int k = 0; k < 8; k++) lines.add(line(r, n));
                        long t = System.nanoTime();
                        pool.submit(() -> {
                            for (String l : lines) if (desk.alarm(new Reading(l))) alarms.increment();
                        }).get();
                        long took = System.nanoTime() - t;
                        nanos.add(took);
                        worst.accumulateAndGet(took, Math::max);
                        done.increment();
                    }
                } catch (Exception e) {
                    e.printStackTrace();
                }
            }, "station-" + i).start();
        }
        daemon(survey, "survey").start();
        System.out.println("READY");
        for (long end = System.nanoTime() + 170_000_000_000L; System.nanoTime() < end; ) {
            Thread.sleep(1000);
            long d = done.sumThenReset(), t = nanos.sumThenReset();
            System.out.printf("measured: %d bundles/s, mean latency %.2f ms, worst %.1f ms, %d survey passes, %d alarms%n",
                d, d == 0 ? 0 : t / 1e6 / d, worst.getAndSet(0) / 1e6, survey.passes.getAndSet(0), alarms.sumThenReset());
        }
        System.exit(0);
    }

    static Thread daemon(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        return t;
    }
}
