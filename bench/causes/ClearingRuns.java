// SPDX-License-Identifier: Apache-2.0
// healthy: payments arrive in files of 6000, one every second and a half or so; two threads (as many as CPUs) take them from a bounded queue that has room for a whole file, and are done long before the next one comes; between files nothing is to be done
// share: a file takes 100 to 225 ms, the next one comes 1000 to 1400 ms after its end; the queue is empty in between; one payment in some 15000 is refused (both accounts are the same); 0.29 CPUs
// judge: RIGHT: nothing stands out, no fault shows, or neutral statements of where time goes (computing in ClearingRuns$Booker.check or ClearingRuns.seal, waiting of clearing-run for the end of a file, neutral). WRONG: an accusation: a growing queue, a pool that is too small (pool-busy), a saturated thread, too many threads, waiting for a latch or for room in the queue as a fault, CPU starvation by the program's own doing, collections.
// jdk: 21
// set: thirty-first
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

public class ClearingRuns {
    static final int FILE = 6000, ACCOUNTS = 20000;

    record Payment(long number, int from, int to, long cents, String purpose) { }

    /** Two accounts are changed by each payment; balances never need a lock over both. */
    static final class Ledger {
        private final AtomicLongArray balances = new AtomicLongArray(ACCOUNTS);
        void book(Payment p) {
            balances.addAndGet(p.from(), -p.cents());
            balances.addAndGet(p.to(), p.cents());
        }
        long sum() {
            long s = 0;
            for (int i = 0; i < ACCOUNTS; i++) s += balances.get(i);
            return s;
        }
    }

    static final class Outcome {
        final LongAdder booked = new LongAdder(), refused = new LongAdder(), seals = new LongAdder();
    }

    static long seal(Payment p) {
        long h = 0xcbf29ce484222325L ^ p.number();
        for (int round = 0; round < 700; round++) {
            for (int i = 0; i < p.purpose().length(); i++) h = (h ^ p.purpose().charAt(i)) * 0x100000001b3L;
            h ^= p.cents() * 31 + p.from() * 17L + p.to();
        }
        return h;
    }

    static final class Booker implements Runnable {
        private final Payment payment;
        private final Ledger ledger;
        private final Outcome outcome;
        private final CountDownLatch left;
        Booker(Payment payment, Ledger ledger, Outcome outcome, CountDownLatch left) {
            this.payment = payment; this.ledger = ledger; this.outcome = outcome; this.left = left;
        }
        private boolean check() {
            if (payment.from() == payment.to() || payment.cents() <= 0) return false;
            int digits = 0, value = payment.from() * 97 + payment.to();
            for (int v = value; v > 0; v /= 10) digits += v % 10;
            return digits % 97 != 3;
        }
        public void run() {
            try {
                if (check()) {
                    outcome.seals.add(seal(payment) & 1);
                    ledger.book(payment);
                    outcome.booked.increment();
                } else {
                    outcome.refused.increment();
                }
            } finally {
                left.countDown();
            }
        }
    }

    static final class Correspondent {
        private final Random random = new Random(7);
        private long number;
        List<Payment> file() {
            List<Payment> payments = new ArrayList<>(FILE);
            for (int i = 0; i < FILE; i++) {
                payments.add(new Payment(++number, random.nextInt(ACCOUNTS), random.nextInt(ACCOUNTS), 100 + random.nextInt(500000), "invoice " + random.nextInt(1000000) + " of the month, with thanks"));
            }
            return payments;
        }
        long pauseMillis() { return 1000 + random.nextInt(400); }
    }

    static volatile long lastMillis, lastPause, files;

    static void run(ThreadPoolExecutor pool, Ledger ledger, Outcome outcome, Correspondent correspondent) {
        try {
            for (;;) {
                List<Payment> file = correspondent.file();
                long begin = System.nanoTime();
                CountDownLatch left = new CountDownLatch(file.size());
                for (Payment p : file) pool.execute(new Booker(p, ledger, outcome, left));
                left.await();
                lastMillis = (System.nanoTime() - begin) / 1_000_000;
                files++;
                lastPause = correspondent.pauseMillis();
                Thread.sleep(lastPause);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        AtomicInteger numbers = new AtomicInteger();
        ThreadPoolExecutor pool = new ThreadPoolExecutor(2, 2, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(FILE + 500), r -> new Thread(r, "booker-" + numbers.incrementAndGet()),
                new ThreadPoolExecutor.CallerRunsPolicy());
        Ledger ledger = new Ledger();
        Outcome outcome = new Outcome();
        Correspondent correspondent = new Correspondent();
        new Thread(() -> run(pool, ledger, outcome, correspondent), "clearing-run").start();
        Thread.sleep(3500);
        System.out.println("READY");
        System.out.flush();
        for (;;) {
            long b = outcome.booked.sum();
            Thread.sleep(1000);
            System.out.printf("measured: %d booked in this second, %d refused in all, sum %d; file %d took %d ms, the next one comes %d ms after its end; %d in the queue now%n", outcome.booked.sum() - b,
                    outcome.refused.sum(), ledger.sum(), files, lastMillis, lastPause, pool.getQueue().size());
            System.out.flush();
        }
    }
}
