// SPDX-License-Identifier: Apache-2.0
// cause: ClaimIntakeDesk.openDesks builds ThreadPoolExecutor(core 4, max 24) on an unbounded LinkedBlockingQueue, so the pool never grows past its 4 core threads; each claim waits 12 ms in PolicyRegistry.policyOf, so 4 threads cannot keep up with 400 claims/s and the queue grows without bound while the CPU idles
// share: 10 s means: faulty 327 claims/s with mean time to decision 1488 ms and rising (2.3 s after 14 s); fixed (core = max = 24) 400 claims/s at 12.5 ms
// expect: growing-queue pool=assessor size=core
// symptom: growing-queue waiting
// judge: NAMED: the pool is too small / stuck at its 4 core threads (maximum 24 never used because the work queue is unbounded), work waits in the executor queue; it must point at this executor or the assessor-N threads and say that more threads (raise core size, or bound the queue) are needed; naming the never-reached maximum is the full form, 'pool of 4 too small for blocking 12 ms work at this arrival rate' also counts. SYMPTOM ONLY: queue is growing / latency rising / tasks wait long / threads sleep in PolicyRegistry / heap slowly grows with no word on pool size. WRONG: the scoring loop in assess is hot, lock contention, GC, memory leak as the cause, the slow registry as the thing to fix, the mailroom thread's sleep
// jdk: 8
// set: twenty-second
import java.util.Random;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Takes in insurance claims, looks up the policy in the registry and assesses each claim. */
public class ClaimIntakeDesk {
    static final class Claim {
        final long number;
        final int amount;
        final long receivedAt = System.nanoTime();
        Claim(long number, int amount) { this.number = number; this.amount = amount; }
    }

    /** The remote policy registry answers in about 12 ms. */
    static final class PolicyRegistry {
        long policyOf(Claim c) throws InterruptedException {
            Thread.sleep(12);
            return c.number * 0x9E3779B97F4A7C15L;
        }
    }

    static final class Assessor {
        private final PolicyRegistry registry = new PolicyRegistry();
        final LongAdder assessed = new LongAdder();
        final LongAdder waitedMicros = new LongAdder();
        final LongAdder approved = new LongAdder();

        void assess(Claim c) {
            try {
                long policy = registry.policyOf(c);
                long score = policy;
                for (int rule = 0; rule < 20000; rule++) {
                    score = score * 6364136223846793005L + c.amount;
                    score ^= score >>> 29;
                }
                if ((score & 7) != 0) approved.increment();
                assessed.increment();
                waitedMicros.add((System.nanoTime() - c.receivedAt) / 1000);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static ThreadPoolExecutor openDesks() {
        final AtomicInteger n = new AtomicInteger();
        ThreadFactory names = new ThreadFactory() {
            @Override public Thread newThread(Runnable r) {
                Thread t = new Thread(r, "assessor-" + n.incrementAndGet());
                t.setDaemon(true);
                return t;
            }
        };
        int regular = 4;
        int peak = 24;
        if (Boolean.getBoolean("fixed")) regular = peak;
        ThreadPoolExecutor pool = new ThreadPoolExecutor(regular, peak, 30, TimeUnit.SECONDS,
                new LinkedBlockingQueue<Runnable>(), names);
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    public static void main(String[] args) throws Exception {
        final Assessor assessor = new Assessor();
        final ThreadPoolExecutor desks = openDesks();
        Thread mail = new Thread(new Runnable() {
            @Override public void run() {
                Random rnd = new Random(7);
                long number = 1;
                long next = System.nanoTime();
                while (true) {
                    for (int i = 0; i < 4; i++) {
                        final Claim c = new Claim(number++, rnd.nextInt(9000));
                        desks.execute(new Runnable() {
                            @Override public void run() { assessor.assess(c); }
                        });
                    }
                    next += 10_000_000L;
                    long left = next - System.nanoTime();
                    if (left > 0) {
                        try {
                            TimeUnit.NANOSECONDS.sleep(left);
                        } catch (InterruptedException e) {
                            return;
                        }
                    }
                }
            }
        }, "mailroom");
        mail.setDaemon(true);
        mail.start();
        Thread.sleep(3000);
        System.out.println("READY");
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(165);
        while (System.nanoTime() < end) {
            assessor.assessed.sumThenReset();
            assessor.waitedMicros.sumThenReset();
            Thread.sleep(1000);
            long n = assessor.assessed.sum();
            System.out.printf("measured: %d claims/s, mean time to decision %.1f ms%n", n,
                    assessor.waitedMicros.sum() / 1000.0 / Math.max(1, n));
        }
        System.exit(0);
    }
}
