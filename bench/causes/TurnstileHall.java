// SPDX-License-Identifier: Apache-2.0
// cause: TurnstileHall$DayBook.enter writes each passage by itself (RandomAccessFile.write of 64 bytes) to a file that is opened with mode "rwd", so that each write waits until the disk has it; the one thread day-book does that for all turnstiles, which wait for room in its queue
// share: day-book is in RandomAccessFile.write all the time (about 1000 ms of each second, 0.7 to 4 ms a passage, 230 to 1500 passages a second); the 8 turnstiles wait 4500 to 8200 ms of each second for room in its queue, and check tickets for 1 to 3 ms
// expect: waiting kind=file-write frame=TurnstileHall$DayBook.enter | waiting kind=file-sync frame=TurnstileHall$DayBook.enter | waiting kind=disk frame=TurnstileHall$DayBook.enter | waiting kind=queue-full chain=TurnstileHall$DayBook.enter
// symptom: hot-calls disk-wait waiting
// judge: NAMED: waiting for writes to a file (or for data to reach the disk) at TurnstileHall$DayBook.enter, be it a finding of its own, or the end of the chain of the turnstiles' wait for room in the queue (DayBook.submit); also a disk wait that names DayBook.enter, or saturated-thread or a full queue that says that day-book waits for the disk there. SYMPTOM ONLY: waiting for room in a queue at DayBook.submit (Turnstile.run) alone, a slow disk or disk-wait without a place, hot-calls at DayBook.enter (system calls) without saying that writes wait. WRONG: TicketRegister, a lock, too small a queue as the cause, Thread.sleep of the turnstiles, CPU or collections, no fault
// jdk: 11
// set: thirty-fifth
// jvm: -Xmx256m
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** The gates of a stadium: tickets are checked at turnstiles, and each passage goes into the day's book. */
public class TurnstileHall {
    static final AtomicLong entered = new AtomicLong();
    static final AtomicLong writeNanos = new AtomicLong();
    static final LongAdder handOverNanos = new LongAdder();
    static final LongAdder checkNanos = new LongAdder();

    static final class Passage {
        final long ticket;
        final int gate;
        final int block;
        final long time;
        final boolean admitted;

        Passage(long ticket, int gate, int block, long time, boolean admitted) {
            this.ticket = ticket;
            this.gate = gate;
            this.block = block;
            this.time = time;
            this.admitted = admitted;
        }
    }

    /** Which tickets are valid, and which have been used. */
    static final class TicketRegister {
        private final ConcurrentHashMap<Long, Integer> blocks = new ConcurrentHashMap<>();

        TicketRegister(int tickets) {
            for (long ticket = 0; ticket < tickets; ticket++) {
                blocks.put(ticket * 7919 % 1_000_003, (int) (ticket % 48));
            }
        }

        int blockOf(long ticket) {
            Integer block = blocks.get(ticket);
            return block == null ? -1 : block;
        }
    }

    /** The book has a fixed size, as the day has a fixed number of passages; records have 64 bytes. */
    static final class DayBook implements Runnable, AutoCloseable {
        private static final int RECORD = 64;
        private static final int RECORDS = 40_000;
        private final BlockingQueue<Passage> queue = new ArrayBlockingQueue<>(64);
        private final File file;
        private final RandomAccessFile book;
        private final ByteBuffer record = ByteBuffer.allocate(RECORD);
        private int position;

        DayBook() throws IOException {
            file = File.createTempFile("daybook", ".dat");
            file.deleteOnExit();
            book = new RandomAccessFile(file, "rwd");
        }

        void submit(Passage passage) throws InterruptedException {
            queue.put(passage);
        }

        @Override
        public void run() {
            List<Passage> batch = new ArrayList<>();
            try {
                while (true) {
                    batch.add(queue.take());
                    queue.drainTo(batch, 31);
                    for (Passage passage : batch) {
                        long begin = System.nanoTime();
                        enter(passage);
                        writeNanos.addAndGet(System.nanoTime() - begin);
                        entered.incrementAndGet();
                    }
                    batch.clear();
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void enter(Passage passage) throws IOException {
            record.clear();
            record.putLong(passage.ticket).putInt(passage.gate).putInt(passage.block).putLong(passage.time);
            record.put((byte) (passage.admitted ? 1 : 0));
            book.seek((long) position * RECORD);
            book.write(record.array(), 0, RECORD);
            position = (position + 1) % RECORDS;
        }

        @Override
        public void close() throws IOException {
            book.close();
            file.delete();
        }
    }

    static final class Turnstile implements Runnable {
        private final int gate;
        private final TicketRegister register;
        private final DayBook book;
        private final SplittableRandom visitors;

        Turnstile(int gate, TicketRegister register, DayBook book) {
            this.gate = gate;
            this.register = register;
            this.book = book;
            this.visitors = new SplittableRandom(gate);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    long begin = System.nanoTime();
                    long ticket = visitors.nextInt(1_000_003);
                    int block = register.blockOf(ticket);
                    Passage passage = new Passage(ticket, gate, block, System.currentTimeMillis(), block >= 0);
                    long checked = System.nanoTime();
                    book.submit(passage);
                    long handed = System.nanoTime();
                    checkNanos.add(checked - begin);
                    handOverNanos.add(handed - checked);
                    TimeUnit.MILLISECONDS.sleep(2);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        TicketRegister register = new TicketRegister(60_000);
        DayBook book = new DayBook();
        Thread writer = new Thread(book, "day-book");
        writer.start();
        for (int gate = 1; gate <= 8; gate++) {
            new Thread(new Turnstile(gate, register, book), "turnstile-" + gate).start();
        }
        while (entered.get() < 200) {
            Thread.sleep(20);
        }
        System.out.println("READY");
        System.out.flush();
        long[] last = {entered.get(), writeNanos.get(), handOverNanos.sum(), checkNanos.sum()};
        while (true) {
            Thread.sleep(1000);
            long[] now = {entered.get(), writeNanos.get(), handOverNanos.sum(), checkNanos.sum()};
            System.out.printf("measured: %d passages, %d ms of day-book writing them, %d ms of 8 turnstiles handing over, %d ms checking%n",
                    now[0] - last[0], (now[1] - last[1]) / 1_000_000, (now[2] - last[2]) / 1_000_000, (now[3] - last[3]) / 1_000_000);
            System.out.flush();
            last = now;
        }
    }
}
