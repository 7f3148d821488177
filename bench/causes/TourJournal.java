// SPDX-License-Identifier: Apache-2.0
// cause: TourJournal.Journal.note opens the tour file, appends one line and closes it again for every stop event (open/write/close system calls per line)
// share: with the fault 99282 stop events/s, with -Dfixed=true 4777962 stop events/s: 48.1 times (median of short runs at nice 19 on a 2-core machine under heavy foreign load, so absolute figures are low)
// expect: hot-code kind=opening-files
// symptom: hot-calls | hot-code | hot-method | waiting
// judge: NAMED: the journal file is opened and closed for each line in Journal.note (keep it open / buffer); SYMPTOM ONLY: file writes are many/small, or time in native open/write/close, or I/O wait, without the reopening; WRONG: disk too slow, string building, GC, locks between drivers
// jdk: 11
// set: twenty-eighth
// jvm: -Xmx64m -XX:+UseSerialGC
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.LongAdder;

public class TourJournal {
    static final boolean ALT = Boolean.getBoolean("fixed");
    static final int SPAN = Integer.getInteger("span", 170);
    static final int PART = 60_000;
    static volatile boolean open = true;
    static final LongAdder events = new LongAdder();

    static final class Journal {
        final Path file;
        private Writer writer;
        private int lines;

        Journal(Path file) {
            this.file = file;
        }

        void note(String line) throws IOException {
            if (ALT) {
                if (writer == null) {
                    writer = writer();
                }
                writer.write(line);
            } else {
                try (Writer w = writer()) {
                    w.write(line);
                }
            }
            if (++lines == PART) {
                turn();
            }
        }

        private BufferedWriter writer() throws IOException {
            return Files.newBufferedWriter(file, StandardCharsets.UTF_8,
                    StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        }

        void turn() throws IOException {
            if (writer != null) {
                writer.close();
                writer = null;
            }
            lines = 0;
            Files.deleteIfExists(file);
        }
    }

    static final class Tour extends Thread {
        final Journal journal;
        final int no;
        private long state;

        Tour(int no, Path dir) {
            super("tour-" + no);
            this.no = no;
            this.journal = new Journal(dir.resolve("tour-" + no + ".csv"));
            this.state = no * 7919L;
        }

        @Override
        public void run() {
            try {
                int stop = 0;
                double load = 0;
                while (open) {
                    state = state * 6364136223846793005L + 1442695040888963407L;
                    double lat = 47 + (state >>> 44) / 1e6;
                    double lon = 8 + (state >>> 40 & 0xfffff) / 1e6;
                    load = load * 0.97 + (state >>> 50 & 0xff);
                    StringBuilder b = new StringBuilder(96);
                    b.append(no).append(';').append(++stop).append(';');
                    b.append((int) (lat * 1e5)).append(';').append((int) (lon * 1e5)).append(';');
                    b.append((int) load).append(";DELIVERED\n");
                    journal.note(b.toString());
                    events.increment();
                }
                journal.turn();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        long start = System.nanoTime();
        Path dir = Files.createTempDirectory(Path.of("."), "tours");
        Tour[] tours = {new Tour(1, dir), new Tour(2, dir)};
        for (Tour t : tours) {
            t.start();
        }
        Thread.sleep(3000);
        System.out.println("READY");
        long end = start + SPAN * 1_000_000_000L;
        long before = events.sum();
        long at = System.nanoTime();
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long now = events.sum();
            long t = System.nanoTime();
            System.out.printf("measured: %.0f stop events/s%n", (now - before) * 1e9 / (t - at));
            before = now;
            at = t;
        }
        open = false;
        for (Tour t : tours) {
            t.join();
        }
        Files.delete(dir);
    }
}
