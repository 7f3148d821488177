// SPDX-License-Identifier: Apache-2.0
// healthy: all slips of a round arrive in one burst every 2 s; the queue rises to about 1200 for a moment and two counters empty it well before the target, then idle until the next round; a few percent of slips are invalid and throw an exception each (some 20/s), which is cheap at that rate; deep queue and full CPU in the burst are the wanted form of the load
// share: target p99 below 800 ms from handing in to acceptance, 1200 slips per 2 s round; reaches 183 ms (10 s mean), all 1200 slips of each round
// judge: RIGHT: nothing wrong / bursty load drained within target / queue always returns to empty / idle between bursts. WRONG (false alarm): pool too small, queue unbounded or growing, exceptions as control flow called a cause of slowness, CPU saturation as a fault, Serial GC called a fault, contention on Register, retailers thread sleeping, check loop called a hot spot fault
// jdk: 25
// set: twenty-second
// jvm: -XX:+UseSerialGC
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Retailers send their lottery slips together at the close of each two-second round. */
public class LotteryClose {
    static final double TARGET_MS = 800;
    static final int SLIPS = 1200;

    static final class SlipInvalid extends RuntimeException {
        private static final long serialVersionUID = 1L;
        SlipInvalid(String m) { super(m); }
    }

    record Slip(int number, int[] tips, long handedIn) { }

    static final class Register {
        private final long[] nanos = new long[SLIPS * 4];
        private int n;
        private int invalid;

        void accept(Slip slip) {
            try {
                check(slip);
            } catch (SlipInvalid e) {
                synchronized (this) { invalid++; }
            }
            synchronized (this) {
                if (n < nanos.length) nanos[n++] = System.nanoTime() - slip.handedIn();
            }
        }

        private void check(Slip slip) {
            int[] tips = slip.tips().clone();
            Arrays.sort(tips);
            long seal = slip.number();
            for (int i = 0; i < 130000; i++) seal = (seal ^ seal >>> 31) * 0xBF58476D1CE4E5B9L + tips[i % tips.length];
            for (int i = 1; i < tips.length; i++) {
                if (tips[i] == tips[i - 1]) throw new SlipInvalid("slip " + slip.number() + " doubles " + tips[i]);
            }
            if (seal == 42) throw new SlipInvalid("seal");
        }

        synchronized String report(int deepest) {
            long[] a = Arrays.copyOf(nanos, n);
            Arrays.sort(a);
            String r = String.format("%d slips in the last round, %d invalid, deepest queue %d, p99 %.0f ms (target %.0f ms)",
                    a.length, invalid, deepest, a.length == 0 ? 0.0 : a[a.length * 99 / 100] / 1e6, TARGET_MS);
            n = 0;
            invalid = 0;
            return r;
        }
    }

    public static void main(String[] args) throws Exception {
        Register register = new Register();
        ThreadPoolExecutor counters = new ThreadPoolExecutor(2, 2, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(5000),
                Thread.ofPlatform().daemon().name("counter-", 0).factory());
        String[] last = {"nothing yet"};
        Thread.ofPlatform().daemon().name("retailers").start(() -> {
            Random rnd = new Random(49);
            int number = 0;
            long next = System.nanoTime();
            try {
                while (true) {
                    int deepest = 0;
                    for (int i = 0; i < SLIPS; i++) {
                        int[] tips = new int[6];
                        for (int t = 0; t < tips.length; t++) tips[t] = 1 + rnd.nextInt(400);
                        Slip s = new Slip(number++, tips, System.nanoTime());
                        counters.execute(() -> register.accept(s));
                        deepest = Math.max(deepest, counters.getQueue().size());
                    }
                    next += TimeUnit.SECONDS.toNanos(2);
                    TimeUnit.NANOSECONDS.sleep(Math.max(0, next - System.nanoTime()));
                    String r = register.report(deepest);
                    synchronized (last) { last[0] = r; }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        Thread.sleep(5000);
        System.out.println("READY");
        for (int s = 0; s < 165; s++) {
            Thread.sleep(1000);
            synchronized (last) { System.out.println("measured: " + last[0]); }
        }
        System.exit(0);
    }
}
