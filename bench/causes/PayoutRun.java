// SPDX-License-Identifier: Apache-2.0
// cause: Run.release hands the payouts to the bank in groups of 8 with ExecutorService.invokeAll and starts the next group only when the slowest of the group is done; 1 payout in 10 takes 50 ms instead of about 5 ms, so most of the 8 tellers idle most of the time
// share: 10 s each: faulty 248 payouts/s; fixed (a new payout as soon as a teller is free, still 8 at a time) 815 payouts/s - 3.3 times; time of the single payout 9.5 ms in both
// expect: waiting barrier=invokeAll
// symptom: waiting
// judge: NAMED: batch barrier: Run.release (PayoutRun$Run) / invokeAll waits for the slowest of each group of 8 before it submits more, workers idle in that time. SYMPTOM ONLY: tellers idle in the queue (LinkedBlockingQueue.take), the main run waits in invokeAll / FutureTask.get, some bank calls are slow (tail latency). WRONG: pool too small, locks, GC, CPU, the bank's 50 ms as something to be fixed in this program.
// jdk: 21
// set: twenty-second
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/** Pays out the claims of the day through the bank, never more than eight at a time (agreed with the bank). */
public class PayoutRun {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final Tally TALLY = new Tally();
    static final int TELLERS = 8;

    record Payout(long claim, String iban, long cents, int bankMillis) {
    }

    record Receipt(long claim, long checksum) {
    }

    static final class Bank {
        Receipt pay(Payout p) throws InterruptedException {
            long sum = 17;
            for (int round = 0; round < 40; round++) {
                for (int i = 0; i < p.iban().length(); i++) {
                    sum = sum * 31 + p.iban().charAt(i);
                }
            }
            Thread.sleep(p.bankMillis());
            return new Receipt(p.claim(), sum);
        }
    }

    static final class Run implements Runnable {
        private final Bank bank = new Bank();
        private final Random random = new Random(11);
        private final AtomicInteger number = new AtomicInteger();
        private final ExecutorService tellers = Executors.newFixedThreadPool(TELLERS, r -> {
            Thread t = new Thread(r, "teller-" + number.incrementAndGet());
            t.setDaemon(true);
            return t;
        });
        private final Semaphore open = new Semaphore(TELLERS);
        private long claim;
        private long paid;

        @Override
        public void run() {
            try {
                while (true) {
                    release(nextFile(400));
                }
            } catch (InterruptedException | ExecutionException e) {
                System.err.println("run stopped: " + e);
            }
        }

        private List<Payout> nextFile(int n) {
            List<Payout> file = new ArrayList<>(n);
            for (int i = 0; i < n; i++) {
                int millis = random.nextInt(10) == 0 ? 50 : 3 + random.nextInt(4);
                file.add(new Payout(++claim, "DE" + (10_000_000_000L + random.nextInt(1_000_000_000)), random.nextInt(90_000), millis));
            }
            return file;
        }

        private void release(List<Payout> file) throws InterruptedException, ExecutionException {
            if (FIXED) {
                List<Future<Receipt>> sent = new ArrayList<>(file.size());
                for (Payout p : file) {
                    open.acquire();
                    sent.add(tellers.submit(() -> {
                        try {
                            return pay(p);
                        } finally {
                            open.release();
                        }
                    }));
                }
                check(sent);
                return;
            }
            for (int from = 0; from < file.size(); from += TELLERS) {
                List<Callable<Receipt>> group = new ArrayList<>(TELLERS);
                for (Payout p : file.subList(from, Math.min(file.size(), from + TELLERS))) {
                    group.add(() -> pay(p));
                }
                check(tellers.invokeAll(group));
            }
        }

        private Receipt pay(Payout p) throws InterruptedException {
            long start = System.nanoTime();
            Receipt r = bank.pay(p);
            TALLY.note(System.nanoTime() - start);
            return r;
        }

        private void check(List<Future<Receipt>> receipts) throws InterruptedException, ExecutionException {
            for (Future<Receipt> f : receipts) {
                paid += f.get().claim() > 0 ? 1 : 0;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Thread t = new Thread(new Run(), "payout-run");
        t.setDaemon(true);
        t.start();
        Thread.sleep(3000);
        TALLY.take("");
        System.out.println("READY");
        long next = System.nanoTime();
        for (int second = 0; second < 170; second++) {
            next += 1_000_000_000L;
            long left = next - System.nanoTime();
            if (left > 0) {
                Thread.sleep(left / 1_000_000L, (int) (left % 1_000_000L));
            }
            System.out.println(TALLY.take("payouts"));
        }
    }

    /** Service times of the running second, in logarithmic cells of one eighth. */
    static final class Tally {
        private final AtomicLongArray cells = new AtomicLongArray(512);
        private final LongAdder sum = new LongAdder();

        void note(long nanos) {
            long n = Math.max(0, nanos);
            sum.add(n);
            cells.incrementAndGet(cell(n));
        }

        static int cell(long n) {
            if (n < 8) {
                return (int) n;
            }
            int e = 63 - Long.numberOfLeadingZeros(n);
            return (e - 2) * 8 + (int) ((n >>> (e - 3)) & 7);
        }

        static double top(int c) {
            if (c < 8) {
                return (c + 1) / 1e6;
            }
            return ((9L + (c & 7)) << (c / 8 - 1)) / 1e6;
        }

        String take(String what) {
            long[] n = new long[cells.length()];
            long total = 0;
            for (int i = 0; i < n.length; i++) {
                n[i] = cells.getAndSet(i, 0);
                total += n[i];
            }
            double mean = sum.sumThenReset() / 1e6 / Math.max(1, total);
            return String.format(Locale.ROOT, "measured: %d %s/s, ms mean %.3f p50 %.3f p95 %.3f p99 %.3f max %.3f",
                    total, what, mean, at(n, total, 0.50), at(n, total, 0.95), at(n, total, 0.99), at(n, total, 1.0));
        }

        private static double at(long[] n, long total, double q) {
            long want = (long) Math.ceil(total * q);
            long seen = 0;
            for (int i = 0; i < n.length; i++) {
                seen += n[i];
                if (seen >= want && seen > 0) {
                    return top(i);
                }
            }
            return 0;
        }
    }
}
