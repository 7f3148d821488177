// SPDX-License-Identifier: Apache-2.0
// healthy: a pool of two scales the halves of an image, and the request waits while both are at work
// jvm: -XX:+UseG1GC
// jdk: 17
// set: fifth
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import wick.Scope;
import wick.Wick;

/** One request after the other takes 6 ms, with a pause of 30 ms: the pool never has a queue. */
public final class HealthyHalves {
    private static final int SIZE = 256;
    private static volatile int checksum;

    private final AtomicInteger number = new AtomicInteger();
    private final ExecutorService pool =
        Wick.wrap(Executors.newFixedThreadPool(2, r -> new Thread(r, "scale-" + number.incrementAndGet())));

    private static final class Image {
        private final int[] pixels = new int[SIZE * SIZE];

        private Image(int seed) {
            for (int i = 0; i < pixels.length; i++) {
                pixels[i] = i * seed & 0xffffff;
            }
        }
    }

    private static void gamma(Image image, int from, int to) {
        for (int i = from * SIZE; i < to * SIZE; i++) {
            int p = image.pixels[i];
            double bright = Math.sqrt((p >> 16 & 0xff) + (p >> 8 & 0xff) + (p & 0xff));
            image.pixels[i] = (int) (p * 0.9 + bright);
        }
    }

    private static void blur(Image image, int from, int to) {
        for (int y = Math.max(1, from); y < Math.min(SIZE - 1, to); y++) {
            for (int x = 1; x < SIZE - 1; x++) {
                int i = y * SIZE + x;
                image.pixels[i] = (image.pixels[i - 1] + image.pixels[i + 1] + image.pixels[i] * 2) / 4 & 0xffffff;
            }
        }
    }

    private static void dither(Image image, int from, int to) {
        for (int y = from; y < to; y++) {
            int error = 0;
            for (int x = 0; x < SIZE; x++) {
                int wanted = (image.pixels[y * SIZE + x] & 0xff) + error;
                int got = wanted > 127 ? 255 : 0;
                error = wanted - got;
                image.pixels[y * SIZE + x] ^= got;
            }
        }
    }

    private static void sharpen(Image image, int from, int to) {
        for (int y = Math.max(1, from); y < Math.min(SIZE - 1, to); y++) {
            int before = image.pixels[y * SIZE];
            for (int x = 1; x < SIZE - 1; x++) {
                int i = y * SIZE + x;
                int edge = image.pixels[i] * 3 - before - image.pixels[i - SIZE];
                before = image.pixels[i];
                image.pixels[i] = edge < 0 ? before : edge & 0xffffff;
            }
        }
    }

    private static int histogram(Image image, int from, int to) {
        int[] counts = new int[256];
        for (int i = from * SIZE; i < to * SIZE; i++) {
            counts[image.pixels[i] & 0xff]++;
        }
        return counts[0] ^ counts[255];
    }

    private static int half(Image image, int from, int to) {
        int sum = 0;
        for (int pass = 0; pass < 12; pass++) {
            gamma(image, from, to);
            blur(image, from, to);
            sharpen(image, from, to);
            dither(image, from, to);
            sum += histogram(image, from, to);
        }
        return sum;
    }

    private int scale(int n) throws InterruptedException, ExecutionException {
        Image image = new Image(n);
        Future<Integer> upper = pool.submit(() -> half(image, 0, SIZE / 2));
        Future<Integer> lower = pool.submit(() -> half(image, SIZE / 2, SIZE));
        return upper.get() + lower.get();
    }

    private void serve() throws InterruptedException, ExecutionException {
        for (int n = 1;; n++) {
            try (Scope request = Wick.span("POST /scale")) {
                checksum += scale(n);
            }
            Thread.sleep(30); // the next image
        }
    }

    public static void main(String[] args) throws InterruptedException, ExecutionException {
        System.out.println("READY");
        new HealthyHalves().serve();
    }
}
