// SPDX-License-Identifier: Apache-2.0
// healthy: soundings are written and read field by field with DataOutputStream and DataInputStream, but through buffers of 64 KiB, so that the files are written and read by few large calls; only the head of each file (4 numbers, of 4000 soundings) is read by RandomAccessFile, once; the rest of the work is the gridding of depths
// share: 0.2 to 0.5 of 2 CPUs; 6 to 9 MB/s through the buffers, 0.01 to 0.02 ms for each KB; storing, heads and loading together are about a quarter of the work ("files" in the measured lines), gridding the rest
// judge: NAMED: nothing stands out; or only neutral statements (CPU time goes to SonarLines$Chart.add or SonarLines$Chart.smooth) that call nothing a fault. SYMPTOM ONLY: does not apply. WRONG: any accusation, above all that files are written or read field by field without a buffer in SonarLines$Archive.store, .load or .head; also waits for files or disks, the sleep in SonarLines$Survey.run, collections.
// jdk: 11
// set: thirty-sixth

import java.io.*;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.atomic.*;

public class SonarLines {
    static final AtomicLong lines = new AtomicLong(), bytes = new AtomicLong(), fileNanos = new AtomicLong(), allNanos = new AtomicLong();

    static final class Sounding {
        final double east, north;
        final float depth;
        final short quality;

        Sounding(double east, double north, float depth, short quality) {
            this.east = east;
            this.north = north;
            this.depth = depth;
            this.quality = quality;
        }
    }

    /** One file for each line that the ship has sailed. */
    static final class Archive {
        private final Path dir;

        Archive() throws IOException {
            dir = Files.createTempDirectory("sonar");
        }

        Path store(int number, List<Sounding> all) throws IOException {
            Path file = dir.resolve("line-" + number + ".snd");
            try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file), 65536))) {
                out.writeInt(0x534e4431);
                out.writeInt(number);
                out.writeInt(all.size());
                out.writeInt(22);
                for (Sounding s : all) {
                    out.writeDouble(s.east);
                    out.writeDouble(s.north);
                    out.writeFloat(s.depth);
                    out.writeShort(s.quality);
                }
            }
            return file;
        }

        int head(Path file) throws IOException {
            try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
                if (in.readInt() != 0x534e4431) throw new IOException("not a line: " + file);
                in.readInt();
                int count = in.readInt();
                if (in.length() != 16 + (long) count * in.readInt()) throw new IOException("cut off: " + file);
                return count;
            }
        }

        List<Sounding> load(Path file, int count) throws IOException {
            List<Sounding> all = new ArrayList<>(count);
            try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file), 65536))) {
                in.skipBytes(16);
                for (int i = 0; i < count; i++) all.add(new Sounding(in.readDouble(), in.readDouble(), in.readFloat(), in.readShort()));
            }
            return all;
        }

        void clear() {
            File[] all = dir.toFile().listFiles();
            if (all != null) for (File f : all) f.delete();
            dir.toFile().delete();
        }
    }

    /** The sea floor in cells of 5 m. */
    static final class Chart {
        static final int SIDE = 256;
        private final double[] depth = new double[SIDE * SIDE], weight = new double[SIDE * SIDE];

        void add(Sounding s) {
            int x = (int) (s.east / 5), y = (int) (s.north / 5);
            for (int dy = -2; dy <= 2; dy++) {
                for (int dx = -2; dx <= 2; dx++) {
                    int cx = x + dx, cy = y + dy;
                    if (cx < 0 || cy < 0 || cx >= SIDE || cy >= SIDE) continue;
                    double de = s.east - cx * 5 - 2.5, dn = s.north - cy * 5 - 2.5;
                    double w = s.quality * Math.exp(-(de * de + dn * dn) / 80);
                    int i = cy * SIDE + cx;
                    depth[i] = (depth[i] * weight[i] + s.depth * w) / (weight[i] + w + 1e-9);
                    weight[i] = Math.min(weight[i] + w, 1000);
                }
            }
        }

        double smooth() {
            double rough = 0;
            for (int y = 1; y < SIDE - 1; y++) {
                for (int x = 1; x < SIDE - 1; x++) {
                    int i = y * SIDE + x;
                    double mean = (depth[i - 1] + depth[i + 1] + depth[i - SIDE] + depth[i + SIDE]) / 4;
                    rough += Math.abs(depth[i] - mean);
                    depth[i] += (mean - depth[i]) * 0.05;
                }
            }
            return rough / SIDE / SIDE;
        }
    }

    static final class Survey implements Runnable {
        final Archive archive = new Archive();
        final Chart chart = new Chart();
        final Random random = new Random(8);
        volatile double rough;

        Survey() throws IOException { }

        @Override public void run() {
            try {
                for (int n = 0; ; n++) {
                    long from = System.nanoTime();
                    List<Sounding> sailed = sail();
                    long before = System.nanoTime();
                    Path file = archive.store(n % 100, sailed);
                    List<Sounding> all = archive.load(file, archive.head(file));
                    Files.delete(file); // the chart has it all
                    long now = System.nanoTime();
                    fileNanos.addAndGet(now - before);
                    for (Sounding s : all) chart.add(s);
                    rough = chart.smooth();
                    lines.incrementAndGet();
                    bytes.addAndGet(2 * (16 + 22L * all.size()));
                    long took = System.nanoTime() - from;
                    allNanos.addAndGet(took);
                    Thread.sleep(Math.max(2, 20 - took / 1_000_000)); // the ship's next line
                }
            } catch (IOException | InterruptedException e) {
                System.out.println("survey ends: " + e);
            }
        }

        List<Sounding> sail() {
            List<Sounding> all = new ArrayList<>(4000);
            double north = random.nextDouble() * Chart.SIDE * 5;
            for (int i = 0; i < 4000; i++) {
                double east = i * Chart.SIDE * 5 / 4000.0, across = random.nextDouble() * 60 - 30;
                all.add(new Sounding(east, north + across, (float) (40 + Math.sin(east / 90) * 8 + across / 9), (short) (1 + random.nextInt(9))));
            }
            return all;
        }
    }

    public static void main(String[] args) throws Exception {
        Survey survey = new Survey();
        Thread worker = new Thread(survey, "survey");
        worker.start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            worker.interrupt();
            try {
                worker.join(5000);
            } catch (InterruptedException e) {
                // then as much as there is
            }
            survey.archive.clear();
        }));
        long n = 0, b = 0, f = 0, a = 0;
        for (int s = 1; ; s++) {
            Thread.sleep(1000);
            long n2 = lines.get(), b2 = bytes.get(), f2 = fileNanos.get(), a2 = allNanos.get();
            System.out.printf("measured: %d lines, %d KB through files, %.4f ms for each KB, files %.0f %% of %d ms of work, roughness %.2f m%n",
                n2 - n, (b2 - b) / 1024, (f2 - f) / 1e6 / Math.max(1, (b2 - b) / 1024), (f2 - f) * 100.0 / Math.max(1, a2 - a), (a2 - a) / 1_000_000, survey.rough);
            n = n2;
            b = b2;
            f = f2;
            a = a2;
            if (s == 5) System.out.println("READY");
            System.out.flush();
        }
    }
}
