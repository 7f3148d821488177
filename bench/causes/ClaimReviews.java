// SPDX-License-Identifier: Apache-2.0
// cause: ClaimReviews.review runs on the pool "reviewer" (8 threads) and waits there for inspections that it has submitted to the very same pool, so that most pool threads only wait for work that queues up behind them.
// share: faulty: 12-161, median 24 claims/s; fixed (inspections on a pool of their own): 548-659, median 639 claims/s (about 26.6 times better). Mean time of a claim 770 ms against 14 ms. The faulty one has two states: nearly serial (about 155 claims/s) and all pool threads waiting until the 250 ms time limit (12-25 claims/s, parts then done by the reviewer).
// expect: pool-busy pool=reviewer own=.
// symptom: pool-busy | waiting
// judge: NAMED: tasks of the pool reviewer block on Future.get for subtasks queued in the same pool (nested submission, self-starvation); separate pools or no blocking in the pool. SYMPTOM ONLY: pool too small / queue too long / reviewer threads wait in Future.get, without saying that they wait for tasks of their own pool. WRONG: Thread.sleep in inspect as the cause (it stands for an outside answer and is the same in both), lock contention, CPU, GC, deadlock in the sense of monitors.
// jdk: 21
// set: twenty-seventh
// jvm: -Xmx64m
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class ClaimReviews {
    static final long START = System.nanoTime();
    static final boolean OPTION = Boolean.getBoolean("fixed");
    static final LongAdder claims = new LongAdder(), time = new LongAdder(), inline = new LongAdder();
    static final ExecutorService reviewers = pool("reviewer");
    static final ExecutorService inspectors = OPTION ? pool("inspector") : reviewers;

    static ExecutorService pool(String name) {
        AtomicInteger n = new AtomicInteger();
        return Executors.newFixedThreadPool(8, r -> {
            Thread t = new Thread(r, name + "-" + n.getAndIncrement());
            t.setDaemon(true);
            return t;
        });
    }

    static int inspect(int claim, int part) {
        try { Thread.sleep(4); } catch (InterruptedException e) { return 0; }
        int h = claim * 31 + part;
        for (int i = 0; i < 2000; i++) h = h * 1103515245 + 12345;
        return h & 0xff;
    }

    static int review(int claim) throws Exception {
        List<Future<Integer>> parts = new ArrayList<>();
        for (int p = 0; p < 3; p++) { int q = p; parts.add(inspectors.submit(() -> inspect(claim, q))); }
        int score = 0;
        for (int p = 0; p < 3; p++) {
            Future<Integer> f = parts.get(p);
            try {
                score += f.get(250, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                f.cancel(true);
                inline.increment();
                score += inspect(claim, p);
            }
        }
        return score;
    }

    static void branch(int n) {
        try {
            for (int i = n; ; i += 16) {
                int c = i;
                long t = System.nanoTime();
                reviewers.submit(() -> review(c)).get();
                time.add(System.nanoTime() - t);
                claims.increment();
                Thread.sleep(5);
            }
        } catch (Exception e) { throw new RuntimeException(e); }
    }

    public static void main(String[] a) throws Exception {
        long span = Long.getLong("span", 170);
        for (int i = 0; i < 12; i++) {
            int n = i;
            Thread t = new Thread(() -> branch(n), "branch-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(4000);
        System.out.println("READY");
        claims.reset(); time.reset(); inline.reset();
        while (System.nanoTime() - START < span * 1_000_000_000L) {
            Thread.sleep(1000);
            long n = claims.sumThenReset(), d = time.sumThenReset();
            System.out.printf(Locale.ROOT, "measured: %d claims/s, mean %.1f ms, %d parts done by the reviewer%n", n, n == 0 ? 0.0 : d / 1e6 / n, inline.sumThenReset());
        }
    }
}
