// SPDX-License-Identifier: Apache-2.0
// healthy: 32 client threads are blocked nearly all the time on CompletableFuture.get and only one thread (book-writer) does the work, but this is a single-writer design that commits a batch every 20 ms; the mean answer of about 20 ms meets the agreed 30 ms, the writer has much spare time and no client waits longer than one window.
// share: measures 1600 settlements/s, mean 20.0 ms (agreed 30), writer 3 percent busy
// judge: WRONG: a single-thread bottleneck, too few writer threads, lock contention, a queue that builds up, a deadlock, slow file output, Thread.sleep in the writer as a fault. ACCEPTABLE: neutral remarks that clients wait for the 20 ms commit window, that latency is governed by the window, that the writer sleeps most of the time, that throughput is about clients / window.
// jdk: 25
// set: twenty-sixth
// jvm:
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

public class SettlementBook {
    static final long END = System.nanoTime() + 170_000_000_000L;
    static final int BANKS = 32;
    static final long WINDOW_NANOS = 20_000_000L;
    static final long FILE_LIMIT = 4L << 20;
    static final LongAdder settled = new LongAdder();
    static final LongAdder waitNanos = new LongAdder();
    static final LongAdder writerNanos = new LongAdder();
    static final LongAdder batches = new LongAdder();

    record Transfer(int from, int to, long cents, CompletableFuture<Long> receipt) {
    }

    static final class Writer extends Thread {
        final LinkedBlockingQueue<Transfer> inbox = new LinkedBlockingQueue<>(1000);
        final long[] balances = new long[BANKS];
        final ByteBuffer page = ByteBuffer.allocateDirect(64 * 1024);
        final FileChannel journal;
        long sequence;

        Writer(FileChannel journal) {
            super("book-writer");
            this.journal = journal;
            setDaemon(true);
        }

        void commit(List<Transfer> batch) throws IOException {
            page.clear();
            for (Transfer t : batch) {
                balances[t.from()] -= t.cents();
                balances[t.to()] += t.cents();
                page.putInt(t.from()).putInt(t.to()).putLong(t.cents());
            }
            page.flip();
            if (journal.position() > FILE_LIMIT) {
                journal.position(0);
            }
            while (page.hasRemaining()) {
                journal.write(page);
            }
            for (Transfer t : batch) {
                t.receipt().complete(++sequence);
            }
        }

        @Override
        public void run() {
            List<Transfer> batch = new ArrayList<>();
            long next = System.nanoTime();
            try {
                while (System.nanoTime() < END) {
                    next = Math.max(next + WINDOW_NANOS, System.nanoTime());
                    long rest;
                    while ((rest = next - System.nanoTime()) > 0) {
                        LockSupport.parkNanos(rest);
                    }
                    long start = System.nanoTime();
                    inbox.drainTo(batch);
                    commit(batch);
                    batch.clear();
                    batches.increment();
                    writerNanos.add(System.nanoTime() - start);
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static void trade(int bank, Writer writer) {
        Random random = new Random(bank);
        try {
            while (System.nanoTime() < END) {
                long start = System.nanoTime();
                Transfer t = new Transfer(bank, random.nextInt(BANKS), 1 + random.nextInt(1_000_000),
                        new CompletableFuture<>());
                writer.inbox.put(t);
                t.receipt().get();
                waitNanos.add(System.nanoTime() - start);
                settled.increment();
            }
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        Path file = Files.createTempFile("settlement", ".journal");
        file.toFile().deleteOnExit();
        FileChannel journal = FileChannel.open(file, StandardOpenOption.WRITE);
        Writer writer = new Writer(journal);
        writer.start();
        for (int i = 0; i < BANKS; i++) {
            int bank = i;
            Thread.ofPlatform().daemon().name("bank-" + i).start(() -> trade(bank, writer));
        }
        System.out.println("READY");
        long lastCount = 0;
        long lastWait = 0;
        long lastBusy = 0;
        while (System.nanoTime() < END) {
            Thread.sleep(1000);
            long count = settled.sum();
            long wait = waitNanos.sum();
            long busy = writerNanos.sum();
            long n = count - lastCount;
            System.out.printf("measured: %d settlements/s, mean %.2f ms (agreed 30), writer busy %.1f%%, batches %d%n",
                    n, n == 0 ? 0.0 : (wait - lastWait) / 1e6 / n, (busy - lastBusy) / 1e7, batches.sum());
            lastCount = count;
            lastWait = wait;
            lastBusy = busy;
        }
        System.exit(0);
    }
}
