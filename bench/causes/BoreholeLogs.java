// SPDX-License-Identifier: Apache-2.0
// cause: BoreholeLogs.curve reads every sample with RandomAccessFile.readShort straight from the file, i.e. one system call per byte, without any buffer.
// share: about 98 % of the time; fixed is 47 times better (25 against 1190 curves/s)
// judge: Must name the unbuffered single-value reads (RandomAccessFile.readShort / read / read0) called by BoreholeLogs.curve, i.e. very many tiny file reads or system calls. Only "CPU-bound", "much kernel time", "slow disk" without it is a symptom; BoreholeLogs.smooth is not the cause.
// expect: hot-code kind=field-by-field frame=BoreholeLogs.curve
// symptom: hot-calls
// set: twentieth
// jdk: 11
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

public class BoreholeLogs {
    static final int CURVES = 64;
    static final int DEPTHS = 20_000;
    static final AtomicLong curves = new AtomicLong();
    static volatile double thickest;

    private final RandomAccessFile archive;
    private final boolean wholeCurve = Boolean.getBoolean("fixed");

    BoreholeLogs(File file) throws IOException {
        archive = new RandomAccessFile(file, "r");
    }

    short[] curve(int number) throws IOException {
        short[] values = new short[DEPTHS];
        archive.seek((long) number * DEPTHS * 2);
        if (wholeCurve) {
            byte[] block = new byte[DEPTHS * 2];
            archive.readFully(block);
            ByteBuffer.wrap(block).asShortBuffer().get(values);
            return values;
        }
        for (int i = 0; i < DEPTHS; i++) {
            values[i] = archive.readShort();
        }
        return values;
    }

    static double smooth(short[] values) {
        double best = 0;
        for (int width = 4; width <= 64; width *= 2) {
            double run = 0;
            for (int i = 0; i < values.length; i++) {
                run += (values[i] - run) / width;
                best = Math.max(best, Math.sqrt(Math.abs(run)) * width);
            }
        }
        return best;
    }

    void interpret() {
        Random picks = new Random(77);
        try {
            while (true) {
                thickest = smooth(curve(picks.nextInt(CURVES)));
                curves.incrementAndGet();
            }
        } catch (IOException e) {
            System.err.println("archive: " + e);
        }
    }

    static File archiveFile() throws IOException {
        File f = File.createTempFile("borehole", ".las");
        f.deleteOnExit();
        Random r = new Random(5);
        try (RandomAccessFile out = new RandomAccessFile(f, "rw")) {
            byte[] block = new byte[DEPTHS * 2];
            for (int c = 0; c < CURVES; c++) {
                r.nextBytes(block);
                out.write(block);
            }
        }
        return f;
    }

    public static void main(String[] args) throws Exception {
        BoreholeLogs logs = new BoreholeLogs(archiveFile());
        Thread t = new Thread(logs::interpret, "interpreter");
        t.setDaemon(true);
        t.start();
        System.out.println("READY");
        for (int s = 0; s < 220; s++) {
            Thread.sleep(1000);
            System.out.println("measured: " + curves.getAndSet(0) + " curves/s");
        }
    }
}
