// SPDX-License-Identifier: Apache-2.0
// healthy: 16 tellers stand waiting for their transfers and the committer sits in write and FileChannel.force for the larger part of the time, which looks like blocked threads and slow synchronous disk I/O; but durability before the answer is the contract, and the forced writes are already shared (group commit: all transfers that are waiting go with one force)
// share: 31189 transfers/s (0.228 ms each) (median of a short run at nice 19 on a 2-core machine under heavy foreign load); about 2700 commits/s of 11 transfers each, 0.2 to 0.3 ms of each in force alone, that is about 60 % of the committer's time on this (fast) disk
// judge: any finding of trouble is WRONG, except a plain statement that the rate is bounded by the disk's forced writes, which are already grouped (inherent); advice to drop force or to batch (it is batched) is WRONG
// jdk: 21
// set: twenty-eighth
// jvm: -Xmx64m
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

public class EscrowCommit {
    static final int SPAN = Integer.getInteger("span", 170);
    static final int TELLERS = 16;
    static final int SLOT = 4096;
    static final long ROLL = 4L << 20;
    static volatile boolean open = true;
    static final AtomicLong transfers = new AtomicLong();
    static final AtomicLong forces = new AtomicLong();
    static final AtomicLong forceNanos = new AtomicLong();

    record Transfer(long from, long to, long cents, CompletableFuture<Long> done) { }

    static final class Committer extends Thread {
        final BlockingQueue<Transfer> waiting = new ArrayBlockingQueue<>(128);
        final FileChannel log;
        final ByteBuffer page = ByteBuffer.allocateDirect(64 * SLOT);
        long sequence;

        Committer(Path file) throws IOException {
            super("committer");
            log = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            page.limit(page.capacity());
            while (log.position() < ROLL) {
                page.rewind();
                log.write(page);
            }
            log.force(true);
            log.position(0);
        }

        @Override
        public void run() {
            List<Transfer> group = new ArrayList<>(64);
            try (log) {
                while (open) {
                    Transfer first = waiting.poll(200, TimeUnit.MILLISECONDS);
                    if (first == null) {
                        continue;
                    }
                    group.add(first);
                    waiting.drainTo(group, 63);
                    write(group);
                    for (Transfer t : group) {
                        t.done().complete(++sequence);
                    }
                    transfers.addAndGet(group.size());
                    group.clear();
                }
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        private void write(List<Transfer> group) throws IOException {
            page.clear();
            for (Transfer t : group) {
                int at = page.position();
                page.putLong(t.from()).putLong(t.to()).putLong(t.cents());
                page.position(at + SLOT);
            }
            page.flip();
            if (log.position() + page.remaining() > ROLL) {
                log.position(0);
            }
            while (page.hasRemaining()) {
                log.write(page);
            }
            long t0 = System.nanoTime();
            log.force(false);
            forceNanos.addAndGet(System.nanoTime() - t0);
            forces.incrementAndGet();
        }
    }

    public static void main(String[] args) throws Exception {
        long start = System.nanoTime();
        Path file = Files.createTempFile(Path.of("."), "escrow", ".log");
        Committer committer = new Committer(file);
        committer.start();
        for (int i = 1; i <= TELLERS; i++) {
            Thread teller = new Thread(() -> {
                ThreadLocalRandom rnd = ThreadLocalRandom.current();
                try {
                    while (open) {
                        Transfer t = new Transfer(rnd.nextLong(1_000_000), rnd.nextLong(1_000_000),
                                rnd.nextLong(90_000), new CompletableFuture<>());
                        committer.waiting.put(t);
                        t.done().get();
                    }
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }, "teller-" + i);
            teller.setDaemon(true);
            teller.start();
        }
        Thread.sleep(3000);
        System.out.println("READY");
        long end = start + SPAN * 1_000_000_000L;
        long before = transfers.get();
        long syncs = forces.get();
        long spent = forceNanos.get();
        long at = System.nanoTime();
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long now = transfers.get();
            long f = forces.get();
            long s = forceNanos.get();
            long t = System.nanoTime();
            System.out.printf("measured: %.0f transfers/s, %.0f commits/s, %.1f transfers per commit, %.3f ms each on disk%n",
                    (now - before) * 1e9 / (t - at), (f - syncs) * 1e9 / (t - at),
                    (now - before) / (double) Math.max(1, f - syncs),
                    (s - spent) / 1e6 / Math.max(1, f - syncs));
            spent = s;
            before = now;
            syncs = f;
            at = t;
        }
        open = false;
        committer.join();
        Files.deleteIfExists(file);
    }
}
