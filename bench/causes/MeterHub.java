// SPDX-License-Identifier: Apache-2.0
// healthy: 4000 virtual threads wait in timed polls and next to nothing runs; but each waits for its own meter and 1500 readings/s at most come, each being delivered in a fraction of a millisecond on an idle machine.
// share: 1380 readings/s, delivered in 245 us (median of the seconds), a few percent of one core.
// judge: any finding of trouble (too many threads, threads blocked in poll, starvation, idle pool, polling) is WRONG.
// jdk: 21
// set: twenty-seventh
// jvm: -Xmx64m
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class MeterHub {
    static final long START = System.nanoTime();
    static final int METERS = 4000;
    static final LongAdder readings = new LongAdder(), time = new LongAdder(), idle = new LongAdder();

    record Reading(int meter, int wattHours, long at) { }

    static final class Meter {
        final BlockingQueue<Reading> inbox = new ArrayBlockingQueue<>(8);
        long total;
        void follow() {
            try {
                while (true) {
                    Reading r = inbox.poll(20, TimeUnit.SECONDS);
                    if (r == null) { idle.increment(); continue; }
                    total += r.wattHours();
                    time.add(System.nanoTime() - r.at());
                    readings.increment();
                }
            } catch (InterruptedException e) { }
        }
    }

    public static void main(String[] a) throws Exception {
        long span = Long.getLong("span", 170);
        Meter[] meters = new Meter[METERS];
        for (int i = 0; i < METERS; i++) {
            Meter m = meters[i] = new Meter();
            Thread.ofVirtual().name("meter-" + i).start(m::follow);
        }
        Thread.ofPlatform().daemon().name("grid-feed").start(() -> {
            SplittableRandom r = new SplittableRandom(2);
            try {
                while (true) {
                    for (int i = 0; i < 15; i++) {
                        int m = r.nextInt(METERS);
                        meters[m].inbox.put(new Reading(m, r.nextInt(400), System.nanoTime()));
                    }
                    Thread.sleep(10);
                }
            } catch (InterruptedException e) { }
        });
        Thread.sleep(4000);
        System.out.println("READY");
        readings.reset(); time.reset(); idle.reset();
        while (System.nanoTime() - START < span * 1_000_000_000L) {
            Thread.sleep(1000);
            long n = readings.sumThenReset(), d = time.sumThenReset();
            System.out.printf(Locale.ROOT, "measured: %d readings/s, delivered in mean %.0f us, %d polls without a reading%n", n, n == 0 ? 0.0 : d / 1e3 / n, idle.sumThenReset());
        }
    }
}
