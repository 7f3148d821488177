// SPDX-License-Identifier: Apache-2.0
// healthy: the one busy core is the berth planner doing its useful O(n log n) work all the time, and the 120 terminal threads wait in LinkedBlockingQueue.take only because they have nothing to show until a new plan is published
// share: about 780-1,170 scenarios/s, 120 boards refreshed once a second
// judge: right = says no fault / the planner's work is the real work (at most as a remark); wrong = blames the many waiting terminal threads, the queues, the planner thread or the sort as a fault
// set: twenty-first
// jdk: 8
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

public class HarborBerths {
    static final long RUN_MILLIS = 220_000L;
    static final int TERMINALS = 120;
    static final int CALLS = 3000;

    static final class Call implements Comparable<Call> {
        final int arrive;
        final int depart;
        final int fee;

        Call(int arrive, int depart, int fee) {
            this.arrive = arrive;
            this.depart = depart;
            this.fee = fee;
        }

        @Override
        public int compareTo(Call o) {
            return Integer.compare(depart, o.depart);
        }
    }

    static final class Plan {
        final long number;
        final long income;

        Plan(long number, long income) {
            this.number = number;
            this.income = income;
        }
    }

    /** The best set of calls that fit one berth one after another. */
    static long bestIncome(Call[] calls, int[] departs, long[] best) {
        Arrays.sort(calls);
        for (int i = 0; i < calls.length; i++) {
            departs[i] = calls[i].depart;
        }
        best[0] = 0;
        for (int i = 1; i <= calls.length; i++) {
            Call c = calls[i - 1];
            int lo = 0;
            int hi = i - 1;
            while (lo < hi) {
                int mid = (lo + hi + 1) >>> 1;
                if (departs[mid - 1] <= c.arrive) {
                    lo = mid;
                } else {
                    hi = mid - 1;
                }
            }
            best[i] = Math.max(best[i - 1], best[lo] + c.fee);
        }
        return best[calls.length];
    }

    static final class Terminal implements Runnable {
        final BlockingQueue<Plan> inbox = new LinkedBlockingQueue<Plan>();
        final AtomicLong shown;
        Plan current;

        Terminal(AtomicLong shown) {
            this.shown = shown;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    current = inbox.take();
                    shown.incrementAndGet();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        AtomicLong shown = new AtomicLong();
        AtomicLong plans = new AtomicLong();
        List<Terminal> terminals = new ArrayList<Terminal>();
        for (int i = 0; i < TERMINALS; i++) {
            Terminal t = new Terminal(shown);
            terminals.add(t);
            Thread th = new Thread(t, "terminal-" + i);
            th.setDaemon(true);
            th.start();
        }
        Thread planner = new Thread(() -> {
            Random random = new Random(5);
            Call[] calls = new Call[CALLS];
            int[] departs = new int[CALLS];
            long[] best = new long[CALLS + 1];
            long published = System.nanoTime();
            long n = 0;
            while (!Thread.currentThread().isInterrupted()) {
                for (int i = 0; i < CALLS; i++) {
                    int arrive = random.nextInt(100_000);
                    calls[i] = new Call(arrive, arrive + 20 + random.nextInt(900), 100 + random.nextInt(5000));
                }
                Plan plan = new Plan(++n, bestIncome(calls, departs, best));
                plans.incrementAndGet();
                if (System.nanoTime() - published > 1_000_000_000L) {
                    published = System.nanoTime();
                    for (Terminal t : terminals) {
                        t.inbox.add(plan);
                    }
                }
            }
        }, "planner");
        planner.setDaemon(true);
        planner.start();
        Thread.sleep(3000);
        System.out.println("READY");
        long end = System.currentTimeMillis() + RUN_MILLIS;
        long last = plans.get();
        long lastShown = shown.get();
        while (System.currentTimeMillis() < end) {
            Thread.sleep(1000);
            long p = plans.get();
            long s = shown.get();
            System.out.printf("measured: %d scenarios/s, %d boards refreshed%n", p - last, s - lastShown);
            last = p;
            lastShown = s;
        }
    }
}
