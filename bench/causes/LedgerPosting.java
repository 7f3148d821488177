// SPDX-License-Identifier: Apache-2.0
// healthy: eight posting threads take the one monitor of Journal.append some 16000 times a second, but hold it only for well below a microsecond each, so it is hardly ever contended; the account table (120000 accounts, some 17 of 64 MB of heap) is filled at start and stays as it is
// share: target 15000 postings/s with p99 below 10 ms; reaches 16000 postings/s (all that come in), mean 0.13 ms, p99 0.6 ms (worst second seen 1.8 ms)
// judge: RIGHT: no fault / healthy; the lock is short and the table is stable. WRONG: any statement of a fault: contention on Journal (LedgerPosting$Journal.append), leak or oversized cache in Accounts, GC pressure, posting threads parked too long, pool too large.
// jdk: 25
// set: twenty-second
// jvm: -XX:+UseSerialGC
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** Posts card payments: eight lines deliver eight payments every 4 ms each. Target: 15000 a second, p99 below 10 ms. */
public class LedgerPosting {
    static final Tally TALLY = new Tally();
    static final int ACCOUNTS = 120_000;

    static final class Account {
        final String iban;
        private long cents;

        Account(String iban, long cents) {
            this.iban = iban;
            this.cents = cents;
        }

        synchronized long move(long by) {
            cents += by;
            return cents;
        }
    }

    /** All accounts of the house, read once at start. */
    static final class Accounts {
        private final Map<Integer, Account> byNumber = new HashMap<>(ACCOUNTS * 2);

        Accounts() {
            for (int i = 0; i < ACCOUNTS; i++) {
                byNumber.put(i, new Account("NL" + (20_000_000_000L + i * 97L) + "-" + i % 13, 100_000));
            }
        }

        Account get(int number) {
            return byNumber.get(number);
        }
    }

    /** The journal gives each posting its number; it keeps the sums of the last 4096. */
    static final class Journal {
        private final long[] amounts = new long[4096];
        private long number;
        private long turnover;

        synchronized long append(long cents) {
            int at = (int) (number & 4095);
            turnover += cents - amounts[at];
            amounts[at] = cents;
            return ++number;
        }
    }

    static final class Posting implements Runnable {
        private final Accounts accounts;
        private final Journal journal;
        private final SplittableRandom random;
        private long checks;

        Posting(Accounts accounts, Journal journal, long seed) {
            this.accounts = accounts;
            this.journal = journal;
            this.random = new SplittableRandom(seed);
        }

        @Override
        public void run() {
            long next = System.nanoTime();
            while (true) {
                next += 4_000_000L;
                for (long left = next - System.nanoTime(); left > 0; left = next - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
                for (int i = 0; i < 8; i++) {
                    post(random.nextInt(ACCOUNTS), random.nextInt(ACCOUNTS), 100 + random.nextInt(20_000));
                    TALLY.note(System.nanoTime() - next);
                }
            }
        }

        private void post(int from, int to, long cents) {
            Account payer = accounts.get(from);
            Account payee = accounts.get(to);
            String reference = payer.iban + '>' + payee.iban + ':' + cents;
            int check = 0;
            for (int i = 0; i < reference.length(); i++) {
                check = (check * 10 + reference.charAt(i)) % 97;
            }
            payer.move(-cents);
            payee.move(cents);
            checks += check + journal.append(cents);
        }
    }

    public static void main(String[] args) throws Exception {
        Accounts accounts = new Accounts();
        Journal journal = new Journal();
        for (int i = 1; i <= 8; i++) {
            Thread t = new Thread(new Posting(accounts, journal, i), "posting-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(4000);
        TALLY.take("");
        System.out.println("READY");
        long next = System.nanoTime();
        for (int second = 0; second < 170; second++) {
            next += 1_000_000_000L;
            long left = next - System.nanoTime();
            if (left > 0) {
                Thread.sleep(left / 1_000_000L, (int) (left % 1_000_000L));
            }
            System.out.println(TALLY.take("postings"));
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
