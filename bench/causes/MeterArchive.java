// SPDX-License-Identifier: Apache-2.0
// cause: MeterArchive.DayFile.openForWrite / openForRead wrap FileOutputStream / FileInputStream directly in Data streams without a buffer, so every field (and on JDK 11 every byte of an int on read and write) is a system call of its own
// share: faulty 62080 readings/s; fixed 1292320 readings/s; 20.8 times (10 s and 10 s on a shared, loaded 2-CPU machine)
// judge: NAMED = unbuffered file I/O: tiny reads/writes (1 to 8 bytes) per system call through DataInputStream/DataOutputStream on raw FileInputStream/FileOutputStream in DayFile (wrap in Buffered streams). SYMPTOM ONLY = "threads are in FileInputStream.read0/FileOutputStream.write", "much I/O", "high system CPU" without saying small/unbuffered. WRONG = slow disk, fsync, lock contention, GC, too few threads.
// expect: hot-code kind=field-by-field
// symptom: hot-calls
// jdk: 11
// set: sixteenth
import java.io.*;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;

public class MeterArchive {
    static final boolean STAGED = Boolean.getBoolean("fixed");

    static final class Reading {
        final int meter;
        final long at;
        final double kwh;
        final short quality;

        Reading(int meter, long at, double kwh, short quality) {
            this.meter = meter;
            this.at = at;
            this.kwh = kwh;
            this.quality = quality;
        }
    }

    static final class DayFile {
        final Path path;

        DayFile(Path path) {
            this.path = path;
        }

        DataOutputStream openForWrite() throws IOException {
            OutputStream out = new FileOutputStream(path.toFile());
            if (STAGED) out = new BufferedOutputStream(out, 16384);
            return new DataOutputStream(out);
        }

        DataInputStream openForRead() throws IOException {
            InputStream in = new FileInputStream(path.toFile());
            if (STAGED) in = new BufferedInputStream(in, 16384);
            return new DataInputStream(in);
        }

        void store(List<Reading> readings) throws IOException {
            try (DataOutputStream out = openForWrite()) {
                out.writeInt(readings.size());
                for (Reading r : readings) {
                    out.writeInt(r.meter);
                    out.writeLong(r.at);
                    out.writeDouble(r.kwh);
                    out.writeShort(r.quality);
                }
            }
        }

        List<Reading> load() throws IOException {
            try (DataInputStream in = openForRead()) {
                int n = in.readInt();
                List<Reading> all = new ArrayList<>(n);
                for (int i = 0; i < n; i++) all.add(new Reading(in.readInt(), in.readLong(), in.readDouble(), in.readShort()));
                return all;
            }
        }
    }

    final Path dir;
    final BlockingQueue<DayFile> closed = new ArrayBlockingQueue<>(12);
    final ConcurrentMap<Integer, Double> totals = new ConcurrentHashMap<>();
    final LongAdder stored = new LongAdder();
    final LongAdder rolledUp = new LongAdder();

    MeterArchive(Path dir) {
        this.dir = dir;
    }

    List<Reading> collect(Random r, int district) {
        List<Reading> day = new ArrayList<>();
        for (int m = 0; m < 400; m++) {
            double base = 0.2 + r.nextDouble();
            for (int h = 0; h < 4; h++)
                day.add(new Reading(district * 1000 + m, 1_700_000_000L + h * 21600L, base * (1 + Math.sin(h)), (short) r.nextInt(3)));
        }
        day.sort(Comparator.comparingLong((Reading x) -> x.at).thenComparingInt(x -> x.meter));
        return day;
    }

    void collector(int district) {
        Random r = new Random(district);
        int seq = 0;
        try {
            while (!closing) {
                List<Reading> day = collect(r, district);
                DayFile f = new DayFile(dir.resolve("d" + district + "-" + seq++ + ".dat"));
                f.store(day);
                stored.add(day.size());
                closed.put(f);
            }
        } catch (IOException | InterruptedException e) {
            System.out.println("collector " + district + " ends: " + e);
        }
    }

    void rollUp() {
        try {
            while (true) {
                DayFile f = closed.take();
                List<Reading> day = f.load();
                Map<Integer, Double> sums = new HashMap<>();
                for (Reading r : day) if (r.quality < 2) sums.merge(r.meter, r.kwh, Double::sum);
                sums.forEach((m, v) -> totals.merge(m, v, Double::sum));
                rolledUp.add(day.size());
                Files.deleteIfExists(f.path);
            }
        } catch (IOException | InterruptedException e) {
            System.out.println("roll-up ends: " + e);
        }
    }

    static volatile boolean closing;

    static void removeAll(Path dir) {
        closing = true;
        for (int i = 0; i < 5 && Files.exists(dir); i++) removeOnce(dir);
    }

    static void removeOnce(Path dir) {
        try (DirectoryStream<Path> ds = Files.newDirectoryStream(dir)) {
            Thread.sleep(50);
            for (Path p : ds) Files.deleteIfExists(p);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            // nothing to remove
        }
        dir.toFile().delete();
    }

    public static void main(String[] args) throws Exception {
        Path dir = Files.createTempDirectory("meters");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> removeAll(dir)));
        MeterArchive a = new MeterArchive(dir);
        List<Thread> threads = new ArrayList<>();
        for (int i = 1; i <= 2; i++) {
            int d = i;
            threads.add(new Thread(() -> a.collector(d), "collector-" + d));
            threads.add(new Thread(a::rollUp, "rollup-" + d));
        }
        for (Thread t : threads) {
            t.setDaemon(true);
            t.start();
        }
        for (int s = 0; s < 150; s++) {
            Thread.sleep(1000);
            System.out.println("measured: " + a.stored.sumThenReset() + " readings stored/s, " + a.rolledUp.sumThenReset() + " rolled up/s");
            if (s == 3) System.out.println("READY");
        }
        System.exit(0);
    }
}
