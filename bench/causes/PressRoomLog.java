// SPDX-License-Identifier: Apache-2.0
// cause: PressRoomLog$RunJournal.entry writes each reading of a sheet by a write of its own (FileChannel.write) to a file opened with SYNC (in RunJournal.open), so each of the presses' threads waits for the disk six times a sheet (Press.logSheet)
// share: 94 to 98 % of the 4 presses' time is in the writes, 6 a sheet, 0.26 to 0.4 ms each (kernel's figures on a crowded machine: asleep in the write 0.44, on a CPU 0.15, ready without a CPU 0.42 of the time; most is asleep where there are CPUs)
// expect: waiting frame=PressRoomLog$RunJournal.entry | disk-wait frame=PressRoomLog$RunJournal.entry
// symptom: disk-wait hot-calls
// judge: (on a crowded machine a lack of CPUs in front of it is true and no matter) NAMED: waiting for writes to a file (file-write; also if called synchronous writes, data to reach the disk, or fsync-like) at PressRoomLog$RunJournal.entry (or its caller Press.logSheet); disk wait with that place is also NAMED. SYMPTOM ONLY: disk wait or io pressure without the place; CPU time in what entry calls (hot-calls, write). WRONG: locks, queues, pools, collections, CPU shortage, computing in Densitometer.measure, or nothing stands out.
// jdk: 25
// set: thirty-first
// jvm: -Xmx256m

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;

/** Quality log of a printing house: each press records density and register of every sheet it checks. */
public class PressRoomLog {
    static final String[] PRESSES = {"Rapida", "Speedmaster", "Komori", "Ryobi"};

    static final LongAdder sheets = new LongAdder();
    static final LongAdder writes = new LongAdder();
    static final LongAdder writeNanos = new LongAdder();

    record Reading(String zone, double cyan, double magenta, double yellow, double black) {
        boolean within(double tolerance) {
            return Math.abs(cyan - 1.45) < tolerance && Math.abs(magenta - 1.5) < tolerance
                && Math.abs(yellow - 1.35) < tolerance && Math.abs(black - 1.75) < tolerance;
        }
    }

    /** The journal of one press; begins anew when the shift's space is used up. */
    static final class RunJournal implements AutoCloseable {
        private static final long SPACE = 4 << 20;
        private final FileChannel channel;
        private long written;

        private RunJournal(FileChannel channel) {
            this.channel = channel;
        }

        static RunJournal open(String press) throws IOException {
            Path file = Files.createTempFile("journal-" + press, ".log");
            file.toFile().deleteOnExit();
            FileChannel channel = FileChannel.open(file, StandardOpenOption.APPEND, StandardOpenOption.SYNC);
            Files.deleteIfExists(file);
            return new RunJournal(channel);
        }

        void entry(String text) throws IOException {
            ByteBuffer line = ByteBuffer.wrap((text + '\n').getBytes(StandardCharsets.UTF_8));
            long before = System.nanoTime();
            while (line.hasRemaining()) written += channel.write(line);
            writeNanos.add(System.nanoTime() - before);
            writes.increment();
            if (written >= SPACE) {
                channel.truncate(0);
                written = 0;
            }
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    /** Measures the colour bar of a sheet. */
    static final class Densitometer {
        private final SplittableRandom random;

        Densitometer(long seed) {
            random = new SplittableRandom(seed);
        }

        private double patch(double target) {
            double sum = 0;
            for (int i = 0; i < 60; i++) sum += Math.log10(1 / (Math.pow(10, -target) * (0.97 + 0.06 * random.nextDouble())));
            return sum / 60;
        }

        Reading measure(String zone) {
            return new Reading(zone, patch(1.45), patch(1.5), patch(1.35), patch(1.75));
        }
    }

    static final class Press implements Runnable {
        private static final String[] ZONES = {"gripper-left", "gripper-right", "tail-left", "tail-right"};
        private final String name;
        private final Densitometer densitometer;
        private int sheet;

        Press(String name, long seed) {
            this.name = name;
            this.densitometer = new Densitometer(seed);
        }

        private void logSheet(RunJournal journal) throws IOException {
            sheet++;
            int good = 0;
            journal.entry(name + " sheet " + sheet);
            for (String zone : ZONES) {
                Reading reading = densitometer.measure(zone);
                if (reading.within(0.05)) good++;
                journal.entry(zone + ' ' + reading.cyan() + ' ' + reading.magenta() + ' ' + reading.yellow() + ' ' + reading.black());
            }
            journal.entry(good == ZONES.length ? "released" : "held");
            sheets.increment();
        }

        @Override
        public void run() {
            try (RunJournal journal = RunJournal.open(name)) {
                while (true) logSheet(journal);
            } catch (IOException e) {
                System.out.println(name + " stops: " + e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < PRESSES.length; i++) Thread.ofPlatform().name("press-" + PRESSES[i]).start(new Press(PRESSES[i], i));
        while (sheets.sum() < 60) Thread.sleep(50);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long s = sheets.sum(), w = writes.sum(), n = writeNanos.sum(), began = System.nanoTime();
            Thread.sleep(1000);
            double seconds = (System.nanoTime() - began) / 1e9;
            long dw = Math.max(1, writes.sum() - w);
            System.out.printf("measured: %.0f sheets/s, %.0f writes/s, %.2f ms each; %.0f %% of the %d presses' time in writes%n",
                (sheets.sum() - s) / seconds, dw / seconds, (writeNanos.sum() - n) / 1e6 / dw,
                (writeNanos.sum() - n) / 1e7 / seconds / PRESSES.length, PRESSES.length);
        }
    }
}
