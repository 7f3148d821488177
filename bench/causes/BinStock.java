// SPDX-License-Identifier: Apache-2.0
// cause: the stocktaking process that BinStock starts (BinStock$Stocktaking.countAisle) holds a lock of the whole file of bins while it rests between its pages, so the pickers of this process (BinStock$BinFile.adjust, FileChannel.lock) wait for the file lock nearly all the time
// share: 3 of 4 pickers on average wait in FileChannel.lock below BinStock$BinFile.adjust (22 to 26 ms for each of 125 picks a second, which take 0.1 ms where nobody else has the lock)
// expect: waiting kind=file-lock frame=BinStock$BinFile.adjust
// symptom: growing-queue
// judge: NAMED: waiting for a file lock (of bins*.dat) at BinStock$BinFile.adjust, which another process holds; with the stocktaking child (Stocktaking.countAisle) as the holder it is complete, but the recording of this process cannot show that method. SYMPTOM ONLY: pickers busy or slow without what they wait for, orders queue up, file I/O in adjust in general. WRONG: file-sync, disk, Thread.sleep, monitors, the queue of picks (its take() is idle), waiting for the child process to end, nothing stands out
// jdk: 11
// set: thirty-fifth
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Records what pickers take from the bins of a warehouse; a second process counts the stock of each aisle. */
public class BinStock {
    static final int BINS = 4096;
    static final int RECORD = 16;

    static final class Pick {
        final int bin;
        final int pieces;
        final long ordered = System.nanoTime();

        Pick(int bin, int pieces) {
            this.bin = bin;
            this.pieces = pieces;
        }
    }

    /** One record for each bin: pieces, and the number of changes. Other processes use the file as well. */
    static final class BinFile {
        final FileChannel channel;

        BinFile(Path path) throws IOException {
            channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE);
        }

        void fill() throws IOException {
            ByteBuffer all = ByteBuffer.allocate(BINS * RECORD);
            for (int bin = 0; bin < BINS; bin++) {
                all.putLong(1_000_000L).putLong(0L);
            }
            all.flip();
            channel.write(all, 0);
        }

        long adjust(int bin, int pieces) throws IOException {
            ByteBuffer record = ByteBuffer.allocate(RECORD);
            long position = (long) bin * RECORD;
            try (FileLock lock = channel.lock(position, RECORD, false)) {
                channel.read(record, position);
                record.flip();
                long left = record.getLong() + pieces;
                long changes = record.getLong() + 1;
                record.clear();
                record.putLong(left < 0 ? 1_000_000L : left).putLong(changes).flip();
                channel.write(record, position);
                return left;
            }
        }
    }

    /** Takes picks from the queue; each picker has aisles of its own. */
    static final class Picker implements Runnable {
        private final BinFile file;
        private final BlockingQueue<Pick> picks;
        private final Stocks stocks;

        Picker(BinFile file, BlockingQueue<Pick> picks, Stocks stocks) {
            this.file = file;
            this.picks = picks;
            this.stocks = stocks;
        }

        @Override
        public void run() {
            try {
                for (;;) {
                    Pick pick = picks.take();
                    long from = System.nanoTime();
                    file.adjust(pick.bin, -pick.pieces);
                    stocks.booked.increment();
                    stocks.inFile.add(System.nanoTime() - from);
                    stocks.sinceOrder.add(System.nanoTime() - pick.ordered);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static final class Stocks {
        final LongAdder booked = new LongAdder();
        final LongAdder inFile = new LongAdder();
        final LongAdder sinceOrder = new LongAdder();
        final AtomicLong refused = new AtomicLong();
    }

    /** The other process: counts aisle after aisle, and ends with the first one. */
    static final class Stocktaking {
        private final BinFile file;
        private long total;

        Stocktaking(BinFile file) {
            this.file = file;
        }

        void run() throws Exception {
            int aisle = 0;
            for (;;) {
                total += countAisle(aisle++ % 32);
                Thread.sleep(25);
            }
        }

        private long countAisle(int aisle) throws Exception {
            long pieces = 0;
            try (FileLock lock = file.channel.lock()) {
                ByteBuffer page = ByteBuffer.allocate(32 * RECORD);
                for (int p = 0; p < 4; p++) {
                    page.clear();
                    file.channel.read(page, (long) (aisle * 128 + p * 32) * RECORD);
                    page.flip();
                    while (page.remaining() >= RECORD) {
                        pieces += page.getLong();
                        page.getLong();
                    }
                    Thread.sleep(40);
                }
            }
            return pieces;
        }
    }

    public static void main(String[] args) throws Exception {
        if (args.length == 1) {
            Thread watch = new Thread(() -> {
                try {
                    while (System.in.read() >= 0) {
                        continue;
                    }
                } catch (IOException e) {
                    // the first process is gone
                }
                Runtime.getRuntime().halt(0);
            }, "parent-watch");
            watch.setDaemon(true);
            watch.start();
            new Stocktaking(new BinFile(Path.of(args[0]))).run();
            return;
        }
        Path path = Files.createTempFile("bins", ".dat");
        BinFile file = new BinFile(path);
        file.fill();
        Process stocktaking = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx32m", "-XX:+UseSerialGC",
            "-cp", System.getProperty("java.class.path"), "BinStock", path.toString()).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            stocktaking.destroy();
            path.toFile().delete();
        }));
        Stocks stocks = new Stocks();
        BlockingQueue<Pick> picks = new ArrayBlockingQueue<>(64);
        for (int i = 0; i < 4; i++) {
            new Thread(new Picker(file, picks, stocks), "picker-" + i).start();
        }
        Random random = new Random(11);
        ScheduledExecutorService orders = Executors.newSingleThreadScheduledExecutor(r -> new Thread(r, "orders"));
        AtomicLong number = new AtomicLong();
        orders.scheduleAtFixedRate(() -> {
            int bin = (int) (number.getAndIncrement() * 1009 % BINS);
            if (!picks.offer(new Pick(bin, 1 + random.nextInt(5)))) {
                stocks.refused.incrementAndGet();
            }
        }, 0, 8, TimeUnit.MILLISECONDS);
        for (int i = 0; i < 100 && stocks.booked.sum() < 50; i++) {
            Thread.sleep(100);
        }
        Thread.sleep(1000);
        System.out.println("READY");
        System.out.flush();
        long booked = stocks.booked.sum(), inFile = stocks.inFile.sum(), since = stocks.sinceOrder.sum();
        for (;;) {
            Thread.sleep(1000);
            long booked2 = stocks.booked.sum(), inFile2 = stocks.inFile.sum(), since2 = stocks.sinceOrder.sum(), n = Math.max(1, booked2 - booked);
            System.out.printf("measured: %d picks booked, %.1f ms each in adjust() (%.2f of 4 pickers on average), %.1f ms since their order; %d refused so far%n",
                booked2 - booked, (inFile2 - inFile) / 1e6 / n, (inFile2 - inFile) / 1e9, (since2 - since) / 1e6 / n, stocks.refused.get());
            booked = booked2; inFile = inFile2; since = since2;
        }
    }
}
