// SPDX-License-Identifier: Apache-2.0
// cause: NurseryOrders$PriceBook.price holds the read lock of the price book when it calls PriceBook.renew for a price that has run out, which takes the write lock of the same ReentrantReadWriteLock: a read lock cannot be upgraded, so that thread waits for itself for ever, and all other pickers wait behind it for the read lock
// share: no order is priced any more from two seconds after the start on: all six pickers wait for ever (one or more in PriceBook.renew, the others in PriceBook.price), all later orders are refused
// expect: stuck who=PriceBook.renew
// symptom: stuck
// judge: NAMED: threads (picker-N) that are stuck, waiting for a lock during the whole recording, with NurseryOrders$PriceBook.renew (write lock) as one of the places, whether or not it is said that they hold the read lock. SYMPTOM ONLY: only the pickers at NurseryOrders$PriceBook.price (read lock) named, without renew; orders refused or the pool "picker" busy without the lock. WRONG: all else first (Dock.scan's CPU time, sleeps of the till), or "nothing stands out".
// jdk: 8
// set: thirty-sixth
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.zip.CRC32;

/** A wholesale plant nursery: orders are priced and picked by a few threads; a dock scans the trolleys that leave. */
public class NurseryOrders {
    static final AtomicLong priced = new AtomicLong();
    static final AtomicLong refused = new AtomicLong();
    static final AtomicLong scanned = new AtomicLong();
    static volatile long lastPriced = System.nanoTime();

    static final class Price {
        final int cents;
        final int week;

        Price(int cents, int week) {
            this.cents = cents;
            this.week = week;
        }
    }

    /** What each plant costs, each good for a week of sales. */
    static final class PriceBook {
        private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
        private final Map<Integer, Price> prices = new HashMap<>();
        private volatile int week = 1;

        PriceBook(int plants) {
            for (int plant = 0; plant < plants; plant++)
                prices.put(plant, new Price(90 + plant * 7 % 800, 1));
        }

        int price(int plant) {
            lock.readLock().lock();
            try {
                Price price = prices.get(plant);
                if (price == null || price.week < week)
                    price = renew(plant);
                return price.cents;
            } finally {
                lock.readLock().unlock();
            }
        }

        private Price renew(int plant) {
            lock.writeLock().lock();
            try {
                Price price = new Price(90 + (plant * 7 + week * 3) % 800, week);
                prices.put(plant, price);
                return price;
            } finally {
                lock.writeLock().unlock();
            }
        }

        void nextWeek() {
            week++;
        }
    }

    static final class Order implements Runnable {
        private final PriceBook book;
        private final int[] plants;

        Order(PriceBook book, int[] plants) {
            this.book = book;
            this.plants = plants;
        }

        @Override
        public void run() {
            long total = 0;
            for (int plant : plants)
                total += book.price(plant);
            if (total > 0) {
                priced.incrementAndGet();
                lastPriced = System.nanoTime();
            }
        }
    }

    /** The till sends orders all day. */
    static final class Till implements Runnable {
        private final PriceBook book;
        private final ThreadPoolExecutor pickers;
        private final Random random = new Random(8);

        Till(PriceBook book, ThreadPoolExecutor pickers) {
            this.book = book;
            this.pickers = pickers;
        }

        @Override
        public void run() {
            while (true) {
                pickers.execute(new Order(book, random.ints(12, 0, 400).toArray()));
                pause(20);
            }
        }
    }

    /** Checks the labels of trolleys that leave. */
    static final class Dock implements Runnable {
        private final byte[] label = new byte[600];

        @Override
        public void run() {
            Random random = new Random(3);
            while (true) {
                for (int i = 0; i < 1500; i++)
                    scan(random);
                pause(15);
            }
        }

        private void scan(Random random) {
            random.nextBytes(label);
            CRC32 sum = new CRC32();
            sum.update(label, 0, label.length);
            if (sum.getValue() != 0)
                scanned.incrementAndGet();
        }
    }

    static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void start(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    public static void main(String[] args) {
        PriceBook book = new PriceBook(400);
        AtomicInteger number = new AtomicInteger();
        ThreadPoolExecutor pickers = new ThreadPoolExecutor(6, 6, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(100),
            task -> {
                Thread thread = new Thread(task, "picker-" + number.getAndIncrement());
                thread.setDaemon(true);
                return thread;
            }, (task, pool) -> refused.incrementAndGet());
        start("till", new Till(book, pickers));
        start("dock", new Dock());
        for (int second = 1; ; second++) {
            long p = priced.get(), r = refused.get(), s = scanned.get();
            pause(1000);
            if (second == 2)
                book.nextWeek();
            if (second == 5)
                System.out.println("READY");
            System.out.printf("measured: %d orders priced, %d refused, the last one priced %.1f s ago; %d labels scanned at the dock%n",
                priced.get() - p, refused.get() - r, (System.nanoTime() - lastPriced) / 1e9, scanned.get() - s);
            System.out.flush();
        }
    }
}
