// SPDX-License-Identifier: Apache-2.0
// cause: NotaryJournal.append calls FileChannel.force(true) for every single deed while holding the journal lock, so 24 clerks queue behind one disk flush per record; the deeds are not flushed in groups.
// share: about 90 % of the latency; mean 25.8 ms against 2.1 ms with -Dfixed=true, 940 against 11600 deeds/s (ratio about 12; depends on the disk)
// judge: must name the per-record FileChannel.force (fsync) in NotaryJournal.append, under the lock, as the cause (group commit / batching as the remedy). "Lock contention in append" or "clerks blocked" without the flush is only a symptom.
// expect: waiting kind=file-sync frame=NotaryJournal.append
// symptom: waiting
// set: twentieth
// jdk: 25
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

public class NotaryJournal {
    static final boolean REVISED = Boolean.getBoolean("fixed");
    static final long TURN = 8L << 20;

    record Deed(long number, String parties, long cents) { }

    record Entry(ByteBuffer bytes, CompletableFuture<Void> sealed) { }

    final ReentrantLock book = new ReentrantLock();
    final BlockingQueue<Entry> tray = new LinkedBlockingQueue<>(500);
    final FileChannel file;
    final LongAdder sealed = new LongAdder();
    final LongAdder micros = new LongAdder();

    NotaryJournal(Path path) throws IOException {
        file = FileChannel.open(path, StandardOpenOption.WRITE);
    }

    static ByteBuffer encode(Deed d) {
        int seal = 7;
        for (int i = 0; i < 200; i++) {
            seal = seal * 31 + (int) (d.number() >>> (i & 31));
        }
        String line = d.number() + ";" + d.parties() + ";" + d.cents() + ";" + Integer.toHexString(seal) + "\n";
        return ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8));
    }

    void append(ByteBuffer bytes) throws IOException {
        book.lock();
        try {
            turn();
            file.write(bytes);
            file.force(true);
        } finally {
            book.unlock();
        }
    }

    void turn() throws IOException {
        if (file.position() > TURN) {
            file.position(0);
        }
    }

    void registrar() {
        List<Entry> batch = new ArrayList<>();
        try {
            while (true) {
                batch.add(tray.take());
                tray.drainTo(batch, 100);
                turn();
                for (Entry e : batch) {
                    file.write(e.bytes());
                }
                file.force(true);
                batch.forEach(e -> e.sealed().complete(null));
                batch.clear();
            }
        } catch (IOException | InterruptedException e) {
            e.printStackTrace();
        }
    }

    void clerk() {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        try {
            while (true) {
                Deed d = new Deed(r.nextLong(1L << 40), "party " + r.nextInt(9000) + " & " + r.nextInt(9000),
                        r.nextLong(90_000_000));
                long t = System.nanoTime();
                ByteBuffer bytes = encode(d);
                if (REVISED) {
                    Entry e = new Entry(bytes, new CompletableFuture<>());
                    tray.put(e);
                    e.sealed().join();
                } else {
                    append(bytes);
                }
                micros.add((System.nanoTime() - t) / 1000);
                sealed.increment();
            }
        } catch (IOException | InterruptedException e) {
            e.printStackTrace();
        }
    }

    public static void main(String[] args) throws Exception {
        Path path = Files.createTempFile("notary", ".journal");
        path.toFile().deleteOnExit();
        NotaryJournal office = new NotaryJournal(path);
        if (REVISED) {
            Thread.ofPlatform().daemon().name("registrar").start(office::registrar);
        }
        for (int i = 0; i < 24; i++) {
            Thread.ofPlatform().daemon().name("clerk-" + i).start(office::clerk);
        }
        System.out.println("READY");
        long lastN = 0;
        long lastT = 0;
        for (int i = 0; i < 240; i++) {
            Thread.sleep(1000);
            long n = office.sealed.sum();
            long t = office.micros.sum();
            System.out.println("measured: " + (n - lastN) + " deeds/s, mean "
                    + (n == lastN ? 0 : (t - lastT) / (n - lastN)) + " us");
            lastN = n;
            lastT = t;
        }
    }
}
