// SPDX-License-Identifier: Apache-2.0
// cause: the RecursiveTask splits down to single cells, so that forking and joining costs far more than the work
// expect: hot-code kind=fork-join frame=HeatMap$Sum.compute
// share: summing takes 555 ms/s, the same sum in a plain loop 21 ms/s
// judge: right: fork/join overhead: tasks too small, CPU in ForkJoinPool / ForkJoinTask internals (fork, doExec, join,
// judge: push, signalWork) or in allocation of Sum tasks, caused by Sum.compute's splitting. symptom: allocation of Sum,
// judge: GC by it, CPU in Sum.compute without what. wrong: locks, Sensor code, idle or few threads, waiting for the pool.
// jdk: 21
// jvm: -Xmx128m
// set: thirteenth

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantReadWriteLock;

public class HeatMap {
    static final int SIDE = 256;
    static final LongAdder frames = new LongAdder(), summing = new LongAdder(), plain = new LongAdder();

    static class Grid {
        final float[] celsius = new float[SIDE * SIDE];
        final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();

        void put(int at, float value) {
            lock.writeLock().lock();
            try {
                celsius[at] = celsius[at] * 0.8f + value * 0.2f;
            } finally {
                lock.writeLock().unlock();
            }
        }

        float[] copy() {
            lock.readLock().lock();
            try {
                return celsius.clone();
            } finally {
                lock.readLock().unlock();
            }
        }
    }

    static double heat(float celsius) {
        return celsius > 20 ? (celsius - 20) * (celsius - 20) : 0;
    }

    static class Sum extends RecursiveTask<Double> {
        final float[] cells;
        final int from, to;

        Sum(float[] cells, int from, int to) {
            this.cells = cells;
            this.from = from;
            this.to = to;
        }

        @Override
        protected Double compute() {
            if (to - from == 1) {
                return heat(cells[from]);
            }
            int middle = (from + to) >>> 1;
            Sum left = new Sum(cells, from, middle), right = new Sum(cells, middle, to);
            left.fork();
            return right.compute() + left.join();
        }
    }

    static void sense(Grid grid) {
        try {
            while (true) {
                ThreadLocalRandom r = ThreadLocalRandom.current();
                for (int i = 0; i < 50; i++) {
                    grid.put(r.nextInt(SIDE * SIDE), 10 + r.nextFloat() * 30);
                }
                Thread.sleep(5);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        Grid grid = new Grid();
        AtomicReferenceArray<Double> history = new AtomicReferenceArray<>(1000);
        for (int i = 0; i < 3; i++) {
            new Thread(() -> sense(grid), "sensor-" + i).start();
        }
        ForkJoinPool pool = new ForkJoinPool(2);
        Thread renderer = new Thread(() -> {
            for (int n = 0;; n++) {
                float[] cells = grid.copy();
                long from = System.nanoTime();
                history.set(n % 1000, pool.invoke(new Sum(cells, 0, cells.length)));
                long summed = System.nanoTime();
                summing.add(summed - from);
                if (n % 50 == 0) {
                    double sum = 0;
                    for (float c : cells) {
                        sum += heat(c);
                    }
                    plain.add(sum < 0 ? 0 : 50 * (System.nanoTime() - summed));
                }
                frames.increment();
                try {
                    Thread.sleep(2);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }, "renderer");
        renderer.start();
        System.out.println("READY");
        while (true) {
            Thread.sleep(1000);
            System.out.printf("measured: %d frames/s, summing %d ms/s, a plain loop %d ms/s%n", frames.sumThenReset(),
                    summing.sumThenReset() / 1_000_000, plain.sumThenReset() / 1_000_000);
        }
    }
}
