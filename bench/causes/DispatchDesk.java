// SPDX-License-Identifier: Apache-2.0
// healthy: 16 dispatchers are idle most of the time by design (sized for the bursts of 40 jobs when a train arrives every 5 s); the job queue is nearly always empty, a dispatcher spends some 10 ms per job waiting for the answer of the yard's scanner, and the bursts are worked off within about 40 ms
// share: target p99 below 80 ms from asking to placed, also in a burst; reaches about 108 containers/s, mean 10.3 ms, p99 14 ms, in the seconds with a burst p99 31 ms
// judge: RIGHT: no fault / healthy, dispatchers idle because there is little to do (mentioning that is right). WRONG: any statement of a fault: starved or blocked threads, contention on the queue, pool too large or too small as a problem, slow scanner, Thread.sleep in the scanner as a fault, GC, CPU.
// jdk: 17
// set: twenty-second
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/** Dispatches containers in a freight yard: single ones all day, forty at once when a train comes in. */
public class DispatchDesk {
    static final Tally TALLY = new Tally();

    record Job(long container, int row, long asked) {
    }

    /** The yard's scanner answers after 8 to 12 ms. */
    static final class Scanner {
        int weigh(Job job) throws InterruptedException {
            Thread.sleep(8 + job.container() % 5);
            return 2_000 + (int) (job.container() % 28_000);
        }
    }

    static final class Yard {
        private final int[] load = new int[60];

        synchronized int place(int row, int weight) {
            int best = row;
            for (int i = 0; i < load.length; i++) {
                if (load[i] + Math.abs(i - row) * 400 < load[best] + Math.abs(best - row) * 400) {
                    best = i;
                }
            }
            load[best] += weight;
            if (load[best] > 1_000_000) {
                for (int i = 0; i < load.length; i++) {
                    load[i] /= 2;
                }
            }
            return best;
        }
    }

    static void dispatcher(BlockingQueue<Job> jobs, Scanner scanner, Yard yard) {
        try {
            while (true) {
                Job job = jobs.take();
                yard.place(job.row(), scanner.weigh(job));
                TALLY.note(System.nanoTime() - job.asked());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void gate(BlockingQueue<Job> jobs) {
        Random r = new Random(4);
        long container = 0;
        try {
            for (long tick = 1; ; tick++) {
                Thread.sleep(5 + r.nextInt(10));
                int n = tick % 500 == 0 ? 40 : 1;
                List<Job> arrived = new ArrayList<>(n);
                for (int i = 0; i < n; i++) {
                    arrived.add(new Job(++container, r.nextInt(60), System.nanoTime()));
                }
                jobs.addAll(arrived);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void start(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<Job> jobs = new LinkedBlockingQueue<>(500);
        Scanner scanner = new Scanner();
        Yard yard = new Yard();
        for (int i = 1; i <= 16; i++) {
            start("dispatcher-" + i, () -> dispatcher(jobs, scanner, yard));
        }
        start("yard-gate", () -> gate(jobs));
        Thread.sleep(3000);
        TALLY.take("");
        System.out.println("READY");
        long next = System.nanoTime();
        for (int second = 0; second < 170; second++) {
            next += 1_000_000_000L;
            long left = next - System.nanoTime();
            if (left > 0) {
                Thread.sleep(left / 1_000_000L, (int) (left % 1_000_000L));
            }
            System.out.println(TALLY.take("containers"));
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
