// SPDX-License-Identifier: Apache-2.0
// healthy: a keeper has a process for each of three cameras and a thread that waits for its end (Process.waitFor) to start the next sequence; that is all those threads are for, a sequence takes 25 s by plan, and the frames that come until then by its pipe are worked up at once
// share: nothing: 118 frames/s, each worked up within 1 to 1.5 ms, no sequence broken off, 0.1 CPUs (without the cameras' processes)
// judge: RIGHT: nothing stands out, "it did next to nothing", or only neutral words on where time goes (waiting for a process at ObservatoryKeeper$Camera.keep as no fault, reads of pipes in Camera.follow, computing in Frame.background). WRONG: an accusation of waiting for processes (a library in place of processes, one process for many requests), of starting processes too often, of reads of pipes or files, stuck threads, locks, hot code as a fault. Words on a crowded machine are RIGHT if it is crowded.
// jdk: 17
// set: thirty-first
// jvm: -Xmx256m

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Keeps the cameras of an observatory at work: one process for each, as their drivers demand. */
public class ObservatoryKeeper {
    static final List<String> CAMERAS = List.of("north", "zenith", "south");
    static final int PIXELS = 1500;

    static final LongAdder frames = new LongAdder();
    static final LongAdder workNanos = new LongAdder();
    static final LongAdder delayMillis = new LongAdder();
    static final LongAdder sequences = new LongAdder();
    static final LongAdder broken = new LongAdder();

    /** What the camera's process does: takes frames until its sequence is over, or its keeper has gone. */
    static final class Driver {
        static void sequence(String camera, int exposures) throws InterruptedException {
            Thread tether = new Thread(() -> {
                try {
                    while (System.in.read() >= 0) Thread.onSpinWait();
                } catch (IOException e) {
                    System.err.println(camera + ": " + e);
                }
                Runtime.getRuntime().halt(0);
            });
            tether.setDaemon(true);
            tether.start();
            Random random = new Random(camera.hashCode());
            PrintStream out = new PrintStream(System.out, false, StandardCharsets.US_ASCII);
            char[] row = new char[PIXELS];
            for (int i = 0; i < exposures; i++) {
                Thread.sleep(25);
                for (int p = 0; p < PIXELS; p++) row[p] = (char) ('0' + (random.nextInt(60) == 0 ? 40 + random.nextInt(30) : random.nextInt(12)));
                out.println(System.currentTimeMillis() + " " + new String(row));
                out.flush();
            }
        }
    }

    /** One frame: a row of pixels. */
    static final class Frame {
        final long taken;
        private final int[] light;

        private Frame(long taken, int[] light) {
            this.taken = taken;
            this.light = light;
        }

        static Frame parse(String line) {
            int space = line.indexOf(' ');
            return new Frame(Long.parseLong(line.substring(0, space)), line.substring(space + 1).chars().map(c -> c - '0').toArray());
        }

        /** The sky without stars: medians along the row. */
        int[] background() {
            int[] sky = new int[light.length];
            for (int p = 0; p < sky.length; p++) {
                int[] window = Arrays.copyOfRange(light, Math.max(0, p - 15), Math.min(light.length, p + 16));
                Arrays.sort(window);
                sky[p] = window[window.length / 2];
            }
            return sky;
        }

        int stars() {
            int[] sky = background();
            int stars = 0;
            for (int p = 0; p < sky.length; p++) if (light[p] > sky[p] + 20) stars++;
            return stars;
        }
    }

    static final class Camera {
        private final String name;
        private final Map<String, Integer> log;
        private boolean first = true;
        private volatile Process running;
        private volatile long heard = System.nanoTime();

        Camera(String name, Map<String, Integer> log) {
            this.name = name;
            this.log = log;
        }

        private Process start(int exposures) throws IOException {
            String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
            return new ProcessBuilder(java, "-Xmx32m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-cp",
                System.getProperty("java.class.path"), ObservatoryKeeper.class.getName(), name, Integer.toString(exposures))
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        }

        private void follow(BufferedReader lines) {
            try {
                String line;
                while ((line = lines.readLine()) != null) {
                    long before = System.nanoTime();
                    Frame frame = Frame.parse(line);
                    log.merge(name, frame.stars(), Integer::sum);
                    workNanos.add(System.nanoTime() - before);
                    delayMillis.add(System.currentTimeMillis() - frame.taken);
                    heard = System.nanoTime();
                    frames.increment();
                }
            } catch (IOException e) {
                System.out.println(name + ": " + e);
            }
        }

        /** Ends a driver that has sent nothing for long, so that it is started anew. */
        void check() {
            Process process = running;
            if (process != null && System.nanoTime() - heard > 30_000_000_000L) {
                System.out.println(name + ": no frames for 30 s");
                heard = System.nanoTime();
                process.destroyForcibly();
            }
        }

        /** Sequence after sequence; the cameras' first ones differ in length, so that they do not change all at once. */
        void keep() {
            try {
                while (true) {
                    int exposures = first ? 600 + 320 * CAMERAS.indexOf(name) : 1000;
                    first = false;
                    Process process = start(exposures);
                    heard = System.nanoTime();
                    running = process;
                    Thread reader = new Thread(() -> follow(process.inputReader(StandardCharsets.US_ASCII)), "frames-" + name);
                    reader.start();
                    if (process.waitFor() != 0) {
                        broken.increment();
                        Thread.sleep(3000);
                    }
                    sequences.increment();
                }
            } catch (IOException | InterruptedException e) {
                System.out.println(name + " is not kept: " + e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        if (args.length == 2) {
            Driver.sequence(args[0], Integer.parseInt(args[1]));
            return;
        }
        Map<String, Integer> log = new ConcurrentHashMap<>();
        List<Camera> cameras = CAMERAS.stream().map(name -> new Camera(name, log)).toList();
        for (Camera camera : cameras) {
            new Thread(camera::keep, "keeper-" + camera.name).start();
        }
        while (frames.sum() < 150) Thread.sleep(50);
        System.out.println("READY");
        System.out.flush();
        var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        while (true) {
            long n = frames.sum(), w = workNanos.sum(), d = delayMillis.sum(), cpu = system.getProcessCpuTime(), began = System.nanoTime();
            Thread.sleep(1000);
            cameras.forEach(Camera::check);
            double seconds = (System.nanoTime() - began) / 1e9;
            long dn = Math.max(1, frames.sum() - n);
            System.out.printf("measured: %.0f frames/s, each worked up %.1f ms after it was taken (%.2f ms of work); %d sequences done, %d broken off; %.2f CPUs%n",
                dn / seconds, (double) (delayMillis.sum() - d) / dn, (workNanos.sum() - w) / 1e6 / dn, sequences.sum(), broken.sum(),
                (system.getProcessCpuTime() - cpu) / 1e9 / seconds);
        }
    }
}
