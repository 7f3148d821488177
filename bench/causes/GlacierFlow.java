// SPDX-License-Identifier: Apache-2.0
// healthy: A numerical simulation (explicit diffusion of ice thickness on a grid) that has nothing to do but compute; flat arrays, no allocation per step, both workers share the rows evenly and meet at a barrier once per step.
// judge: Wrong: to call GlacierFlow.advance (or Math.sqrt in it) a defect because it takes all the CPU; to accuse the barrier (CyclicBarrier) or the waiting main thread. Right: legitimate computation, nothing dominant to remove.
// set: twentieth
// jdk: 8
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;

public class GlacierFlow {
    static final int W = 700;
    static final int H = 600;
    static final int WORKERS = 2;

    private double[] ice = new double[W * H];
    private double[] next = new double[W * H];
    private final double[] rock = new double[W * H];
    private volatile long steps;
    private final CyclicBarrier endOfStep = new CyclicBarrier(WORKERS, this::swap);

    GlacierFlow() {
        for (int y = 0; y < H; y++) {
            for (int x = 0; x < W; x++) {
                int i = y * W + x;
                rock[i] = 900 + 300 * Math.sin(x / 90.0) * Math.cos(y / 70.0) - y * 0.8;
                ice[i] = y < H / 3 ? 150 : 5;
                next[i] = ice[i];
            }
        }
    }

    private void swap() {
        double[] t = ice;
        ice = next;
        next = t;
        steps++;
    }

    private void advance(int fromRow, int toRow) {
        double[] h = ice;
        double[] out = next;
        for (int y = fromRow; y < toRow; y++) {
            for (int x = 1; x < W - 1; x++) {
                int i = y * W + x;
                double s = rock[i] + h[i];
                double dx = rock[i + 1] + h[i + 1] - rock[i - 1] - h[i - 1];
                double dy = rock[i + W] + h[i + W] - rock[i - W] - h[i - W];
                double slope = Math.sqrt(dx * dx + dy * dy) * 0.005;
                double rate = 1e-5 * h[i] * Math.min(slope, 1.0);
                double lap = rock[i + 1] + h[i + 1] + rock[i - 1] + h[i - 1]
                        + rock[i + W] + h[i + W] + rock[i - W] + h[i - W] - 4 * s;
                double balance = (s - 950) * 2e-6;
                out[i] = Math.max(0, h[i] + Math.min(rate, 0.2) * lap + balance);
            }
        }
    }

    void strip(int worker) {
        int rows = (H - 2) / WORKERS;
        int from = 1 + worker * rows;
        try {
            while (true) {
                advance(from, from + rows);
                endOfStep.await();
            }
        } catch (InterruptedException | BrokenBarrierException e) {
            System.err.println("strip " + worker + ": " + e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        GlacierFlow model = new GlacierFlow();
        for (int i = 0; i < WORKERS; i++) {
            final int n = i;
            Thread t = new Thread(() -> model.strip(n), "strip-" + n);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        long before = 0;
        for (int s = 0; s < 220; s++) {
            Thread.sleep(1000);
            long now = model.steps;
            System.out.println("measured: " + (now - before) + " steps/s");
            before = now;
        }
    }
}
