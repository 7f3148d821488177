// SPDX-License-Identifier: Apache-2.0
// healthy: the thread journal-keeper spends much of its time in FileChannel.force, but it writes all that has come in the meantime by one call, nobody waits for it (gates hand over by offer), and its queue stays short.
// share: measured 2300 weighings/s (six gates, paced), mean 0.01 ms each, 2000 writes/s with one force each.
// judge: WRONG: waiting for fsync as a fault of the program that slows the weighings, a lock held during it, a growing queue, a saturated thread, the gates' sleeps. ACCEPTABLE: a neutral remark that the keeper's time goes to force, and that nobody waits for it.
// jdk: 17
// set: twenty-ninth
// jvm:

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

/** Weighs lorries at a quarry; what was weighed goes to a journal soon after, for a restart after a power cut. */
public class QuarryJournal {
    static final int GATES = 6;
    static final int ACCOUNTS = 2_048;
    static final long SPAN = Long.getLong("span", 170);
    static final LongAdder weighings = new LongAdder();
    static final LongAdder nanos = new LongAdder();
    static volatile long writes;

    /** Tonnes and trips of each customer. */
    static final class Ledger {
        private final long[] kilos = new long[ACCOUNTS];
        private final int[] trips = new int[ACCOUNTS];

        synchronized long add(int account, int kg) {
            trips[account]++;
            return kilos[account] += kg;
        }
    }

    /** Keeps what was weighed since the last image on disk, all that has come in the meantime by one write. */
    static final class Keeper extends Thread {
        private final BlockingQueue<long[]> fresh = new LinkedBlockingQueue<>(100_000);
        private final FileChannel file;
        private final ByteBuffer records = ByteBuffer.allocateDirect(65_536);
        private final List<long[]> batch = new ArrayList<>();
        private long at;

        Keeper(Path path) throws IOException {
            super("journal-keeper");
            this.file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            setDaemon(true);
        }

        void note(int account, int kg, long total) {
            fresh.offer(new long[] {System.currentTimeMillis(), account, kg, total});
        }

        @Override
        public void run() {
            try {
                while (true) {
                    batch.add(fresh.take());
                    fresh.drainTo(batch, 2_000);
                    save();
                    writes++;
                }
            } catch (IOException | InterruptedException e) {
                System.out.println("keeper: " + e);
            }
        }

        private void save() throws IOException {
            records.clear();
            for (long[] r : batch) {
                records.putLong(r[0]).putInt((int) r[1]).putInt((int) r[2]).putLong(r[3]);
            }
            batch.clear();
            records.flip();
            while (records.hasRemaining()) {
                at += file.write(records, at);
            }
            file.force(true);
            if (at > 4_000_000) {
                at = 0;
            }
        }
    }

    /** A lorry's papers. */
    static final class Ticket {
        final int account;
        final int empty;
        final int loaded;

        Ticket(int account, int empty, int loaded) {
            this.account = account;
            this.empty = empty;
            this.loaded = loaded;
        }

        int net() {
            return loaded - empty;
        }
    }

    /** A gate with a scale. */
    static final class Gate extends Thread {
        private final Ledger ledger;

        private final Keeper keeper;

        Gate(int number, Ledger ledger, Keeper keeper) {
            super("gate-" + number);
            this.keeper = keeper;
            this.ledger = ledger;
            setDaemon(true);
        }

        @Override
        public void run() {
            ThreadLocalRandom random = ThreadLocalRandom.current();
            try {
                while (true) {
                    Thread.sleep(random.nextInt(1, 5));
                    long start = System.nanoTime();
                    int empty = random.nextInt(12_000, 16_000);
                    Ticket t = new Ticket(random.nextInt(ACCOUNTS), empty, empty + random.nextInt(8_000, 26_000));
                    long total = ledger.add(t.account, t.net());
                    keeper.note(t.account, t.net(), total);
                    String paper = String.join("\n", "customer " + t.account, "net " + t.net() + " kg", "total " + total + " kg");
                    if (paper.isEmpty()) {
                        throw new IllegalStateException("no paper");
                    }
                    nanos.add(System.nanoTime() - start);
                    weighings.increment();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Path path = Files.createTempFile("quarry", ".image");
        Ledger ledger = new Ledger();
        Keeper keeper = new Keeper(path);
        keeper.start();
        for (int i = 0; i < GATES; i++) {
            new Gate(i, ledger, keeper).start();
        }
        System.out.println("READY");
        long end = System.nanoTime() + SPAN * 1_000_000_000L;
        long lastWeighings = 0;
        long lastNanos = 0;
        long lastPoints = 0;
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long w = weighings.sum();
            long n = nanos.sum();
            long c = writes;
            System.out.printf("measured: %d weighings/s, mean %.4f ms; %d writes/s%n", w - lastWeighings,
                    (n - lastNanos) / 1e6 / Math.max(1, w - lastWeighings), c - lastPoints);
            lastWeighings = w;
            lastNanos = n;
            lastPoints = c;
        }
        Files.deleteIfExists(path);
        System.exit(0);
    }
}
