// SPDX-License-Identifier: Apache-2.0
// healthy: a batch that computes: a pool of exactly as many threads as there are processors has work all the time, and eight scenes wait for the futures of their frames; the processors are used up, so more threads would finish nothing sooner, and the tasks are kept few in the queue (each scene has four frames under way at most)
// share: frames are computed on 1.9 to 2.0 of 2 processors; 150 to 250 frames a second, 8 to 13 ms each, by how much of the machine others use
// judge: RIGHT: nothing stands out, or only neutral remarks (time goes to computing in CometFilm$Frame.trace or CometFilm$Frame.call, no fault shows; all processors are used). WRONG: any accusation: the pool (frames) is too small or always busy, a growing queue, waiting for futures at CometFilm$Scene.run as a fault, too many threads, CPU starvation of its own making, collections.
// jdk: 17
// set: thirty-third
// jvm: -Xmx192m

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Computes the frames of a film for a planetarium: paths of the grains of a comet's tail. */
public class CometFilm {
    static final int SCENES = 8;
    static final int UNDER_WAY = 4;

    static final class Image {
        final int scene;
        final int number;
        final float[] light;

        Image(int scene, int number, float[] light) {
            this.scene = scene;
            this.number = number;
            this.light = light;
        }
    }

    static final class Frame implements Callable<Image> {
        static final int SIDE = 96;
        private final int scene;
        private final int number;
        private final AtomicLong computing;

        Frame(int scene, int number, AtomicLong computing) {
            this.scene = scene;
            this.number = number;
            this.computing = computing;
        }

        @Override
        public Image call() {
            long begun = System.nanoTime();
            float[] light = new float[SIDE * SIDE];
            long seed = scene * 1_000_003L + number;
            for (int grain = 0; grain < 900; grain++) {
                seed = seed * 6364136223846793005L + 1442695040888963407L;
                trace(light, 0.6 + (seed >>> 40 & 1023) / 2048.0, (seed >>> 50 & 1023) / 1024.0 - 0.5, 0.3 + (seed >>> 30 & 255) / 512.0);
            }
            computing.addAndGet(System.nanoTime() - begun);
            return new Image(scene, number, light);
        }

        private void trace(float[] light, double x, double y, double pressure) {
            double vx = 0.1 * y, vy = 1.1 - 0.2 * pressure;
            for (int step = 0; step < 400; step++) {
                double r2 = x * x + y * y + 1e-3, pull = (pressure - 1) / (r2 * Math.sqrt(r2));
                vx += pull * x * 0.01;
                vy += pull * y * 0.01;
                x += vx * 0.01;
                y += vy * 0.01;
                int px = (int) ((x + 3) * SIDE / 6), py = (int) ((y + 3) * SIDE / 6);
                if (px >= 0 && px < SIDE && py >= 0 && py < SIDE) {
                    light[py * SIDE + px] += 0.01f;
                }
            }
        }
    }

    static final class Reel {
        final AtomicInteger frames = new AtomicInteger();
        private double brightness;

        synchronized void add(Image image) {
            double sum = 0;
            for (float l : image.light) {
                sum += l;
            }
            brightness = Math.max(brightness, sum);
            frames.incrementAndGet();
        }
    }

    /** Frames of a scene follow each other, and a few are under way. */
    static final class Scene implements Runnable {
        private final int number;
        private final ExecutorService pool;
        private final Reel reel;
        private final AtomicLong computing;
        private final Deque<Future<Image>> ahead = new ArrayDeque<>();

        Scene(int number, ExecutorService pool, Reel reel, AtomicLong computing) {
            this.number = number;
            this.pool = pool;
            this.reel = reel;
            this.computing = computing;
        }

        @Override
        public void run() {
            try {
                for (int frame = 0; ; frame++) {
                    ahead.addLast(pool.submit(new Frame(number, frame, computing)));
                    if (ahead.size() == UNDER_WAY) {
                        reel.add(ahead.removeFirst().get());
                    }
                }
            } catch (InterruptedException | ExecutionException e) {
                System.out.println("scene " + number + " ended: " + e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        int processors = Runtime.getRuntime().availableProcessors();
        AtomicInteger threads = new AtomicInteger();
        ExecutorService pool = Executors.newFixedThreadPool(processors, r -> {
            Thread t = new Thread(r, "frames-" + threads.incrementAndGet());
            t.setDaemon(true);
            return t;
        });
        Reel reel = new Reel();
        AtomicLong computing = new AtomicLong();
        List<Thread> scenes = new ArrayList<>();
        for (int i = 0; i < SCENES; i++) {
            Thread t = new Thread(new Scene(i, pool, reel, computing), "scene-" + i);
            t.setDaemon(true);
            t.start();
            scenes.add(t);
        }
        Thread.sleep(3000);
        System.out.println("READY");
        System.out.flush();
        long f = reel.frames.get(), c = computing.get();
        while (scenes.get(0).isAlive()) {
            Thread.sleep(1000);
            long fn = reel.frames.get(), cn = computing.get();
            System.out.printf(Locale.ROOT, "measured: %d frames/s, %.1f ms each, frames are computed on %.2f of %d processors%n",
                    fn - f, (cn - c) / 1e6 / Math.max(1, fn - f), (cn - c) / 1e9, processors);
            System.out.flush();
            f = fn;
            c = cn;
        }
    }
}
