// SPDX-License-Identifier: Apache-2.0
// cause: SeedOrders$OpenItems.clear calls HashSet.removeAll with a List that is as long as the set or longer, so that AbstractSet.removeAll searches the list (ArrayList.contains) for each element
// share: medians of 1 s on a busy machine of 2 CPUs: 88 statements/s, 34.00 ms each; with -Dfixed=true: 1002 statements/s, 3.10 ms each
// expect: hot-code kind=searching-collections frame=OpenItems.clear
// symptom: hot-method | hot-calls
// judge: NAMED: searching collections from one end to the other, for OpenItems.clear (removeAll / ArrayList.contains or indexOf); SYMPTOM ONLY: String.equals as hot method without who searches; WRONG: GC, locks, hash collisions, I/O
// jdk: 11
// set: twenty-eighth
// jvm: -Xmx64m -XX:+UseSerialGC
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;

public class SeedOrders {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final long SPAN = Long.getLong("span", 170) * 1000000000L;
    static final LongAdder done = new LongAdder(), nanos = new LongAdder();
    static volatile int shown;

    /** Orders of one nursery that have not been paid. */
    static final class OpenItems {
        final Set<String> numbers = new HashSet<>();

        void add(String number) {
            numbers.add(number);
        }

        int clear(List<String> paid) {
            int before = numbers.size();
            if (FIXED) paid.forEach(numbers::remove);
            else numbers.removeAll(paid);
            return before - numbers.size();
        }
    }

    static final class Statement {
        final List<String> references = new ArrayList<>();
        final Map<String, Integer> cents = new TreeMap<>();

        void row(String text) {
            int at = text.indexOf(';');
            String ref = text.substring(0, at);
            references.add(ref);
            cents.put(ref, Integer.parseInt(text.substring(at + 1)));
        }
    }

    static final class Nursery {
        final int nr;
        final Random random;

        Nursery(int nr, Random random) {
            this.nr = nr;
            this.random = random;
        }

        String order(int i) {
            return "SO-" + (100 + nr) + "-" + (100000 + i);
        }

        List<String> bankRows(int n) {
            List<Integer> ids = new ArrayList<>();
            for (int i = 0; i < n; i++) ids.add(i);
            Collections.shuffle(ids, random);
            List<String> rows = new ArrayList<>();
            for (int i : ids) rows.add(order(i) + ";" + (100 + random.nextInt(90000)));
            return rows;
        }
    }

    static final class Accounts {
        String settle(Nursery nursery) {
            int n = 1500 + nursery.random.nextInt(1000);
            OpenItems open = new OpenItems();
            for (int i = 0; i < n; i++) open.add(nursery.order(i + 200));
            Statement st = new Statement();
            for (String row : nursery.bankRows(n + 100)) st.row(row);
            int cleared = open.clear(st.references);
            long sum = 0;
            for (int c : st.cents.values()) sum += c;
            return nursery.nr + ": " + cleared + " settled, " + open.numbers.size() + " open, " + sum;
        }
    }

    public static void main(String[] args) throws Exception {
        long until = System.nanoTime() + SPAN;
        Accounts accounts = new Accounts();
        ExecutorService clerks = Executors.newFixedThreadPool(2, r -> {
            Thread t = new Thread(r, "clerk");
            t.setDaemon(true);
            return t;
        });
        for (int d = 0; d < 3; d++) {
            int day = d;
            Thread t = new Thread(() -> {
                try {
                    for (int i = 0;; i++) {
                        Nursery n = new Nursery(i % 700, new Random(day * 1000L + i));
                        long s = System.nanoTime();
                        Future<String> f = clerks.submit(() -> accounts.settle(n));
                        shown += f.get().length();
                        nanos.add(System.nanoTime() - s);
                        done.increment();
                    }
                } catch (Exception e) {
                    return;
                }
            }, "ledger-" + d);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(3000);
        System.out.println("READY");
        done.sumThenReset();
        nanos.sumThenReset();
        while (System.nanoTime() < until) {
            Thread.sleep(1000);
            long n = done.sumThenReset();
            System.out.printf("measured: %d statements/s, %.1f ms each%n", n, nanos.sumThenReset() / 1e6 / Math.max(1, n));
        }
    }
}
