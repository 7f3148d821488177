// SPDX-License-Identifier: Apache-2.0
// healthy: most CPU time is System.arraycopy (copying arrays, at Wall.place), but composing pictures of 24 cameras into one frame is what the program is for: each row of each picture, all new, is copied once; it keeps its pace of 120 frames a second
// share: 120 frames/s, 0 or 1 late in all, about 0.15 CPUs, 1 GB/s copied; display and composer rest most of the time
// judge: any finding of trouble is WRONG, except a neutral sentence that CPU time goes to copying arrays in Wall.place without advice to change it. WRONG: an accusation of copying arrays, growing collections, allocation, a saturated thread, blocked scheduler.
// jdk: 8
// set: twenty-seventh
// jvm: -Xmx64m
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

public class MosaicWall {
    static final int WIDE = 320;
    static final int HIGH = 180;
    static final int ACROSS = 6;
    static final int DOWN = 4;
    static final AtomicLong frames = new AtomicLong();
    static final AtomicLong late = new AtomicLong();

    static final class Camera {
        final int[][] shots = new int[4][WIDE * HIGH];

        Camera(int n) {
            for (int s = 0; s < shots.length; s++)
                for (int i = 0; i < shots[s].length; i++)
                    shots[s][i] = (i * 31 + n * 7919 + s * 104729) & 0xffffff;
        }

        int[] picture(long frame) {
            return shots[(int) (frame & 3)];
        }
    }

    static final class Frame {
        final int[] pixels = new int[WIDE * ACROSS * HIGH * DOWN];
        long number;
    }

    static final class Wall {
        final Camera[] cameras = new Camera[ACROSS * DOWN];

        Wall() {
            for (int i = 0; i < cameras.length; i++)
                cameras[i] = new Camera(i);
        }

        void place(int[] picture, Frame f, int column, int row) {
            int stride = WIDE * ACROSS;
            int to = row * HIGH * stride + column * WIDE;
            for (int y = 0; y < HIGH; y++)
                System.arraycopy(picture, y * WIDE, f.pixels, to + y * stride, WIDE);
        }

        void compose(Frame f) {
            for (int i = 0; i < cameras.length; i++)
                place(cameras[i].picture(f.number), f, i % ACROSS, i / ACROSS);
        }
    }

    static final class Display extends Thread {
        final BlockingQueue<Frame> shown;
        final BlockingQueue<Frame> free;
        long check;

        Display(BlockingQueue<Frame> shown, BlockingQueue<Frame> free) {
            super("display");
            this.shown = shown;
            this.free = free;
            setDaemon(true);
        }

        @Override
        public void run() {
            try {
                for (;;) {
                    Frame f = shown.take();
                    for (int i = (int) (f.number % 4096); i < f.pixels.length; i += 4096)
                        check = check * 31 + f.pixels[i];
                    frames.incrementAndGet();
                    free.put(f);
                }
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        long start = System.nanoTime();
        long end = start + Integer.getInteger("seconds", 170) * 1_000_000_000L;
        final Wall wall = new Wall();
        final BlockingQueue<Frame> free = new ArrayBlockingQueue<>(2);
        final BlockingQueue<Frame> shown = new ArrayBlockingQueue<>(2);
        free.put(new Frame());
        free.put(new Frame());
        new Display(shown, free).start();
        Thread composer = new Thread("composer") {
            @Override
            public void run() {
                try {
                    long next = System.nanoTime();
                    for (long n = 0;; n++) {
                        Frame f = free.take();
                        f.number = n;
                        wall.compose(f);
                        shown.put(f);
                        next += 1_000_000_000L / 120;
                        long rest = next - System.nanoTime();
                        if (rest > 0)
                            LockSupport.parkNanos(rest);
                        else if (rest < -20_000_000L) {
                            late.incrementAndGet();
                            next = System.nanoTime();
                        }
                    }
                } catch (InterruptedException e) {
                    return;
                }
            }
        };
        composer.setDaemon(true);
        composer.start();
        Thread.sleep(3000);
        System.out.println("READY");
        long last = frames.get();
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long f = frames.get();
            System.out.printf("measured: %d frames/s, %d late in all%n", f - last, late.get());
            last = f;
        }
        System.exit(0);
    }
}
