// SPDX-License-Identifier: Apache-2.0
// cause: Desk makes a pool of 28 planner threads (one for each crane) for Planner.plan, which only computes, so that all 28 plans of a round share the CPUs at the same time and all of them are done at the round's end, instead of as many at a time as there are CPUs.
// share: mean time until a crane has its plan, 17 s on a crowded machine of 2 CPUs: 3447 ms (faulty), 2186 ms (fixed: as many threads as CPUs), 1.6 times better although the crowded machine gave the faulty run more CPU time (189 plans to 118); with plans of other lengths, runs of 10 to 12 s had 328 to 215 ms (1.5), 2548 to 1772 ms (1.4, with 112 plans to 88) and 3961 to 1609 ms (2.5); without neighbours theory says up to 1.9 (not measured)
// expect: too-many-threads
// symptom: hot-method waiting
// judge: NAMED: too many threads ready to run (28 planner-N) for the CPUs, computing in CraneSchedules$Planner.plan (called in Desk's pool): use as many threads as CPUs with a queue. SYMPTOM ONLY: threads wait for a CPU (starvation) without saying that it is the program's own number of planners; Planner.plan is where CPU time goes; the shifts thread waits for a future. WRONG: neighbours or a CPU limit as the only cause, a lock, collections, the shifts thread that waits in get() as the fault, a pool that needs more threads.
// jdk: 8
// set: thirtieth
// jvm:
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;

/** Loading plans for the cranes of a container terminal: whenever the yard has moved on, all cranes get new plans. */
public class CraneSchedules {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int SPAN = Integer.getInteger("span", 170);
    static final int CRANES = 28;

    static final class Yard {
        final int[] row;
        final int[] bay;
        final int[] weight;

        Yard(int containers, long seed) {
            Random random = new Random(seed);
            row = new int[containers];
            bay = new int[containers];
            weight = new int[containers];
            for (int i = 0; i < containers; i++) {
                row[i] = random.nextInt(40);
                bay[i] = random.nextInt(120);
                weight[i] = 2 + random.nextInt(28);
            }
        }
    }

    static final class Plan {
        final int crane;
        final long cost;
        final int[] order;
        Plan(int crane, long cost, int[] order) {
            this.crane = crane;
            this.cost = cost;
            this.order = order;
        }
    }

    static final class Planner {
        private final Yard yard;
        Planner(Yard yard) {
            this.yard = yard;
        }

        private int way(int a, int b) {
            int rows = yard.row[a] - yard.row[b];
            int bays = yard.bay[a] - yard.bay[b];
            return (rows < 0 ? -rows : rows) * 6 + (bays < 0 ? -bays : bays) * 2 + (yard.weight[a] < yard.weight[b] ? 3 : 0);
        }

        private long cost(int[] order) {
            long sum = 0;
            for (int i = 1; i < order.length; i++) sum += way(order[i - 1], order[i]);
            return sum;
        }

        Plan plan(int crane, int rounds) {
            int n = yard.row.length;
            int[] order = new int[n];
            for (int i = 0; i < n; i++) order[i] = i;
            long seed = crane * 7919L + 13;
            long cost = cost(order);
            for (int round = 0; round < rounds; round++) {
                seed = seed * 6364136223846793005L + 1442695040888963407L;
                int a = 1 + (int) ((seed >>> 33) % (n - 2));
                int b = 1 + (int) ((seed >>> 17 & 0xffffff) % (n - 2));
                if (a == b) continue;
                int from = Math.min(a, b);
                int to = Math.max(a, b);
                int before = way(order[from - 1], order[from]) + way(order[to], order[to + 1]);
                int after = way(order[from - 1], order[to]) + way(order[from], order[to + 1]);
                if (after < before) {
                    for (int i = from, j = to; i < j; i++, j--) {
                        int swap = order[i];
                        order[i] = order[j];
                        order[j] = swap;
                    }
                    cost += after - before;
                }
            }
            return new Plan(crane, cost, order);
        }
    }

    /** Hands out the planning and notes when each crane has its plan. */
    static final class Desk {
        private final ExecutorService planners;
        final LongAdder plans = new LongAdder();
        final LongAdder nanos = new LongAdder();
        final LongAdder saved = new LongAdder();
        private final int rounds;

        Desk(int rounds) {
            this.rounds = rounds;
            int threads = FIXED ? Runtime.getRuntime().availableProcessors() : CRANES;
            planners = Executors.newFixedThreadPool(threads, new ThreadFactory() {
                private int number;
                @Override public synchronized Thread newThread(Runnable work) {
                    Thread thread = new Thread(work, "planner-" + number++);
                    thread.setDaemon(true);
                    return thread;
                }
            });
        }

        List<Plan> plan(Yard yard) throws InterruptedException, ExecutionException {
            Planner planner = new Planner(yard);
            long begin = System.nanoTime();
            List<Future<Plan>> all = new ArrayList<>();
            for (int i = 0; i < CRANES; i++) {
                int crane = i;
                all.add(planners.submit(() -> {
                    Plan plan = planner.plan(crane, rounds);
                    plans.increment();
                    nanos.add(System.nanoTime() - begin);
                    return plan;
                }));
            }
            List<Plan> done = new ArrayList<>();
            for (Future<Plan> future : all) done.add(future.get());
            return done;
        }

        void stop() {
            planners.shutdownNow();
        }
    }

    public static void main(String[] args) throws Exception {
        Desk desk = new Desk(Integer.getInteger("rounds", 4_000_000));
        Thread shifts = new Thread(() -> {
            try {
                for (long seed = 1; ; seed++) {
                    long best = Long.MAX_VALUE;
                    for (Plan plan : desk.plan(new Yard(1200, seed))) best = Math.min(best, plan.cost);
                    desk.saved.add(best);
                }
            } catch (InterruptedException | ExecutionException | RejectedExecutionException e) {
                Thread.currentThread().interrupt();
            }
        }, "shifts");
        shifts.setDaemon(true);
        shifts.start();
        System.out.println("READY");
        long n = 0;
        long t = 0;
        for (int second = 0; second < SPAN; second++) {
            Thread.sleep(1000);
            n += desk.plans.sumThenReset();
            t += desk.nanos.sumThenReset();
            System.out.printf("measured: %d plans so far, mean %.1f ms until a crane has its plan%n", n, n == 0 ? 0.0 : t / 1e6 / n);
        }
        shifts.interrupt();
        desk.stop();
    }
}
