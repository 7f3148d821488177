// SPDX-License-Identifier: Apache-2.0
// healthy: looks like sixteen notaries that wait for futures while one thread (register) waits for the disk in force, but a deed has to be on the disk before it is confirmed, and one force serves all deeds that have come in since the one before (group commit).
// share: measures deeds a second (5,600, from 1,300 to 7,700 as the disk is used by others), the mean time to confirm one (3 ms), and deeds for a force (5)
// judge: WRONG: accusing the force as being called for each deed, a lock held during the wait, the single thread register as too few threads, the queue, or notaries' waits for futures as a fault of the program. ACCEPTABLE: a neutral or factual remark that notaries wait for the disk through register (DeedRegister$Register.commit, fsync for many deeds at once), or that a faster disk would make it faster.
// jdk: 25
// set: twenty-sixth
// jvm:

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32;

public class DeedRegister {
    static final int NOTARIES = 16;
    static final long LIMIT = 8 << 20;
    static final AtomicLong confirmed = new AtomicLong();
    static final AtomicLong nanos = new AtomicLong();
    static final AtomicLong forces = new AtomicLong();

    record Deed(String parcel, String owner, long cents) {
        String line() {
            return parcel + '|' + owner + '|' + cents;
        }
    }

    record Entry(byte[] bytes, CompletableFuture<Long> confirmation) {
    }

    /** Writes what has come in, and confirms it when the disk has it. */
    static final class Register implements Runnable {
        private final BlockingQueue<Entry> entries = new ArrayBlockingQueue<>(1000);
        private final FileChannel file;
        private final ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16);
        private long number;

        Register(Path path) throws Exception {
            file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING);
        }

        CompletableFuture<Long> enter(byte[] bytes) throws InterruptedException {
            CompletableFuture<Long> confirmation = new CompletableFuture<>();
            entries.put(new Entry(bytes, confirmation));
            return confirmation;
        }

        private void flush() throws Exception {
            buffer.flip();
            while (buffer.hasRemaining()) {
                file.write(buffer);
            }
            buffer.clear();
        }

        private void commit(List<Entry> group) throws Exception {
            if (file.position() > LIMIT) {
                file.truncate(0);
                file.position(0);
            }
            for (Entry entry : group) {
                if (buffer.remaining() < entry.bytes().length) {
                    flush();
                }
                buffer.put(entry.bytes());
            }
            flush();
            file.force(false);
            forces.incrementAndGet();
        }

        @Override
        public void run() {
            List<Entry> group = new ArrayList<>();
            try {
                while (true) {
                    group.add(entries.take());
                    entries.drainTo(group);
                    commit(group);
                    for (Entry entry : group) {
                        entry.confirmation().complete(++number);
                    }
                    group.clear();
                }
            } catch (Exception e) {
                e.printStackTrace();
            }
        }
    }

    static final class Sealer {
        byte[] seal(Deed deed) {
            byte[] text = deed.line().getBytes(StandardCharsets.UTF_8);
            CRC32 sum = new CRC32();
            sum.update(text);
            byte[] tail = ("|" + Long.toHexString(sum.getValue()) + "\n").getBytes(StandardCharsets.UTF_8);
            byte[] all = java.util.Arrays.copyOf(text, text.length + tail.length);
            System.arraycopy(tail, 0, all, text.length, tail.length);
            return all;
        }
    }

    static final class Notary implements Runnable {
        private final Register register;
        private final Sealer sealer = new Sealer();
        private final Random random;

        Notary(Register register, int number) {
            this.register = register;
            this.random = new Random(number);
        }

        private Deed draft() {
            return new Deed("parcel-" + random.nextInt(1_000_000), "owner-" + random.nextInt(500_000), 100L * random.nextInt(90_000_000));
        }

        private long file(Deed deed) throws Exception {
            return register.enter(sealer.seal(deed)).get();
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Deed deed = draft();
                    long begin = System.nanoTime();
                    if (file(deed) <= 0) {
                        throw new IllegalStateException("no number");
                    }
                    nanos.addAndGet(System.nanoTime() - begin);
                    confirmed.incrementAndGet();
                    Thread.sleep(1);
                }
            } catch (Exception e) {
                e.printStackTrace();
            }
        }
    }

    static void start(Runnable what, String name) {
        Thread thread = new Thread(what, name);
        thread.setDaemon(true);
        thread.start();
    }

    public static void main(String[] args) throws Exception {
        Path path = Files.createTempFile("deeds", ".log");
        path.toFile().deleteOnExit();
        Register register = new Register(path);
        start(register, "register");
        for (int i = 0; i < NOTARIES; i++) {
            start(new Notary(register, i), "notary-" + i);
        }
        System.out.println("READY");
        long end = System.nanoTime() + 170_000_000_000L;
        while (System.nanoTime() < end) {
            long c = confirmed.get();
            long n = nanos.get();
            long f = forces.get();
            Thread.sleep(1000);
            long done = confirmed.get() - c;
            System.out.printf("measured: %d deeds/s, %.2f ms each, %.1f deeds for a force%n", done,
                (nanos.get() - n) / 1e6 / Math.max(1, done), done / (double) Math.max(1, forces.get() - f));
        }
        System.exit(0);
    }
}
