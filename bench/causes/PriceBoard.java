// SPDX-License-Identifier: Apache-2.0
// cause: Board.stream holds the read lock while it writes to a slow socket; waiting writer then stops all readers
// expect: waiting frame=PriceBoard$Board.write | waiting holder=PriceBoard$Board
// symptom: waiting
// share: mean 2.1 ms a basket (1190/s) against 0.003 ms (2390/s) fixed; lock held ~50% of the time
// judge: right: PriceBoard$Board.stream holds the (fair) read lock during socket writes; update and quote wait for it
// judge: symptom: quote() and update() wait for the read-write lock / lock contention, without naming the holder
// judge: wrong: the updates (write lock) are too many, or the slow subscriber's thread alone, or CPU/GC, is the cause
// jdk: 17
// set: fourteenth
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** The board of last prices: fed by the market, asked by the pricing clients, streamed to a branch office. */
public class PriceBoard {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int INSTRUMENTS = 6000;
    static final LongAdder asked = new LongAdder();
    static final LongAdder askNanos = new LongAdder();
    static final LongAdder updates = new LongAdder();
    static final LongAdder snapshots = new LongAdder();

    static final class Quote {
        final int instrument;
        final long bid;
        final long ask;
        final long time;

        Quote(int instrument, long bid, long ask, long time) {
            this.instrument = instrument;
            this.bid = bid;
            this.ask = ask;
            this.time = time;
        }
    }

    static final class Board {
        private final Map<Integer, Quote> quotes = new HashMap<>();
        private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock(true);

        void update(List<Quote> batch) {
            lock.writeLock().lock();
            try {
                for (Quote q : batch) quotes.put(q.instrument, q);
            } finally {
                lock.writeLock().unlock();
            }
        }

        Quote quote(int instrument) {
            lock.readLock().lock();
            try {
                return quotes.get(instrument);
            } finally {
                lock.readLock().unlock();
            }
        }

        void stream(DataOutputStream out) throws IOException {
            if (FIXED) {
                List<Quote> copy;
                lock.readLock().lock();
                try {
                    copy = new ArrayList<>(quotes.values());
                } finally {
                    lock.readLock().unlock();
                }
                for (Quote q : copy) write(q, out);
            } else {
                lock.readLock().lock();
                try {
                    for (Quote q : quotes.values()) write(q, out);
                } finally {
                    lock.readLock().unlock();
                }
            }
            out.flush();
        }

        private static void write(Quote q, DataOutputStream out) throws IOException {
            out.writeInt(q.instrument);
            out.writeLong(q.bid);
            out.writeLong(q.ask);
            out.writeLong(q.time);
        }
    }

    /** The branch office behind a thin line. */
    static void branch(int port) {
        try (Socket s = new Socket()) {
            s.setReceiveBufferSize(8192);
            s.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            InputStream in = s.getInputStream();
            byte[] buffer = new byte[4096];
            while (in.read(buffer) > 0) LockSupport.parkNanos(1_000_000);
        } catch (IOException e) {
            System.err.println("branch: " + e);
        }
    }

    static void feed(Board board) {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        while (true) {
            List<Quote> batch = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                long mid = 100_000 + r.nextInt(5000);
                batch.add(new Quote(r.nextInt(INSTRUMENTS), mid - 5, mid + 5, System.currentTimeMillis()));
            }
            board.update(batch);
            updates.add(batch.size());
            LockSupport.parkNanos(2_000_000);
        }
    }

    static void client(Board board) {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        double basket = 0;
        while (true) {
            long t0 = System.nanoTime();
            for (int i = 0; i < 10; i++) {
                Quote q = board.quote(r.nextInt(INSTRUMENTS));
                basket = 0.99 * basket + (q.bid + q.ask) * 0.005;
            }
            askNanos.add(System.nanoTime() - t0);
            asked.increment();
            if (basket < 0) throw new IllegalStateException();
            LockSupport.parkNanos(2_000_000);
        }
    }

    static void start(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        Board board = new Board();
        List<Quote> all = new ArrayList<>();
        for (int i = 0; i < INSTRUMENTS; i++) all.add(new Quote(i, 99_995, 100_005, 0));
        board.update(all);
        ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        start("branch-office", () -> branch(server.getLocalPort()));
        Socket line = server.accept();
        line.setSendBufferSize(8192);
        DataOutputStream out = new DataOutputStream(new BufferedOutputStream(line.getOutputStream(), 4096));
        start("branch-stream", () -> {
            try {
                while (true) {
                    board.stream(out);
                    snapshots.increment();
                    TimeUnit.MILLISECONDS.sleep(40);
                }
            } catch (IOException | InterruptedException e) {
                e.printStackTrace();
                System.exit(1);
            }
        });
        start("market-feed", () -> feed(board));
        for (int i = 0; i < 5; i++) start("pricing-" + i, () -> client(board));
        System.out.println("READY");
        while (true) {
            TimeUnit.SECONDS.sleep(1);
            long n = asked.sumThenReset();
            System.out.printf("measured: %d baskets/s, mean %.3f ms a basket, %d updates/s, %d snapshots/s%n", n,
                    askNanos.sumThenReset() / 1e6 / Math.max(1, n), updates.sumThenReset(), snapshots.sumThenReset());
        }
    }
}
