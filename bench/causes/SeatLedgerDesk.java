// SPDX-License-Identifier: Apache-2.0
// healthy: a small database in the process (tables with a lock for the table and one for each row, transactions, lock time-outs) whose sessions take row locks for some tens of microseconds in a fixed order; now and then one waits for a moment for a row that another one sells from, which is two to four percent of their work; a checkpoint that needs the table alone takes it for a moment every half a second, and gives up if it is not free at once
// share: 4100 transactions a second, 0.1 ms each; 50 to 65 waits for row locks a second, 7 to 18 ms in all (0.02 threads on average, 2 to 4 % of the transactions' time); none rolled back; a checkpoint in three or four is put off for half a second; 0.37 CPUs
// judge: RIGHT: nothing stands out, no fault shows, or neutral statements of where time goes (computing in SeatLedgerDesk$Row.apply or SeatLedgerDesk$Session.price). WRONG: an accusation of waiting for locks (lock, read-lock, write-lock, database-lock, lock-contention at SeatLedgerDesk$Transaction.lock, SeatLedgerDesk$Table or SeatLedgerDesk$Checkpoint), of a stuck or blocked checkpoint, of the checkpoint as who holds all up, or anything else as a fault.
// jdk: 21
// set: thirty-first
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

public class SeatLedgerDesk {
    static final LongAdder commits = new LongAdder(), rollbacks = new LongAdder(), waits = new LongAdder(), waitNanos = new LongAdder(), transactionNanos = new LongAdder();
    static final LongAdder checkpoints = new LongAdder(), putOff = new LongAdder();

    static final class LockTimeout extends Exception {
        private static final long serialVersionUID = 1;
        LockTimeout(int row) { super("row " + row, null, false, false); }
    }

    static final class Row {
        final ReentrantLock lock = new ReentrantLock();
        private int sold, price;
        private long checksum;
        void apply(int seats, int amount) {
            sold += seats;
            price = amount;
            long c = checksum ^ sold;
            for (int i = 0; i < 12000; i++) c = c * 6364136223846793005L + price + i;
            checksum = c;
        }
    }

    static final class Table {
        final ReentrantReadWriteLock whole = new ReentrantReadWriteLock();
        final Row[] rows;
        Table(int n) {
            rows = new Row[n];
            for (int i = 0; i < n; i++) rows[i] = new Row();
        }
    }

    static final class Transaction {
        private final Table table;
        private final List<Row> held = new ArrayList<>();
        Transaction(Table table) {
            this.table = table;
            table.whole.readLock().lock();
        }
        Row lock(int number) throws LockTimeout, InterruptedException {
            Row row = table.rows[number];
            if (!row.lock.tryLock()) {
                long begin = System.nanoTime();
                boolean got = row.lock.tryLock(2, TimeUnit.SECONDS);
                waits.increment();
                waitNanos.add(System.nanoTime() - begin);
                if (!got) throw new LockTimeout(number);
            }
            held.add(row);
            return row;
        }
        void end() {
            for (int i = held.size() - 1; i >= 0; i--) held.get(i).lock.unlock();
            held.clear();
            table.whole.readLock().unlock();
        }
    }

    /** A counter that sells seats: works out prices first, and locks rows only to write. */
    static final class Session implements Runnable {
        private final Table table;
        private final Random random;
        Session(Table table, long seed) { this.table = table; random = new Random(seed); }

        int price(int performance, int seats) {
            double demand = 0;
            for (int day = 1; day <= 1600; day++) demand += Math.exp(-day / 90.0) * Math.sin(performance * 0.01 + day * 0.3);
            return 2000 + performance % 700 + seats * 100 + (int) (50 * Math.abs(demand));
        }

        /** Half of what is sold is for the five premieres of the month. */
        private int performance() { return random.nextBoolean() ? random.nextInt(5) : random.nextInt(table.rows.length); }

        private void sell(int first, int second, int seats) throws InterruptedException {
            int a = price(first, seats), b = price(second, seats);
            Transaction t = new Transaction(table);
            try {
                Row low = t.lock(Math.min(first, second));
                Row high = t.lock(Math.max(first, second));
                low.apply(seats, a);
                high.apply(seats, b);
                commits.increment();
            } catch (LockTimeout e) {
                rollbacks.increment();
            } finally {
                t.end();
            }
        }

        public void run() {
            try {
                for (;;) {
                    long begin = System.nanoTime();
                    for (int i = 0; i < 6; i++) {
                        sell(performance(), performance(), 1 + random.nextInt(4));
                    }
                    transactionNanos.add(System.nanoTime() - begin);
                    Thread.sleep(6 + random.nextInt(5));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class Checkpoint implements Runnable {
        private final Table table;
        private long[] image;
        Checkpoint(Table table) { this.table = table; }
        private void take() {
            long[] copy = new long[table.rows.length];
            for (int i = 0; i < copy.length; i++) copy[i] = table.rows[i].checksum;
            image = copy;
        }
        public void run() {
            try {
                for (;;) {
                    Thread.sleep(500);
                    if (table.whole.writeLock().tryLock()) {
                        try {
                            take();
                        } finally {
                            table.whole.writeLock().unlock();
                        }
                        checkpoints.increment();
                    } else {
                        putOff.increment();
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Table table = new Table(5000);
        for (int i = 0; i < 6; i++) new Thread(new Session(table, i), "session-" + i).start();
        new Thread(new Checkpoint(table), "checkpoint").start();
        Thread.sleep(2500);
        System.out.println("READY");
        System.out.flush();
        for (;;) {
            long c = commits.sum(), w = waits.sum(), wn = waitNanos.sum(), tn = transactionNanos.sum();
            Thread.sleep(1000);
            long dc = Math.max(1, commits.sum() - c);
            double wait = (waitNanos.sum() - wn) / 1e6, all = (transactionNanos.sum() - tn) / 1e6;
            System.out.printf("measured: %d transactions, %.3f ms each; %d waits for row locks, %.2f ms in all (%.2f %%); %d rolled back; checkpoints: %d, put off: %d%n", dc, all / dc, waits.sum() - w, wait,
                    100 * wait / Math.max(1e-9, all), rollbacks.sum(), checkpoints.sum(), putOff.sum());
            System.out.flush();
        }
    }
}
