// SPDX-License-Identifier: Apache-2.0
// healthy: one lock guards all accounts and four threads take it, a thousand times a second for a us each
// jdk: 21
// set: ninth
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

public final class HealthyLedger {
    private static final LongAdder LOCKING = new LongAdder();
    private static final LongAdder ALL = new LongAdder();
    private static final LongAdder POSTINGS = new LongAdder();

    private final long[] balances = new long[1000];
    private final ReentrantLock lock = new ReentrantLock();

    private void transfer(int from, int to, long cents) {
        long start = System.nanoTime();
        lock.lock();
        try {
            LOCKING.add(System.nanoTime() - start);
            balances[from] -= cents;
            balances[to] += cents;
        } finally {
            lock.unlock();
        }
    }

    private static long validate(int posting) {
        long check = posting;
        for (int i = 0; i < 60_000; i++) {
            check += check << 5 ^ i;
        }
        return check;
    }

    private void post(int worker) {
        try {
            for (int posting = worker;; posting += 4) {
                long start = System.nanoTime();
                transfer(posting % 1000, posting * 31 % 1000, validate(posting) & 0xff);
                ALL.add(System.nanoTime() - start);
                POSTINGS.increment();
                Thread.sleep(4); // the next posting
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        HealthyLedger ledger = new HealthyLedger();
        for (int i = 0; i < 4; i++) {
            int worker = i;
            new Thread(() -> ledger.post(worker), "post-" + i).start();
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            System.out.println("measured: " + 100 * LOCKING.sum() / (ALL.sum() + 1) + " % of a posting is its lock, "
                    + POSTINGS.sum() + " postings of " + ALL.sum() / (POSTINGS.sum() + 1) / 1000 + " us");
        }
    }
}
