// SPDX-License-Identifier: Apache-2.0
// healthy: a thread is started for each ship that docks, some nine a second, and lives for one to three seconds (planning, reading gauges, resting): a thread per session of seconds is a fair design here, and starting them costs next to nothing beside what they do
// share: 7 to 11 sessions a second, 14 to 18 threads at present; all starts of threads together take 10 to 70 ms of a second with a load of 10 to 18 by others and nice 10 (once 100 ms; each waits for a CPU then), 0.3 ms on average when there was room, against some 15 threads' time and 380 to 1700 ms of planning (0.2 CPUs)
// judge: right: nothing stands out, or only what is neutral and true (computing in DryDock$BlockPlan.improve), or what the machine does (waiting for CPUs that others use). WRONG: any accusation: waiting for the start of threads, or CPU time for starting threads, at DryDock$Pilot.run; too many threads; sleeps in Session.run; queue or semaphore waits; collections
// jdk: 11
// set: thirty-fifth
// jvm: -Xmx256m
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Rehearses the traffic of a shipyard's docks: each ship that comes in has a session until it leaves. */
public class DryDock {
    static final LongAdder sessions = new LongAdder();
    static final LongAdder startNanos = new LongAdder();
    static final LongAdder planNanos = new LongAdder();
    static final AtomicInteger present = new AtomicInteger();

    static final class Ship {
        final int number;
        final int length;
        final int draught;

        Ship(int number, int length, int draught) {
            this.number = number;
            this.length = length;
            this.draught = draught;
        }
    }

    /** Where the keel blocks are to stand, so that the hull's weight is spread evenly. */
    static final class BlockPlan {
        private final double[] load;
        private final double[] blocks = new double[24];

        BlockPlan(Ship ship, SplittableRandom random) {
            load = new double[ship.length];
            for (int frame = 0; frame < load.length; frame++) {
                load[frame] = ship.draught * (3 + random.nextDouble()) * Math.sin(Math.PI * (frame + 0.5) / load.length);
            }
            for (int i = 0; i < blocks.length; i++) {
                blocks[i] = (i + 0.5) * load.length / blocks.length;
            }
        }

        double improve(int turns) {
            double worst = 0;
            for (int turn = 0; turn < turns; turn++) {
                double[] carried = new double[blocks.length];
                double[] centre = new double[blocks.length];
                int near = 0;
                for (int frame = 0; frame < load.length; frame++) {
                    while (near + 1 < blocks.length && Math.abs(blocks[near + 1] - frame) < Math.abs(blocks[near] - frame)) {
                        near++;
                    }
                    carried[near] += load[frame];
                    centre[near] += load[frame] * frame;
                }
                worst = 0;
                for (int i = 0; i < blocks.length; i++) {
                    if (carried[i] > 0) {
                        blocks[i] += 0.3 * (centre[i] / carried[i] - blocks[i]);
                    }
                    worst = Math.max(worst, carried[i]);
                }
            }
            return worst;
        }
    }

    /** A ship's time in the dock, in a thread of its own. */
    static final class Session implements Runnable {
        private final Ship ship;
        private final Semaphore places;
        private final BlockingQueue<String> log;

        Session(Ship ship, Semaphore places, BlockingQueue<String> log) {
            this.ship = ship;
            this.places = places;
            this.log = log;
        }

        @Override
        public void run() {
            present.incrementAndGet();
            try {
                SplittableRandom random = new SplittableRandom(ship.number);
                BlockPlan plan = new BlockPlan(ship, random);
                double worst = 0;
                int looks = 8 + random.nextInt(16);
                for (int look = 0; look < looks; look++) {
                    long begin = System.nanoTime();
                    worst = plan.improve(2500);
                    planNanos.add(System.nanoTime() - begin);
                    TimeUnit.MILLISECONDS.sleep(100 + random.nextInt(20));
                }
                log.add("ship " + ship.number + " leaves, heaviest block " + Math.round(worst));
                sessions.increment();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                present.decrementAndGet();
                places.release();
            }
        }
    }

    /** Ships come when they come, and not when there is no place. */
    static final class Pilot implements Runnable {
        private final SplittableRandom tide = new SplittableRandom(21);
        private final Semaphore places = new Semaphore(40);
        private final BlockingQueue<String> log;
        private int next = 1;

        Pilot(BlockingQueue<String> log) {
            this.log = log;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    if (places.tryAcquire()) {
                        Ship ship = new Ship(next++, 120 + tide.nextInt(180), 6 + tide.nextInt(9));
                        Thread session = new Thread(new Session(ship, places, log), "ship-" + ship.number);
                        session.setDaemon(true);
                        long begin = System.nanoTime();
                        session.start();
                        startNanos.add(System.nanoTime() - begin);
                    }
                    TimeUnit.MILLISECONDS.sleep(60 + tide.nextInt(80));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The harbour master's book has the latest hundred departures. */
    static final class Departures implements Runnable {
        private final BlockingQueue<String> log;
        private final Deque<String> latest = new ArrayDeque<>();

        Departures(BlockingQueue<String> log) {
            this.log = log;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    latest.addLast(log.take());
                    if (latest.size() > 100) {
                        latest.removeFirst();
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        BlockingQueue<String> log = new LinkedBlockingQueue<>();
        new Thread(new Departures(log), "departures").start();
        new Thread(new Pilot(log), "pilot").start();
        while (sessions.sum() < 15) {
            Thread.sleep(20);
        }
        System.out.println("READY");
        System.out.flush();
        long lastSessions = sessions.sum();
        long lastStart = startNanos.sum();
        long lastPlan = planNanos.sum();
        while (true) {
            Thread.sleep(1000);
            long nowSessions = sessions.sum();
            long nowStart = startNanos.sum();
            long nowPlan = planNanos.sum();
            System.out.printf("measured: %d sessions ended, %d at present, %d us starting threads, %d ms planning%n",
                    nowSessions - lastSessions, present.get(), (nowStart - lastStart) / 1000, (nowPlan - lastPlan) / 1_000_000);
            System.out.flush();
            lastSessions = nowSessions;
            lastStart = nowStart;
            lastPlan = nowPlan;
        }
    }
}
