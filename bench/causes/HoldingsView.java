// SPDX-License-Identifier: Apache-2.0
// healthy: about 110 MB of depots are live on purpose in a 300 MB heap and stay constant (a trade replaces an equal-sized depot); young collections are short; the old generation is well filled but stable, requests are far below their target and the threads mostly pause between requests at the given load
// share: target p99 below 50 ms at 2000 requests/s of 30 statements each; reaches 2014/s with p99 0.26 ms (10 s mean); live set 105 MB constant, one young pause of about 10 ms every 2 s
// judge: RIGHT: nothing wrong / large but stable live set / load-driven idle time. WRONG (false alarm): memory leak, cache or map growing without bound, heap too small as an acute fault, GC pressure or GC pauses as a problem, string building in statement as a fault, ConcurrentHashMap contention, threads parked = blocked
// jdk: 11
// set: twenty-second
// jvm: -Xmx300m -XX:+UseG1GC
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Answers valuation requests from the holdings of all depots, which are kept in memory on purpose. */
public class HoldingsView {
    static final int DEPOTS = 130000;
    static final double TARGET_MS = 50;

    static final class Holding {
        final int paper;
        final double pieces;
        Holding(int paper, double pieces) { this.paper = paper; this.pieces = pieces; }
    }

    static final class Depot {
        final List<Holding> holdings;
        final String owner;
        Depot(String owner, List<Holding> holdings) { this.owner = owner; this.holdings = holdings; }
    }

    static final class Holdings {
        private final ConcurrentHashMap<Integer, Depot> depots = new ConcurrentHashMap<>(DEPOTS * 2);
        private final double[] quotes = new double[5000];

        Holdings() {
            Random rnd = new Random(21);
            for (int p = 0; p < quotes.length; p++) quotes[p] = 5 + rnd.nextDouble() * 200;
            for (int d = 0; d < DEPOTS; d++) depots.put(d, build(d, rnd));
        }

        Depot build(int d, Random rnd) {
            List<Holding> list = new ArrayList<>(22);
            for (int i = 0; i < 22; i++) list.add(new Holding(rnd.nextInt(quotes.length), rnd.nextInt(500)));
            return new Depot("owner-" + d, list);
        }

        /** A trade replaces the depot by its successor. */
        void trade(int d, Random rnd) {
            Depot old = depots.get(d);
            List<Holding> list = new ArrayList<>(old.holdings);
            list.set(rnd.nextInt(list.size()), new Holding(rnd.nextInt(quotes.length), rnd.nextInt(500)));
            depots.put(d, new Depot(old.owner, list));
        }

        String statement(int d) {
            Depot depot = depots.get(d);
            StringBuilder text = new StringBuilder(depot.owner);
            double sum = 0;
            for (Holding h : depot.holdings) {
                double value = h.pieces * quotes[h.paper];
                sum += value;
                text.append('\n').append(h.paper).append(' ').append((long) value);
            }
            return text.append('\n').append((long) sum).toString();
        }
    }

    static final class Answers {
        private final long[] nanos = new long[20000];
        private int n;
        synchronized void note(long t) { if (n < nanos.length) nanos[n++] = t; }
        synchronized String take() {
            long[] a = Arrays.copyOf(nanos, n);
            n = 0;
            Arrays.sort(a);
            double p99 = a.length == 0 ? 0 : a[a.length * 99 / 100] / 1e6;
            return String.format("%d statements/s, p99 %.2f ms (target %.0f ms)", a.length, p99, TARGET_MS);
        }
    }

    public static void main(String[] args) throws Exception {
        Holdings holdings = new Holdings();
        Answers answers = new Answers();
        for (int w = 0; w < 4; w++) {
            Random rnd = new Random(100 + w);
            Thread t = new Thread(() -> {
                long length = 0;
                long next = System.nanoTime();
                while (length >= 0) {
                    long t0 = System.nanoTime();
                    for (int i = 0; i < 30; i++) length += holdings.statement(rnd.nextInt(DEPOTS)).length();
                    if (rnd.nextInt(10) == 0) holdings.trade(rnd.nextInt(DEPOTS), rnd);
                    answers.note(System.nanoTime() - t0);
                    next += TimeUnit.MICROSECONDS.toNanos(2000);
                    long left = next - System.nanoTime();
                    if (left > 0) LockSupport.parkNanos(left);
                }
            }, "valuation-" + w);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(5000);
        System.out.println("READY");
        answers.take();
        for (int s = 0; s < 165; s++) {
            Thread.sleep(1000);
            System.out.println("measured: " + answers.take());
        }
        System.exit(0);
    }
}
