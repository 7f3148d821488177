// SPDX-License-Identifier: Apache-2.0
// cause: GridArchive$Biller.byDay reads each of a meter's 92 consecutive 4 KiB day pages by a read of its own from a FileChannel opened with ExtendedOpenOption.DIRECT (Store.days), so that each statement waits 92 times for the disk, one after the other, without the page cache.
// share: faulty 340 to 377 statements/s (8 to 9 ms each), fixed (one read of all 92 pages) 2,460 to 2,660 statements/s (1.1 to 1.2 ms each): 7 times.
// expect: waiting kind=file-read frame=GridArchive$Store.days
// symptom: disk-wait hot-calls
// judge: NAMED: waiting for the disk in reads (direct I/O) of GridArchive$Store.days, called by Biller.byDay for each day: many small reads; fewer, larger reads help. SYMPTOM ONLY: high iowait, threads in state D, disk pressure of the machine, the billers wait. WRONG: Statement.add as the cause (computing), a slow machine or neighbours as the only cause, waiting for data forced to the disk (nothing is written), a lock, GC.
// jdk: 21
// set: thirtieth
// jvm: -XX:MaxDirectMemorySize=32m

import com.sun.nio.file.ExtendedOpenOption;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

public class GridArchive {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int SPAN = Integer.getInteger("span", 170);
    static final int PAGE = 4096;
    static final int DAYS = 92;
    static final int METERS = 240;
    static final int QUARTERS = 96;

    static final class Store implements AutoCloseable {
        final Path path;
        final FileChannel channel;

        Store() throws IOException {
            path = Files.createTempFile("grid-archive", ".dat");
            path.toFile().deleteOnExit();
            Random random = new Random(11);
            try (FileChannel out = FileChannel.open(path, StandardOpenOption.WRITE)) {
                ByteBuffer quarter = ByteBuffer.allocateDirect(PAGE * DAYS);
                for (int m = 0; m < METERS; m++) {
                    quarter.clear();
                    for (int d = 0; d < DAYS; d++) {
                        for (int q = 0; q < QUARTERS; q++) {
                            quarter.putInt(d * PAGE + q * 8, q);
                            quarter.putInt(d * PAGE + q * 8 + 4, 50 + random.nextInt(900));
                        }
                    }
                    out.write(quarter);
                }
                out.force(true);
            }
            channel = FileChannel.open(path, StandardOpenOption.READ, ExtendedOpenOption.DIRECT);
        }

        void days(int meter, int first, int count, ByteBuffer into) throws IOException {
            into.clear().limit(count * PAGE);
            long at = ((long) meter * DAYS + first) * PAGE;
            while (into.hasRemaining()) {
                int n = channel.read(into, at);
                if (n < 0) {
                    throw new IOException("archive ends at " + at);
                }
                at += n;
            }
            into.flip();
        }

        @Override
        public void close() throws IOException {
            channel.close();
            Files.deleteIfExists(path);
        }
    }

    static final class Statement {
        long wattHours;
        long peak;
        double price;

        void add(ByteBuffer page, int offset, int day) {
            for (int q = 0; q < QUARTERS; q++) {
                int slot = page.getInt(offset + q * 8);
                int wh = page.getInt(offset + q * 8 + 4);
                wattHours += wh;
                peak = Math.max(peak, wh);
                double season = 1 + 0.2 * Math.sin((day + slot / 96.0) / 58.1);
                price += wh * season * (slot >= 28 && slot < 84 ? 0.00031 : 0.00019);
            }
        }
    }

    static final class Biller implements Runnable {
        final Store store;
        final LongAdder done;
        final LongAdder nanos;

        Biller(Store store, LongAdder done, LongAdder nanos) {
            this.store = store;
            this.done = done;
            this.nanos = nanos;
        }

        @Override
        public void run() {
            ByteBuffer buffer = ByteBuffer.allocateDirect(PAGE * (DAYS + 1)).alignedSlice(PAGE);
            try {
                while (true) {
                    int meter = ThreadLocalRandom.current().nextInt(METERS);
                    long t = System.nanoTime();
                    Statement s = FIXED ? quarter(meter, buffer) : byDay(meter, buffer);
                    nanos.add(System.nanoTime() - t);
                    if (s.wattHours <= 0) {
                        throw new IllegalStateException("meter " + meter);
                    }
                    done.increment();
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        Statement byDay(int meter, ByteBuffer buffer) throws IOException {
            Statement s = new Statement();
            for (int d = 0; d < DAYS; d++) {
                store.days(meter, d, 1, buffer);
                s.add(buffer, 0, d);
            }
            return s;
        }

        Statement quarter(int meter, ByteBuffer buffer) throws IOException {
            Statement s = new Statement();
            store.days(meter, 0, DAYS, buffer);
            for (int d = 0; d < DAYS; d++) {
                s.add(buffer, d * PAGE, d);
            }
            return s;
        }
    }

    public static void main(String[] args) throws Exception {
        Store store = new Store();
        LongAdder done = new LongAdder();
        LongAdder nanos = new LongAdder();
        ThreadFactory daemons = r -> {
            Thread t = new Thread(r, "biller");
            t.setDaemon(true);
            return t;
        };
        ExecutorService billers = Executors.newFixedThreadPool(3, daemons);
        for (int i = 0; i < 3; i++) {
            billers.execute(new Biller(store, done, nanos));
        }
        System.out.println("READY");
        for (int s = 0; s < SPAN; s++) {
            Thread.sleep(1000);
            long n = done.sumThenReset();
            long t = nanos.sumThenReset();
            System.out.println("measured: " + n + " statements/s, mean " + (n == 0 ? 0 : t / n / 1000) + " us each");
        }
        Files.deleteIfExists(store.path);
        System.exit(0);
    }
}
