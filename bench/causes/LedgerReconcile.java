// SPDX-License-Identifier: Apache-2.0
// cause: PostingKey.hashCode leaves out reference, so ~80 keys share a hash; puts and gets search long bins
// expect: hot-code kind=colliding-keys
// symptom: hot-method hot-calls promotion
// share: 1.36 million lines/s against 7.0 million lines/s fixed (map work ~80% of the CPU)
// judge: right: LedgerReconcile$PostingKey.hashCode is poor (collisions): HashMap puts/gets search long bins
// judge: symptom: CPU is spent in HashMap.putVal/TreeNode.find or PostingKey.equals, without naming collisions
// judge: wrong: the map is too big, parsing/String.split is the cause, memory or GC, lock contention
// jdk: 8
// set: fourteenth
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

/** Matches the postings of the general ledger against the lines of the banks' statements, bank by bank. */
public class LedgerReconcile {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final AtomicLong linesDone = new AtomicLong();
    static final AtomicLong openItems = new AtomicLong();
    static final AtomicLong putNanos = new AtomicLong();
    static final AtomicLong allNanos = new AtomicLong();

    static final class PostingKey {
        final String day;
        final String currency;
        final int branch;
        final String reference;

        PostingKey(String day, String currency, int branch, String reference) {
            this.day = day;
            this.currency = currency;
            this.branch = branch;
            this.reference = reference;
        }

        @Override public boolean equals(Object o) {
            if (!(o instanceof PostingKey)) return false;
            PostingKey k = (PostingKey) o;
            return branch == k.branch && day.equals(k.day) && currency.equals(k.currency)
                    && reference.equals(k.reference);
        }

        @Override public int hashCode() {
            if (FIXED) return Objects.hash(day, currency, branch, reference);
            return Objects.hash(day, currency, branch);
        }
    }

    static final class Posting {
        final PostingKey key;
        final long cents;
        boolean matched;

        Posting(PostingKey key, long cents) {
            this.key = key;
            this.cents = cents;
        }
    }

    static final class Bank {
        final String name;
        final List<String> ledger = new ArrayList<>();
        final List<String> statement = new ArrayList<>();

        Bank(String name, int lines, long seed) {
            this.name = name;
            Random r = new Random(seed);
            String[] currencies = {"EUR", "USD", "CHF"};
            for (int i = 0; i < lines; i++) {
                String head = "2026-11-27;" + currencies[r.nextInt(3)] + ";" + (101 + r.nextInt(20)) + ";"
                        + name + String.format("%07d", i) + ";";
                long cents = 100 + r.nextInt(5_000_000);
                ledger.add(head + cents);
                if (r.nextInt(200) != 0) statement.add(head + (r.nextInt(300) == 0 ? cents + 1 : cents));
            }
            Collections.shuffle(statement, r);
        }
    }

    static Posting parse(String line) {
        String[] f = line.split(";");
        return new Posting(new PostingKey(f[0], f[1], Integer.parseInt(f[2]), f[3]), Long.parseLong(f[4]));
    }

    static int reconcile(Bank bank) {
        long t0 = System.nanoTime();
        Map<PostingKey, Posting> open = new HashMap<>(bank.ledger.size() * 2);
        List<Posting> postings = new ArrayList<>(bank.ledger.size());
        for (String line : bank.ledger) postings.add(parse(line));
        long t1 = System.nanoTime();
        for (Posting p : postings) open.put(p.key, p);
        long t2 = System.nanoTime();
        int differences = 0;
        for (String line : bank.statement) {
            Posting s = parse(line);
            Posting p = open.get(s.key);
            if (p == null || p.cents != s.cents) differences++;
            else p.matched = true;
        }
        int left = 0;
        for (Posting p : postings) if (!p.matched) left++;
        linesDone.addAndGet(bank.ledger.size() + bank.statement.size());
        openItems.set(left);
        putNanos.addAndGet(t2 - t1);
        allNanos.addAndGet(System.nanoTime() - t0);
        return differences;
    }

    public static void main(String[] args) throws Exception {
        List<Bank> banks = new ArrayList<>();
        String[] names = {"NB", "KT", "VZ", "OL"};
        for (int i = 0; i < names.length; i++) banks.add(new Bank(names[i], 5_000, 77 + i));
        ExecutorService pool = Executors.newFixedThreadPool(2);
        long last = System.nanoTime();
        System.out.println("READY");
        while (true) {
            List<Future<Integer>> runs = new ArrayList<>();
            for (final Bank b : banks) runs.add(pool.submit(() -> reconcile(b)));
            int differences = 0;
            for (Future<Integer> f : runs) differences += f.get();
            long now = System.nanoTime();
            if (now - last >= 1_000_000_000L) {
                double s = (now - last) / 1e9;
                System.out.printf("measured: %.0f lines/s, %d differences, %d open, building the map %.0f%%%n",
                        linesDone.getAndSet(0) / s, differences, openItems.get(),
                        100.0 * putNanos.getAndSet(0) / Math.max(1, allNanos.getAndSet(0)));
                last = now;
            }
        }
    }
}
