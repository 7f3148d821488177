// SPDX-License-Identifier: Apache-2.0
// healthy: a sampler fills a buffer every 100 ms and exchanges it with a writer, who needs a few ms for it and waits for the next; a watch waits for either with wait(500)
// jdk: 21
// set: eleventh
import java.util.Arrays;
import java.util.concurrent.Exchanger;
import java.util.concurrent.atomic.LongAdder;

/** Samples of a vibrating machine are collected and summed up. */
public final class HealthySampler {
    private static final LongAdder WRITER = new LongAdder();

    private final Exchanger<int[]> exchanger = new Exchanger<>();
    private long latest;

    private void sample() {
        int[] samples = new int[20_000];
        try {
            for (int n = 1;; n++) {
                Thread.sleep(100); // the machine gives so many in 100 ms
                for (int i = 0; i < samples.length; i++) {
                    samples[i] = (i * n) % 4093;
                }
                samples = exchanger.exchange(samples);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void sum() {
        int[] samples = new int[20_000];
        try {
            for (;;) {
                samples = exchanger.exchange(samples);
                long start = System.nanoTime();
                int[] sorted = samples.clone();
                Arrays.sort(sorted);
                synchronized (this) {
                    latest = sorted[sorted.length / 2];
                    notifyAll();
                }
                WRITER.add(System.nanoTime() - start);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void watch() {
        try {
            for (long seen = 0; seen >= 0;) {
                synchronized (this) {
                    wait(500);
                    seen = latest;
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        HealthySampler sampler = new HealthySampler();
        new Thread(sampler::sample, "sampler").start();
        new Thread(sampler::sum, "summer").start();
        new Thread(sampler::watch, "watch").start();
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            System.out.println("measured: the summer works for " + WRITER.sumThenReset() / 1_000_000 + " ms of a second");
        }
    }
}
