// SPDX-License-Identifier: Apache-2.0
// cause: the key of a cache has an array, equal to no other, so nothing is ever found: RenditionCache.render
// expect: hot-method frame=RenditionCache.render | hot-method caller=RenditionCache.render | hot-calls frame=RenditionCache.render | hot-code frame=RenditionCache.render | endpoint-cpu frame=RenditionCache.render
// symptom: hot-method hot-calls hot-code
// jdk: 25
// set: ninth
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** There are 30 pictures in two widths; 60 renditions would do. */
public final class RenditionCache {
    private static final LongAdder RENDERING = new LongAdder();
    private static final LongAdder ALL = new LongAdder();
    private static final LongAdder LOOKUPS = new LongAdder();
    private static final LongAdder RENDERED = new LongAdder();
    private static volatile int last;

    private record Key(byte[] digest, int width) {
    }

    private final Map<Key, byte[]> cache = new ConcurrentHashMap<>();

    private static byte[] digest(int picture) {
        return ByteBuffer.allocate(16).putLong(picture * 0x9e3779b97f4a7c15L).putLong(picture).array();
    }

    private byte[] render(Key key) {
        long start = System.nanoTime();
        byte[] pixels = new byte[key.width * 20];
        int state = key.digest[0];
        for (int round = 0; round < 160; round++) {
            for (int i = 0; i < pixels.length; i++) {
                state = state * 1103515245 + 12345;
                pixels[i] += (byte) (state >>> 16);
            }
        }
        RENDERING.add(System.nanoTime() - start);
        RENDERED.increment();
        return pixels;
    }

    private byte[] rendition(int picture, int width) {
        LOOKUPS.increment();
        Key key = new Key(digest(picture), width);
        byte[] known = cache.get(key);
        if (known != null) {
            return known;
        }
        byte[] pixels = render(key);
        if (cache.size() >= 500) {
            cache.clear();
        }
        cache.put(key, pixels);
        return pixels;
    }

    private static int send(byte[] pixels) {
        int check = 0;
        for (byte one : pixels) {
            check = check * 31 + one;
        }
        return check;
    }

    private void serve(int worker) {
        try {
            for (int i = worker;; i++) {
                long start = System.nanoTime();
                last = send(rendition(i % 30, i % 2 == 0 ? 320 : 640));
                ALL.add(System.nanoTime() - start);
                Thread.sleep(1); // the next request
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        RenditionCache renditions = new RenditionCache();
        for (int i = 0; i < 4; i++) {
            int worker = i;
            new Thread(() -> renditions.serve(worker), "http-" + i).start();
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            System.out.println("measured: " + 100 * RENDERING.sum() / (ALL.sum() + 1) + " % of a request is render(), "
                    + RENDERED.sum() + " times in " + LOOKUPS.sum() + " requests");
        }
    }
}
