// SPDX-License-Identifier: Apache-2.0
// cause: ReadingJournal.roll opens the journal as a DataOutputStream straight on a FileOutputStream with no buffer, so ReadingJournal.append makes a write system call for every single field
// share: 82000 to 94000 readings/s, fixed 817000 readings/s; about 90 % of the collector thread's time
// judge: NAMED only if the finding says that ReadingJournal (append/roll) writes unbuffered: many tiny file writes / a system call for each field / missing BufferedOutputStream. Only "time in FileOutputStream.writeBytes", "disk slow", "high system CPU" without the tiny unbuffered writes is a symptom. Blaming disk hardware, fsync, the GC, the substation thread's queue wait or a lock is wrong.
// expect: hot-code kind=field-by-field frame=ReadingJournal.append
// symptom: saturated-thread hot-calls
// jdk: 17
// set: seventeenth
import java.io.*;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class MeterReadings {
    static final boolean OPT = Boolean.getBoolean("fixed");
    static final LongAdder stored = new LongAdder();
    static final LongAdder odd = new LongAdder();

    record Reading(int meter, long at, int dayTariff, int nightTariff, short volts, byte quality) { }

    /** Journal of readings; a new file after some megabytes, only two are kept. */
    static final class ReadingJournal implements Closeable {
        static final int LIMIT = 4 << 20;
        private final Path dir;
        private final Deque<Path> files = new ArrayDeque<>();
        private DataOutputStream out;
        private int number;

        ReadingJournal(Path dir) throws IOException {
            this.dir = dir;
            roll();
        }

        private void roll() throws IOException {
            if (out != null) {
                out.close();
            }
            Path p = dir.resolve("readings-" + number++ + ".bin");
            p.toFile().deleteOnExit();
            files.addLast(p);
            while (files.size() > 2) {
                Files.deleteIfExists(files.removeFirst());
            }
            OutputStream file = new FileOutputStream(p.toFile());
            out = new DataOutputStream(OPT ? new BufferedOutputStream(file, 1 << 16) : file);
        }

        void append(Reading r) throws IOException {
            out.writeInt(r.meter());
            out.writeLong(r.at());
            out.writeInt(r.dayTariff());
            out.writeInt(r.nightTariff());
            out.writeShort(r.volts());
            out.writeByte(r.quality());
            out.writeInt(r.hashCode());
            if (out.size() > LIMIT) {
                roll();
            }
        }

        @Override
        public void close() throws IOException {
            out.close();
        }
    }

    /** Compares a reading with the last one of the same meter. */
    static final class Plausibility {
        private final Map<Integer, Reading> last = new HashMap<>();

        boolean check(Reading r) {
            Reading b = last.put(r.meter(), r);
            return b == null || r.dayTariff() >= b.dayTariff() && r.volts() > 205 && r.volts() < 253;
        }
    }

    static final class Collector implements Runnable {
        final BlockingQueue<List<Reading>> in;
        final ReadingJournal journal;
        final Plausibility rules = new Plausibility();

        Collector(BlockingQueue<List<Reading>> in, ReadingJournal journal) {
            this.in = in;
            this.journal = journal;
        }

        public void run() {
            try {
                while (true) {
                    for (Reading r : in.take()) {
                        if (!rules.check(r)) {
                            odd.increment();
                        }
                        journal.append(r);
                        stored.increment();
                    }
                }
            } catch (IOException | InterruptedException e) {
                System.err.println("collector stopped " + e);
            }
        }
    }

    static final class Substation implements Runnable {
        final BlockingQueue<List<Reading>> to;
        final Random r = new Random(11);
        final int[] counters = new int[20_000];

        Substation(BlockingQueue<List<Reading>> to) {
            this.to = to;
        }

        public void run() {
            try {
                int meter = 0;
                while (true) {
                    List<Reading> batch = new ArrayList<>(1000);
                    for (int i = 0; i < 1000; i++) {
                        meter = (meter + 1) % counters.length;
                        counters[meter] += r.nextInt(5);
                        int c = counters[meter];
                        batch.add(new Reading(meter, System.currentTimeMillis(), c, c / 3,
                            (short) (204 + r.nextInt(50)), (byte) r.nextInt(4)));
                    }
                    to.put(batch);
                    Thread.sleep(1);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Path dir = Files.createTempDirectory("meters");
        dir.toFile().deleteOnExit();
        BlockingQueue<List<Reading>> queue = new ArrayBlockingQueue<>(8);
        ReadingJournal journal = new ReadingJournal(dir);
        Thread c = new Thread(new Collector(queue, journal), "collector");
        Thread s = new Thread(new Substation(queue), "substation");
        c.setDaemon(true);
        s.setDaemon(true);
        c.start();
        s.start();
        System.out.println("READY");
        for (int i = 0; i < 140; i++) {
            Thread.sleep(1000);
            System.out.printf("measured: %d readings/s, %d implausible%n", stored.sumThenReset(), odd.sumThenReset());
        }
    }
}
