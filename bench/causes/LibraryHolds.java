// SPDX-License-Identifier: Apache-2.0
// cause: Holds run on virtual threads but Shelfmark.place asks the catalogue over a socket inside a synchronized method, which pins the carrier thread on JDK 21, so with two carriers only two requests are under way at a time.
// share: 206 holds/s without, 4882 holds/s with -Dfixed=true (23.7 times; means over 8 and 7 s after READY; e.g. "211 holds/s, mean 9.4 ms" against "4991 holds/s, mean 9.5 ms")
// expect: waiting kind=pinned monitor=LibraryHolds$Shelfmark.place | unstarted-threads monitor=LibraryHolds$Shelfmark.place
// symptom: waiting unstarted-threads
// judge: Must name pinning: virtual threads blocked in socket read within the synchronized Shelfmark.place hold their carriers (ForkJoinPool carriers occupied; use ReentrantLock or ask outside of the monitor); "the catalogue is slow", "threads wait in socket read" or "contention on Shelfmark" (the monitors are hardly contended) is only a symptom or wrong.
// set: twenty-first
// jdk: 21
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

/** Holds on copies of a library: every hold is confirmed by the central catalogue before the shelf notes it. */
public class LibraryHolds {
    static final int READERS = 48;
    static final LongAdder PLACED = new LongAdder();
    static final LongAdder NANOS = new LongAdder();

    /** The central catalogue, answers a line after about 10 ms. */
    static final class Catalogue {
        private final ServerSocket listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());

        Catalogue() throws IOException {
            Thread.ofPlatform().daemon().name("catalogue-accept").start(() -> {
                try {
                    for (int n = 0; ; n++) {
                        Socket s = listener.accept();
                        s.setTcpNoDelay(true);
                        Thread.ofPlatform().daemon().name("catalogue-" + n).start(() -> serve(s));
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }

        private void serve(Socket s) {
            try (var in = new DataInputStream(s.getInputStream()); var out = new DataOutputStream(s.getOutputStream())) {
                while (true) {
                    int book = in.readInt();
                    Thread.sleep(9);
                    out.writeInt(book % 97 == 0 ? 0 : 1);
                }
            } catch (IOException | InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        CatalogueLine open() {
            try {
                Socket s = new Socket(listener.getInetAddress(), listener.getLocalPort());
                s.setTcpNoDelay(true);
                return new CatalogueLine(new DataInputStream(s.getInputStream()), new DataOutputStream(s.getOutputStream()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    record CatalogueLine(DataInputStream in, DataOutputStream out) {
        boolean lendable(int book) throws IOException {
            out.writeInt(book);
            return in.readInt() == 1;
        }
    }

    interface HoldShelf {
        boolean place(int book, int reader, CatalogueLine line) throws IOException;
    }

    /** One shelf mark: its holds must be entered one at a time. */
    static final class Shelfmark implements HoldShelf {
        private final Map<Integer, Integer> holds = new HashMap<>();

        @Override
        public synchronized boolean place(int book, int reader, CatalogueLine line) throws IOException {
            if (!line.lendable(book)) {
                return false;
            }
            holds.put(book, reader);
            return true;
        }
    }

    /** A shelf mark guarded by a lock of its own. */
    static final class LockedShelfmark implements HoldShelf {
        private final Map<Integer, Integer> holds = new HashMap<>();
        private final ReentrantLock entry = new ReentrantLock();

        @Override
        public boolean place(int book, int reader, CatalogueLine line) throws IOException {
            entry.lock();
            try {
                if (!line.lendable(book)) {
                    return false;
                }
                holds.put(book, reader);
                return true;
            } finally {
                entry.unlock();
            }
        }
    }

    static void attend(int reader, List<HoldShelf> shelves, BlockingQueue<CatalogueLine> lines) {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        int book = r.nextInt(20_000);
        long t0 = System.nanoTime();
        try {
            CatalogueLine line = lines.take();
            try {
                shelves.get(book % shelves.size()).place(book, reader, line);
            } finally {
                lines.put(line);
            }
            NANOS.add(System.nanoTime() - t0);
            PLACED.increment();
        } catch (InterruptedException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        boolean fixed = Boolean.getBoolean("fixed");
        var catalogue = new Catalogue();
        List<HoldShelf> shelves = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            shelves.add(fixed ? new LockedShelfmark() : new Shelfmark());
        }
        BlockingQueue<CatalogueLine> lines = new LinkedBlockingQueue<>();
        for (int i = 0; i < READERS; i++) {
            lines.add(catalogue.open());
        }
        var desk = Executors.newVirtualThreadPerTaskExecutor();
        var seats = new Semaphore(READERS);
        Thread.ofPlatform().daemon().name("front-door").start(() -> {
            for (int n = 0; ; n++) {
                int reader = n;
                seats.acquireUninterruptibly();
                desk.execute(() -> {
                    try {
                        attend(reader, shelves, lines);
                    } finally {
                        seats.release();
                    }
                });
            }
        });
        Thread.sleep(2000);
        System.out.println("READY");
        PLACED.sumThenReset();
        NANOS.sumThenReset();
        for (int s = 0; s < 240; s++) {
            Thread.sleep(1000);
            long n = PLACED.sumThenReset();
            long ns = NANOS.sumThenReset();
            System.out.printf("measured: %d holds/s, mean %.1f ms%n", n, n == 0 ? 0.0 : ns / 1e6 / n);
        }
        System.exit(0);
    }
}
