// SPDX-License-Identifier: Apache-2.0
// cause: Gate.take schedules a deadline 13 s ahead in the ScheduledThreadPoolExecutor Gate.deadlines for each reading and cancels it at once, without setRemoveOnCancelPolicy(true), so that some 550,000 cancelled tasks stay in its queue, fill two thirds of the heap, and make nearly each collection a full one of 80 to 140 ms.
// share: mean 4.1 to 27.0 ms from arrival to answer, 3,500 to 13,400 a second after more than 20 ms (faulty); 0.32 to 0.85 ms, mostly none late (fixed)
// expect: cancelled-tasks
// symptom: gc-pauses gc-cpu live-set promotion
// judge: NAMED: cancelled tasks remain in the queue of the ScheduledThreadPoolExecutor deadlines (ParkingTickets$Gate.take) until they would be due: setRemoveOnCancelPolicy(true). SYMPTOM ONLY: collections take much time, the heap is nearly full, a larger heap; ScheduledFutureTask objects or the executor's queue array keep the heap alive without saying that they are cancelled. WRONG: a leak that grows for ever, allocation of images as the cause, contention for the queue's lock as the cause, the pauses (parkNanos) of the levels, the choice of the Serial collector as the fault.
// jdk: 17
// set: thirtieth
// jvm: -XX:+UseSerialGC
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** Sensors of parking bays: each reading is checked with the permits, and is given up if there is no answer for a while. */
public class ParkingTickets {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int SPAN = Integer.getInteger("span", 170);
    static final int GIVE_UP_MILLIS = Integer.getInteger("giveup", 13000);
    static final int RATE = Integer.getInteger("rate", 43000);
    static volatile boolean open = true;

    static final class Reading {
        final long number;
        final int bay;
        final byte[] image;
        volatile boolean permitted;
        volatile boolean dropped;

        Reading(long number, int bay, byte[] image) {
            this.number = number;
            this.bay = bay;
            this.image = image;
        }
    }

    /** The bays for which somebody has paid, by the place that the permit is for. */
    static final class Permits {
        private final BitSet paid = new BitSet();

        Permits(int bays) {
            for (int i = 0; i < bays; i += 3) paid.set(i);
        }

        boolean check(Reading reading) {
            int sum = 0;
            for (byte b : reading.image) sum = sum * 31 + b;
            return paid.get(reading.bay) || sum == 42;
        }
    }

    static final class Gate {
        private final Permits permits;
        private final ScheduledThreadPoolExecutor deadlines = new ScheduledThreadPoolExecutor(1, work -> {
            Thread thread = new Thread(work, "deadlines");
            thread.setDaemon(true);
            return thread;
        });
        final LongAdder served = new LongAdder();
        final LongAdder dropped = new LongAdder();

        Gate(Permits permits) {
            this.permits = permits;
            if (FIXED) deadlines.setRemoveOnCancelPolicy(true);
        }

        boolean take(Reading reading) {
            ScheduledFuture<?> deadline = deadlines.schedule(() -> {
                reading.dropped = true;
                dropped.increment();
            }, GIVE_UP_MILLIS, TimeUnit.MILLISECONDS);
            try {
                reading.permitted = permits.check(reading);
                served.increment();
                return reading.permitted;
            } finally {
                deadline.cancel(false);
            }
        }
    }

    /** Readings of one level of the car park as they come: so many a second, at known times. */
    static final class Level implements Runnable {
        private final Gate gate;
        private final long gap;
        private final SplittableRandom random;
        private final LongAdder nanos;
        private final LongAdder late;
        private long number;

        Level(Gate gate, int rate, long seed, LongAdder nanos, LongAdder late) {
            this.gate = gate;
            this.gap = 1_000_000_000L / rate;
            this.random = new SplittableRandom(seed);
            this.nanos = nanos;
            this.late = late;
        }

        @Override public void run() {
            long due = System.nanoTime();
            while (open) {
                long now = System.nanoTime();
                if (now < due) {
                    LockSupport.parkNanos(Math.max(due - now, 500_000));
                    continue;
                }
                if (now - due > 2_000_000_000L) due = now;
                byte[] image = new byte[900];
                for (int i = 0; i < image.length; i += 8) image[i] = (byte) random.nextInt();
                gate.take(new Reading(number++, random.nextInt(40_000), image));
                long took = System.nanoTime() - due;
                nanos.add(took);
                if (took > 20_000_000) late.increment();
                due += gap;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Gate gate = new Gate(new Permits(40_000));
        LongAdder nanos = new LongAdder();
        LongAdder late = new LongAdder();
        int levels = 2;
        for (int i = 0; i < levels; i++) {
            Thread thread = new Thread(new Level(gate, RATE / levels, i + 1, nanos, late), "level-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        Thread.sleep(GIVE_UP_MILLIS + 2000);
        nanos.reset();
        late.reset();
        gate.served.reset();
        System.out.println("READY");
        for (int second = 0; second < SPAN - 15; second++) {
            Thread.sleep(1000);
            long n = gate.served.sumThenReset();
            System.out.printf("measured: %d readings, mean %.2f ms from arrival to answer, %d after more than 20 ms, %d given up%n",
                    n, n == 0 ? 0.0 : nanos.sumThenReset() / 1e6 / n, late.sumThenReset(), gate.dropped.sumThenReset());
        }
        open = false;
    }
}
