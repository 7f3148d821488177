// SPDX-License-Identifier: Apache-2.0
// healthy: the cashier waits about 1.8 of each 2 seconds for the write lock of MarketHallTills$Hall.accounts, but that is how it learns that all tills have closed for the slot (each holds the read lock while it trades, and asks for it once a slot, before the cashier does); no till waits for the cashier, banking takes some microseconds, and nobody needs it sooner.
// share: 1,200 sales/s while trading (the pace of the customers; 950 to 1,000 in seconds with a change of slot), each done 265 to 370 us after the customer came; accounts closed for 45 us in all in 8 s.
// judge: WRONG: that the write lock, or readers that hold it long, makes the program slow, or that the lock should be split, held for less time or replaced; that tills wait for each other or for the cashier; LockSupport.parkNanos in Hall.until as a fault (the pace). ACCEPTABLE: the true and neutral remark that thread cashier waits for the write lock by itself while nobody waits for it; that the tills use little CPU (sale); nothing stands out.
// jdk: 11
// set: thirtieth
// jvm:

import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.zip.CRC32;

public class MarketHallTills {
    static final int SPAN = Integer.getInteger("span", 170);
    static final int TILLS = 6;
    static final long SLOT = TimeUnit.MILLISECONDS.toNanos(2000);
    static final long TRADING = TimeUnit.MILLISECONDS.toNanos(1800);
    static final long PACE = TimeUnit.MILLISECONDS.toNanos(5);

    static final class Hall {
        final ReentrantReadWriteLock accounts = new ReentrantReadWriteLock();
        final long[] takings = new long[TILLS];
        final long opened = System.nanoTime();
        final LongAdder late = new LongAdder();
        final LongAdder sales = new LongAdder();
        final AtomicLong banked = new AtomicLong();
        final AtomicLong bankNanos = new AtomicLong();
        volatile CountDownLatch shift = new CountDownLatch(TILLS);

        static void until(long time) {
            for (long left; (left = time - System.nanoTime()) > 0; ) {
                LockSupport.parkNanos(left);
            }
        }
    }

    static final class Till implements Runnable {
        final Hall hall;
        final int number;
        final Random random;
        final byte[] receipt = new byte[2048];

        Till(Hall hall, int number) {
            this.hall = hall;
            this.number = number;
            this.random = new Random(number);
        }

        @Override
        public void run() {
            for (long slot = 1; ; slot++) {
                long begin = hall.opened + slot * SLOT;
                Hall.until(begin);
                hall.accounts.readLock().lock();
                try {
                    hall.shift.countDown();
                    trade(begin);
                } finally {
                    hall.accounts.readLock().unlock();
                }
            }
        }

        void trade(long begin) {
            for (long due = begin + PACE; due < begin + TRADING; due += PACE) {
                Hall.until(due);
                hall.takings[number] += sale();
                hall.late.add(System.nanoTime() - due);
                hall.sales.increment();
            }
        }

        long sale() {
            long cents = 0;
            CRC32 crc = new CRC32();
            for (int item = 1 + random.nextInt(8); item > 0; item--) {
                long price = 50 + random.nextInt(3000);
                cents += price;
                for (int i = 0; i < receipt.length; i++) {
                    receipt[i] = (byte) (price >> (i & 7) ^ i * item);
                }
                crc.update(receipt);
            }
            for (int line = 0; line < 40; line++) {
                receipt[line] ^= (byte) line;
                crc.update(receipt);
            }
            return cents + (crc.getValue() & 1);
        }
    }

    static final class Cashier implements Runnable {
        final Hall hall;

        Cashier(Hall hall) {
            this.hall = hall;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    hall.shift.await();
                    hall.accounts.writeLock().lock();
                    long t = System.nanoTime();
                    try {
                        bank();
                    } finally {
                        hall.bankNanos.addAndGet(System.nanoTime() - t);
                        hall.accounts.writeLock().unlock();
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        void bank() {
            hall.shift = new CountDownLatch(TILLS);
            long total = 0;
            for (int i = 0; i < TILLS; i++) {
                total += hall.takings[i];
                hall.takings[i] = 0;
            }
            hall.banked.addAndGet(total);
        }
    }

    static void start(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        Hall hall = new Hall();
        for (int i = 0; i < TILLS; i++) {
            start("till-" + i, new Till(hall, i));
        }
        start("cashier", new Cashier(hall));
        System.out.println("READY");
        for (int s = 0; s < SPAN; s++) {
            Thread.sleep(1000);
            long n = hall.sales.sumThenReset();
            long late = hall.late.sumThenReset();
            System.out.println("measured: " + n + " sales/s, each done " + (n == 0 ? 0 : late / n / 1000)
                    + " us after the customer came, " + hall.banked.get() / 100 + " banked, accounts closed for "
                    + hall.bankNanos.get() / 1000 + " us in all");
        }
        System.exit(0);
    }
}
