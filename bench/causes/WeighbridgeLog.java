// SPDX-License-Identifier: Apache-2.0
// cause: DayFile.totals reads the day's file through a DataInputStream over a CheckedInputStream straight on Files.newInputStream, without a buffer, so that each int, short and long of a record is read from the file by system calls of one to eight bytes.
// share: 14 to 23 days of weighings a second (faulty); 270 to 970 a second (fixed: a BufferedInputStream below the checksum)
// expect: hot-code kind=field-by-field frame=WeighbridgeLog$DayFile.totals
// symptom: hot-calls
// judge: NAMED: reading a file field by field without a buffer in WeighbridgeLog$DayFile.totals (the checksum's stream is no buffer). SYMPTOM ONLY: time in read system calls or FileChannelImpl/ChannelInputStream without totals or without the missing buffer. WRONG: DayFile.write (it has a buffer), the CRC32, the disk is slow, making the weighings in Quarry.day, a lock, collections.
// jdk: 8
// set: thirtieth
// jvm:
import java.io.*;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.*;

/** Weighbridges of quarries: each day's weighings go to a file with a checksum, and are added up from there for the invoices. */
public class WeighbridgeLog {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int SPAN = Integer.getInteger("span", 170);
    static volatile boolean open = true;

    static final class Weighing {
        final int lorry;
        final short bridge;
        final int gross;
        final int tare;
        final long time;

        Weighing(int lorry, short bridge, int gross, int tare, long time) {
            this.lorry = lorry;
            this.bridge = bridge;
            this.gross = gross;
            this.tare = tare;
            this.time = time;
        }
    }

    static final class DayFile {
        private final Path path;

        DayFile(Path path) {
            this.path = path;
        }

        void write(List<Weighing> day) throws IOException {
            CheckedOutputStream sum = new CheckedOutputStream(new BufferedOutputStream(Files.newOutputStream(path), 8192), new CRC32());
            try (DataOutputStream out = new DataOutputStream(sum)) {
                out.writeInt(day.size());
                for (Weighing weighing : day) {
                    out.writeInt(weighing.lorry);
                    out.writeShort(weighing.bridge);
                    out.writeInt(weighing.gross);
                    out.writeInt(weighing.tare);
                    out.writeLong(weighing.time);
                }
                out.writeLong(sum.getChecksum().getValue());
            }
        }

        /** The net weight by bridge. */
        long[] totals(int bridges) throws IOException {
            long[] totals = new long[bridges];
            InputStream file = Files.newInputStream(path);
            CheckedInputStream sum = new CheckedInputStream(FIXED ? new BufferedInputStream(file, 8192) : file, new CRC32());
            try (DataInputStream in = new DataInputStream(sum)) {
                int count = in.readInt();
                for (int i = 0; i < count; i++) {
                    in.readInt();
                    int bridge = in.readShort();
                    int gross = in.readInt();
                    int tare = in.readInt();
                    in.readLong();
                    totals[bridge] += gross - tare;
                }
                long expected = sum.getChecksum().getValue();
                if (in.readLong() != expected) throw new IOException("damaged: " + path);
            }
            return totals;
        }
    }

    static final class Quarry implements Runnable {
        private final DayFile file;
        private final Random random;
        private final LongAdder days;
        private final LongAdder tonnes;

        Quarry(Path path, long seed, LongAdder days, LongAdder tonnes) {
            this.file = new DayFile(path);
            this.random = new Random(seed);
            this.days = days;
            this.tonnes = tonnes;
        }

        private List<Weighing> day(long date) {
            List<Weighing> day = new ArrayList<>();
            long time = date * 86_400_000L;
            for (int i = 0; i < 2000; i++) {
                time += random.nextInt(40_000);
                int tare = 9000 + random.nextInt(6000);
                day.add(new Weighing(random.nextInt(700), (short) random.nextInt(6), tare + random.nextInt(25_000), tare, time));
            }
            return day;
        }

        @Override public void run() {
            try {
                for (long date = 20_000; open; date++) {
                    List<Weighing> day = day(date);
                    file.write(day);
                    long expected = 0;
                    for (Weighing weighing : day) expected += weighing.gross - weighing.tare;
                    long net = 0;
                    for (long total : file.totals(6)) net += total;
                    if (net != expected) throw new IllegalStateException(net + " for " + expected);
                    tonnes.add(net / 1000);
                    days.increment();
                }
            } catch (IOException e) {
                if (open) e.printStackTrace();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Path folder = Files.createTempDirectory("weighbridge");
        LongAdder days = new LongAdder();
        LongAdder tonnes = new LongAdder();
        List<Thread> quarries = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Thread quarry = new Thread(new Quarry(folder.resolve("quarry-" + i + ".day"), i + 1, days, tonnes), "quarry-" + i);
            quarry.setDaemon(true);
            quarry.start();
            quarries.add(quarry);
        }
        System.out.println("READY");
        for (int second = 0; second < SPAN; second++) {
            Thread.sleep(1000);
            System.out.printf("measured: %d days of weighings filed and added up, %d t%n", days.sumThenReset(), tonnes.sumThenReset());
        }
        open = false;
        for (Thread quarry : quarries) quarry.join(2000);
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path path : files) Files.deleteIfExists(path);
        }
        Files.deleteIfExists(folder);
    }
}
