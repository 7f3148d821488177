// SPDX-License-Identifier: Apache-2.0
// cause: LedgerFile.open puts a DataOutputStream directly on a FileOutputStream without a buffer, so LedgerFile.append makes one write system call for every field of every meter reading.
// share: throughput 70,000-125,000 readings/s vs 2,500,000-3,600,000/s fixed
// judge: Must say that the ledger file is written without buffering (many tiny write calls, one per field), placed in MeterLedger.LedgerFile (open or append) or the DataOutputStream/FileOutputStream there. "Slow disk" or "FileOutputStream.write is hot" without tiny/unbuffered writes does not count.
// set: eighteenth
// expect: hot-code kind=field-by-field frame=LedgerFile.append
// symptom: saturated-thread hot-calls
// jdk: 21
import java.io.*;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.zip.CRC32;

public class MeterLedger {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final LongAdder readings = new LongAdder();
    static final LongAdder batches = new LongAdder();

    record Reading(int meter, long time, double kwh, short phase, int status) {}

    static final class LedgerFile {
        private final Path path;
        private DataOutputStream out;
        private int rows;
        LedgerFile(Path path) { this.path = path; }

        void open() throws IOException {
            OutputStream file = new FileOutputStream(path.toFile());
            if (FIXED) file = new BufferedOutputStream(file, 32768);
            out = new DataOutputStream(file);
            rows = 0;
        }

        void append(Reading r) throws IOException {
            out.writeInt(r.meter());
            out.writeLong(r.time());
            out.writeDouble(r.kwh());
            out.writeShort(r.phase());
            out.writeInt(r.status());
            if (++rows >= 200_000) roll();
        }

        void commit() throws IOException { out.flush(); }

        private void roll() throws IOException {
            out.close();
            open();
        }
    }

    static final class Concentrator implements Runnable {
        private final LedgerFile file;
        private final Map<Integer, Double> last = new HashMap<>();
        private final int base;
        private long clock = 1_700_000_000_000L;
        Concentrator(LedgerFile file, int base) {
            this.file = file;
            this.base = base;
        }

        @Override public void run() {
            try {
                file.open();
                while (true) {
                    byte[] frame = poll();
                    for (Reading r : decode(frame)) {
                        if (!plausible(r)) continue;
                        file.append(r);
                        readings.increment();
                    }
                    file.commit();
                    batches.increment();
                }
            } catch (IOException e) {
                e.printStackTrace();
            }
        }

        private byte[] poll() {
            ThreadLocalRandom rnd = ThreadLocalRandom.current();
            byte[] frame = new byte[400 * 8];
            rnd.nextBytes(frame);
            return frame;
        }

        private List<Reading> decode(byte[] frame) {
            CRC32 crc = new CRC32();
            crc.update(frame);
            int status = (int) crc.getValue();
            List<Reading> list = new ArrayList<>(400);
            for (int i = 0; i < frame.length; i += 8) {
                int meter = base + ((frame[i] & 255) << 4 | frame[i + 1] & 15);
                double used = ((frame[i + 2] & 255) * 256 + (frame[i + 3] & 255)) / 4000.0;
                double kwh = last.getOrDefault(meter, 100.0) + used;
                list.add(new Reading(meter, clock += 3, kwh, (short) (frame[i + 4] % 3), status));
            }
            return list;
        }

        private boolean plausible(Reading r) {
            Double before = last.put(r.meter(), r.kwh());
            return before == null || r.kwh() >= before - 20;
        }
    }

    public static void main(String[] args) throws Exception {
        Path dir = Files.createTempDirectory("ledger");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            for (int i = 0; i < 2; i++) dir.resolve("part" + i).toFile().delete();
            dir.toFile().delete();
        }));
        for (int i = 0; i < 2; i++) {
            Thread t = new Thread(new Concentrator(new LedgerFile(dir.resolve("part" + i)), i * 100_000), "concentrator-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        for (int s = 0; s < 200; s++) {
            Thread.sleep(1000);
            System.out.println("measured: readings/s " + readings.sumThenReset() + " batches/s " + batches.sumThenReset());
        }
        System.exit(0);
    }
}
