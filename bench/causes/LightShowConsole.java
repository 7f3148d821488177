// SPDX-License-Identifier: Apache-2.0
// healthy: nearly all collections are asked for by System.gc() in Player.pause, but only in the dark break between two scenes, when nothing is due: each takes a few milliseconds of 1.6 s in a small heap, so that no frame of a scene comes after it is due.
// share: measured 71 to 100 frames/s (100 in a scene), the worst frame 4.9 ms after it was due (limit 10 ms), 0 late in 10 s.
// judge: WRONG: explicit collections as a cause of slowness, pauses of collections, the parks of Player.rest as a fault, a busy wait. ACCEPTABLE: nothing stands out, a neutral remark that collections are asked for by System.gc() and cost next to nothing.
// jdk: 8
// set: twenty-ninth
// jvm:

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/** Runs the light shows of a planetarium: scenes of frames at a fixed rate, and a dark break between two scenes. */
public class LightShowConsole {
    static final int FRAME_MICROS = 10_000;
    static final int FRAMES = 130;
    static final int BREAK_MILLIS = 300;
    static final int LAMPS = 512;
    static final long SPAN = Long.getLong("span", 170);
    static volatile long frames;
    static volatile long lateFrames;
    static volatile long worstMicros;
    static volatile long scenes;

    /** A change of one lamp in a frame. */
    static final class Cue {
        final int lamp;
        final int frame;
        final int level;

        Cue(int lamp, int frame, int level) {
            this.lamp = lamp;
            this.frame = frame;
            this.level = level;
        }
    }

    /** A scene, ready to be played. */
    static final class Scene {
        final String title;
        final Map<Integer, List<Cue>> cues = new HashMap<>();

        Scene(String title) {
            this.title = title;
        }

        void add(Cue cue) {
            cues.computeIfAbsent(cue.frame, f -> new ArrayList<>()).add(cue);
        }
    }

    /** Makes scenes of the composer's notes. */
    static final class Composer {
        private final Random random = new Random(9);
        private int number;

        Scene next() {
            Scene scene = new Scene("scene " + ++number);
            for (int i = 0; i < 6_000; i++) {
                int lamp = random.nextInt(LAMPS);
                int frame = random.nextInt(FRAMES);
                scene.add(new Cue(lamp, frame, random.nextInt(256)));
            }
            return scene;
        }
    }

    /** The lamps' present levels, faded towards what was asked for. */
    static final class Dimmer {
        private final int[] wanted = new int[LAMPS];
        private final double[] level = new double[LAMPS];
        private long sent;

        void apply(List<Cue> cues) {
            for (Cue c : cues) {
                wanted[c.lamp] = c.level;
            }
        }

        int fade() {
            int changed = 0;
            for (int i = 0; i < LAMPS; i++) {
                double next = level[i] + (wanted[i] - level[i]) * 0.15;
                if ((int) next != (int) level[i]) {
                    changed++;
                }
                level[i] = next;
            }
            sent += changed;
            return changed;
        }

        void dark() {
            for (int i = 0; i < LAMPS; i++) {
                wanted[i] = 0;
                level[i] = 0;
            }
        }
    }

    /** Plays scenes, each frame when it is due. */
    static final class Player extends Thread {
        private final Composer composer = new Composer();
        private final Dimmer dimmer = new Dimmer();

        Player() {
            super("show-player");
            setDaemon(true);
        }

        @Override
        public void run() {
            while (true) {
                pause();
                Scene scene = composer.next();
                play(scene);
                scenes++;
            }
        }

        private void pause() {
            long until = System.nanoTime() + BREAK_MILLIS * 1_000_000L;
            dimmer.dark();
            System.gc();
            rest(until);
        }

        private void play(Scene scene) {
            long start = System.nanoTime();
            List<Cue> none = new ArrayList<>();
            for (int f = 0; f < FRAMES; f++) {
                long due = start + f * FRAME_MICROS * 1_000L;
                rest(due);
                dimmer.apply(scene.cues.getOrDefault(f, none));
                dimmer.fade();
                long micros = (System.nanoTime() - due) / 1_000;
                if (micros > FRAME_MICROS) {
                    lateFrames++;
                }
                worstMicros = Math.max(worstMicros, micros);
                frames++;
            }
        }

        private void rest(long until) {
            long left;
            while ((left = until - System.nanoTime()) > 0) {
                LockSupport.parkNanos(left);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        new Player().start();
        System.out.println("READY");
        long end = System.nanoTime() + SPAN * 1_000_000_000L;
        long lastFrames = 0;
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long f = frames;
            long worst = worstMicros;
            worstMicros = 0;
            System.out.printf("measured: %d frames/s, worst frame %.1f ms after it was due, %d late, %d scenes%n", f - lastFrames, worst / 1e3,
                    lateFrames, scenes);
            lastFrames = f;
        }
        System.exit(0);
    }
}
