// SPDX-License-Identifier: Apache-2.0
// cause: TilePreviewService.PreviewCache keeps every rendered preview behind SoftReferences without any size bound, so the heap is always full and the JVM spends its time in back-to-back (full) collections.
// share: throughput: about 152,000 previews/s with the fault, 410,000 previews/s without it (63 % lost); collection pauses take 74 % of the time with the fault, 22 % without.
// judge: right = the heap is filled by softly reachable previews (byte[]) of TilePreviewService$PreviewCache, an unbounded SoftReference cache: GC takes most of the CPU/pauses; the cache needs a bound (LRU); half right = GC thrash because PreviewCache fills the heap, without soft references; symptom only = "GC takes much time" or "heap too small" or "render allocates much"; wrong = a growing map that is never cleaned, the catalogue (Title objects), contention, rendering CPU.
// expect: promotion soft=. | gc-pauses soft=. | gc-cpu soft=.
// symptom: promotion gc-pauses gc-cpu
// set: nineteenth
// jdk: 17
// jvm: -XX:+UseSerialGC
import java.lang.ref.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class TilePreviewService {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final AtomicLong served = new AtomicLong();

    record Title(int id, String name, Title sequel) { }

    static final class Slot extends SoftReference<byte[]> {
        final int id;

        Slot(int id, byte[] pixels, ReferenceQueue<byte[]> queue) {
            super(pixels, queue);
            this.id = id;
        }
    }

    interface Previews {
        byte[] get(int id);

        void put(int id, byte[] pixels);
    }

    static final class PreviewCache implements Previews {
        private final ConcurrentHashMap<Integer, Slot> slots = new ConcurrentHashMap<>();
        private final ReferenceQueue<byte[]> queue = new ReferenceQueue<>();

        public byte[] get(int id) {
            Slot s = slots.get(id);
            return s == null ? null : s.get();
        }

        public void put(int id, byte[] pixels) {
            for (Reference<? extends byte[]> r; (r = queue.poll()) != null; ) {
                slots.remove(((Slot) r).id, r);
            }
            slots.put(id, new Slot(id, pixels, queue));
        }
    }

    static final class RecentPreviews implements Previews {
        private final Map<Integer, byte[]> recent = new LinkedHashMap<>(1024, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<Integer, byte[]> e) {
                return size() > 700;
            }
        };

        public synchronized byte[] get(int id) {
            return recent.get(id);
        }

        public synchronized void put(int id, byte[] pixels) {
            recent.put(id, pixels);
        }
    }

    static final class Renderer {
        byte[] render(Title title) {
            byte[] pixels = new byte[6 * 1024];
            int v = title.name().hashCode();
            for (int i = 0; i < pixels.length; i++) {
                v += v << 3 ^ i;
                pixels[i] = (byte) v;
            }
            return pixels;
        }
    }

    static final class Catalogue {
        final Title[] titles = new Title[220_000];

        Catalogue() {
            for (int i = 0; i < titles.length; i++) {
                titles[i] = new Title(i, "title " + i, i % 10 == 0 ? null : titles[i - 1]);
            }
        }
    }

    static final class Frontend {
        final Catalogue catalogue = new Catalogue();
        final Previews cache = FIXED ? new RecentPreviews() : new PreviewCache();
        final Renderer renderer = new Renderer();

        byte[] preview(int id) {
            byte[] pixels = cache.get(id);
            if (pixels == null) {
                pixels = renderer.render(catalogue.titles[id]);
                cache.put(id, pixels);
            }
            return pixels;
        }
    }

    static void browse(Frontend frontend, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        long sum = 0;
        while (true) {
            int id = random.nextInt(10) < 7 ? random.nextInt(400) : random.nextInt(frontend.catalogue.titles.length);
            byte[] pixels = frontend.preview(id);
            for (int i = 0; i < pixels.length; i += 64) {
                sum += pixels[i];
            }
            if (sum == Long.MIN_VALUE) {
                System.out.println(sum);
            }
            served.incrementAndGet();
        }
    }

    public static void main(String[] args) throws Exception {
        Frontend frontend = new Frontend();
        for (int i = 0; i < 2; i++) {
            final int seed = i + 3;
            Thread t = new Thread(() -> browse(frontend, seed), "browse-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(8000);
        System.out.println("READY");
        for (int s = 0; s < 165; s++) {
            long a = served.get();
            Thread.sleep(1000);
            System.out.println("measured: " + (served.get() - a) + " previews/s");
        }
        System.exit(0);
    }
}
