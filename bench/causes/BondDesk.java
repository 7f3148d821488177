// SPDX-License-Identifier: Apache-2.0
// cause: BondDesk.Feed.run polls its almost always empty queue in a busy loop (poll + onSpinWait), so four feed threads burn both cores and take the CPU from the two valuation threads
// share: with the fault 1574659 valuations/s, with -Dfixed=true 9533529 valuations/s: 6.1 times (median of short runs at nice 19 on a 2-core machine under heavy foreign load, so absolute figures are low)
// expect: hot-code kind=polling-queues frame=Feed.run | hot-code kind=spinning frame=Feed.run
// symptom: hot-method | hot-code | too-many-threads
// judge: NAMED: the feed threads spin on empty queues (Feed.run busy polling; use a blocking take) and take the CPU from the valuation; SYMPTOM ONLY: CPU saturated / run queue too long / ConcurrentLinkedQueue.poll hot without saying it is useless polling; WRONG: the valuation arithmetic (present) is the thing to optimise, GC, locks
// jdk: 25
// set: twenty-eighth
// jvm: -Xmx64m
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

public class BondDesk {
    static final boolean ALT = Boolean.getBoolean("fixed");
    static final int SPAN = Integer.getInteger("span", 170);
    static final int FEEDS = 4;
    static final int CURVE = 40;
    static volatile boolean open = true;
    static final LongAdder valuations = new LongAdder();
    static final LongAdder ticks = new LongAdder();

    record Tick(int tenor, double rate) { }

    static final AtomicReferenceArray<Double> curve = new AtomicReferenceArray<>(CURVE);

    static final class Feed implements Runnable {
        final ConcurrentLinkedQueue<Tick> line = new ConcurrentLinkedQueue<>();
        final BlockingQueue<Tick> inbox = new LinkedBlockingQueue<>();

        void offer(Tick t) {
            if (ALT) {
                inbox.add(t);
            } else {
                line.add(t);
            }
        }

        @Override
        public void run() {
            try {
                while (open) {
                    Tick t;
                    if (ALT) {
                        t = inbox.take();
                    } else {
                        t = line.poll();
                        if (t == null) {
                            Thread.onSpinWait();
                            continue;
                        }
                    }
                    curve.set(t.tenor(), t.rate());
                    ticks.increment();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class Valuer implements Runnable {
        final int first;
        double total;

        Valuer(int first) {
            this.first = first;
        }

        @Override
        public void run() {
            int bond = first;
            double[] rates = new double[CURVE];
            while (open) {
                for (int i = 0; i < CURVE; i++) {
                    rates[i] = curve.get(i);
                }
                for (int k = 0; k < 50; k++) {
                    total += present(1 + bond % 7 * 0.5, 2 + bond % 30, rates);
                    bond += 2;
                }
                valuations.add(50);
            }
        }

        private static double present(double coupon, int years, double[] rates) {
            double sum = 0;
            for (int y = 1; y <= years; y++) {
                sum += coupon * Math.exp(-rates[y] * y);
            }
            return sum + 100 * Math.exp(-rates[years] * years);
        }
    }

    public static void main(String[] args) throws Exception {
        long start = System.nanoTime();
        for (int i = 0; i < CURVE; i++) {
            curve.set(i, 0.02 + i * 0.0003);
        }
        Feed[] feeds = new Feed[FEEDS];
        for (int i = 0; i < FEEDS; i++) {
            feeds[i] = new Feed();
            Thread.ofPlatform().daemon().name("feed-" + i).start(feeds[i]);
        }
        Thread.ofPlatform().daemon().name("exchange").start(() -> {
            int n = 0;
            while (open) {
                for (Feed f : feeds) {
                    f.offer(new Tick(n % CURVE, 0.02 + n % 97 * 0.0001));
                    n++;
                }
                LockSupport.parkNanos(3_000_000L);
            }
        });
        Thread.ofPlatform().daemon().name("valuer-1").start(new Valuer(0));
        Thread.ofPlatform().daemon().name("valuer-2").start(new Valuer(1));
        Thread.sleep(3000);
        System.out.println("READY");
        long end = start + SPAN * 1_000_000_000L;
        long before = valuations.sum();
        long seen = ticks.sum();
        long at = System.nanoTime();
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long now = valuations.sum();
            long k = ticks.sum();
            long t = System.nanoTime();
            System.out.printf("measured: %.0f valuations/s, %.0f ticks/s%n",
                    (now - before) * 1e9 / (t - at), (k - seen) * 1e9 / (t - at));
            before = now;
            seen = k;
            at = t;
        }
        open = false;
    }
}
