// SPDX-License-Identifier: Apache-2.0
// cause: BerthNotice$Board.sendTo holds the read lock of the board while it sends all pages to a subscriber, and BerthNotice$Uplink.page paces itself to the subscriber's line rate (Thread.sleep) in that time; pilots that report a ship wait in BerthNotice$Board.report for the write lock until the readers are through
// share: pilots spend 92 to 99 % of their time in Board.report, 62 ms each, waiting for the write lock; readers hold it for nearly all of the time
// expect: waiting kind=write-lock frame=BerthNotice$Board.report | waiting waiter=BerthNotice$Board.report frame=BerthNotice$Uplink | waiting holder=BerthNotice$Uplink
// symptom: waiting
// judge: NAMED: waiting for the write lock at Board.report, which readers hold long (if they are named: Board.sendTo, in Uplink.page / Uplink.pace which sleeps; called by Publisher.run): copy under the lock and send without it. Also NAMED: threads in Board.sendTo rest in a timer at Uplink.pace while they hold the lock that others wait for. SYMPTOM ONLY: a wait for "a lock" at Board.report without saying that it is a write lock kept by readers; the sleep at Uplink.pace alone, without the lock; the readers' own wait for the read lock at Board.sendTo. WRONG: a lack of CPUs or threads, Board.report as a slow method, Pilot.eta computing, collections.
// jdk: 17
// set: thirty-third
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.zip.CRC32;

/** The board of a harbour: pilots report where ships are, publishers send the whole board to subscribers over radio lines. */
public class BerthNotice {
    static final int PILOTS = 10;
    static final int PUBLISHERS = 2;
    static final LongAdder reports = new LongAdder();
    static final LongAdder reportNanos = new LongAdder();
    static final LongAdder boards = new LongAdder();

    record Call(String ship, int berth, long eta, int draught) {
        String line() {
            return ship + ';' + berth + ';' + eta + ';' + draught;
        }
    }

    /** A line to a subscriber that takes so many bytes a second. */
    static final class Uplink {
        private final int bytesPerSecond;
        private final CRC32 check = new CRC32();
        private long credit;
        private long since = System.nanoTime();

        Uplink(int bytesPerSecond) {
            this.bytesPerSecond = bytesPerSecond;
        }

        void page(List<String> lines) throws InterruptedException {
            int bytes = 0;
            for (String line : lines) {
                for (int i = 0; i < line.length(); i++) {
                    check.update(line.charAt(i));
                }
                bytes += line.length() + 1;
            }
            pace(bytes);
        }

        private void pace(int bytes) throws InterruptedException {
            long now = System.nanoTime();
            credit = Math.min(bytesPerSecond / 100, credit + (now - since) * bytesPerSecond / 1_000_000_000L);
            since = now;
            credit -= bytes;
            if (credit < 0) {
                Thread.sleep(Math.max(1, -credit * 1000 / bytesPerSecond));
            }
        }
    }

    static final class Board {
        private static final int PAGE = 50;
        private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
        private final Map<String, Call> calls = new TreeMap<>();

        void report(Call call) {
            long begin = System.nanoTime();
            lock.writeLock().lock();
            try {
                calls.put(call.ship(), call);
            } finally {
                lock.writeLock().unlock();
            }
            reportNanos.add(System.nanoTime() - begin);
            reports.increment();
        }

        int sendTo(Uplink uplink) throws InterruptedException {
            lock.readLock().lock();
            try {
                List<String> page = new ArrayList<>(PAGE);
                for (Call call : calls.values()) {
                    page.add(call.line());
                    if (page.size() == PAGE) {
                        uplink.page(page);
                        page.clear();
                    }
                }
                if (!page.isEmpty()) {
                    uplink.page(page);
                }
                return calls.size();
            } finally {
                lock.readLock().unlock();
            }
        }
    }

    static final class Pilot implements Runnable {
        private final Board board;
        private final SplittableRandom random;

        Pilot(Board board, long seed) {
            this.board = board;
            random = new SplittableRandom(seed);
        }

        /** Minutes until the ship is alongside, by speed and tide, second by second. */
        long eta(double miles, double knots) {
            int seconds = 0;
            while (miles > 0) {
                double tide = 1.5 * Math.sin(seconds / 44_700.0 * 2 * Math.PI);
                miles -= (knots + tide) / 3600;
                seconds++;
            }
            return seconds / 60;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    long eta = eta(20 + random.nextInt(60), 6 + random.nextInt(12));
                    board.report(new Call("IMO" + (9_000_000 + random.nextInt(600)), random.nextInt(40), eta, 50 + random.nextInt(100)));
                    Thread.sleep(2);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class Publisher implements Runnable {
        private final Board board;
        private final Uplink uplink;

        Publisher(Board board, Uplink uplink) {
            this.board = board;
            this.uplink = uplink;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    board.sendTo(uplink);
                    boards.increment();
                    Thread.sleep(10);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static void start(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    public static void main(String[] args) throws Exception {
        Board board = new Board();
        for (int i = 1; i <= PILOTS; i++) {
            start(new Pilot(board, i), "pilot-" + i);
        }
        for (int i = 1; i <= PUBLISHERS; i++) {
            start(new Publisher(board, new Uplink(120_000 + 30_000 * i)), "publisher-" + i);
        }
        Thread.sleep(3000);
        System.out.println("READY");
        System.out.flush();
        long lastReports = reports.sum(), lastNanos = reportNanos.sum(), lastBoards = boards.sum(), last = System.nanoTime();
        while (true) {
            Thread.sleep(1000);
            long r = reports.sum(), n = reportNanos.sum(), b = boards.sum(), now = System.nanoTime();
            System.out.printf("measured: %d reports/s, %.1f ms each in Board.report, %.0f %% of the pilots' time; %d boards/s%n", r - lastReports,
                    (n - lastNanos) / 1e6 / Math.max(1, r - lastReports), 100.0 * (n - lastNanos) / PILOTS / (now - last), b - lastBoards);
            System.out.flush();
            lastReports = r;
            lastNanos = n;
            lastBoards = b;
            last = now;
        }
    }
}
