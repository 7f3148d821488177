// SPDX-License-Identifier: Apache-2.0
// cause: MachineCosting$RollUp.compute makes and hands out a ForkJoinTask of its own for every part of the bill of materials, down to each single screw, of which each has a few additions to do: handing out and joining the tasks (ForkJoinTask.invokeAll) costs many times what is computed
// share: a costing takes 3.5 to 5 ms in two threads by tasks, and 0.4 to 0.8 ms in one thread without; some 60 % of the CPU samples are in the pool (push, fork, tryRemoveAndExec, awaitDone...), most of the rest makes the tasks
// expect: hot-code kind=fork-join frame=MachineCosting$RollUp
// symptom: hot-method hot-calls gc-pauses gc-cpu
// judge: NAMED: handing out and joining (too small) tasks of a ForkJoinPool at MachineCosting$RollUp.compute. SYMPTOM ONLY: CPU time is in RollUp.compute, or in what it calls of the JDK (invokeAll, doExec, fork), without saying that tasks are too small or that the pool's own work costs it; collections of the tasks' garbage. WRONG: the costing's arithmetic (BillOfMaterials) as the cause, waiting for the pool (Costing.total waits in invoke) as the cause, too many or too few threads, locks, the machine, "nothing stands out".
// jdk: 21
// set: thirty-fourth
// jvm: -Xmx64m
import java.util.Random;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveAction;
import java.util.concurrent.atomic.AtomicLong;

/** Costs of a machine by its bill of materials, worked out anew for each set of prices. */
public class MachineCosting {
    static final AtomicLong costings = new AtomicLong();
    static final AtomicLong costingNanos = new AtomicLong();

    /** Assemblies and their parts, one after another: the parts of an assembly are neighbours. */
    static final class BillOfMaterials {
        static final int PARTS = 120_000;
        final int[] first = new int[PARTS];
        final byte[] count = new byte[PARTS];
        final byte[] pieces = new byte[PARTS];
        final short[] article = new short[PARTS];
        final short[] minutes = new short[PARTS];

        BillOfMaterials(long seed) {
            Random random = new Random(seed);
            int used = 1;
            for (int part = 0; part < PARTS; part++) {
                pieces[part] = (byte) (1 + random.nextInt(4));
                article[part] = (short) random.nextInt(4000);
                minutes[part] = (short) random.nextInt(30);
                int parts = Math.min(3 + random.nextInt(5), PARTS - used);
                first[part] = used;
                count[part] = (byte) parts;
                used += parts;
            }
        }

        long own(int part, PriceList prices) {
            if (count[part] == 0) {
                return prices.cents[article[part]];
            }
            return minutes[part] * prices.minute;
        }
    }

    static final class PriceList {
        final int[] cents = new int[4000];
        long minute;

        void update(Random random) {
            minute = 70 + random.nextInt(20);
            for (int i = 0; i < 200; i++) {
                cents[random.nextInt(cents.length)] = 5 + random.nextInt(2000);
            }
        }
    }

    /** The cost of one part, with all that it consists of. */
    static final class RollUp extends RecursiveAction {
        private static final long serialVersionUID = 1;
        final transient BillOfMaterials bill;
        final transient PriceList prices;
        final int part;
        long cost;

        RollUp(BillOfMaterials bill, PriceList prices, int part) {
            this.bill = bill;
            this.prices = prices;
            this.part = part;
        }

        @Override
        protected void compute() {
            long sum = bill.own(part, prices);
            int parts = bill.count[part];
            if (parts > 0) {
                RollUp[] tasks = new RollUp[parts];
                for (int i = 0; i < parts; i++) {
                    tasks[i] = new RollUp(bill, prices, bill.first[part] + i);
                }
                invokeAll(tasks);
                for (RollUp task : tasks) {
                    sum += bill.pieces[task.part] * task.cost;
                }
            }
            cost = sum;
        }
    }

    static final class Costing {
        final ForkJoinPool pool = new ForkJoinPool(2);
        final BillOfMaterials bill;

        Costing(BillOfMaterials bill) {
            this.bill = bill;
        }

        long total(PriceList prices) {
            long start = System.nanoTime();
            RollUp all = new RollUp(bill, prices, 0);
            pool.invoke(all);
            costingNanos.addAndGet(System.nanoTime() - start);
            costings.incrementAndGet();
            return all.cost;
        }

        /** The same in one thread, by which the total is checked now and then. */
        long check(PriceList prices) {
            long[] costs = new long[BillOfMaterials.PARTS];
            for (int part = costs.length - 1; part >= 0; part--) {
                long cost = bill.own(part, prices);
                for (int i = 0; i < bill.count[part]; i++) {
                    int child = bill.first[part] + i;
                    cost += bill.pieces[child] * costs[child];
                }
                costs[part] = cost;
            }
            return costs[0];
        }
    }

    public static void main(String[] args) throws Exception {
        Random random = new Random(11);
        Costing costing = new Costing(new BillOfMaterials(7));
        PriceList prices = new PriceList();
        long began = System.nanoTime();
        long report = began;
        long done = 0;
        long taken = 0;
        long lowest = Long.MAX_VALUE;
        long highest = 0;
        boolean ready = false;
        while (true) {
            prices.update(random);
            long total = costing.total(prices);
            lowest = Math.min(lowest, total);
            highest = Math.max(highest, total);
            Thread.sleep(2);
            long now = System.nanoTime();
            if (now - report < 1_000_000_000L) {
                continue;
            }
            long start = System.nanoTime();
            long checked = costing.check(prices);
            double alone = (System.nanoTime() - start) / 1e6;
            if (checked != total) {
                System.out.println("totals differ: " + total + " and " + checked);
            }
            long n = costings.get();
            long t = costingNanos.get();
            System.out.printf("measured: %d costings, %.2f ms each by tasks in two threads, %.2f ms by the check in one thread; %d to %d cents%n",
                    n - done, (t - taken) / 1e6 / Math.max(1, n - done), alone, lowest, highest);
            if (!ready && now - began > 4_000_000_000L) {
                ready = true;
                System.out.println("READY");
            }
            System.out.flush();
            report = System.nanoTime();
            done = n;
            taken = t;
        }
    }
}
