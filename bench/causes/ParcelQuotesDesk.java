// SPDX-License-Identifier: Apache-2.0
// cause: QuoteService.quote runs in virtual threads and waits for the carrier's answer (CarrierLine.ask, about 12 ms) inside synchronized (account); on JDK 21 this pins the virtual thread to its carrier thread, so only as many quotes are under way as there are CPUs, though the accounts are hardly ever contended
// share: 9 s each: faulty 171 quotes/s (2 under way at a time); fixed (ReentrantLock) 2320 quotes/s, mean 11.9 ms each - 13.6 times the throughput; the time of the single quote, once it runs, is the same
// expect: waiting kind=carrier holder=pins
// symptom: waiting
// judge: NAMED: virtual threads pinned by the synchronized block in QuoteService.quote (ParcelQuotesDesk$QuoteService) while waiting in CarrierLine.ask / carrier threads of the scheduler all pinned. SYMPTOM ONLY: waits for CarrierLine.ask / CompletableFuture.get, low throughput with idle CPU, too few ForkJoinPool carrier threads, the remote carrier is slow. WRONG: contention on the account lock (600 accounts, 96 callers), GC, CPU saturation, common pool misuse.
// jdk: 21
// set: twenty-second
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

/** Quotes for parcels: shops ask for a price, the service asks the carrier and enters the quote in the shop's account. */
public class ParcelQuotesDesk {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final Tally TALLY = new Tally();
    static final int ACCOUNTS = 600;
    static final int SHOPS = 96;

    static final class Account {
        final ReentrantLock turn = new ReentrantLock();
        int quotes;
        long quotedCents;
    }

    /** The line to the carrier company; its answers come in after some 12 ms. */
    static final class CarrierLine {
        private final ScheduledExecutorService answers = Executors.newSingleThreadScheduledExecutor(r -> {
            Thread t = new Thread(r, "carrier-answers");
            t.setDaemon(true);
            return t;
        });

        long ask(int grams, int distance) throws InterruptedException, ExecutionException {
            CompletableFuture<Long> answer = new CompletableFuture<>();
            long cents = 290 + grams / 40 + distance / 9;
            answers.schedule(() -> answer.complete(cents), 9 + ThreadLocalRandom.current().nextInt(6), TimeUnit.MILLISECONDS);
            return answer.get();
        }
    }

    static final class QuoteService {
        private final List<Account> accounts = new ArrayList<>();
        private final CarrierLine line = new CarrierLine();

        QuoteService() {
            for (int i = 0; i < ACCOUNTS; i++) {
                accounts.add(new Account());
            }
        }

        long quote(int number, int grams, int distance) throws InterruptedException, ExecutionException {
            Account account = accounts.get(number);
            if (FIXED) {
                account.turn.lock();
                try {
                    return book(account, grams, distance);
                } finally {
                    account.turn.unlock();
                }
            }
            synchronized (account) {
                return book(account, grams, distance);
            }
        }

        private long book(Account account, int grams, int distance) throws InterruptedException, ExecutionException {
            long discount = Math.min(50, account.quotes / 100);
            long cents = line.ask(grams, distance) - discount;
            account.quotes++;
            account.quotedCents += cents;
            return cents;
        }
    }

    static void shop(QuoteService service) {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        try {
            while (true) {
                long start = System.nanoTime();
                service.quote(r.nextInt(ACCOUNTS), 100 + r.nextInt(20_000), r.nextInt(1_500));
                TALLY.note(System.nanoTime() - start);
                Thread.sleep(20 + r.nextInt(20));
            }
        } catch (InterruptedException | ExecutionException e) {
            System.err.println("shop stopped: " + e);
        }
    }

    public static void main(String[] args) throws Exception {
        QuoteService service = new QuoteService();
        for (int i = 0; i < SHOPS; i++) {
            Thread.ofVirtual().name("shop-" + i).start(() -> shop(service));
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
            System.out.println(TALLY.take("quotes"));
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
