// SPDX-License-Identifier: Apache-2.0
// cause: PickFloor$OpenBins.nearest copies all 9000 open bin codes out of a hash set and sorts them anew for each pick, only to hand out the first six of them (a sorted set would have these at once)
// share: one CPU or more of 2 (0.4 of a CPU for each of three terminals, also while others use the machine): about 2 ms of sorting for each pick, 99 to 100 % of the time of a pick
// expect: hot-code what=sorting frame=PickFloor$OpenBins.nearest
// symptom: hot-code hot-calls hot-method
// judge: NAMED: sorting (Collections.sort, ComparableTimSort, List.sort, comparing strings for a sort) for or at PickFloor$OpenBins.nearest (or called by PickFloor$Terminal.pick / run through it); that finding may be marked as "time goes to". SYMPTOM ONLY: the program computes much, or a hot method String.compareTo without the sort and without nearest; threads lack CPUs. WRONG: copying the set as the main cause, collections, a lock, the waits of terminals (parkNanos), building strings.
// jdk: 25
// set: thirty-third
// jvm: -Xmx256m

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Forklift terminals of a warehouse: each asks where to pick next, in the order of the walk through the aisles. */
public class PickFloor {
    static final int BINS = 9000;
    static final int TERMINALS = 3;
    static final int WALK = 6;

    /** Codes of bins look like "A07-112-3": aisle, column, level. */
    static final class BinCodes {
        private final Random random;

        BinCodes(long seed) {
            random = new Random(seed);
        }

        String next() {
            int aisle = random.nextInt(24), column = random.nextInt(400), level = random.nextInt(6);
            char[] c = new char[9];
            c[0] = (char) ('A' + aisle % 4);
            c[1] = (char) ('0' + aisle / 10);
            c[2] = (char) ('0' + aisle % 10);
            c[3] = '-';
            c[4] = (char) ('0' + column / 100);
            c[5] = (char) ('0' + column / 10 % 10);
            c[6] = (char) ('0' + column % 10);
            c[7] = '-';
            c[8] = (char) ('0' + level);
            return new String(c);
        }
    }

    /** All bins from which something is to be fetched. */
    static final class OpenBins {
        private final Set<String> open = ConcurrentHashMap.newKeySet();
        private final BinCodes orders = new BinCodes(7);

        synchronized void fill() {
            while (open.size() < BINS) {
                open.add(orders.next());
            }
        }

        /** The next bins on the way, in the order of the aisles. */
        List<String> nearest(int n) {
            List<String> walk = new ArrayList<>(open);
            Collections.sort(walk);
            return walk.subList(0, Math.min(n, walk.size()));
        }

        boolean take(String bin) {
            return open.remove(bin);
        }
    }

    static final class Shift {
        final AtomicLong picks = new AtomicLong();
        final AtomicLong items = new AtomicLong();
        final AtomicLong choosing = new AtomicLong();
        final AtomicLong whole = new AtomicLong();
    }

    static final class Terminal implements Runnable {
        private final OpenBins bins;
        private final Shift shift;
        private final Random random;

        Terminal(OpenBins bins, Shift shift, long seed) {
            this.bins = bins;
            this.shift = shift;
            this.random = new Random(seed);
        }

        @Override
        public void run() {
            while (true) {
                long begun = System.nanoTime();
                pick();
                shift.whole.addAndGet(System.nanoTime() - begun);
                LockSupport.parkNanos(2_000_000L + random.nextInt(1_000_000));
            }
        }

        private void pick() {
            long begun = System.nanoTime();
            List<String> walk = bins.nearest(WALK);
            shift.choosing.addAndGet(System.nanoTime() - begun);
            int weight = 0;
            for (String bin : walk) {
                if (bins.take(bin)) {
                    weight += load(bin);
                    shift.items.incrementAndGet();
                }
            }
            if (weight >= 0) {
                shift.picks.incrementAndGet();
            }
            bins.fill();
        }

        private int load(String bin) {
            int grams = 250;
            for (int i = 0; i < bin.length(); i++) {
                grams = (grams * 31 + bin.charAt(i)) & 0x3fff;
            }
            return grams;
        }
    }

    public static void main(String[] args) throws Exception {
        OpenBins bins = new OpenBins();
        bins.fill();
        Shift shift = new Shift();
        for (int i = 0; i < TERMINALS; i++) {
            Thread t = new Thread(new Terminal(bins, shift, i), "forklift-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(3000);
        System.out.println("READY");
        System.out.flush();
        long picks = shift.picks.get(), choosing = shift.choosing.get(), whole = shift.whole.get();
        while (true) {
            Thread.sleep(1000);
            long p = shift.picks.get(), c = shift.choosing.get(), w = shift.whole.get();
            long n = Math.max(1, p - picks);
            System.out.printf(Locale.ROOT, "measured: %d picks/s, %.2f ms each, %.2f ms (%.0f %%) of it choosing the bins%n",
                    p - picks, (w - whole) / 1e6 / n, (c - choosing) / 1e6 / n, 100.0 * (c - choosing) / Math.max(1, w - whole));
            System.out.flush();
            picks = p;
            choosing = c;
            whole = w;
        }
    }
}
