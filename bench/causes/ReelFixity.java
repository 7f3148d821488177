// SPDX-License-Identifier: Apache-2.0
// cause: ReelFixity$Fixity.checksum goes through a whole reel (128 MiB in one byte array) in one counted loop, which C2 compiles without a safepoint poll (Parallel collector: no loop strip mining): about 0.15 s each time, and every collection that the lookups need waits for that thread to reach the safepoint, with all other threads stopped
// share: threads are stopped 60 to 85 % of the time while a safepoint is awaited ("stopped" in the measured lines, by a thread that sleeps 1 ms at a time; the collections themselves take 1 ms each, about 1 %; on a machine without CPUs to spare all of it lasts longer)
// expect: late-safepoints
// symptom: hot-method hot-calls
// judge: NAMED: safepoints are awaited / slow to be reached (late-safepoints), with the thread fixity or ReelFixity$Fixity.checksum (or its caller Fixity.run) as the laggard. SYMPTOM ONLY: safepoints are slow without saying who; or only that CPU time is in Fixity.checksum (hot-method), neutral or not, without that others are stopped by it. WRONG: a larger heap or less allocation as the first advice (gc-pauses as the main finding), lack of CPUs, locks, too many threads, nothing stands out.
// jdk: 25
// set: thirty-sixth
// jvm: -Xmx360m -XX:+UseParallelGC

import java.util.*;
import java.util.concurrent.atomic.*;

public class ReelFixity {
    static final AtomicLong lookups = new AtomicLong(), reels = new AtomicLong(), checkNanos = new AtomicLong(), worstNanos = new AtomicLong();

    record Scene(String reel, int number, long firstFrame, int frames, String slate) { }

    /** The catalogue of the film archive. */
    static final class Catalogue {
        private final Map<String, List<Scene>> byReel = new HashMap<>();

        Catalogue(int count) {
            Random random = new Random(7);
            for (int r = 0; r < count; r++) {
                List<Scene> scenes = new ArrayList<>();
                long frame = 0;
                for (int s = 0; s < 60; s++) {
                    int frames = 100 + random.nextInt(2000);
                    scenes.add(new Scene("R" + r, s, frame, frames, "slate " + r + "/" + s));
                    frame += frames;
                }
                byReel.put("R" + r, scenes);
            }
        }

        String sheet(String reel, int fps) {
            StringBuilder out = new StringBuilder(4096);
            for (Scene s : byReel.get(reel)) {
                out.append(s.number()).append('\t').append(timecode(s.firstFrame(), fps)).append('\t')
                    .append(timecode(s.firstFrame() + s.frames(), fps)).append('\t').append(s.slate()).append('\n');
            }
            return out.toString();
        }

        static String timecode(long frame, int fps) {
            long seconds = frame / fps;
            return two(seconds / 3600) + ":" + two(seconds / 60 % 60) + ":" + two(seconds % 60) + "." + two(frame % fps);
        }

        static String two(long n) {
            return n < 10 ? "0" + n : Long.toString(n);
        }
    }

    /** Compares the checksum of each reel on the shelf with the one it was stored with. */
    static final class Fixity implements Runnable {
        private final byte[] reel = new byte[128 << 20];
        private final Map<Integer, Long> known = new HashMap<>();

        Fixity() {
            new Random(3).nextBytes(reel);
        }

        @Override public void run() {
            try {
                for (int number = 0; ; number = (number + 1) % 50) {
                    load(number);
                    long sum = checksum();
                    Long before = known.putIfAbsent(number, sum);
                    if (before != null && before != sum) System.out.println("reel " + number + " has changed");
                    reels.incrementAndGet();
                    Thread.sleep(5);
                }
            } catch (InterruptedException e) {
                System.out.println("fixity ends: " + e);
            }
        }

        void load(int number) {
            for (int i = 0; i < 4096; i++) reel[i * 4096] = (byte) (number + i);
        }

        long checksum() {
            long from = System.nanoTime();
            long sum = 0xcbf29ce484222325L;
            for (int i = 0; i < reel.length; i++) sum = (sum ^ reel[i]) * 0x100000001b3L;
            checkNanos.addAndGet(System.nanoTime() - from);
            return sum;
        }
    }

    static final class Desk implements Runnable {
        final Catalogue catalogue;
        final Random random;
        long characters;

        Desk(Catalogue catalogue, int n) {
            this.catalogue = catalogue;
            random = new Random(n);
        }

        @Override public void run() {
            while (true) {
                long from = System.nanoTime();
                for (int i = 0; i < 20; i++) characters += catalogue.sheet("R" + random.nextInt(400), 24).length();
                long took = System.nanoTime() - from;
                lookups.addAndGet(20);
                worstNanos.accumulateAndGet(took, Math::max);
                try {
                    Thread.sleep(1);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }
    }

    /** Notices when nothing ran for a while: the archive's playback needs steady timing. */
    static final class Metronome implements Runnable {
        final AtomicLong late = new AtomicLong();

        @Override public void run() {
            long last = System.nanoTime();
            while (true) {
                try {
                    Thread.sleep(1);
                } catch (InterruptedException e) {
                    return;
                }
                long now = System.nanoTime();
                if (now - last > 10_000_000L) late.addAndGet(now - last - 1_000_000L);
                last = now;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Catalogue catalogue = new Catalogue(400);
        Metronome metronome = new Metronome();
        new Thread(new Fixity(), "fixity").start();
        new Thread(metronome, "metronome").start();
        for (int i = 0; i < 3; i++) new Thread(new Desk(catalogue, i), "desk-" + i).start();
        long late = 0, done = 0, checked = 0, digests = 0;
        for (int s = 1; ; s++) {
            long from = System.nanoTime();
            Thread.sleep(1000);
            double t = System.nanoTime() - from;
            long l = metronome.late.get(), d = lookups.get(), r = reels.get(), n = checkNanos.get();
            System.out.printf("measured: stopped %.0f %% of the time (gaps beyond 10 ms), %.0f sheets/s, slowest %d ms, %d reels of %d ms each%n",
                (l - late) * 100 / t, (d - done) * 1e9 / t, worstNanos.getAndSet(0) / 1_000_000, r - checked, (n - digests) / 1_000_000 / Math.max(1, r - checked));
            late = l;
            done = d;
            checked = r;
            digests = n;
            if (s == 4) System.out.println("READY");
            System.out.flush();
        }
    }
}
