// SPDX-License-Identifier: Apache-2.0
// cause: statements are computed while the ledger is locked; postings wait for it with the session that others wait for: BranchLedger.statement
// share: 34 % of a posting is waiting for the ledger, and 65 % for a session, whose holder waits for the ledger; statement() holds it for 66 to 79 %
// expect: waiting holder=BranchLedger.statement | waiting frame=BranchLedger.statement | lock-contention holder=BranchLedger.statement | lock-contention frame=BranchLedger.statement | endpoint-wait holder=BranchLedger.statement
// judge: right is what names statement() as the holder of the lock; the wait for a session in teller() is a symptom, which is louder
// symptom: waiting lock-contention pool-busy hot-method hot-calls hot-code
// jdk: 21
// set: tenth
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

/** Tellers post to the ledger of a branch within one of its sessions; statements are made from it all day. */
public final class BranchLedger {
    private static final LongAdder SESSION = new LongAdder();
    private static final LongAdder LOCK = new LongAdder();
    private static final LongAdder ALL = new LongAdder();
    private static final LongAdder STATEMENT = new LongAdder();

    private record Posting(int account, long cents, long number) {
    }

    private final BlockingQueue<StringBuilder> sessions = new ArrayBlockingQueue<>(4);
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Posting> postings = new ArrayList<>();

    private BranchLedger() {
        for (int i = 0; i < 4; i++) {
            sessions.add(new StringBuilder());
        }
        for (int i = 0; i < 60_000; i++) {
            postings.add(new Posting(i * 7 % 503, i % 9001 - 4000, i));
        }
    }

    private void post(int account, long cents) {
        long start = System.nanoTime();
        lock.lock();
        try {
            LOCK.add(System.nanoTime() - start);
            postings.set((int) (Math.abs(cents) % postings.size()), new Posting(account, cents, start));
        } finally {
            lock.unlock();
        }
    }

    private void teller(int number) {
        try {
            for (long n = number;; n += 12) {
                long start = System.nanoTime();
                StringBuilder session = sessions.take();
                try {
                    SESSION.add(System.nanoTime() - start);
                    session.setLength(0);
                    session.append("teller ").append(number).append(" posting ").append(n);
                    post((int) (n % 503), n * 37 % 100_000);
                } finally {
                    sessions.put(session);
                }
                ALL.add(System.nanoTime() - start);
                Thread.sleep(4); // the customer
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private int statement(int account) {
        lock.lock();
        try {
            long start = System.nanoTime();
            List<Posting> sorted = new ArrayList<>(postings);
            sorted.sort(Comparator.comparingInt(Posting::account).thenComparingLong(Posting::number));
            Map<String, Long> lines = new TreeMap<>();
            for (Posting posting : sorted) {
                if (posting.account() % 50 == account % 50) {
                    lines.merge(posting.account() + "/" + posting.number() % 31, posting.cents(), Long::sum);
                }
            }
            STATEMENT.add(System.nanoTime() - start);
            return lines.size();
        } finally {
            lock.unlock();
        }
    }

    private void statements() {
        try {
            for (int account = 0; statement(account) >= 0; account++) {
                Thread.sleep(1);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        BranchLedger ledger = new BranchLedger();
        for (int i = 0; i < 12; i++) {
            int number = i;
            new Thread(() -> ledger.teller(number), "teller-" + i).start();
        }
        new Thread(ledger::statements, "statements").start();
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            long all = ALL.sumThenReset() + 1;
            System.out.println("measured: of a posting " + 100 * SESSION.sumThenReset() / all + " % wait for a session, "
                    + 100 * LOCK.sumThenReset() / all + " % for the ledger, which statement() holds for "
                    + STATEMENT.sumThenReset() / 1_000_000 + " ms of a second");
        }
    }
}
