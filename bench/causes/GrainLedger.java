// SPDX-License-Identifier: Apache-2.0
// cause: The posting thread gathers 64 bookings or waits up to 80 ms for the next ones before it commits, but there are only 12 clerks who each wait for their booking to be committed, so a batch never fills and every commit waits out the full 80 ms.
// share: 147 bookings/s without, 2569 bookings/s with -Dfixed=true (17.4 times; means over 7 and 8 s after READY; e.g. "144 bookings/s, mean commit 77.25 ms" against "2569 bookings/s, mean commit 0.05 ms")
// expect: waiting frame=GrainLedger$PostingBook.gather timed=0
// symptom: waiting
// judge: Must name the batch gathering in PostingBook.gather (batch of 64 / linger of 80 ms never filled by 12 waiting clerks; the posting thread sits in the timed queue poll while all clerks wait for it); "clerks wait on CompletableFuture", "disk write/commit is slow" or "CPU idle" alone is only the symptom.
// set: twenty-first
// jdk: 25
import java.io.*;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;

/** Grain elevator accounts: clerks book deliveries, a posting thread commits them to the day's journal in groups. */
public class GrainLedger {
    static final int CLERKS = 12;
    static final LongAdder BOOKED = new LongAdder();
    static final LongAdder NANOS = new LongAdder();

    record Booking(String farm, int kilos, int moisture, CompletableFuture<Long> committed) {
        String line() {
            return farm + '|' + kilos + '|' + moisture + '\n';
        }
    }

    /** The day's journal, a file that is started anew at eight megabytes. */
    static final class Journal {
        private final FileChannel file;
        private long position;

        Journal(Path path) throws IOException {
            file = FileChannel.open(path, StandardOpenOption.WRITE);
        }

        void append(byte[] lines) throws IOException {
            if (position > 8 << 20) {
                position = 0;
            }
            ByteBuffer buffer = ByteBuffer.wrap(lines);
            while (buffer.hasRemaining()) {
                position += file.write(buffer, position);
            }
        }
    }

    /** Collects bookings and commits them together. */
    static final class PostingBook implements Runnable {
        private static final int GROUP = 64;
        private static final long LINGER_MILLIS = 80;
        private final BlockingQueue<Booking> incoming = new LinkedBlockingQueue<>(1000);
        private final Journal journal;
        private final boolean drainOnly;
        private long sequence;

        PostingBook(Journal journal, boolean drainOnly) {
            this.journal = journal;
            this.drainOnly = drainOnly;
        }

        CompletableFuture<Long> submit(String farm, int kilos, int moisture) throws InterruptedException {
            var booking = new Booking(farm, kilos, moisture, new CompletableFuture<>());
            incoming.put(booking);
            return booking.committed();
        }

        private List<Booking> gather() throws InterruptedException {
            List<Booking> group = new ArrayList<>(GROUP);
            group.add(incoming.take());
            if (drainOnly) {
                incoming.drainTo(group, GROUP - 1);
                return group;
            }
            long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LINGER_MILLIS);
            while (group.size() < GROUP) {
                Booking next = incoming.poll(until - System.nanoTime(), TimeUnit.NANOSECONDS);
                if (next == null) {
                    break;
                }
                group.add(next);
            }
            return group;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    List<Booking> group = gather();
                    var lines = new StringBuilder();
                    for (Booking b : group) {
                        lines.append(b.line());
                    }
                    journal.append(lines.toString().getBytes(StandardCharsets.UTF_8));
                    for (Booking b : group) {
                        b.committed().complete(++sequence);
                    }
                }
            } catch (InterruptedException | IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static void clerk(PostingBook book) {
        var r = ThreadLocalRandom.current();
        try {
            while (true) {
                long t0 = System.nanoTime();
                book.submit("farm-" + r.nextInt(4000), 500 + r.nextInt(24_000), 9 + r.nextInt(12)).get();
                NANOS.add(System.nanoTime() - t0);
                BOOKED.increment();
                Thread.sleep(1 + r.nextInt(8));
            }
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        Path path = Files.createTempFile("grain", ".journal");
        path.toFile().deleteOnExit();
        var book = new PostingBook(new Journal(path), Boolean.getBoolean("fixed"));
        Thread.ofPlatform().daemon().name("posting").start(book);
        for (int i = 0; i < CLERKS; i++) {
            Thread.ofPlatform().daemon().name("clerk-" + i).start(() -> clerk(book));
        }
        Thread.sleep(1500);
        System.out.println("READY");
        BOOKED.sumThenReset();
        NANOS.sumThenReset();
        for (int s = 0; s < 240; s++) {
            Thread.sleep(1000);
            long n = BOOKED.sumThenReset();
            long ns = NANOS.sumThenReset();
            System.out.printf("measured: %d bookings/s, mean commit %.2f ms%n", n, n == 0 ? 0.0 : ns / 1e6 / n);
        }
        System.exit(0);
    }
}
