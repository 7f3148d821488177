// SPDX-License-Identifier: Apache-2.0
// cause: YardBook.reserve holds the one ReentrantLock of the whole yard (YardBook.yard) while it works out the place of a container (Block.cheapest), although the 24 blocks are independent: ten gate lanes wait for each other at YardBook.reserve
// share: 15 ms waiting for the lock and 2.3 ms work for each booking; 6 to 7 of the 10 lanes wait for it on average; 0.9 CPUs used of 2
// expect: waiting kind=lock frame=YardBookings$YardBook.reserve
// symptom: hot-method hot-calls
// judge: NAMED: waiting for a lock (ReentrantLock, kind lock) at YardBookings$YardBook.reserve, also if it adds that the holder computes in Block.cheapest, height, travel or reshuffles. SYMPTOM ONLY: only hot-method/hot-calls/hot-code in YardBookings$Block (cheapest, reshuffles, travel, height) without the lock, or one saturated thread, or that lanes rest in Lane.truck. WRONG: anything else as the main cause (collections, CPUs, a pool, sleep at Lane.truck, a monitor or a queue).
// jdk: 11
// set: thirty-fifth
// jvm: -Xmx256m

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

/** Container yard: trucks arrive at gate lanes, each container is given a place in its block. */
public class YardBookings {
    static final int BLOCKS = 24, ROWS = 40, TIERS = 6, LANES = 10;

    static final class Container {
        final int number, weight, leavesAt, block;

        Container(int number) {
            this.number = number;
            this.weight = 4 + (number * 7919 & 0x7fffffff) % 26;
            this.leavesAt = (number * 31 & 0x7fffffff) % 5000;
            this.block = (number & 0x7fffffff) % BLOCKS;
        }
    }

    static final class Block {
        final int[][] leaves = new int[ROWS][TIERS];
        final int[] used = new int[ROWS];
        final double[] axis = new double[ROWS];

        Block(int n) {
            for (int r = 0; r < ROWS; r++) {
                axis[r] = r * 6.5 + n;
                used[r] = (r * 5 + n) % TIERS;
                for (int t = 0; t < TIERS; t++) leaves[r][t] = (r * 131 + t * 977 + n * 57) % 5000;
            }
        }

        int height(int row) {
            int top = 0;
            for (int t = 0; t < used[row]; t++) top = Math.max(top, leaves[row][t]);
            return top;
        }

        double reshuffles(Container c, int row) {
            double expected = 0;
            for (int hour = 0; hour < 72; hour++) {
                double p = Math.exp(-Math.abs(c.leavesAt - hour * 60.0) / 900.0);
                for (int t = 0; t < used[row]; t++)
                    if (leaves[row][t] < c.leavesAt + hour) expected += p / (1 + used[row] - t);
            }
            return expected;
        }

        double travel(Container c, int row) {
            double way = 0;
            for (int crane = 0; crane < 8; crane++) {
                double d = axis[row] - axis[crane * 4 + 3];
                way += Math.sqrt(d * d + c.weight * 0.5);
            }
            return way;
        }

        int cheapest(Container c) {
            int best = 0;
            double cost = Double.MAX_VALUE;
            for (int row = 0; row < ROWS; row++) {
                double sum = reshuffles(c, row) * 3 + travel(c, row) * 0.02 + height(row) * 0.001 + used[row];
                if (sum < cost) {
                    cost = sum;
                    best = row;
                }
            }
            return best;
        }

        int put(Container c, int row) {
            if (used[row] == TIERS) used[row] = 1;
            leaves[row][used[row]] = c.leavesAt;
            return used[row]++;
        }
    }

    static final class YardBook {
        final ReentrantLock yard = new ReentrantLock();
        final List<Block> blocks = new ArrayList<>();
        final LongAdder asked = new LongAdder(), waited = new LongAdder(), worked = new LongAdder();
        long bookings;

        YardBook() {
            for (int i = 0; i < BLOCKS; i++) blocks.add(new Block(i));
        }

        String reserve(Container c) {
            long begin = System.nanoTime();
            yard.lock();
            long have = System.nanoTime();
            try {
                Block block = blocks.get(c.block);
                int row = 0;
                for (int heading = 0; heading < 70; heading++) row = block.cheapest(c);
                int tier = block.put(c, row);
                bookings++;
                return c.block + "/" + row + "/" + tier;
            } finally {
                worked.add(System.nanoTime() - have);
                waited.add(have - begin);
                asked.increment();
                yard.unlock();
            }
        }
    }

    static final class Lane implements Runnable {
        final YardBook book;
        int next;
        int printed;

        Lane(YardBook book, int lane) {
            this.book = book;
            this.next = lane * 1000003;
        }

        Container truck() throws InterruptedException {
            Thread.sleep(5);
            return new Container(next++);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    String place = book.reserve(truck());
                    printed += place.length();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        YardBook book = new YardBook();
        for (int i = 0; i < 500; i++) book.reserve(new Container(i));
        for (int i = 0; i < LANES; i++) {
            Thread t = new Thread(new Lane(book, i), "gate-lane-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(1500);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long n = book.asked.sum(), w = book.waited.sum(), k = book.worked.sum();
            long from = System.nanoTime();
            Thread.sleep(1000);
            long took = System.nanoTime() - from;
            long m = Math.max(1, book.asked.sum() - n);
            System.out.printf("measured: %d bookings/s, %.2f ms waiting and %.2f ms work each, %.1f of %d lanes wait on average%n",
                    m, (book.waited.sum() - w) / 1e6 / m, (book.worked.sum() - k) / 1e6 / m,
                    (book.waited.sum() - w) / (double) took, LANES);
        }
    }
}
