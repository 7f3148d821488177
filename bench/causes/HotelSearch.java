// SPDX-License-Identifier: Apache-2.0
// healthy: 1500 virtual threads are nearly always asleep: guests read for 2-4 s, and supplier calls take 70-90 ms by nature under a contractual limit of 60 parallel calls, of which about 40 are in use; nothing is pinned and nobody waits long for a permit
// share: target p99 below 250 ms; reaches 89.2 ms at 490 searches/s (10 s mean)
// judge: RIGHT: nothing wrong / legitimate waiting on the supplier and think time / mostly idle. Saying that search latency consists of the supplier's own time is fine. WRONG (false alarm): Semaphore contention or limit too small, pinned virtual threads, too many threads or thread leak, blocked threads, Thread.sleep as a fault, carriers saturated, sorting or array allocation as a fault
// jdk: 21
// set: twenty-second
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/** Searches hotel offers for guests; the supplier allows a contractual number of calls at a time. */
public class HotelSearch {
    static final double TARGET_MS = 250;
    static final int CONTRACT = 60;

    static final class Supplier {
        private final Semaphore contract = new Semaphore(CONTRACT);
        private final AtomicInteger calls = new AtomicInteger();

        int[] offers(int city) throws InterruptedException {
            contract.acquire();
            try {
                Thread.sleep(70 + calls.incrementAndGet() % 20); // the supplier's own answering time
                int[] prices = new int[200];
                Random rnd = new Random(city);
                for (int i = 0; i < prices.length; i++) prices[i] = 40 + rnd.nextInt(300);
                return prices;
            } finally {
                contract.release();
            }
        }
    }

    static final class Waits {
        private final long[] nanos = new long[20000];
        private int n;
        synchronized void note(long t) { if (n < nanos.length) nanos[n++] = t; }
        synchronized long[] take() {
            long[] a = Arrays.copyOf(nanos, n);
            n = 0;
            Arrays.sort(a);
            return a;
        }
    }

    static void visit(Supplier supplier, Waits waits, int guest) {
        try {
            Random rnd = new Random(guest);
            Thread.sleep(rnd.nextInt(3000));
            while (true) {
                long t0 = System.nanoTime();
                int[] prices = supplier.offers(rnd.nextInt(5000));
                Arrays.sort(prices);
                waits.note(System.nanoTime() - t0);
                Thread.sleep(2000 + rnd.nextInt(2000)); // the guest reads
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        Supplier supplier = new Supplier();
        Waits waits = new Waits();
        ExecutorService guests = Executors.newVirtualThreadPerTaskExecutor();
        for (int g = 0; g < 1500; g++) {
            int guest = g;
            guests.execute(() -> visit(supplier, waits, guest));
        }
        Thread.sleep(6000);
        System.out.println("READY");
        waits.take();
        for (int s = 0; s < 165; s++) {
            Thread.sleep(1000);
            long[] a = waits.take();
            System.out.printf("measured: %d searches/s, p99 %.1f ms (target %.0f ms)%n", a.length,
                    a.length == 0 ? 0.0 : a[a.length * 99 / 100] / 1e6, TARGET_MS);
        }
        System.exit(0);
    }
}
