// SPDX-License-Identifier: Apache-2.0
// healthy: two dispatcher threads are BLOCKED on the monitor "bridge" for seconds at a time and a third holds it without a break, which looks like a severe lock convoy; but they are warm standbys: exactly one dispatcher may be in command (its plan depends on the fleet state it leads), the standbys have nothing else to do, and the watch changes every 5 seconds
// share: 115808 plans/s (median of a short run at nice 19 on a 2-core machine under heavy foreign load); one core busy, watch changes every 5 s
// judge: any finding of trouble is WRONG, above all lock contention on bridge (nobody loses work by waiting); the statement that the CPU goes into the planning search of the dispatcher in command is fine
// jdk: 25
// set: twenty-eighth
// jvm: -Xmx64m
import java.util.concurrent.atomic.AtomicLong;

public class TugDispatch {
    static final int SPAN = Integer.getInteger("span", 170);
    static final int TUGS = 9;
    static volatile boolean open = true;
    static final AtomicLong plans = new AtomicLong();
    static final AtomicLong watches = new AtomicLong();
    static volatile String inCommand = "-";

    static final class Fleet {
        final int[] x = new int[TUGS];
        final int[] y = new int[TUGS];
        long state = 11;

        int next(int bound) {
            state = state * 6364136223846793005L + 1442695040888963407L;
            return (int) ((state >>> 33) % bound);
        }
    }

    static final Object bridge = new Object();
    static final Fleet fleet = new Fleet();

    /** Cheapest assignment of tugs to ships by dynamic programming over subsets; then the tugs move there. */
    static int plan(Fleet f, int[] cost) {
        int[] sx = new int[TUGS];
        int[] sy = new int[TUGS];
        for (int i = 0; i < TUGS; i++) {
            sx[i] = f.next(1000);
            sy[i] = f.next(600);
        }
        cost[0] = 0;
        int all = (1 << TUGS) - 1;
        for (int set = 1; set <= all; set++) {
            int tug = Integer.bitCount(set) - 1;
            int best = Integer.MAX_VALUE;
            for (int rest = set; rest != 0; rest &= rest - 1) {
                int ship = Integer.numberOfTrailingZeros(rest);
                int way = Math.abs(f.x[tug] - sx[ship]) + Math.abs(f.y[tug] - sy[ship]);
                best = Math.min(best, cost[set & ~(1 << ship)] + way);
            }
            cost[set] = best;
        }
        int set = all;
        for (int tug = TUGS - 1; tug >= 0; tug--) {
            for (int rest = set; rest != 0; rest &= rest - 1) {
                int ship = Integer.numberOfTrailingZeros(rest);
                int way = Math.abs(f.x[tug] - sx[ship]) + Math.abs(f.y[tug] - sy[ship]);
                if (cost[set & ~(1 << ship)] + way == cost[set]) {
                    set &= ~(1 << ship);
                    f.x[tug] = sx[ship];
                    f.y[tug] = sy[ship];
                    break;
                }
            }
        }
        return cost[all];
    }

    static void dispatcher() {
        int[] cost = new int[1 << TUGS];
        try {
            while (open) {
                synchronized (bridge) {
                    inCommand = Thread.currentThread().getName();
                    watches.incrementAndGet();
                    long until = System.nanoTime() + 5_000_000_000L;
                    while (open && System.nanoTime() < until) {
                        plan(fleet, cost);
                        plans.incrementAndGet();
                    }
                }
                Thread.sleep(100);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        long start = System.nanoTime();
        for (String n : new String[] {"north", "south", "pilot"}) {
            Thread.ofPlatform().daemon().name("dispatcher-" + n).start(TugDispatch::dispatcher);
        }
        Thread.sleep(3000);
        System.out.println("READY");
        long end = start + SPAN * 1_000_000_000L;
        long before = plans.get();
        long at = System.nanoTime();
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long now = plans.get();
            long t = System.nanoTime();
            System.out.printf("measured: %.0f plans/s, watch %d by %s%n",
                    (now - before) * 1e9 / (t - at), watches.get(), inCommand);
            before = now;
            at = t;
        }
        open = false;
    }
}
