// SPDX-License-Identifier: Apache-2.0
// cause: MeterImport.open wraps the FileInputStream in a DataInputStream without a BufferedInputStream, so readInt/readShort make one read system call per byte.
// share: throughput: about 40,000 to 75,000 readings/s instead of about 9,000,000 (99 % lost)
// judge: Right: unbuffered file reading - FileInputStream.read (read0) of single bytes through DataInputStream in MeterImport.load/open; remedy: a BufferedInputStream (or bulk reads). FileInputStream.read0 as hot leaf without the missing buffer is only a symptom. Wrong: disk speed, lock contention, GC, the arithmetic in Register.add.
// expect: hot-code kind=field-by-field frame=MeterImport.load
// symptom: hot-calls
// set: nineteenth
// jdk: 8
import java.io.*;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.atomic.LongAdder;

public class MeterImport {
    private static final boolean CHUNKED = Boolean.getBoolean("fixed");
    private static final int READINGS = 20000;
    private static final LongAdder imported = new LongAdder();

    static final class Register {
        private final double[] kwh = new double[512];
        private final int[] count = new int[512];
        private final int[] peak = new int[512];

        void add(int meter, int time, int value, short quality) {
            int slot = meter & 511;
            if (quality < 0) return;
            double weight = 0.5 + 0.5 * Math.cos(time / 86400.0 * Math.PI);
            kwh[slot] += value / 1000.0 * weight;
            count[slot]++;
            if (value > peak[slot]) peak[slot] = value;
        }

        double total() {
            double sum = 0;
            for (int i = 0; i < kwh.length; i++) {
                if (count[i] > 0) sum += kwh[i] / count[i] + peak[i] * 0.001;
            }
            return sum;
        }
    }

    private static void produce(Path file, long seed) throws IOException {
        Random r = new Random(seed);
        try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
            out.writeInt(READINGS);
            for (int i = 0; i < READINGS; i++) {
                out.writeInt(r.nextInt(4000));
                out.writeInt(i * 15);
                out.writeInt(r.nextInt(90000));
                out.writeShort(r.nextInt(50) == 0 ? -1 : 1);
            }
        }
    }

    private static DataInputStream open(Path file) throws IOException {
        InputStream raw = new FileInputStream(file.toFile());
        return new DataInputStream(CHUNKED ? new BufferedInputStream(raw, 16384) : raw);
    }

    private static double load(Path file) throws IOException {
        Register register = new Register();
        try (DataInputStream in = open(file)) {
            int n = in.readInt();
            for (int i = 0; i < n; i++) {
                int meter = in.readInt();
                int time = in.readInt();
                int value = in.readInt();
                register.add(meter, time, value, in.readShort());
                imported.increment();
            }
        }
        return register.total();
    }

    private static void district(Path dir, int number) {
        double sum = 0;
        try {
            for (int round = 0; ; round++) {
                Path file = dir.resolve("district-" + number + ".dat");
                if (round % 50 == 0) produce(file, number * 1000L + round);
                sum += load(file);
            }
        } catch (IOException e) {
            System.err.println("district " + number + " ended (" + sum + "): " + e);
        }
    }

    public static void main(String[] args) throws Exception {
        Path dir = Files.createTempDirectory("meters");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            File[] files = dir.toFile().listFiles();
            if (files != null) for (File f : files) f.delete();
            dir.toFile().delete();
        }, "tidy"));
        for (int d = 0; d < 2; d++) {
            int number = d;
            Thread t = new Thread(() -> district(dir, number), "district-" + d);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(3000);
        System.out.println("READY");
        long before = imported.sum();
        long at = System.nanoTime();
        for (int i = Integer.getInteger("secs", 165); i > 0; i--) {
            Thread.sleep(1000);
            long now = imported.sum();
            long t = System.nanoTime();
            System.out.printf(Locale.ROOT, "measured: %.0f readings/s%n", (now - before) * 1e9 / (t - at));
            before = now;
            at = t;
        }
        System.exit(0);
    }
}
