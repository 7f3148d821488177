// SPDX-License-Identifier: Apache-2.0
// healthy: two threads run at full CPU in one small loop and meet at a CyclicBarrier some hundred times a second, which looks like a hot spot plus barrier waiting; but every time step of the wave simulation needs the whole step before it, the halves are equal, and the waits are only the scheduling noise of a shared machine
// share: 467 steps/s (median of a short run at nice 19 on a 2-core machine under heavy foreign load); both threads compute nearly all the time
// judge: any finding of trouble is WRONG (barrier waiting, imbalance, memory), except a plain statement that the time goes into the numeric step (the real work) or that other processes take CPU from it
// jdk: 11
// set: twenty-eighth
// jvm: -Xmx64m
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicLong;

public class HarbourSwell {
    static final int SPAN = Integer.getInteger("span", 170);
    static final int ROWS = 1002;
    static final int COLS = 800;
    static final AtomicLong steps = new AtomicLong();
    static volatile boolean open = true;

    static float[][] before = new float[ROWS][COLS];
    static float[][] current = new float[ROWS][COLS];
    static float[][] next = new float[ROWS][COLS];

    static final class Basin extends Thread {
        final int from;
        final int to;
        final CyclicBarrier meet;

        Basin(String name, int from, int to, CyclicBarrier meet) {
            super(name);
            setDaemon(true);
            this.from = from;
            this.to = to;
            this.meet = meet;
        }

        @Override
        public void run() {
            try {
                while (open) {
                    for (int r = from; r < to; r++) {
                        row(current[r - 1], current[r], current[r + 1], before[r], next[r]);
                    }
                    meet.await();
                }
            } catch (InterruptedException | BrokenBarrierException e) {
                open = false;
            }
        }

        private static void row(float[] up, float[] mid, float[] down, float[] old, float[] out) {
            for (int c = 1; c < COLS - 1; c++) {
                float bend = up[c] + down[c] + mid[c - 1] + mid[c + 1] - 4 * mid[c];
                out[c] = mid[c] + 0.998f * (mid[c] - old[c]) + 0.2f * bend;
            }
        }
    }

    /** The open sea drives the first row; then the three fields change places. */
    static void turn() {
        long n = steps.incrementAndGet();
        float[][] t = before;
        before = current;
        current = next;
        next = t;
        for (int c = 0; c < COLS; c++) {
            current[0][c] = (float) (1.5 * Math.sin(n * 0.05 + c * 0.004));
        }
    }

    public static void main(String[] args) throws Exception {
        long start = System.nanoTime();
        for (int r = 0; r < ROWS; r++) {
            for (int c = 0; c < COLS; c++) {
                float h = (float) (0.01 * Math.sin(r * 0.31 + c * 0.17));
                before[r][c] = h;
                current[r][c] = h;
            }
        }
        CyclicBarrier meet = new CyclicBarrier(2, HarbourSwell::turn);
        new Basin("outer-basin", 1, ROWS / 2, meet).start();
        new Basin("inner-basin", ROWS / 2, ROWS - 1, meet).start();
        Thread.sleep(3000);
        System.out.println("READY");
        long end = start + SPAN * 1_000_000_000L;
        long done = steps.get();
        long at = System.nanoTime();
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long now = steps.get();
            long t = System.nanoTime();
            System.out.printf("measured: %.0f steps/s, quay level %.3f m%n",
                    (now - done) * 1e9 / (t - at), current[ROWS - 2][COLS / 2]);
            done = now;
            at = t;
        }
        open = false;
    }
}
