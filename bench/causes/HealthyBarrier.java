// SPDX-License-Identifier: Apache-2.0
// healthy: two threads compute halves of a simulation and meet at a barrier after steps that took them as long
// jvm: -Xmx128m -XX:+UseParallelGC
// jdk: 17
// set: sixth
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;

/**
 * A frame of twelve steps is due each 150 ms and takes about 25 ms with both CPUs, so that the rest is waiting by
 * design. A step is spread over five functions, none of which has more than a third of the time. Nothing is allocated.
 */
public final class HealthyBarrier {
    private static final int WIDTH = 200;
    private static final int HEIGHT = 200;

    private final float[] heat = new float[WIDTH * HEIGHT];
    private final float[] smoke = new float[WIDTH * HEIGHT];
    private final float[] next = new float[WIDTH * HEIGHT];
    private final CyclicBarrier barrier = new CyclicBarrier(2);

    private HealthyBarrier() {
        for (int i = 0; i < heat.length; i++) {
            heat[i] = i * 37 % 101;
            smoke[i] = i * 17 % 53;
        }
    }

    private void diffuseAlong(int from, int to) {
        for (int y = from; y < to; y++) {
            for (int x = 1; x < WIDTH - 1; x++) {
                int i = y * WIDTH + x;
                next[i] = heat[i] * 0.8f + (heat[i - 1] + heat[i + 1]) * 0.1f;
            }
        }
    }

    private void diffuseAcross(int from, int to) {
        for (int y = from; y < to; y++) {
            for (int x = 1; x < WIDTH - 1; x++) {
                int i = y * WIDTH + x;
                heat[i] = next[i] * 0.8f + (next[i - WIDTH] + next[i + WIDTH]) * 0.1f;
            }
        }
    }

    private void radiate(int from, int to) {
        for (int i = from * WIDTH; i < to * WIDTH; i++) {
            heat[i] -= (float) Math.sqrt(Math.abs(heat[i])) * 0.001f;
        }
    }

    private void rise(int from, int to) {
        for (int y = from; y < to; y++) {
            for (int x = 1; x < WIDTH - 1; x++) {
                int i = y * WIDTH + x;
                float up = heat[i] > 50 ? smoke[i] * 0.3f : smoke[i] / (2 + heat[i]);
                smoke[i] = smoke[i] - up * 0.5f + 0.1f;
            }
        }
    }

    private void burn(int from, int to) {
        for (int i = from * WIDTH; i < to * WIDTH; i++) {
            float fuel = smoke[i] * 1.1f + heat[i] * 0.3f;
            heat[i] += fuel > 30 ? 0.2f : -0.05f;
        }
    }

    private void frame(int from, int to) throws InterruptedException, BrokenBarrierException {
        for (int step = 0; step < 12; step++) {
            for (int pass = 0; pass < 5; pass++) {
                diffuseAlong(from, to);
                diffuseAcross(from, to);
                radiate(from, to);
                rise(from, to);
                burn(from, to);
            }
            barrier.await();
        }
    }

    private void simulate(int from, int to) {
        try {
            for (;;) {
                frame(from, to);
                Thread.sleep(125); // until the next frame is due
            }
        } catch (InterruptedException | BrokenBarrierException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        HealthyBarrier simulation = new HealthyBarrier();
        new Thread(() -> simulation.simulate(1, HEIGHT / 2), "north").start();
        new Thread(() -> simulation.simulate(HEIGHT / 2, HEIGHT - 1), "south").start();
        System.out.println("READY");
    }
}
