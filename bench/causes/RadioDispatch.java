// SPDX-License-Identifier: Apache-2.0
// cause: nobody closes the channels (RadioDispatch$Channel), so the Cleaner has to, and RadioDispatch$Release.run rests for 30 ms for each of them: the thread Cleaner-0 is busy all the time, gives back 33 channels a second, and 70 are opened
// share: the thread Cleaner-0 is in RadioDispatch$Release.run more than 98 % of the time: 33 channels are given back a second, 71 are opened; the number of those that are taken in vain grows by 38 a second
// expect: cleaners-behind
// symptom: waiting memory-growth
// judge: NAMED: the cleaner thread (Cleaner-0) does not keep up / is busy all the time in RadioDispatch$Release.run (which sleeps), so Channels that nobody closes pile up. SYMPTOM ONLY: Thread.sleep at RadioDispatch$Release.run without saying that it is the cleaner which everything waits for; memory or the number of channels grows. WRONG: hot code or methods (Channel.receive, Squelch.level), collections, allocation, the scheduler of the desks, waits of other threads
// jdk: 21
// set: thirty-fifth
// jvm: -Xmx96m
import java.lang.ref.Cleaner;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Connects the calls of taxi drivers with the dispatcher, each by a radio channel of its own. */
public class RadioDispatch {
    /** The base station: which channels are taken, and since when. */
    static final class BaseStation {
        private final Map<Integer, Long> taken = new ConcurrentHashMap<>();
        private final AtomicInteger next = new AtomicInteger();
        final AtomicLong released = new AtomicLong();

        int take() {
            int channel = next.incrementAndGet();
            taken.put(channel, System.nanoTime());
            return channel;
        }

        void carrierOff(int channel) {
            taken.computeIfPresent(channel, (c, since) -> since);
        }

        void free(int channel) {
            if (taken.remove(channel) != null) {
                released.incrementAndGet();
            }
        }

        int takenNow() {
            return taken.size();
        }

        int lastTaken() {
            return next.get();
        }

        double oldestSeconds() {
            long oldest = System.nanoTime();
            for (long since : taken.values()) {
                oldest = Math.min(oldest, since);
            }
            return (System.nanoTime() - oldest) / 1e9;
        }
    }

    /** Switches a channel off; the carrier has to fade before the next call may have it. */
    static final class Release implements Runnable {
        static final long FADE_MILLIS = 30;
        private final BaseStation station;
        private final int channel;

        Release(BaseStation station, int channel) {
            this.station = station;
            this.channel = channel;
        }

        @Override
        public void run() {
            station.carrierOff(channel);
            try {
                Thread.sleep(FADE_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            station.free(channel);
        }
    }

    static final class Channel implements AutoCloseable {
        private static final Cleaner CLEANER = Cleaner.create();
        private final int number;
        private final short[] voice = new short[48_000];
        private final Cleaner.Cleanable release;

        Channel(BaseStation station) {
            number = station.take();
            release = CLEANER.register(this, new Release(station, number));
        }

        void receive(Random random) {
            int tone = 40 + random.nextInt(200);
            int phase = 0;
            for (int i = 0; i < voice.length; i++) {
                phase += tone;
                voice[i] = (short) ((phase & 0x3ff) - 512 + (i * 31 & 15));
            }
        }

        short[] voice() {
            return voice;
        }

        @Override
        public void close() {
            release.clean();
        }
    }

    /** Finds out whether a call is speech, and how loud. */
    static final class Squelch {
        double level(short[] voice) {
            short[] smooth = new short[voice.length];
            for (int i = 2; i < voice.length; i++) {
                smooth[i] = (short) ((voice[i] + voice[i - 1] + voice[i - 2]) / 3);
            }
            double energy = 0;
            for (short s : smooth) {
                energy += (double) s * s;
            }
            return Math.sqrt(energy / smooth.length);
        }
    }

    static final class Desk implements Runnable {
        private final BaseStation station;
        private final Squelch squelch = new Squelch();
        private final Random random;
        private final AtomicLong heard;

        Desk(BaseStation station, int seed, AtomicLong heard) {
            this.station = station;
            this.random = new Random(seed);
            this.heard = heard;
        }

        @Override
        public void run() {
            Channel channel = new Channel(station);
            double level = 0;
            for (int block = 0; block < 6; block++) {
                channel.receive(random);
                level = Math.max(level, squelch.level(channel.voice()));
            }
            if (level > 1) {
                heard.incrementAndGet();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        BaseStation station = new BaseStation();
        AtomicLong heard = new AtomicLong();
        AtomicInteger name = new AtomicInteger();
        ScheduledExecutorService desks = Executors.newScheduledThreadPool(2, r -> new Thread(r, "desk-" + name.incrementAndGet()));
        for (int i = 0; i < 2; i++) {
            desks.scheduleAtFixedRate(new Desk(station, i, heard), i * 14, 28, TimeUnit.MILLISECONDS);
        }
        while (station.released.get() < 60) {
            Thread.sleep(100);
        }
        System.out.println("READY");
        System.out.flush();
        long released = station.released.get(), calls = heard.get();
        for (;;) {
            Thread.sleep(1000);
            long released2 = station.released.get(), calls2 = heard.get();
            System.out.printf("measured: %d calls, %d channels given back; %d are taken though their calls are over, the first one for %.1f s%n",
                calls2 - calls, released2 - released, station.takenNow(), station.oldestSeconds());
            released = released2;
            calls = calls2;
        }
    }
}
