// SPDX-License-Identifier: Apache-2.0
// healthy: decoders of six radio programmes run ahead of the playout until their queue of 50 frames (2 s) is full and then wait for room, as they should: the playout takes a frame of each every 40 ms, which is how fast radio is; no frame is ever missing
// share: nothing: 0.13 CPUs used of 2, 150 frames a second played, none missing, 50 frames ahead; six decoders wait for room nearly all the time
// judge: RIGHT: nothing stands out, or only neutral remarks (waits for room, paced by Playout.run or the playout's timer; CPU time in Decoder.frame, Codec.inverse, Codec.window). WRONG: any accusation, above all that Decoder.run waits for room in a queue because its consumer is slow or rests; the timer at Playout.run; a saturated thread, a lock, CPUs, collections.
// jdk: 8
// set: thirty-fifth
// jvm: -Xmx256m

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Plays the programmes of a radio house: decoders run ahead, the playout keeps time. */
public class StudioPlayout {
    static final int PROGRAMMES = 6, FRAME = 1920, BANDS = 192;
    static final LongAdder decoded = new LongAdder(), decoding = new LongAdder(), missing = new LongAdder(), played = new LongAdder();

    static final class Frame {
        final short[] samples;
        final int number;

        Frame(short[] samples, int number) {
            this.samples = samples;
            this.number = number;
        }
    }

    static final class Codec {
        final float[] cosines = new float[BANDS * 64];
        final float[] shape = new float[FRAME];

        Codec() {
            for (int i = 0; i < cosines.length; i++) cosines[i] = (float) Math.cos(Math.PI / 64 * (i % 64 + 0.5) * (i / 64));
            for (int i = 0; i < FRAME; i++) shape[i] = (float) Math.sin(Math.PI * (i + 0.5) / FRAME);
        }

        float[] inverse(float[] bands) {
            float[] out = new float[FRAME];
            for (int i = 0; i < FRAME; i++) {
                float sum = 0;
                for (int b = 0; b < BANDS; b++) sum += bands[b] * cosines[b * 64 + i % 64];
                out[i] = sum;
            }
            return out;
        }

        short[] window(float[] signal) {
            short[] samples = new short[FRAME];
            for (int i = 0; i < FRAME; i++) samples[i] = (short) Math.max(-32768, Math.min(32767, signal[i] * shape[i] * 900));
            return samples;
        }
    }

    static final class Decoder implements Runnable {
        final BlockingQueue<Frame> ahead = new ArrayBlockingQueue<>(50);
        final Codec codec = new Codec();
        int seed;

        Decoder(int programme) {
            seed = programme * 7919 + 1;
        }

        float[] read() {
            float[] bands = new float[BANDS];
            for (int b = 0; b < BANDS; b++) {
                seed = seed * 1103515245 + 12345;
                bands[b] = (seed >>> 16) / 65536f / (b + 1);
            }
            return bands;
        }

        Frame frame(int number) {
            long begin = System.nanoTime();
            float[] left = codec.inverse(read()), right = codec.inverse(read()), ambience = codec.inverse(read());
            for (int i = 0; i < FRAME; i++) left[i] = (left[i] + right[i]) * 0.5f + ambience[i] * 0.1f;
            short[] samples = codec.window(left);
            decoding.add(System.nanoTime() - begin);
            decoded.increment();
            return new Frame(samples, number);
        }

        @Override
        public void run() {
            try {
                for (int number = 0;; number++) ahead.put(frame(number));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class Playout implements Runnable {
        final List<Decoder> decoders;
        final int[] levels = new int[PROGRAMMES];

        Playout(List<Decoder> decoders) {
            this.decoders = decoders;
        }

        int level(Frame f) {
            int peak = 0;
            for (short s : f.samples) peak = Math.max(peak, Math.abs(s));
            return peak;
        }

        void tick() {
            for (int p = 0; p < PROGRAMMES; p++) {
                Frame f = decoders.get(p).ahead.poll();
                if (f == null) {
                    missing.increment();
                    continue;
                }
                levels[p] = level(f);
                played.increment();
            }
        }

        @Override
        public void run() {
            long due = System.nanoTime();
            try {
                while (true) {
                    tick();
                    due += 40_000_000;
                    long rest = due - System.nanoTime();
                    if (rest > 0) TimeUnit.NANOSECONDS.sleep(rest);
                    else if (rest < -1_000_000_000L) due = System.nanoTime();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        List<Decoder> decoders = new ArrayList<>();
        for (int i = 0; i < PROGRAMMES; i++) {
            Decoder d = new Decoder(i);
            decoders.add(d);
            Thread t = new Thread(d, "decoder-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(1500);
        Thread playout = new Thread(new Playout(decoders), "playout");
        playout.setDaemon(true);
        playout.start();
        Thread.sleep(1500);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long p = played.sum(), m = missing.sum(), d = decoded.sum(), w = decoding.sum();
            Thread.sleep(1000);
            int least = 50;
            for (Decoder x : decoders) least = Math.min(least, x.ahead.size());
            System.out.printf("measured: %d frames/s played, %d missing, at least %d frames ahead; decoders work %.0f %% of one CPU%n",
                    played.sum() - p, missing.sum() - m, least, (decoding.sum() - w) / 1e7);
        }
    }
}
