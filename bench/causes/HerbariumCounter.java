// SPDX-License-Identifier: Apache-2.0
// healthy: a bounded LRU cache stands in front of a slow archive (12 ms for each sheet) and finds 99 % of what is asked for; misses load outside of the cache's lock and once per sheet, and the desks rest most of the time
// share: 99.2 to 100 % found of 760 questions a second; the desks wait for the archive 0.3 to 1.8 % of their time; 0.14 CPUs used
// judge: NAMED (right): nothing stands out, or neutral words on where CPU time goes (HerbariumCounter$Sheet.match, Desk.answer). WRONG: any accusation: cache misses, waiting for the archive (Archive.fetch, its Thread.sleep, futures at SheetCache.sheet), lock contention on the cache, pool busy, collections, hot code as a fault
// jdk: 25
// set: thirty-second
// jvm: -Xmx192m
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Answers questions about the sheets of a herbarium, whose archive is slow; the sheets asked for lately are kept. */
public class HerbariumCounter {
    static final AtomicLong questions = new AtomicLong();
    static final AtomicLong fetches = new AtomicLong();
    static final AtomicLong waitedNs = new AtomicLong();
    static final CountDownLatch warm = new CountDownLatch(1200);

    record Sheet(int number, float[] features) {
        double match(float[] leaf) {
            double best = 0;
            for (int shift = 0; shift < 96; shift++) {
                double sum = 0;
                for (int i = 0; i < leaf.length; i++) sum += leaf[i] * features[(i + shift) % features.length];
                best = Math.max(best, sum);
            }
            return best;
        }
    }

    /** The archive fetches a sheet from the shelves of a far away store. */
    static final class Archive {
        Sheet fetch(int number) throws InterruptedException {
            Thread.sleep(12);
            float[] features = new float[2048];
            Random random = new Random(number);
            for (int i = 0; i < features.length; i++) features[i] = random.nextFloat() - 0.5f;
            fetches.incrementAndGet();
            return new Sheet(number, features);
        }
    }

    static final class SheetCache {
        private final Archive archive;
        private final Map<Integer, CompletableFuture<Sheet>> kept;

        SheetCache(Archive archive, int capacity) {
            this.archive = archive;
            this.kept = new LinkedHashMap<>(capacity * 4 / 3 + 1, 0.75f, true) {
                @Override
                protected boolean removeEldestEntry(Map.Entry<Integer, CompletableFuture<Sheet>> eldest) {
                    return size() > capacity;
                }
            };
        }

        Sheet sheet(int number) throws InterruptedException {
            CompletableFuture<Sheet> own = null;
            CompletableFuture<Sheet> found;
            synchronized (kept) {
                found = kept.get(number);
                if (found == null) {
                    own = new CompletableFuture<>();
                    found = own;
                    kept.put(number, own);
                }
            }
            if (own != null) {
                long start = System.nanoTime();
                try {
                    own.complete(archive.fetch(number));
                } catch (InterruptedException | RuntimeException e) {
                    synchronized (kept) {
                        kept.remove(number, own);
                    }
                    own.completeExceptionally(e);
                    throw e;
                }
                waitedNs.addAndGet(System.nanoTime() - start);
            }
            return found.join();
        }
    }

    static final class Desk implements Runnable {
        private final SheetCache cache;
        private final Random random;
        private double confidence;

        Desk(SheetCache cache, int seed) {
            this.cache = cache;
            this.random = new Random(seed);
        }

        private int nextSheet() {
            if (random.nextInt(400) == 0) return random.nextInt(60_000);
            return (int) Math.min(1199, Math.abs(random.nextGaussian()) * 220);
        }

        private void answer(float[] leaf) throws InterruptedException {
            Sheet sheet = cache.sheet(nextSheet());
            confidence += sheet.match(leaf);
        }

        @Override
        public void run() {
            float[] leaf = new float[1024];
            try {
                while (true) {
                    long due = System.nanoTime() + 5_000_000;
                    for (int i = 0; i < leaf.length; i++) leaf[i] = random.nextFloat() - 0.5f;
                    answer(leaf);
                    questions.incrementAndGet();
                    warm.countDown();
                    long rest = due - System.nanoTime();
                    if (rest > 0) LockSupport.parkNanos(rest);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        SheetCache cache = new SheetCache(new Archive(), 2000);
        Thread[] fill = new Thread[8];
        for (int i = 0; i < fill.length; i++) {
            int part = i;
            fill[i] = new Thread(() -> {
                try {
                    for (int number = part; number < 900; number += fill.length) cache.sheet(number);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            fill[i].start();
        }
        for (Thread thread : fill) thread.join();
        for (int i = 0; i < 4; i++) new Thread(new Desk(cache, i), "desk-" + i).start();
        warm.await();
        System.out.println("READY");
        System.out.flush();
        com.sun.management.OperatingSystemMXBean os = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long last = System.nanoTime(), asked = questions.get(), fetched = fetches.get(), waited = waitedNs.get(), cpu = os.getProcessCpuTime();
        while (true) {
            Thread.sleep(1000);
            long now = System.nanoTime(), q = questions.get(), f = fetches.get(), w = waitedNs.get(), used = os.getProcessCpuTime();
            System.out.printf("measured: %d questions, found %.1f %%; waited for the archive %.1f %% of 4 desks' time; CPUs used %.2f%n",
                q - asked, 100.0 - 100.0 * (f - fetched) / Math.max(1, q - asked), 100.0 * (w - waited) / (now - last) / 4, (double) (used - cpu) / (now - last));
            last = now; asked = q; fetched = f; waited = w; cpu = used;
        }
    }
}
