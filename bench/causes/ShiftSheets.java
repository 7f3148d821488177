// SPDX-License-Identifier: Apache-2.0
// cause: process: ShiftSheets$Sheet.sorted starts an external sort, and ShiftSheets$Sheet.seal an external cksum, both by ShiftSheets$Tool.run, for every sheet of some hundred lines, and waits for its end (Process.waitFor); each is done within a millisecond by a library call
// share: some 85 % of the working time of the three desk threads is starting such a process and waiting for its end, 1.5 to 3 ms for each, more on a slow machine (0.5 to 0.9 threads on average)
// expect: waiting kind=process frame=ShiftSheets$ | hot-code kind=processes frame=ShiftSheets$
// symptom: waiting hot-calls hot-code
// judge: NAMED: waiting for a process at ShiftSheets$Tool.run (or its callers Sheet.sorted, Sheet.seal, Desk.run); hot-code of starting processes for Tool.run. SYMPTOM ONLY: hot-calls below Tool.run (fork, clone, exec) without a word on processes, waiting for a pipe or a file at Tool.run, CPUs used by other processes (sort, cksum, its own children). WRONG: the pause in Desk.run, Sheet.write or Sheet.total (files and sums of the program itself), locks, collections, nothing stands out.
// jdk: 8
// set: thirty-sixth
// jvm: -Xmx256m
import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;

/** Payroll intake of a hospital group: puts the wards' shift sheets in order, adds them up and seals them. */
public class ShiftSheets {
    /** A tool of the system, as the scripts had used that this program replaces. */
    static final class Tool {
        private final List<String> command;

        Tool(String... command) {
            this.command = Arrays.asList(command);
        }

        void run(File input, File output) throws IOException, InterruptedException {
            long begin = System.nanoTime();
            ProcessBuilder builder = new ProcessBuilder(new ArrayList<>(command));
            builder.environment().put("LC_ALL", "C");
            Process process = builder.redirectInput(input).redirectOutput(output)
                    .redirectError(ProcessBuilder.Redirect.INHERIT).start();
            int status = process.waitFor();
            tools.add(System.nanoTime() - begin);
            runs.increment();
            if (status != 0) {
                throw new IOException(command + " ended with " + status);
            }
        }
    }

    static final class Sheet {
        private static final Tool SORT = new Tool("sort", "-t", ";", "-k", "2,2n", "-k", "1,1");
        private static final Tool CKSUM = new Tool("cksum");
        private final File raw;
        private final File ordered;
        private final File sealed;

        Sheet(File raw, File ordered, File sealed) {
            this.raw = raw;
            this.ordered = ordered;
            this.sealed = sealed;
        }

        static Sheet in(String desk) throws IOException {
            File[] files = new File[3];
            for (int i = 0; i < files.length; i++) {
                files[i] = File.createTempFile("shift-" + desk + "-", ".csv");
                files[i].deleteOnExit();
            }
            return new Sheet(files[0], files[1], files[2]);
        }

        void write(int ward, SplittableRandom random) throws IOException {
            Path path = raw.toPath();
            try (BufferedWriter out = Files.newBufferedWriter(path, StandardCharsets.US_ASCII)) {
                int lines = 300 + random.nextInt(300);
                for (int i = 0; i < lines; i++) {
                    out.write("W" + ward + "-" + random.nextInt(60) + ";" + (1 + random.nextInt(31)) + ";"
                            + (6 + random.nextInt(3) * 8) + ";" + (240 + random.nextInt(300)));
                    out.newLine();
                }
            }
        }

        List<String> sorted() throws IOException, InterruptedException {
            SORT.run(raw, ordered);
            return Files.readAllLines(ordered.toPath(), StandardCharsets.US_ASCII);
        }

        long total(List<String> lines) {
            long minutes = 0;
            for (String line : lines) {
                String[] fields = line.split(";");
                int from = Integer.parseInt(fields[2]);
                int worked = Integer.parseInt(fields[3]);
                minutes += from >= 22 ? worked * 5L / 4 : worked;
            }
            return minutes;
        }

        String seal() throws IOException, InterruptedException {
            CKSUM.run(ordered, sealed);
            return Files.readAllLines(sealed.toPath(), StandardCharsets.US_ASCII).get(0);
        }
    }

    static final class Desk implements Runnable {
        private final int number;
        private final SplittableRandom random;

        Desk(int number) {
            this.number = number;
            random = new SplittableRandom(number);
        }

        @Override
        public void run() {
            Sheet sheet = null;
            while (!Thread.currentThread().isInterrupted()) {
                try {
                    if (sheet == null) {
                        sheet = Sheet.in("desk" + number);
                    }
                    long begin = System.nanoTime();
                    sheet.write(100 * number + random.nextInt(40), random);
                    minutes.add(sheet.total(sheet.sorted()));
                    seals.add(sheet.seal().hashCode());
                    worked.add(System.nanoTime() - begin);
                    sheets.increment();
                    Thread.sleep(15);
                } catch (IOException e) {
                    System.err.println("desk " + number + ": " + e);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    static final LongAdder tools = new LongAdder();
    static final LongAdder runs = new LongAdder();
    static final LongAdder worked = new LongAdder();
    static final LongAdder sheets = new LongAdder();
    static final LongAdder minutes = new LongAdder();
    static final LongAdder seals = new LongAdder();

    public static void main(String[] args) throws Exception {
        for (int i = 1; i <= 3; i++) {
            Thread thread = new Thread(new Desk(i), "desk-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        Thread.sleep(3000);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long n = sheets.sum(), r = runs.sum(), in = tools.sum(), w = worked.sum(), t = System.nanoTime();
            Thread.sleep(1000);
            double s = (System.nanoTime() - t) / 1e9;
            double work = Math.max(1, worked.sum() - w);
            System.out.printf("measured: %.0f sheets/s, %.0f processes/s, %.1f ms each, desks work %.2f threads, %.0f %% of that for processes%n",
                    (sheets.sum() - n) / s, (runs.sum() - r) / s, (tools.sum() - in) / 1e6 / Math.max(1, runs.sum() - r),
                    work / 1e9 / s, 100 * Math.min(1, (tools.sum() - in) / work));
        }
    }
}
