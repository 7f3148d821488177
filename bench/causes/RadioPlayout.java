// SPDX-License-Identifier: Apache-2.0
// healthy: the encoders of four radio programmes prepare audio blocks ahead of the broadcast, into queues of 50 blocks that are full on purpose; the playout clock takes one block of each every 20 ms because that is how fast sound is played, so the encoders wait for room (RadioPlayout$Channel.offerAhead) as they should
// share: no fault; queues are full (49 or 50 of 50 blocks, a second of sound in reserve), 0 gaps in what is played, 0.1 to 0.3 CPUs are used
// judge: right: nothing stands out, no fault, or only neutral statements (encoders wait for room in their queues at RadioPlayout$Channel.offerAhead, the thread playout-clock sets the pace by a timer at $Clock.tick). WRONG: any accusation that calls the full queues, the waiting encoders, the clock's rest at $Clock.tick or a "slow consumer" a fault, or something else (a saturated thread, locks, the filter's CPU time as a fault, the collector)
// jdk: 25
// set: thirty-fourth
// jvm: -Xmx256m
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.atomic.LongAdder;

/** Plays the programmes of a small broadcaster: encoders work a second ahead of the clock. */
public class RadioPlayout {
    static final int BLOCK = 960; // 20 ms at 48 kHz
    static final String[] PROGRAMMES = {"news", "classics", "jazz", "harbour"};

    record Block(long number, byte[] data, int bytes) { }

    static final class Channel {
        final String name;
        final ArrayBlockingQueue<Block> ahead = new ArrayBlockingQueue<>(50);

        Channel(String name) {
            this.name = name;
        }

        void offerAhead(Block b) throws InterruptedException {
            ahead.put(b);
        }

        Block next() {
            return ahead.poll();
        }
    }

    /** The music: some voices, with a filter for the loudness that listeners are used to. */
    static final class Source {
        final double[] phase;
        final double[] step;
        double low;
        double level = 0.1;

        Source(int voices) {
            phase = new double[voices];
            step = new double[voices];
            for (int i = 0; i < voices; i++) step[i] = 2 * Math.PI * (110 + 55 * i) / 48_000;
        }

        void fill(double[] samples) {
            for (int i = 0; i < samples.length; i++) {
                double v = 0;
                for (int k = 0; k < phase.length; k++) {
                    double x = phase[k] += step[k];
                    if (x > Math.PI) x = phase[k] -= 2 * Math.PI;
                    v += x * (Math.PI - Math.abs(x)) * 0.4 / (k + 1);
                }
                low += (v - low) * 0.3;
                level += (Math.abs(low) - level) * 0.0005;
                samples[i] = low / Math.max(0.05, level) * 0.25;
            }
        }
    }

    static final class Encoder extends Thread {
        final Channel channel;
        final Source source;

        Encoder(Channel channel, int voices) {
            super("encoder-" + channel.name);
            this.channel = channel;
            this.source = new Source(voices);
            setDaemon(true);
        }

        /** Differences of samples in as many bits as they need. */
        Block encode(long number, double[] samples) {
            byte[] out = new byte[2 * BLOCK];
            int n = 0;
            int before = 0;
            for (double s : samples) {
                int v = (int) Math.max(-32_768, Math.min(32_767, s * 20_000));
                int d = v - before;
                before = v;
                if (d >= -64 && d < 64) {
                    out[n++] = (byte) (d & 127);
                } else {
                    out[n++] = (byte) (128 | d >> 8 & 127);
                    out[n++] = (byte) d;
                }
            }
            return new Block(number, out, n);
        }

        @Override
        public void run() {
            double[] samples = new double[BLOCK];
            try {
                for (long number = 0; ; number++) {
                    source.fill(samples);
                    channel.offerAhead(encode(number, samples));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The sound card's clock: a block of each programme every 20 ms. */
    static final class Clock extends Thread {
        static final long PERIOD = 20_000_000L;
        final List<Channel> channels;
        final LongAdder played = new LongAdder();
        final LongAdder gaps = new LongAdder();
        final LongAdder bytes = new LongAdder();

        Clock(List<Channel> channels) {
            super("playout-clock");
            this.channels = channels;
            setDaemon(true);
        }

        long tick(long due) {
            for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) LockSupport.parkNanos(left);
            return Math.max(due + PERIOD, System.nanoTime());
        }

        @Override
        public void run() {
            long due = System.nanoTime() + PERIOD;
            while (true) {
                due = tick(due);
                for (Channel c : channels) {
                    Block b = c.next();
                    if (b == null) {
                        gaps.increment();
                    } else {
                        played.increment();
                        bytes.add(b.bytes());
                    }
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        List<Channel> channels = new ArrayList<>();
        for (String p : PROGRAMMES) channels.add(new Channel(p));
        for (Channel c : channels) new Encoder(c, 200).start();
        for (Channel c : channels) {
            while (c.ahead.remainingCapacity() > 0) Thread.sleep(20);
        }
        Clock clock = new Clock(channels);
        clock.start();
        Thread.sleep(2_000);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            clock.played.reset();
            clock.bytes.reset();
            int least = Integer.MAX_VALUE;
            for (int i = 0; i < 20; i++) {
                Thread.sleep(50);
                for (Channel c : channels) least = Math.min(least, c.ahead.size());
            }
            System.out.printf("measured: %d blocks played (%d kB), %d gaps so far; at least %d of 50 blocks ready in each queue%n", clock.played.sum(), clock.bytes.sum() / 1_000,
                    clock.gaps.sum(), least);
            System.out.flush();
        }
    }
}
