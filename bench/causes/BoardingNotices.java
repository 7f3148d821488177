// SPDX-License-Identifier: Apache-2.0
// healthy: 3000 virtual threads are parked in Gate.await() for up to 20 s each (long poll) and CPU is nearly idle, but each notice reaches the waiting passengers of its gate within about a millisecond; the waiting is the design and costs nearly nothing.
// share: measures 40 notices/s published, 400 deliveries/s, mean delay about 0.25 ms
// judge: WRONG: a deadlock, a thread leak, lock contention on Gate, pinned carrier threads, starvation, a too small pool, time-outs as a fault. ACCEPTABLE: neutral remarks that thousands of virtual threads wait in Gate.await by design, that some polls end by the 20 s time limit, that CPU is low, that the number of threads is constant.
// jdk: 21
// set: twenty-sixth
// jvm: -Xmx128m
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

public class BoardingNotices {
    static final long END = System.nanoTime() + 170_000_000_000L;
    static final int PASSENGERS = 3000;
    static final int GATES = 300;
    static final int NOTICES_PER_SECOND = 40;
    static final LongAdder published = new LongAdder();
    static final LongAdder delivered = new LongAdder();
    static final LongAdder emptyPolls = new LongAdder();
    static final LongAdder delayNanos = new LongAdder();

    record Notice(long sequence, int gate, String text, long createdNanos) {
    }

    static final class Gate {
        private final int number;
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition changed = lock.newCondition();
        private Notice latest;

        Gate(int number) {
            this.number = number;
            this.latest = new Notice(0, number, "scheduled", System.nanoTime());
        }

        void publish(String text) {
            lock.lock();
            try {
                latest = new Notice(latest.sequence() + 1, number, text, System.nanoTime());
                changed.signalAll();
            } finally {
                lock.unlock();
            }
            published.increment();
        }

        Notice await(long seen, long limitMillis) throws InterruptedException {
            long rest = TimeUnit.MILLISECONDS.toNanos(limitMillis);
            lock.lock();
            try {
                while (latest.sequence() <= seen && rest > 0) {
                    rest = changed.awaitNanos(rest);
                }
                return latest.sequence() > seen ? latest : null;
            } finally {
                lock.unlock();
            }
        }
    }

    static void follow(Gate gate) {
        long seen = 0;
        long letters = 0;
        try {
            while (System.nanoTime() < END) {
                Notice notice = gate.await(seen, 20_000);
                if (notice == null) {
                    emptyPolls.increment();
                    continue;
                }
                delayNanos.add(System.nanoTime() - notice.createdNanos());
                delivered.increment();
                seen = notice.sequence();
                letters += notice.text().length();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (letters < 0) {
            System.out.println(letters);
        }
    }

    static void announce(Gate[] gates) {
        SplittableRandom random = new SplittableRandom(8);
        String[] texts = {"boarding group A", "boarding group B", "gate closes soon", "delayed by 10 minutes"};
        long next = System.nanoTime();
        try {
            while (System.nanoTime() < END) {
                gates[random.nextInt(GATES)].publish(texts[random.nextInt(texts.length)]);
                next += 1_000_000_000L / NOTICES_PER_SECOND;
                long rest = next - System.nanoTime();
                if (rest > 0) {
                    TimeUnit.NANOSECONDS.sleep(rest);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        Gate[] gates = new Gate[GATES];
        for (int i = 0; i < GATES; i++) {
            gates[i] = new Gate(i);
        }
        for (int i = 0; i < PASSENGERS; i++) {
            Gate gate = gates[i % GATES];
            Thread.ofVirtual().name("passenger-" + i).start(() -> follow(gate));
        }
        Thread.ofPlatform().daemon().name("tower").start(() -> announce(gates));
        System.out.println("READY");
        long lastPublished = 0;
        long lastDelivered = 0;
        long lastDelay = 0;
        while (System.nanoTime() < END) {
            Thread.sleep(1000);
            long p = published.sum();
            long d = delivered.sum();
            long delay = delayNanos.sum();
            long n = d - lastDelivered;
            System.out.printf("measured: %d notices/s published, %d deliveries/s, mean delay %.3f ms, empty polls %d%n",
                    p - lastPublished, n, n == 0 ? 0.0 : (delay - lastDelay) / 1e6 / n, emptyPolls.sum());
            lastPublished = p;
            lastDelivered = d;
            lastDelay = delay;
        }
        System.exit(0);
    }
}
