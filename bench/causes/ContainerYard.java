// SPDX-License-Identifier: Apache-2.0
// cause: the planner holds the read lock of the yard's map while it computes a whole outlook (ContainerYard$YardMap.outlook, called by StowagePlanner.run, with rehandles below it), so all gate lanes wait for the write lock in YardMap.setDown and YardMap.pickUp; it should compute on a copy taken under the lock
// share: 6 to 7 of the 8 gate lanes wait for the write lock all the time; the read lock is held 80 to 90 % of the time, 55 to 90 ms at a time (longer on a busy machine); the planner itself uses up to 0.85 of a CPU
// expect: waiting kind=write-lock frame=ContainerYard$YardMap
// symptom: hot-method hot-calls waiting
// judge: NAMED: waiting for a write lock (ReentrantReadWriteLock) at ContainerYard$YardMap.setDown or pickUp (one of them is enough, also by GateLane.run) as the first or most costly finding of the program, whether or not it adds that readers hold it (YardMap.outlook, rehandles, StowagePlanner). SYMPTOM ONLY: nothing but the CPU time of YardMap.rehandles, outlook or Random (hot-method, hot-calls) without a word of the waits for the lock, or a wait for a lock without its place. WRONG: anything else as the main cause (collections, too few CPUs where the machine is free, sleeping, an unfair or fair lock, a deadlock, stuck threads), or a lock-wait said to be caused by another writer only (setDown and pickUp hold it for microseconds)
// jdk: 21
// set: thirty-fourth
// jvm: -Xmx256m
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** Gate and stowage service of an inland container terminal. */
public class ContainerYard {
    static final int STACKS = 180;
    static final int TIERS = 6;
    static final int LANES = 8;

    record Box(long number, int departureHour, int tonnes) {}

    /** What stands where, shared by the gate lanes and the planner. */
    static final class YardMap {
        private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
        private final Box[][] slots = new Box[STACKS][TIERS];
        private final int[] height = new int[STACKS];
        final AtomicLong waitedNs = new AtomicLong();
        final AtomicLong heldNs = new AtomicLong();

        boolean setDown(Box box, int stack) {
            long before = System.nanoTime();
            lock.writeLock().lock();
            try {
                waitedNs.addAndGet(System.nanoTime() - before);
                if (height[stack] == TIERS) {
                    return false;
                }
                slots[stack][height[stack]++] = box;
                return true;
            } finally {
                lock.writeLock().unlock();
            }
        }

        Box pickUp(int stack) {
            long before = System.nanoTime();
            lock.writeLock().lock();
            try {
                waitedNs.addAndGet(System.nanoTime() - before);
                if (height[stack] == 0) {
                    return null;
                }
                Box box = slots[stack][--height[stack]];
                slots[stack][height[stack]] = null;
                return box;
            } finally {
                lock.writeLock().unlock();
            }
        }

        /** The stack to which each ship's boxes should go, by the expected number of moves. */
        Outlook outlook(int scenarios, long seed) {
            lock.readLock().lock();
            long begin = System.nanoTime();
            try {
                Random random = new Random(seed);
                double[] moves = new double[STACKS];
                for (int s = 0; s < scenarios; s++) {
                    int delay = random.nextInt(12);
                    for (int stack = 0; stack < STACKS; stack++) {
                        moves[stack] += rehandles(stack, delay, random);
                    }
                }
                int best = 0;
                for (int stack = 1; stack < STACKS; stack++) {
                    if (moves[stack] < moves[best]) {
                        best = stack;
                    }
                }
                return new Outlook(best, moves[best] / scenarios);
            } finally {
                heldNs.addAndGet(System.nanoTime() - begin);
                lock.readLock().unlock();
            }
        }

        private double rehandles(int stack, int delay, Random random) {
            double moves = 0;
            for (int low = 0; low < height[stack]; low++) {
                for (int high = low + 1; high < height[stack]; high++) {
                    int leaves = slots[stack][low].departureHour() + (low * delay) % 7;
                    int above = slots[stack][high].departureHour() + (int) (random.nextDouble() * delay);
                    if (above > leaves) {
                        moves += 1 + Math.sqrt(slots[stack][high].tonnes()) / 10;
                    }
                }
            }
            return moves;
        }
    }

    record Outlook(int preferredStack, double expectedMoves) {}

    /** Works out again and again where boxes should be put down. */
    static final class StowagePlanner implements Runnable {
        private final YardMap yard;
        volatile Outlook latest = new Outlook(0, 0);
        final AtomicLong plans = new AtomicLong();

        StowagePlanner(YardMap yard) {
            this.yard = yard;
        }

        @Override
        public void run() {
            long round = 0;
            while (true) {
                latest = yard.outlook(5000, ++round);
                plans.incrementAndGet();
                rest(12);
            }
        }
    }

    /** One lane of the gate: a truck brings a box or fetches one. */
    static final class GateLane implements Runnable {
        private final YardMap yard;
        private final StowagePlanner planner;
        private final Random random;
        private final Deque<Box> journal = new ArrayDeque<>();
        static final AtomicLong TRUCKS = new AtomicLong();

        GateLane(YardMap yard, StowagePlanner planner, int lane) {
            this.yard = yard;
            this.planner = planner;
            this.random = new Random(lane);
        }

        @Override
        public void run() {
            while (true) {
                int stack = random.nextInt(4) == 0 ? planner.latest.preferredStack() : random.nextInt(STACKS);
                if (random.nextBoolean()) {
                    yard.setDown(new Box(containerNumber(), random.nextInt(96), 4 + random.nextInt(26)), stack);
                } else {
                    Box box = yard.pickUp(stack);
                    if (box != null) {
                        journal.addLast(box);
                        if (journal.size() > 100) {
                            journal.removeFirst();
                        }
                    }
                }
                TRUCKS.incrementAndGet();
                rest(6);
            }
        }

        private long containerNumber() {
            long number = 1_000_000 + random.nextInt(8_999_999);
            long sum = 0;
            for (long n = number; n > 0; n /= 10) {
                sum = sum * 2 + n % 10;
            }
            return number * 10 + sum % 11 % 10;
        }
    }

    static void rest(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        YardMap yard = new YardMap();
        Random random = new Random(7);
        for (int i = 0; i < STACKS * 4; i++) {
            yard.setDown(new Box(i, random.nextInt(96), 4 + random.nextInt(26)), random.nextInt(STACKS));
        }
        StowagePlanner planner = new StowagePlanner(yard);
        new Thread(planner, "stowage-planner").start();
        for (int lane = 0; lane < LANES; lane++) {
            new Thread(new GateLane(yard, planner, lane), "gate-lane-" + lane).start();
        }
        long waited = yard.waitedNs.get();
        long held = yard.heldNs.get();
        long trucks = 0;
        long plans = 0;
        long at = System.nanoTime();
        for (int second = 1;; second++) {
            rest(1000);
            long now = System.nanoTime();
            double s = (now - at) / 1e9;
            long w = yard.waitedNs.get();
            long h = yard.heldNs.get();
            long t = GateLane.TRUCKS.get();
            long p = planner.plans.get();
            System.out.printf("measured: %.1f of %d lanes wait for the write lock, %.1f ms for each of %.0f trucks/s; read lock held %.0f %% of the time, %.0f ms for each of %d plans%n",
                (w - waited) / 1e9 / s, LANES, (w - waited) / 1e6 / Math.max(1, t - trucks), (t - trucks) / s,
                (h - held) / 1e7 / s, (h - held) / 1e6 / Math.max(1, p - plans), p - plans);
            waited = w;
            held = h;
            trucks = t;
            plans = p;
            at = now;
            if (second == 3) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
