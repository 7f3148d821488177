// SPDX-License-Identifier: Apache-2.0
// cause: LedgerHub.Journal.pen is a FAIR ReentrantLock; with 6 clerks and a critical section of well under a microsecond every posting in Journal.enter is handed over to a parked thread (lock convoy, one context switch per posting); an unfair lock lets the running clerk go on
// share: 10 s means: faulty 235000 postings/s (swinging, often 40000), fixed (unfair lock) 1737000 postings/s, 7.4x
// expect: waiting handed=0
// symptom: waiting
// judge: NAMED: the fairness of the lock (new ReentrantLock(true), FairSync) of Journal / lock convoy with a hand-off to a parked thread at each acquisition. SYMPTOM ONLY: contention on Journal.pen / clerks park in enter; a hot lock; many context switches / high system CPU with no word on fairness or hand-off. WRONG: the critical section is too long, verify is too slow, too many threads as the sole cause, false sharing in balances, LongAdder, GC, total() holding the lock
// jdk: 25
// set: twenty-second
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

/** Clerks prepare postings and enter them in one common journal, which must stay in balance. */
public class LedgerHub {
    static final class Journal {
        private final ReentrantLock pen = new ReentrantLock(!Boolean.getBoolean("fixed"));
        private final long[] balances = new long[512];
        private long entries;

        void enter(int debit, int credit, long amount) {
            pen.lock();
            try {
                balances[debit] -= amount;
                balances[credit] += amount;
                entries++;
            } finally {
                pen.unlock();
            }
        }

        long total() {
            pen.lock();
            try {
                long sum = 0;
                for (long b : balances) sum += b;
                return sum;
            } finally {
                pen.unlock();
            }
        }
    }

    static final class Clerk implements Runnable {
        private final Journal journal;
        private final LongAdder posted;
        private long slip;

        Clerk(Journal journal, LongAdder posted, long seed) {
            this.journal = journal;
            this.posted = posted;
            this.slip = seed;
        }

        /** Verifies the voucher before it is entered. */
        private long verify() {
            long v = slip;
            for (int i = 0; i < 400; i++) {
                v ^= v << 13;
                v ^= v >>> 7;
                v ^= v << 17;
            }
            slip = v;
            return v;
        }

        @Override public void run() {
            while (true) {
                long v = verify();
                journal.enter((int) (v & 511), (int) (v >>> 9 & 511), v >>> 40);
                posted.increment();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Journal journal = new Journal();
        LongAdder posted = new LongAdder();
        for (int i = 0; i < 6; i++) {
            Thread.ofPlatform().daemon().name("clerk-" + i).start(new Clerk(journal, posted, 88172645463325252L + i));
        }
        Thread.sleep(3000);
        System.out.println("READY");
        posted.reset();
        for (int s = 0; s < 165; s++) {
            Thread.sleep(1000);
            System.out.println("measured: " + posted.sumThenReset() + " postings/s");
            if (journal.total() != 0) throw new IllegalStateException("journal out of balance");
        }
        System.exit(0);
    }
}
