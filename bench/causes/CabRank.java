// SPDX-License-Identifier: Apache-2.0
// healthy: drivers without a ride wait at the rank, each on the turn that it takes anew for each wait (Turn.ride); they are workers without work, more than are needed, and a ride gets a driver at once. What they wait for is the next customer, not somebody who is slow
// share: 0.2 to 0.5 ms from call to driver; 11 to 12 of 12 drivers free, no call without one
// judge: RIGHT: nothing stands out, or only neutral remarks: that drivers wait at Turn.ride (for a reply, a notification) while nothing shows who keeps them waiting, that Fare.shortest computes. WRONG: an accusation of that waiting (replies or delayed notifications, lost notifications, threads that wait for each other, stuck), of Exchange.call, of the rank's monitor, too many threads, a pool or its size, sleep in Exchange.run
// jdk: 11
// set: thirty-fifth
// jvm: -Xmx128m
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

/** The taxis of a town: calls come in at the exchange, and go to the driver who has waited longest. */
public class CabRank {
    static final LongAdder RIDES = new LongAdder();
    static final LongAdder LATENCY = new LongAdder();
    static final LongAdder RIDE_TIME = new LongAdder();
    static final LongAdder CENTS = new LongAdder();

    static final class Ride {
        final int from;
        final int to;
        final long called = System.nanoTime();

        Ride(int from, int to) {
            this.from = from;
            this.to = to;
        }
    }

    /** A driver's place in the line of those who are free. */
    static final class Turn {
        private Ride ride;

        synchronized void give(Ride given) {
            ride = given;
            notify();
        }

        synchronized Ride ride() throws InterruptedException {
            while (ride == null)
                wait();
            return ride;
        }
    }

    /** Who is free, and which calls nobody has taken yet. */
    static final class Rank {
        private final Deque<Turn> free = new ArrayDeque<>();
        private final Deque<Ride> calls = new ArrayDeque<>();

        void call(Ride ride) {
            Turn turn;
            synchronized (this) {
                turn = free.pollFirst();
                if (turn == null) {
                    calls.addLast(ride);
                    return;
                }
            }
            turn.give(ride);
        }

        Ride next() throws InterruptedException {
            Turn turn = new Turn();
            synchronized (this) {
                Ride waiting = calls.pollFirst();
                if (waiting != null)
                    return waiting;
                free.addLast(turn);
            }
            return turn.ride();
        }

        synchronized int waitingCalls() {
            return calls.size();
        }

        synchronized int freeDrivers() {
            return free.size();
        }
    }

    /** The streets of the town, as a grid with a time for each crossing to the next. */
    static final class TownMap {
        static final int SIDE = 100;
        private final int[] east = new int[SIDE * SIDE];
        private final int[] south = new int[SIDE * SIDE];

        TownMap() {
            java.util.Random random = new java.util.Random(3);
            for (int i = 0; i < east.length; i++) {
                east[i] = 20 + random.nextInt(60);
                south[i] = 20 + random.nextInt(60);
            }
        }

        int crossings() {
            return SIDE * SIDE;
        }
    }

    static final class Fare {
        private final TownMap map;
        private final int[] time;

        Fare(TownMap map) {
            this.map = map;
            time = new int[map.crossings()];
        }

        int shortest(int from, int to) {
            Arrays.fill(time, Integer.MAX_VALUE / 2);
            time[from] = 0;
            boolean better = true;
            for (int round = 0; better && round < 60; round++) {
                better = false;
                for (int at = 0; at < time.length; at++) {
                    int x = at % TownMap.SIDE, y = at / TownMap.SIDE;
                    if (x > 0)
                        better |= relax(at - 1, at, map.east[at - 1]);
                    if (y > 0)
                        better |= relax(at - TownMap.SIDE, at, map.south[at - TownMap.SIDE]);
                }
            }
            return time[to];
        }

        private boolean relax(int a, int b, int cost) {
            if (time[a] + cost < time[b]) {
                time[b] = time[a] + cost;
                return true;
            }
            if (time[b] + cost < time[a]) {
                time[a] = time[b] + cost;
                return true;
            }
            return false;
        }
    }

    static final class Driver implements Runnable {
        private final Rank rank;
        private final Fare fare;

        Driver(Rank rank, TownMap map) {
            this.rank = rank;
            fare = new Fare(map);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Ride ride = rank.next();
                    long begin = System.nanoTime();
                    LATENCY.add(begin - ride.called);
                    CENTS.add(350 + fare.shortest(ride.from, ride.to) / 9);
                    RIDE_TIME.add(System.nanoTime() - begin);
                    RIDES.increment();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The calls of customers, as they come. */
    static final class Exchange implements Runnable {
        private final Rank rank;
        private final int crossings;

        Exchange(Rank rank, TownMap map) {
            this.rank = rank;
            crossings = map.crossings();
        }

        @Override
        public void run() {
            ThreadLocalRandom random = ThreadLocalRandom.current();
            try {
                while (true) {
                    Thread.sleep(Math.min(60, (long) (-6 * Math.log(1 - random.nextDouble()))));
                    rank.call(new Ride(random.nextInt(crossings), random.nextInt(crossings)));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        TownMap map = new TownMap();
        Rank rank = new Rank();
        for (int i = 0; i < 12; i++)
            new Thread(new Driver(rank, map), "driver-" + i).start();
        new Thread(new Exchange(rank, map), "exchange").start();
        for (int second = 0;; second++) {
            long rides = RIDES.sum(), latency = LATENCY.sum(), time = RIDE_TIME.sum();
            Thread.sleep(1000);
            rides = RIDES.sum() - rides;
            System.out.printf("measured: %d rides, %.2f ms from call to driver, %.2f ms each; %d drivers free, %d calls without one%n", rides,
                (LATENCY.sum() - latency) / 1e6 / Math.max(1, rides), (RIDE_TIME.sum() - time) / 1e6 / Math.max(1, rides), rank.freeDrivers(), rank.waitingCalls());
            if (second == 3) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
