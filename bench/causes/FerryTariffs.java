// SPDX-License-Identifier: Apache-2.0
// healthy: four desks change tariffs in place under the write lock, and wait some tenths of a millisecond for readers that are looking up a fare (Dijkstra under the read lock, about 1 ms); a hundred such waits a second cost next to nothing, nobody has to wait long, and all have to see one state of the tariffs.
// share: the write lock is waited for some 100 times a second, 0.2 to 0.6 ms each on average (2 to 5 % of a thread in all; up to 50 ms at times on a crowded machine, where readers lack a CPU, after which a desk rests for longer), the read lock 0.01 to 0.15 ms; the counters compute with 0.3 to 0.4 CPUs.
// judge: Right: nothing stands out, or neutral statements of where CPU time goes (TariffBook.cheapest, relax, PriorityQueue). WRONG: any accusation, above all waiting for the write lock (TariffBook.change) or the read lock (TariffBook.cheapest, averageFare), lock contention, or the sleeps of counter-N or revenue-desk-N. A remark with a share of a few per cent that is marked as minor is no accusation; remarks about a crowded machine are all right if it is crowded.
// jdk: 8
// set: thirty-first
// jvm: -Xmx128m

import java.util.Arrays;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** Fares of ferries between islands: counters ask for the cheapest way, the revenue office changes tariffs. */
public class FerryTariffs {
    static final int PORTS = 5000;

    /** How long a lock was waited for. */
    static final class Waits {
        private final LongAdder count = new LongAdder();
        private final LongAdder nanos = new LongAdder();
        private final AtomicLong worst = new AtomicLong();

        void add(long wait) {
            count.increment();
            nanos.add(wait);
            worst.accumulateAndGet(wait, Math::max);
        }

        String report() {
            long n = count.sumThenReset();
            return String.format("%d times, %.2f ms on average, %.1f ms at most", n,
                    nanos.sumThenReset() / 1e6 / Math.max(1, n), worst.getAndSet(0) / 1e6);
        }
    }

    /** All lines and their fares, changed in place. */
    static final class TariffBook {
        private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
        private final int[][] to = new int[PORTS][];
        private final int[][] fare = new int[PORTS][];
        final Waits readers = new Waits();
        final Waits writers = new Waits();

        TariffBook(Random random) {
            for (int p = 0; p < PORTS; p++) {
                int lines = 4 + random.nextInt(8);
                to[p] = new int[lines];
                fare[p] = new int[lines];
                for (int i = 0; i < lines; i++) {
                    to[p][i] = i == 0 ? (p + 1) % PORTS : random.nextInt(PORTS);
                    fare[p][i] = 300 + random.nextInt(4000);
                }
            }
        }

        /** The cheapest fare, over any number of lines, all of one state of the tariffs. */
        int cheapest(int from, int destination) {
            long begin = System.nanoTime();
            lock.readLock().lock();
            try {
                readers.add(System.nanoTime() - begin);
                int[] best = new int[PORTS];
                Arrays.fill(best, Integer.MAX_VALUE);
                best[from] = 0;
                PriorityQueue<long[]> open = new PriorityQueue<>((a, b) -> Long.compare(a[0], b[0]));
                open.add(new long[] {0, from});
                while (!open.isEmpty()) {
                    long[] next = open.poll();
                    int port = (int) next[1];
                    if (port == destination) {
                        return (int) next[0];
                    }
                    if (next[0] > best[port]) {
                        continue;
                    }
                    relax(port, (int) next[0], best, open);
                }
                return -1;
            } finally {
                lock.readLock().unlock();
            }
        }

        private void relax(int port, int paid, int[] best, PriorityQueue<long[]> open) {
            for (int i = 0; i < to[port].length; i++) {
                int price = paid + fare[port][i];
                if (price < best[to[port][i]]) {
                    best[to[port][i]] = price;
                    open.add(new long[] {price, to[port][i]});
                }
            }
        }

        /** Averages over all lines, for the display at the office. */
        double averageFare() {
            lock.readLock().lock();
            try {
                long sum = 0;
                long n = 0;
                for (int round = 0; round < 15; round++) {
                    for (int[] fares : fare) {
                        for (int f : fares) {
                            sum += f;
                            n++;
                        }
                    }
                }
                return (double) sum / n;
            } finally {
                lock.readLock().unlock();
            }
        }

        /** Changes that belong together: nobody may see a part of them. */
        long change(int[] ports, int permille) {
            long begin = System.nanoTime();
            lock.writeLock().lock();
            try {
                long waited = System.nanoTime() - begin;
                writers.add(waited);
                for (int p : ports) {
                    for (int i = 0; i < fare[p].length; i++) {
                        fare[p][i] = Math.max(200, Math.min(6000, fare[p][i] * permille / 1000));
                    }
                }
                return waited;
            } finally {
                lock.writeLock().unlock();
            }
        }
    }

    /** A counter that sells tickets: a few questions for one customer, then the next one comes. */
    static final class TicketCounter implements Runnable {
        private final TariffBook book;
        private final Random random;
        private final CountDownLatch warm;

        TicketCounter(TariffBook book, int number, CountDownLatch warm) {
            this.book = book;
            this.random = new Random(number);
            this.warm = warm;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    long begin = System.nanoTime();
                    for (int i = 0; i < 3; i++) {
                        book.cheapest(random.nextInt(PORTS), random.nextInt(PORTS));
                        warm.countDown();
                    }
                    long took = (System.nanoTime() - begin) / 1_000_000;
                    Thread.sleep(15 + 4 * took);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The revenue office: a change of some tariffs every few moments. */
    static void office(TariffBook book, int desk) {
        Random random = new Random(90 + desk);
        try {
            for (int n = 1;; n++) {
                int[] ports = random.ints(30, 0, PORTS).toArray();
                long waited = book.change(ports, n % 2 == 0 ? 1040 : 962);
                if (n % 8 == 0) {
                    book.averageFare();
                }
                Thread.sleep(30 + 40 * waited / 1_000_000);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        TariffBook book = new TariffBook(new Random(8));
        CountDownLatch warm = new CountDownLatch(600);
        for (int i = 1; i <= 4; i++) {
            new Thread(new TicketCounter(book, i, warm), "counter-" + i).start();
        }
        for (int i = 1; i <= 4; i++) {
            int desk = i;
            new Thread(() -> office(book, desk), "revenue-desk-" + i).start();
        }
        warm.await();
        book.readers.report();
        book.writers.report();
        System.out.println("READY");
        System.out.flush();
        while (true) {
            Thread.sleep(1000);
            System.out.println("measured: write lock " + book.writers.report() + "; read lock " + book.readers.report());
        }
    }
}
