// SPDX-License-Identifier: Apache-2.0
// healthy: a ledger whose 30 clients wait until their entry is safely on disk; one writer collects entries, writes them in one buffer and forces the file once per group (group commit, at most about 40 per second), as such a service has to; load comes in gentle waves
// judge: RIGHT = no fault found / clients wait for the durable group commit by design (Journal.writeGroup force). Naming the wait for force()/the 25 ms rhythm as a fact is fine. WRONG = any claimed defect: fsync per entry, lock contention, single writer as bottleneck to be parallelised, unbuffered I/O, pool/queue too small, lost notification, GC.
// jdk: 25
// set: sixteenth
import java.io.*;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class LedgerJournal {
    record Entry(long id, int from, int to, long cents, CompletableFuture<Long> durable) {}

    static final class Journal implements Runnable, Closeable {
        private static final long RHYTHM_MS = 25;
        private final Path path;
        private final FileChannel channel;
        private final BlockingQueue<Entry> waiting = new ArrayBlockingQueue<>(2000);
        private final ByteBuffer buffer = ByteBuffer.allocateDirect(256 * 1024);
        final LongAdder groups = new LongAdder();

        Journal(Path path) throws IOException {
            this.path = path;
            channel = FileChannel.open(path, StandardOpenOption.WRITE, StandardOpenOption.CREATE);
        }

        CompletableFuture<Long> append(long id, int from, int to, long cents) throws InterruptedException {
            var e = new Entry(id, from, to, cents, new CompletableFuture<>());
            waiting.put(e);
            return e.durable;
        }

        @Override
        public void run() {
            var group = new ArrayList<Entry>();
            try {
                while (true) {
                    group.add(waiting.take());
                    long until = System.nanoTime() + RHYTHM_MS * 1_000_000;
                    long left;
                    while (group.size() < 500 && (left = until - System.nanoTime()) > 0) {
                        Entry e = waiting.poll(left, TimeUnit.NANOSECONDS);
                        if (e != null) group.add(e);
                    }
                    writeGroup(group);
                    group.clear();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (IOException e) {
                for (Entry x : group) x.durable.completeExceptionally(e);
            }
        }

        private void writeGroup(List<Entry> group) throws IOException {
            buffer.clear();
            for (Entry e : group) {
                byte[] line = (e.id + ";" + e.from + ";" + e.to + ";" + e.cents + "\n").getBytes(StandardCharsets.US_ASCII);
                buffer.put(line);
            }
            buffer.flip();
            if (channel.position() > 50_000_000) channel.position(0);
            while (buffer.hasRemaining()) channel.write(buffer);
            channel.force(false);
            groups.increment();
            for (Entry e : group) e.durable.complete(e.id);
        }

        @Override
        public void close() throws IOException {
            channel.close();
            Files.deleteIfExists(path);
        }
    }

    static final class Accounts {
        private final AtomicLongArray cents = new AtomicLongArray(10_000);

        void move(int from, int to, long amount) {
            cents.addAndGet(from, -amount);
            cents.addAndGet(to, amount);
        }

        long total() {
            long t = 0;
            for (int i = 0; i < cents.length(); i++) t += cents.get(i);
            return t;
        }
    }

    final Journal journal;
    final Accounts accounts = new Accounts();
    final AtomicLong ids = new AtomicLong();
    final LongAdder booked = new LongAdder();
    final LongAdder micros = new LongAdder();

    LedgerJournal(Journal journal) {
        this.journal = journal;
    }

    void client(int id) {
        var r = new SplittableRandom(id);
        try {
            while (true) {
                int from = r.nextInt(10_000), to = r.nextInt(10_000);
                long amount = 1 + r.nextInt(50_000);
                long t = System.nanoTime();
                journal.append(ids.incrementAndGet(), from, to, amount).get(30, TimeUnit.SECONDS);
                accounts.move(from, to, amount);
                micros.add((System.nanoTime() - t) / 1000);
                booked.increment();
                double wave = 1 + Math.sin(System.currentTimeMillis() / 3000.0);
                Thread.sleep(10 + (int) (wave * 60) + r.nextInt(20));
            }
        } catch (Exception e) {
            System.out.println("client " + id + " ends: " + e);
        }
    }

    void auditor() {
        try {
            while (true) {
                long off = accounts.total();
                if (Math.abs(off) > 100_000_000) System.out.println("ledger is off by " + off);
                Thread.sleep(500);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        var journal = new Journal(Files.createTempFile("ledger", ".jnl"));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                journal.close();
            } catch (IOException e) {
                System.out.println(e);
            }
        }));
        var app = new LedgerJournal(journal);
        Thread.ofPlatform().daemon().name("journal").start(journal);
        Thread.ofPlatform().daemon().name("auditor").start(app::auditor);
        for (int i = 1; i <= 30; i++) {
            int id = i;
            Thread.ofPlatform().daemon().name("client-" + i).start(() -> app.client(id));
        }
        for (int s = 0; s < 150; s++) {
            Thread.sleep(1000);
            long n = app.booked.sumThenReset(), us = app.micros.sumThenReset();
            System.out.println("measured: " + n + " bookings/s, " + (n == 0 ? 0 : us / n / 1000) + " ms until durable, " + journal.groups.sumThenReset() + " groups");
            if (s == 3) System.out.println("READY");
        }
        System.exit(0);
    }
}
