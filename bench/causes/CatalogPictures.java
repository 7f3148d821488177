// SPDX-License-Identifier: Apache-2.0
// cause: thumbnail cache of SoftReferences has no bound: fills the heap, half of the time is GC pauses
// symptom: promotion gc-pauses gc-cpu hot-code hot-method hot-calls live-set
// share: about 70 %; 8,000 pages/s, worst 100 ms; fixed 31,000 pages/s, worst 12 ms; GC pauses 54 %
// judge: right: soft-reference cache CatalogPictures.thumbs has no bound: all is promoted, full GCs clear it
// judge: symptom: full GCs / high GC share; heap nearly full after GC; long pauses; GC threads take the CPUs
// judge: wrong: a true leak that ends in OutOfMemoryError, heap merely too small, scaling code slow, System.gc()
// jvm: -XX:+UseParallelGC
// jdk: 11
// set: fourteenth
import java.lang.ref.SoftReference;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

/** Picture service of a shop: scales product pictures to thumbnails and serves listing pages made of them. */
public class CatalogPictures {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int PRODUCTS = 60_000, HOT = 60, SIDE = 48, PAGE = 12;

    static final class Thumb {
        final int product;
        final int[][] rows = new int[SIDE][];

        Thumb(int product) {
            this.product = product;
        }
    }

    private final ConcurrentHashMap<Integer, SoftReference<Thumb>> thumbs = new ConcurrentHashMap<>();
    private final Map<Integer, Thumb> bounded = Collections.synchronizedMap(
        new LinkedHashMap<Integer, Thumb>(1024, 0.75f, true) {
            @Override protected boolean removeEldestEntry(Map.Entry<Integer, Thumb> e) {
                return size() > 400;
            }
        });
    private final byte[] original = new byte[192 * 192];
    final LongAdder hits = new LongAdder(), misses = new LongAdder(), scaling = new LongAdder();

    CatalogPictures() {
        new Random(5).nextBytes(original);
    }

    Thumb thumb(int product) {
        if (FIXED) {
            Thumb t = bounded.get(product);
            if (t != null) {
                hits.increment();
                return t;
            }
            t = scale(product);
            bounded.put(product, t);
            return t;
        }
        SoftReference<Thumb> ref = thumbs.get(product);
        Thumb t = ref == null ? null : ref.get();
        if (t != null) {
            hits.increment();
            return t;
        }
        t = scale(product);
        thumbs.put(product, new SoftReference<>(t));
        return t;
    }

    private Thumb scale(int product) {
        misses.increment();
        long start = System.nanoTime();
        Thumb t = new Thumb(product);
        int f = 192 / SIDE;
        for (int y = 0; y < SIDE; y++) {
            int[] row = t.rows[y] = new int[SIDE];
            for (int x = 0; x < SIDE; x++) {
                int sum = 0;
                for (int dy = 0; dy < f; dy++) {
                    int at = (y * f + dy) * 192 + x * f;
                    for (int dx = 0; dx < f; dx++) sum += (original[at + dx] ^ product) & 0xff;
                }
                row[x] = sum / (f * f);
            }
        }
        scaling.add(System.nanoTime() - start);
        return t;
    }

    /** Writes a listing page; most customers check the hot products, crawlers and searches at all of them. */
    int page(ThreadLocalRandom r, StringBuilder html) {
        html.setLength(0);
        html.append("<html><body>");
        int sum = 0;
        for (int i = 0; i < PAGE; i++) {
            int product = r.nextInt(10) < 7 ? r.nextInt(HOT) : r.nextInt(PRODUCTS);
            Thumb t = thumb(product);
            html.append("<img alt='").append(product).append("' src='data:");
            for (int y = 0; y < SIDE; y += 8) {
                for (int x = 0; x < SIDE; x += 8) {
                    sum += t.rows[y][x];
                    html.append(Integer.toHexString(t.rows[y][x]));
                }
            }
            html.append("'/>");
        }
        return sum + html.length();
    }

    public static void main(String[] args) throws Exception {
        CatalogPictures c = new CatalogPictures();
        LongAdder pages = new LongAdder(), nanos = new LongAdder();
        AtomicLong worst = new AtomicLong();
        BlockingQueue<Long> access = new ArrayBlockingQueue<>(1000);
        for (int i = 0; i < 3; i++) {
            new Thread(() -> {
                ThreadLocalRandom r = ThreadLocalRandom.current();
                StringBuilder html = new StringBuilder();
                while (true) {
                    long t = System.nanoTime();
                    int check = c.page(r, html);
                    t = System.nanoTime() - t;
                    nanos.add(t);
                    pages.increment();
                    worst.accumulateAndGet(t, Math::max);
                    if (check % 64 == 0) access.offer(t);
                }
            }, "page-" + i).start();
        }
        Thread log = new Thread(() -> {
            List<Long> got = new ArrayList<>();
            while (true) {
                try {
                    Thread.sleep(200);
                } catch (InterruptedException e) {
                    return;
                }
                access.drainTo(got);
                got.clear();
            }
        }, "access-log");
        log.setDaemon(true);
        log.start();
        System.out.println("READY");
        while (true) {
            Thread.sleep(1000);
            long n = Math.max(1, pages.sumThenReset()), h = c.hits.sumThenReset(), m = c.misses.sumThenReset();
            System.out.printf(Locale.ROOT,
                "measured: %d pages/s, mean %.3f ms, worst %.0f ms, hits %.0f %%, scaling %.0f %%, "
                + "heap %d MB%n", n, nanos.sum() / 1e6 / n, worst.getAndSet(0) / 1e6, 100.0 * h / Math.max(1, h + m),
                100.0 * c.scaling.sumThenReset() / Math.max(1, nanos.sumThenReset()),
                (Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory()) >> 20);
        }
    }
}
