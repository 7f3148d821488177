// SPDX-License-Identifier: Apache-2.0
// cause: TideGaugesDesk.GaugeFile.readings reads ints, shorts and longs by a DataInputStream straight on Files.newInputStream (a CheckedInputStream between them does not buffer), so that each byte or field is a system call
// share: as it is 75 curves/s, 26 ms each; fixed 6100 curves/s, 0.33 ms each (80 times better)
// expect: hot-code kind=field-by-field frame=Reading.from
// symptom: hot-calls | hot-method
// judge: NAMED: reading files field by field / byte by byte without a buffer, for GaugeFile.readings (or Reading.from). SYMPTOM ONLY: CPU time in the system or in read() without the missing buffer; CRC computation. WRONG: disk wait, locks, GC, too many threads as first finding.
// jdk: 17
// set: twenty-seventh
// jvm: -Xmx64m
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;

public class TideGaugesDesk {
    static final LongAdder curves = new LongAdder();
    static final LongAdder nanos = new LongAdder();

    record Reading(long at, int millimetres, short quality) {
        static Reading from(DataInputStream in) throws IOException {
            return new Reading(in.readLong(), in.readInt(), in.readShort());
        }
    }

    static final class GaugeFile {
        static final boolean BLOCKS = Boolean.getBoolean("fixed");
        final Path path;

        GaugeFile(Path path) {
            this.path = path;
        }

        InputStream open() throws IOException {
            InputStream in = Files.newInputStream(path);
            return BLOCKS ? new BufferedInputStream(in, 16384) : in;
        }

        long readings(Consumer<Reading> to) throws IOException {
            CRC32 sum = new CRC32();
            try (DataInputStream in = new DataInputStream(new CheckedInputStream(open(), sum))) {
                int n = in.readInt();
                for (int i = 0; i < n; i++)
                    to.accept(Reading.from(in));
            }
            return sum.getValue();
        }
    }

    static final class Curve implements Consumer<Reading> {
        int highest = Integer.MIN_VALUE;
        int lowest = Integer.MAX_VALUE;
        double cosine;
        double sine;
        int used;

        @Override
        public void accept(Reading r) {
            if (r.quality < 3)
                return;
            highest = Math.max(highest, r.millimetres);
            lowest = Math.min(lowest, r.millimetres);
            double phase = r.at % 44714L / 44714.0 * 2 * Math.PI;
            cosine += r.millimetres * Math.cos(phase);
            sine += r.millimetres * Math.sin(phase);
            used++;
        }

        double range() {
            return Math.hypot(cosine, sine) * 2 / Math.max(1, used);
        }
    }

    static final class Station {
        final GaugeFile file;
        volatile double range;

        Station(GaugeFile file) {
            this.file = file;
        }

        void refresh() throws IOException {
            Curve c = new Curve();
            file.readings(c);
            range = c.range();
        }
    }

    static void write(Path p, Random r) throws IOException {
        try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(p)))) {
            out.writeInt(3000);
            for (int i = 0; i < 3000; i++) {
                out.writeLong(1_700_000_000L + i * 600L);
                out.writeInt((int) (1800 * Math.sin(i / 11.9)) + r.nextInt(90));
                out.writeShort(r.nextInt(10));
            }
        }
    }

    public static void main(String[] args) throws Exception {
        long start = System.nanoTime();
        long end = start + Integer.getInteger("seconds", 170) * 1_000_000_000L;
        List<Station> stations = new ArrayList<>();
        List<Path> files = new ArrayList<>();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> files.forEach(p -> p.toFile().delete())));
        Random random = new Random(3);
        for (int i = 0; i < 12; i++) {
            Path p = Files.createTempFile("gauge" + i, ".dat");
            files.add(p);
            write(p, random);
            stations.add(new Station(new GaugeFile(p)));
        }
        for (int k = 0; k < 2; k++) {
            int seed = k;
            Thread t = new Thread(() -> {
                Random r = new Random(seed);
                try {
                    for (;;) {
                        long t0 = System.nanoTime();
                        stations.get(r.nextInt(12)).refresh();
                        nanos.add(System.nanoTime() - t0);
                        curves.increment();
                    }
                } catch (IOException e) {
                    return;
                }
            }, "curves-" + k);
            t.setDaemon(true);
            t.start();
        }
        Thread board = new Thread(() -> {
            try {
                for (;;) {
                    StringBuilder b = new StringBuilder();
                    for (Station s : stations)
                        b.append(Math.round(s.range)).append(' ');
                    if (b.length() == 0)
                        System.out.println(b);
                    Thread.sleep(50);
                }
            } catch (InterruptedException e) {
                System.out.println(e);
            }
        }, "board");
        board.setDaemon(true);
        board.start();
        Thread.sleep(4000);
        System.out.println("READY");
        long last = curves.sum();
        long lastNs = nanos.sum();
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long s = curves.sum();
            long ns = nanos.sum();
            System.out.printf("measured: %d curves/s, %.2f ms each%n", s - last, (ns - lastNs) / 1e6 / Math.max(1, s - last));
            last = s;
            lastNs = ns;
        }
        System.exit(0);
    }
}
