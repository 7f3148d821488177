// SPDX-License-Identifier: Apache-2.0
// cause: LedgerStream.flush forces the file to the disk (FileDescriptor.sync), and StationLedger prints with a PrintWriter that flushes after each line (println): one fsync for each reading of a day's file, in place of one for the file
// share: 99 % of a day file (40 to 60 ms) is entering it, 180 fsyncs for each; 60 % of the four importers' time asleep in fsync, the rest CPU time and run queue of the same calls
// expect: waiting kind=file-sync frame=PollenImport$
// symptom: disk-wait hot-calls
// judge: NAMED: waiting for fsync (file-sync) at LedgerStream.flush (also named as StationLedger.enter, Importer.importDay above it). SYMPTOM ONLY: that disks are waited for in general (disk-wait) or computing/system calls in LedgerStream.flush without the forcing, that importer threads wait for files without the place. WRONG: Importer.check or DayFile.parse (computing), locks (each importer has its own ledger), queue at Importer.run, too few threads, collections
// jdk: 17
// set: thirty-fifth
// jvm: -Xmx128m
import java.io.BufferedOutputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

/** Imports the day files of pollen traps into ledgers, one for each region. */
public class PollenImport {
    static final LongAdder READINGS = new LongAdder();
    static final LongAdder DAYS = new LongAdder();
    static final LongAdder DAY_TIME = new LongAdder();
    static final LongAdder WRITE_TIME = new LongAdder();

    record Reading(int station, int hour, String species, int grains, double wind) {
    }

    /** What a trap delivers for a day: lines of text. */
    static final class DayFile {
        private static final String[] SPECIES = {"birch", "alder", "hazel", "grass", "mugwort", "ambrosia", "oak", "plane"};
        private final List<String> lines = new ArrayList<>();

        static DayFile received() {
            DayFile day = new DayFile();
            ThreadLocalRandom random = ThreadLocalRandom.current();
            int station = random.nextInt(400);
            for (int hour = 0; hour < 24; hour++)
                for (String species : SPECIES)
                    day.lines.add(station + ";" + hour + ";" + species + ";" + random.nextInt(900) + ";" + random.nextInt(140) / 10.0);
            return day;
        }

        List<Reading> parse() {
            List<Reading> readings = new ArrayList<>(lines.size());
            for (String line : lines) {
                String[] fields = line.split(";");
                readings.add(new Reading(Integer.parseInt(fields[0]), Integer.parseInt(fields[1]), fields[2],
                    Integer.parseInt(fields[3]), Double.parseDouble(fields[4])));
            }
            return readings;
        }
    }

    /** The end of a ledger's streams: what was flushed survives a loss of power. */
    static final class LedgerStream extends FilterOutputStream {
        private final FileOutputStream file;

        LedgerStream(FileOutputStream file) {
            super(new BufferedOutputStream(file, 1 << 16));
            this.file = file;
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            out.write(bytes, from, length);
        }

        @Override
        public void flush() throws IOException {
            out.flush();
            file.getFD().sync();
        }
    }

    static final class StationLedger {
        private static final long LIMIT = 4 << 20;
        private final FileOutputStream file;
        private final PrintWriter out;

        StationLedger(String region) throws IOException {
            File path = File.createTempFile("pollen-" + region, ".ledger");
            path.deleteOnExit();
            file = new FileOutputStream(path);
            out = new PrintWriter(new OutputStreamWriter(new LedgerStream(file), StandardCharsets.UTF_8), true);
        }

        void enter(List<Reading> day) throws IOException {
            if (file.getChannel().position() > LIMIT)
                file.getChannel().truncate(0);
            for (Reading reading : day)
                out.println(reading.station() + "," + reading.hour() + "," + reading.species() + "," + reading.grains() + "," + reading.wind());
            if (out.checkError())
                throw new IOException("the ledger cannot be written");
        }
    }

    static final class Importer implements Runnable {
        private final BlockingQueue<DayFile> inbox;
        private final StationLedger ledger;

        Importer(BlockingQueue<DayFile> inbox, StationLedger ledger) {
            this.inbox = inbox;
            this.ledger = ledger;
        }

        private void importDay(DayFile file) throws IOException {
            long begin = System.nanoTime();
            List<Reading> day = file.parse();
            day = check(day);
            long checked = System.nanoTime();
            ledger.enter(day);
            long end = System.nanoTime();
            READINGS.add(day.size());
            DAYS.increment();
            WRITE_TIME.add(end - checked);
            DAY_TIME.add(end - begin);
        }

        private List<Reading> check(List<Reading> day) {
            double mean = 0, square = 0;
            for (Reading reading : day)
                mean += reading.grains() / (1 + reading.wind());
            mean /= day.size();
            for (Reading reading : day)
                square += Math.pow(reading.grains() / (1 + reading.wind()) - mean, 2);
            double limit = mean + 6 * Math.sqrt(square / day.size());
            List<Reading> kept = new ArrayList<>(day.size());
            for (Reading reading : day) {
                double smoothed = 0;
                for (Reading other : day)
                    if (other.species().equals(reading.species()))
                        smoothed += other.grains() * Math.exp(-Math.abs(other.hour() - reading.hour()));
                if (reading.grains() / (1 + reading.wind()) <= limit || smoothed > reading.grains())
                    kept.add(reading);
            }
            return kept;
        }

        @Override
        public void run() {
            while (true)
                try {
                    importDay(inbox.take());
                } catch (IOException e) {
                    System.err.println("day refused: " + e);
                } catch (InterruptedException e) {
                    return;
                }
        }
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<DayFile> inbox = new ArrayBlockingQueue<>(1000);
        for (int i = 0; i < 4; i++) {
            Thread thread = new Thread(new Importer(inbox, new StationLedger("region" + i)), "importer-" + i);
            thread.start();
        }
        Thread mail = new Thread(() -> {
            while (true)
                try {
                    for (int i = 0; i < 5; i++)
                        inbox.offer(DayFile.received());
                    Thread.sleep(20);
                } catch (InterruptedException e) {
                    return;
                }
        }, "mail");
        mail.setDaemon(true);
        mail.start();
        for (int second = 0;; second++) {
            long readings = READINGS.sum(), days = DAYS.sum(), time = DAY_TIME.sum(), write = WRITE_TIME.sum();
            Thread.sleep(1000);
            readings = READINGS.sum() - readings;
            days = DAYS.sum() - days;
            time = DAY_TIME.sum() - time;
            write = WRITE_TIME.sum() - write;
            System.out.printf("measured: %d readings of %d days, %.0f ms for a day, %.0f %% of that entering them in the ledger; %d days wait%n", readings, days,
                time / 1e6 / Math.max(1, days), 100.0 * write / Math.max(1, time), inbox.size());
            if (second == 3) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
