// SPDX-License-Identifier: Apache-2.0
// healthy: three threads (WeighbridgeJournal$LineKeeper.keepOneFile) rest in a read of a pipe until a weighbridge reports a lorry, and append that to a file at once: they wait for input that comes when it comes; another thread (Summary.run) reads an archive from the page cache in large blocks and computes
// share: a weighing is journalled 0.05 to 0.5 ms after it came (30 to 45 a second); to read the archive takes 0.4 to 1 of the 5 ms of a summary; 0.1 of 2 CPUs
// judge: RIGHT: nothing stands out, or only neutral sentences (time goes to waiting for data of a pipe in LineKeeper.keepOneFile, if it should be less, or to computing in Summary.summarise or Math.pow there; no fault shows), or what is wrong with the machine. WRONG: an accusation that keepOneFile waits for files, a disk or a slow answer (file-read), unbuffered or field-by-field writing as a fault (40 writes a second), Summary.run reading as a fault, sleep, any other accusation
// jdk: 25
// set: thirty-fourth
// jvm: -Xmx256m
import java.io.DataOutputStream;
import java.io.BufferedOutputStream;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/** Journals what the weighbridges of a quarry report: each has a line to this process and a file for the day. */
public class WeighbridgeJournal {
    static final int BRIDGES = 3;
    static final int RECORD = 32;
    static final int PER_FILE = 4000;
    static final AtomicLong RECORDS = new AtomicLong();
    static final AtomicLong DELAY_NS = new AtomicLong();
    static final AtomicLong SUMMARIES = new AtomicLong();
    static final AtomicLong SUMMARY_NS = new AtomicLong();
    static final AtomicLong READ_NS = new AtomicLong();

    /** Follows one line: takes each record as it comes and appends it to the file. */
    static final class LineKeeper implements Runnable {
        private final Pipe.SourceChannel line;
        private final Path file;
        private final ByteBuffer buffer = ByteBuffer.allocateDirect(RECORD);
        private int inFile;

        LineKeeper(Pipe.SourceChannel line, Path file) {
            this.line = line;
            this.file = file;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    keepOneFile();
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private void keepOneFile() throws IOException {
            byte[] bytes = new byte[RECORD];
            try (FileOutputStream out = new FileOutputStream(file.toFile())) {
                for (inFile = 0; inFile < PER_FILE; inFile++) {
                    buffer.clear();
                    while (buffer.hasRemaining()) {
                        if (line.read(buffer) < 0) {
                            return;
                        }
                    }
                    buffer.flip();
                    DELAY_NS.addAndGet(System.nanoTime() - buffer.getLong(0));
                    buffer.get(bytes);
                    out.write(bytes);
                    RECORDS.incrementAndGet();
                }
            }
        }
    }

    /** A weighbridge: a lorry now and then, whenever one comes. */
    static final class Weighbridge implements Runnable {
        private final Pipe.SinkChannel line;
        private final Random random;

        Weighbridge(Pipe.SinkChannel line, int number) {
            this.line = line;
            this.random = new Random(number);
        }

        @Override
        public void run() {
            ByteBuffer buffer = ByteBuffer.allocateDirect(RECORD);
            try {
                while (true) {
                    Thread.sleep((long) Math.min(600, -90 * Math.log(1 - random.nextDouble())));
                    int tare = 12_000 + random.nextInt(3000);
                    buffer.clear();
                    buffer.putLong(System.nanoTime()).putInt(tare).putInt(tare + random.nextInt(26_000)).putLong(random.nextLong()).putLong(0);
                    buffer.flip();
                    line.write(buffer);
                }
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** Works out the day's figures from an archive of earlier days, from time to time. */
    static final class Summary implements Runnable {
        private final Path archive;
        private final double[] sums = new double[64];
        private final byte[] block = new byte[RECORD * 2048];

        Summary(Path archive) throws IOException {
            this.archive = archive;
            Random random = new Random(21);
            try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(archive), 1 << 16))) {
                for (int i = 0; i < 120_000; i++) {
                    int tare = 12_000 + random.nextInt(3000);
                    out.writeLong(i);
                    out.writeInt(tare);
                    out.writeInt(tare + random.nextInt(26_000));
                    out.writeLong(random.nextLong());
                    out.writeLong(0);
                }
            }
        }

        @Override
        public void run() {
            try {
                while (true) {
                    long begin = System.nanoTime();
                    try (FileInputStream in = new FileInputStream(archive.toFile())) {
                        while (true) {
                            long before = System.nanoTime();
                            int length = in.readNBytes(block, 0, block.length);
                            READ_NS.addAndGet(System.nanoTime() - before);
                            if (length == 0) {
                                break;
                            }
                            summarise(length);
                        }
                    }
                    SUMMARIES.incrementAndGet();
                    SUMMARY_NS.addAndGet(System.nanoTime() - begin);
                    Thread.sleep(30);
                }
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        private void summarise(int length) {
            ByteBuffer all = ByteBuffer.wrap(block);
            for (int at = 0; at < length; at += RECORD) {
                int net = all.getInt(at + 12) - all.getInt(at + 8);
                int kind = (int) (all.getLong(at + 16) & 63);
                sums[kind] = sums[kind] * 0.9999 + Math.pow(net / 1000.0, 1.1) + Math.log1p(net);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Path folder = Files.createTempDirectory("weighbridge");
        folder.toFile().deleteOnExit();
        for (int b = 0; b < BRIDGES; b++) {
            Pipe pipe = Pipe.open();
            Path file = folder.resolve("bridge-" + b + ".day");
            file.toFile().deleteOnExit();
            new Thread(new LineKeeper(pipe.source(), file), "line-keeper-" + b).start();
            Thread bridge = new Thread(new Weighbridge(pipe.sink(), b), "weighbridge-" + b);
            bridge.start();
        }
        Path archive = folder.resolve("archive");
        archive.toFile().deleteOnExit();
        new Thread(new Summary(archive), "summary").start();
        long records = 0, delay = 0, summaries = 0, summary = 0, read = 0;
        for (int second = 1;; second++) {
            Thread.sleep(1000);
            long r = RECORDS.get(), d = DELAY_NS.get(), n = SUMMARIES.get(), s = SUMMARY_NS.get(), f = READ_NS.get();
            System.out.printf("measured: %d weighings, each journalled %.2f ms after it came; %d summaries, %.1f ms each, %.1f ms of it to read the archive%n",
                r - records, (d - delay) / 1e6 / Math.max(1, r - records), n - summaries,
                (s - summary) / 1e6 / Math.max(1, n - summaries), (f - read) / 1e6 / Math.max(1, n - summaries));
            records = r;
            delay = d;
            summaries = n;
            summary = s;
            read = f;
            if (second == 4) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
