// SPDX-License-Identifier: Apache-2.0
// cause: the JVM option -XX:SoftRefLRUPolicyMSPerMB=0 lets every collection (also each young one) clear all SoftReferences that were not used since the collection before, so the stencil cache in CrestEngraver.stencil loses most entries many times a second although the heap has room, and stencils are cut again and again (CrestEngraver.cut).
// share: about 40 % of the throughput; 1064 against 1734 engravings/s with -Dfixed=true (ratio 1.6, side by side on a heavily loaded machine, warm-up included, one 26 s run; expected higher on a quiet machine, not measured)
// judge: must say that the soft-reference cache (CrestEngraver.stencil) loses its entries at GC, because of SoftRefLRUPolicyMSPerMB=0 or the use of SoftReference for a cache. "CPU in CrestEngraver.cut" alone, or "allocation rate / GC" alone, is only a symptom.
// expect: jvm-option option=SoftRefLRU
// symptom: hot-method
// set: twentieth
// jdk: 11
// jvm: -XX:SoftRefLRUPolicyMSPerMB=0 -XX:+UseSerialGC
import java.lang.ref.SoftReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

public class CrestEngraver {
    static final boolean REVISED = Boolean.getBoolean("fixed");
    static final int DESIGNS = 500;
    static final int SIDE = 48;

    static final class Stencil {
        final int design;
        final int[] depth;

        Stencil(int design, int[] depth) {
            this.design = design;
            this.depth = depth;
        }
    }

    final Map<Integer, SoftReference<Stencil>> drawer = new ConcurrentHashMap<>();
    final Map<Integer, Stencil> cabinet = new ConcurrentHashMap<>();
    final LongAdder engraved = new LongAdder();

    Stencil stencil(int design) {
        if (REVISED) {
            return cabinet.computeIfAbsent(design, CrestEngraver::cut);
        }
        SoftReference<Stencil> ref = drawer.get(design);
        Stencil s = ref == null ? null : ref.get();
        if (s == null) {
            s = cut(design);
            drawer.put(design, new SoftReference<>(s));
        }
        return s;
    }

    static Stencil cut(int design) {
        int[] depth = new int[SIDE * SIDE];
        for (int y = 0; y < SIDE; y++) {
            for (int x = 0; x < SIDE; x++) {
                double v = 0;
                for (int wave = 1; wave <= 10; wave++) {
                    v += Math.sin((x * wave + design) * 0.071) * Math.cos((y * wave - design) * 0.053) / wave;
                }
                depth[y * SIDE + x] = (int) (v * 1000);
            }
        }
        return new Stencil(design, depth);
    }

    static String path(Stencil s, int width, int seed) {
        StringBuilder b = new StringBuilder(8192);
        int offset = seed & 1023;
        for (int i = 0; i < 500; i++) {
            int d = s.depth[(offset + i * 3) % s.depth.length];
            b.append('L').append(i * width).append(',').append(d).append(' ');
        }
        return b.toString();
    }

    void bench() {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        long length = 0;
        while (length >= 0) {
            int design = r.nextInt(DESIGNS);
            Stencil s = stencil(design);
            for (int copy = 0; copy < 3; copy++) {
                length += path(s, 2 + r.nextInt(4), r.nextInt()).length();
            }
            engraved.increment();
        }
    }

    public static void main(String[] args) throws Exception {
        CrestEngraver shop = new CrestEngraver();
        for (int i = 0; i < 2; i++) {
            Thread t = new Thread(shop::bench, "bench-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        long last = 0;
        for (int s = 0; s < 240; s++) {
            Thread.sleep(1000);
            long now = shop.engraved.sum();
            System.out.println("measured: " + (now - last) + " engravings/s");
            last = now;
        }
    }
}
