// SPDX-License-Identifier: Apache-2.0
// healthy: drivers wait at the rank for the next customer, each on a Turn of its own that is made anew each time (as one waits for a reply), but there are more drivers than customers on purpose: that wait is for work; a customer has a driver within a fraction of a millisecond
// share: customers wait less than 1 ms on average on an idle machine, none is left waiting; about half of the 16 drivers rest at any time; 0.1 to 0.4 CPUs of 2
// judge: right: nothing stands out, or only neutral statements (computing in Streets.minutes, drivers that wait for what others of the process give them, if it should be less). WRONG: any accusation, in particular of waits for replies or notifications at Rank.next, of timers (rides in Driver.run), locks or few threads with all the work.
// jdk: 8
// set: thirty-third
// jvm: -Xmx256m
import java.util.*;
import java.util.concurrent.atomic.*;

public class TaxiStand {

    static final class Customer {
        final int from, to;
        final long came = System.nanoTime();

        Customer(int from, int to) {
            this.from = from;
            this.to = to;
        }
    }

    static final class Turn {
        final Driver driver;
        private Customer customer;

        Turn(Driver driver) {
            this.driver = driver;
        }

        synchronized void give(Customer c) {
            customer = c;
            notify();
        }

        synchronized Customer await() throws InterruptedException {
            while (customer == null)
                wait();
            return customer;
        }
    }

    static final class Rank {
        private final Deque<Turn> turns = new ArrayDeque<>();
        private final Deque<Customer> customers = new ArrayDeque<>();

        Customer next(Driver driver) throws InterruptedException {
            Turn turn = new Turn(driver);
            synchronized (this) {
                Customer c = customers.pollFirst();
                if (c != null)
                    return c;
                turns.addLast(turn);
            }
            return turn.await();
        }

        void hail(Customer c) {
            Turn turn;
            synchronized (this) {
                turn = turns.pollFirst();
                if (turn == null)
                    customers.addLast(c);
            }
            if (turn != null)
                turn.give(c);
        }

        synchronized int resting() {
            return turns.size();
        }

        synchronized int left() {
            return customers.size();
        }
    }

    /** A town of crossings, whose streets have a time each. */
    static final class Streets {
        static final int SIDE = 160;
        private final int[] east = new int[SIDE * SIDE], south = new int[SIDE * SIDE];

        Streets() {
            Random random = new Random(11);
            for (int i = 0; i < east.length; i++) {
                east[i] = 1 + random.nextInt(9);
                south[i] = 1 + random.nextInt(9);
            }
        }

        int minutes(int from, int to) {
            int[] best = new int[SIDE * SIDE];
            Arrays.fill(best, Integer.MAX_VALUE);
            PriorityQueue<long[]> open = new PriorityQueue<>(256, (a, b) -> Long.compare(a[0], b[0]));
            best[from] = 0;
            open.add(new long[] {0, from});
            while (!open.isEmpty()) {
                long[] head = open.poll();
                int at = (int) head[1];
                if (at == to)
                    return (int) head[0];
                if (head[0] > best[at])
                    continue;
                int x = at % SIDE, y = at / SIDE;
                if (x + 1 < SIDE) relax(best, open, at + 1, head[0] + east[at]);
                if (x > 0) relax(best, open, at - 1, head[0] + east[at - 1]);
                if (y + 1 < SIDE) relax(best, open, at + SIDE, head[0] + south[at]);
                if (y > 0) relax(best, open, at - SIDE, head[0] + south[at - SIDE]);
            }
            return -1;
        }

        private static void relax(int[] best, PriorityQueue<long[]> open, int at, long cost) {
            if (cost < best[at]) {
                best[at] = (int) cost;
                open.add(new long[] {cost, at});
            }
        }
    }

    static final class Driver extends Thread {
        static final AtomicLong rides = new AtomicLong(), delay = new AtomicLong(), fares = new AtomicLong();
        final Rank rank;
        final Streets streets;
        private int at;

        Driver(int id, Rank rank, Streets streets) {
            super("driver-" + id);
            setDaemon(true);
            this.rank = rank;
            this.streets = streets;
            at = id * 37;
        }

        @Override
        public void run() {
            try {
                for (;;) {
                    Customer c = rank.next(this);
                    delay.addAndGet(System.nanoTime() - c.came);
                    int minutes = streets.minutes(at, c.from) + streets.minutes(c.from, c.to);
                    Thread.sleep(60 + minutes / 8);
                    at = c.to;
                    fares.addAndGet(350 + 80L * minutes);
                    rides.incrementAndGet();
                }
            } catch (InterruptedException e) {
                // the shift is over
            }
        }
    }

    static final class Quarter extends Thread {
        final Rank rank;
        final Random random;

        Quarter(int id, Rank rank) {
            super("quarter-" + id);
            setDaemon(true);
            this.rank = rank;
            random = new Random(id);
        }

        @Override
        public void run() {
            try {
                for (;;) {
                    Thread.sleep(20 + random.nextInt(60));
                    int n = Streets.SIDE * Streets.SIDE;
                    rank.hail(new Customer(random.nextInt(n), random.nextInt(n)));
                }
            } catch (InterruptedException e) {
                // night
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Rank rank = new Rank();
        Streets streets = new Streets();
        for (int i = 1; i <= 16; i++)
            new Driver(i, rank, streets).start();
        for (int i = 1; i <= 2; i++)
            new Quarter(i, rank).start();
        for (int second = 1;; second++) {
            Thread.sleep(1000);
            long n = Driver.rides.getAndSet(0), d = Driver.delay.getAndSet(0);
            System.out.printf("measured: %d rides, customers waited %.2f ms on average, %d are left, %d drivers rest, %d cents taken%n",
                n, n == 0 ? 0 : d / 1e6 / n, rank.left(), rank.resting(), Driver.fares.get());
            if (second == 4) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
