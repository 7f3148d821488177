// SPDX-License-Identifier: Apache-2.0
// healthy: Three threads read lines from the pipes of three gauge programs and append each to a day file at once; such a program says something once in 0.4 s, when it has measured, and nobody waits for it; a bulletin is computed each half second from the day files, which are read in large blocks and are in memory anyway
// share: @SHARE@
// judge: NAMED (right): nothing stands out, or only neutral statements (time goes to computing in WeirGauges$Bulletin; threads wait for what gauges send). SYMPTOM ONLY: that gauge threads wait for data of a pipe (WeirGauges$GaugeLine.record), as a note that does not call it a fault; file reading or the parsing of lines as what CPU time goes to. WRONG: an accusation of waiting for files, disks, pipes, processes or answers (file-read, process, pipe) at WeirGauges$GaugeLine.record, or of anything else
// jdk: 25
// set: thirty-fifth
// jvm: -Xmx256m
import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Records the levels at the weirs of a river, and computes the bulletin for the lock keepers. */
public class WeirGauges {
    static final LongAdder lines = new LongAdder();
    static final LongAdder handlingNanos = new LongAdder();
    static final AtomicLong lastBulletin = new AtomicLong();
    static volatile String bulletin = "";

    /** The line to one gauge: a program that prints a level in millimetres whenever it has measured. */
    static final class GaugeLine implements Runnable {
        private final Path dayFile;
        private final int base;

        GaugeLine(Path dayFile, int base) {
            this.dayFile = dayFile;
            this.base = base;
        }

        private Process connect() throws IOException {
            String script = "n=0; while sleep 0.4; do n=$(((n + 7) % 40)); echo $((" + base + " + n)) || exit; done";
            return new ProcessBuilder("/bin/sh", "-c", script).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        }

        @Override
        public void run() {
            for (;;) {
                try {
                    Process gauge = connect();
                    gauge.getOutputStream().close();
                    try (BufferedReader in = new BufferedReader(new InputStreamReader(gauge.getInputStream(), StandardCharsets.US_ASCII));
                            OutputStream out = new FileOutputStream(dayFile.toFile(), true)) {
                        record(in, out);
                    }
                    Thread.sleep(1000);
                } catch (IOException e) {
                    System.out.println("gauge: " + e);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }

        private void record(BufferedReader in, OutputStream out) throws IOException {
            for (String line; (line = in.readLine()) != null; ) {
                long begin = System.nanoTime();
                int level = Integer.parseInt(line.trim());
                if (level > 0 && level < 20_000) {
                    out.write((level + "\n").getBytes(StandardCharsets.US_ASCII));
                }
                lines.increment();
                handlingNanos.add(System.nanoTime() - begin);
            }
        }
    }

    /** Level, trend and spread at each weir, from the levels of the day. */
    static final class Bulletin implements Runnable {
        private final List<Path> dayFiles;
        private final ByteBuffer block = ByteBuffer.allocateDirect(256 * 1024);

        Bulletin(List<Path> dayFiles) {
            this.dayFiles = dayFiles;
        }

        private int[] levels(Path file) throws IOException {
            int[] levels = new int[1 << 16];
            int count = 0;
            int value = 0;
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
                block.clear();
                while (channel.read(block) >= 0) {
                    block.flip();
                    while (block.hasRemaining()) {
                        byte b = block.get();
                        if (b == '\n') {
                            if (count == levels.length) {
                                levels = java.util.Arrays.copyOf(levels, 2 * count);
                            }
                            levels[count++] = value;
                            value = 0;
                        } else {
                            value = value * 10 + b - '0';
                        }
                    }
                    block.clear();
                }
            }
            return java.util.Arrays.copyOf(levels, count);
        }

        private static double trend(int[] levels, int window) {
            double x = 0;
            double y = 0;
            double xx = 0;
            double xy = 0;
            int from = Math.max(0, levels.length - window);
            int n = levels.length - from;
            for (int i = from; i < levels.length; i++) {
                x += i - from;
                y += levels[i];
                xx += (double) (i - from) * (i - from);
                xy += (double) (i - from) * levels[i];
            }
            return n < 2 ? 0 : (n * xy - x * y) / (n * xx - x * x);
        }

        /** The levels without waves: the median of each and its neighbours. */
        private static double smooth(int[] levels) {
            int[] window = new int[9];
            double sum = 0;
            for (int i = window.length; i < levels.length; i++) {
                for (int k = 0; k < window.length; k++) {
                    int value = levels[i - k];
                    int at = k;
                    while (at > 0 && window[at - 1] > value) {
                        window[at] = window[at - 1];
                        at--;
                    }
                    window[at] = value;
                }
                sum += window[window.length / 2];
            }
            return sum / Math.max(1, levels.length - window.length);
        }

        @Override
        public void run() {
            long begin = System.nanoTime();
            StringBuilder text = new StringBuilder();
            try {
                for (int weir = 0; weir < dayFiles.size(); weir++) {
                    int[] levels = levels(dayFiles.get(weir));
                    text.append("weir ").append(weir).append(": ").append(levels[levels.length - 1]).append(" mm, mean ")
                            .append(Math.round(smooth(levels))).append(", trend ").append(Math.round(1000 * trend(levels, 5000))).append("; ");
                }
                bulletin = text.toString();
            } catch (IOException | RuntimeException e) {
                System.out.println("bulletin: " + e);
            }
            lastBulletin.set(System.nanoTime() - begin);
        }
    }

    private static Path dayFile(Path folder, int weir, int base) throws IOException {
        Path file = folder.resolve("weir-" + weir + ".txt");
        Random random = new Random(weir);
        StringBuilder day = new StringBuilder();
        for (int i = 0; i < 200_000; i++) {
            day.append(base + random.nextInt(60)).append('\n');
        }
        Files.writeString(file, day);
        file.toFile().deleteOnExit();
        return file;
    }

    public static void main(String[] args) throws Exception {
        Path folder = Files.createTempDirectory("weirs");
        folder.toFile().deleteOnExit();
        List<Path> files = new ArrayList<>();
        for (int weir = 0; weir < 3; weir++) {
            files.add(dayFile(folder, weir, 1500 + 400 * weir));
            Thread.ofPlatform().daemon().name("gauge-" + weir).start(new GaugeLine(files.get(weir), 1500 + 400 * weir));
        }
        ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("bulletin").factory());
        clock.scheduleWithFixedDelay(new Bulletin(files), 100, 500, TimeUnit.MILLISECONDS);
        for (int second = 0; ; second++) {
            Thread.sleep(1000);
            long n = lines.sumThenReset();
            System.out.printf(Locale.ROOT, "measured: %d lines recorded, %.3f ms each after they came; the last bulletin took %.0f ms: %s%n",
                    n, handlingNanos.sumThenReset() / 1e6 / Math.max(1, n), lastBulletin.get() / 1e6, bulletin);
            if (second == 4) {
                System.out.println("READY");
            }
            System.out.flush();
        }
    }
}
