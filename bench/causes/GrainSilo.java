// SPDX-License-Identifier: Apache-2.0
// cause: GrainSilo$Bin uses one Condition for those who wait for room and those who wait for grain, and put and take call signal(), which often wakes one of the wrong kind, who waits again without passing it on, so that everybody rests until a time-out of 40 ms ends a wait.
// share: faulty 780 loads/s, 13.4 ms from scale to flour; fixed 38,400 loads/s, 0.12 ms from scale to flour
// expect: waiting frame=Bin.pause holder=hardly_any_thread_works
// symptom: waiting
// judge: NAMED: lost or misdirected notifications in GrainSilo$Bin (put / take): trucks and mills wait for each other on one Condition, nobody works in the meantime, and time-outs of await in Bin.pause (called by put and take) end the waits. SYMPTOM ONLY: threads wait for a condition in Bin.pause, or trucks for room and mills for elements. WRONG: the mills are too slow or too few; contention on Bin's lock; the weighing code; the bin being too small as the only cause; the ledger.
// jdk: 25
// set: twenty-sixth
// jvm:

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

public class GrainSilo {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int TRUCKS = 8;
    static final int MILLS = 8;
    static final int ROOM = 2;
    static final AtomicLong milled = new AtomicLong();
    static final AtomicLong age = new AtomicLong();

    record Load(String farm, int kilograms, int moisture, long since) {
    }

    /** Loads that have been weighed, until a mill has them. */
    static final class Bin {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition changed = lock.newCondition();
        private final Condition emptied = lock.newCondition();
        private final ArrayDeque<Load> loads = new ArrayDeque<>();

        private void pause(Condition condition) throws InterruptedException {
            condition.await(40, TimeUnit.MILLISECONDS);
        }

        private Condition room() {
            return FIXED ? emptied : changed;
        }

        void put(Load load) throws InterruptedException {
            lock.lock();
            try {
                while (loads.size() == ROOM) {
                    pause(room());
                }
                loads.add(load);
                changed.signal();
            } finally {
                lock.unlock();
            }
        }

        Load take() throws InterruptedException {
            lock.lock();
            try {
                while (loads.isEmpty()) {
                    pause(changed);
                }
                Load load = loads.remove();
                room().signal();
                return load;
            } finally {
                lock.unlock();
            }
        }
    }

    static final class Scale {
        private final Random random;

        Scale(int number) {
            random = new Random(number);
        }

        private int settle(int gross) {
            double reading = 0;
            for (int i = 0; i < 400; i++) {
                reading += (gross - reading) * 0.2 + random.nextDouble() * 0.1;
            }
            return (int) Math.round(reading);
        }

        Load weigh() {
            int net = settle(4000 + random.nextInt(20000)) - 3500;
            return new Load("farm-" + random.nextInt(300), net, 11 + random.nextInt(9), System.nanoTime());
        }
    }

    static final class Ledger {
        private final ConcurrentHashMap<String, AtomicLong> byFarm = new ConcurrentHashMap<>();

        void credit(Load load, long flour) {
            byFarm.computeIfAbsent(load.farm(), f -> new AtomicLong()).addAndGet(flour);
        }
    }

    static final class Mill implements Runnable {
        private final Bin bin;
        private final Ledger ledger;

        Mill(Bin bin, Ledger ledger) {
            this.bin = bin;
            this.ledger = ledger;
        }

        private long grind(Load load) {
            long flour = 0;
            List<Long> passes = new ArrayList<>();
            for (int pass = 1; pass <= 60; pass++) {
                long part = (long) load.kilograms() * (100 - load.moisture()) / (pass * 120L);
                passes.add(part);
                flour += part;
            }
            return flour + passes.size();
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Load load = bin.take();
                    ledger.credit(load, grind(load));
                    age.addAndGet(System.nanoTime() - load.since());
                    if (milled.incrementAndGet() % 16 == 0) {
                        Thread.sleep(1);
                    }
                }
            } catch (InterruptedException e) {
                System.out.println("mill stops");
            }
        }
    }

    static final class Truck implements Runnable {
        private final Bin bin;
        private final Scale scale;
        private final Random pace;

        Truck(Bin bin, int number) {
            this.bin = bin;
            this.scale = new Scale(number);
            this.pace = new Random(number);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    int loads = 1 + pace.nextInt(20);
                    for (int i = 0; i < loads; i++) {
                        bin.put(scale.weigh());
                    }
                    Thread.sleep(1);
                }
            } catch (InterruptedException e) {
                System.out.println("truck stops");
            }
        }
    }

    static void start(Runnable what, String name) {
        Thread thread = new Thread(what, name);
        thread.setDaemon(true);
        thread.start();
    }

    public static void main(String[] args) throws Exception {
        Bin bin = new Bin();
        Ledger ledger = new Ledger();
        for (int i = 0; i < MILLS; i++) {
            start(new Mill(bin, ledger), "mill-" + i);
        }
        for (int i = 0; i < TRUCKS; i++) {
            start(new Truck(bin, i), "truck-" + i);
        }
        System.out.println("READY");
        long end = System.nanoTime() + 170_000_000_000L;
        while (System.nanoTime() < end) {
            long m = milled.get();
            long a = age.get();
            Thread.sleep(1000);
            long done = milled.get() - m;
            System.out.printf("measured: %d loads/s, %.2f ms from scale to flour%n", done,
                (age.get() - a) / 1e6 / Math.max(1, done));
        }
        System.exit(0);
    }
}
