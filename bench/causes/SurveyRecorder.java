// SPDX-License-Identifier: Apache-2.0
// healthy: most of its CPU time is System.arraycopy, since a recorder puts each block of samples that a geophone's line delivers in its place of the record of a shot: each sample is copied once, into an array that is used again, at a fixed rate that is kept with CPUs to spare.
// share: 200 shots/s (the rate of the trigger), 0.4 to 2 ms for a record of 4 MiB, shots are lost only where the machine lacks CPUs; 0.2 CPUs.
// judge: WRONG: that copying arrays (SurveyRecorder$Shot.put) makes it slow or should be avoided, that buffers grow, that the waits of lines for their turn or the queue of free records are a cause. ACCEPTABLE: a neutral remark that its CPU time is copying of arrays in SurveyRecorder$Shot.put, or that the program mostly waits for its clock.
// jdk: 8
// set: thirtieth
// jvm: -Xmx128m
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** Records the shots of a seismic survey: a record has the samples of all channels, one channel after the other. */
public class SurveyRecorder {
    static final int CHANNELS = 128;
    static final int SAMPLES = 8192;
    static final int BLOCK = 1024;
    static final int LINES = 4;
    static final long SHOT_NANOS = 5_000_000;

    /** The record of one shot. */
    static final class Shot {
        private final int[] samples = new int[CHANNELS * SAMPLES];
        private final AtomicInteger missing = new AtomicInteger();
        long number;
        long begun;

        void begin(long number) {
            this.number = number;
            begun = System.nanoTime();
            missing.set(CHANNELS * SAMPLES / BLOCK);
        }

        boolean put(int channel, int block, int[] from) {
            System.arraycopy(from, 0, samples, channel * SAMPLES + block * BLOCK, BLOCK);
            return missing.decrementAndGet() == 0;
        }

        /** Something to see at the operator's desk: the sum of a few samples of each channel. */
        long quality() {
            long sum = 0;
            for (int channel = 0; channel < CHANNELS; channel++)
                for (int i = 0; i < SAMPLES; i += 1024)
                    sum += Math.abs(samples[channel * SAMPLES + i]);
            return sum / CHANNELS;
        }
    }

    /** A cable with a quarter of all channels, whose blocks lie in the memory of its card. */
    static final class Line implements Runnable {
        private final int first;
        private final int[][] card = new int[16][BLOCK];
        final BlockingQueue<Shot> shots = new ArrayBlockingQueue<>(10);

        Line(int first) {
            this.first = first;
            ThreadLocalRandom r = ThreadLocalRandom.current();
            for (int[] block : card)
                for (int i = 0; i < BLOCK; i++)
                    block[i] = r.nextInt(1 << 20) - (1 << 19);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Shot shot = shots.take();
                    for (int block = 0; block < SAMPLES / BLOCK; block++)
                        for (int channel = first; channel < first + CHANNELS / LINES; channel++)
                            if (shot.put(channel, block, card[(int) (shot.number + channel + block) & 15]))
                                recorded.put(shot);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final BlockingQueue<Shot> free = new ArrayBlockingQueue<>(10);
    static final BlockingQueue<Shot> recorded = new ArrayBlockingQueue<>(10);
    static final Line[] lines = new Line[LINES];
    static final LongAdder shots = new LongAdder();
    static final LongAdder took = new LongAdder();
    static final LongAdder lost = new LongAdder();
    static volatile long quality;

    static void trigger() {
        try {
            long due = System.nanoTime();
            for (long number = 1;; number++) {
                Shot shot = free.poll(SHOT_NANOS, TimeUnit.NANOSECONDS);
                if (shot == null) {
                    lost.increment();
                } else {
                    shot.begin(number);
                    for (Line line : lines)
                        line.shots.put(shot);
                }
                due += SHOT_NANOS;
                for (long rest = due - System.nanoTime(); rest > 0; rest = due - System.nanoTime())
                    LockSupport.parkNanos(rest);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void operator() {
        try {
            while (true) {
                Shot shot = recorded.take();
                quality = shot.quality();
                took.add(System.nanoTime() - shot.begun);
                shots.increment();
                free.put(shot);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void start(String name, Runnable run) {
        Thread t = new Thread(run, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        long span = Long.getLong("span", 170);
        for (int i = 0; i < 10; i++)
            free.add(new Shot());
        for (int i = 0; i < LINES; i++) {
            lines[i] = new Line(i * CHANNELS / LINES);
            start("line-" + (i + 1), lines[i]);
        }
        start("operator", SurveyRecorder::operator);
        start("trigger", SurveyRecorder::trigger);
        System.out.println("READY");
        for (long s = 0; s < span; s++) {
            Thread.sleep(1000);
            long n = Math.max(1, shots.sumThenReset());
            System.out.printf("measured: %d shots/s, mean %.2f ms for a record, lost so far %d, quality %d%n", n,
                    took.sumThenReset() / 1e6 / n, lost.sum(), quality);
        }
        System.exit(0);
    }
}
