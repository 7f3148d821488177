// SPDX-License-Identifier: Apache-2.0
// healthy: looks like one saturated thread (optimiser) for which six dispatchers wait by futures, but it improves the tour for as long as it may, the plan is published each 500 ms by the clock whatever has been found, and dispatchers want no more than one plan per period.
// share: measures plans a second (2, by the clock), how late a plan comes after its time (about 1 ms, or 8 on average where CPUs are taken by others), the length of the tour, and trials a second (millions)
// judge: WRONG: saying that optimiser limits the throughput, that dispatchers get their plans late because of it, that it is a busy loop or spins without need, or that futures, the pool or locks are a fault. ACCEPTABLE: a neutral remark that CPU time goes to HaulagePlanner$Optimiser (improve / gain), that one thread computes all the time, and that dispatchers wait for its plans.
// jdk: 25
// set: twenty-sixth
// jvm:

import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

public class HaulagePlanner {
    static final int DEPOTS = 1500;
    static final long PERIOD = 500_000_000L;
    static final AtomicLong trials = new AtomicLong();
    static final AtomicLong orders = new AtomicLong();
    static final AtomicLong plans = new AtomicLong();
    static final AtomicLong late = new AtomicLong();
    static volatile double length;

    record Plan(int number, int[] tour, double length, long due) {
    }

    static final class Map {
        private final double[] x = new double[DEPOTS];
        private final double[] y = new double[DEPOTS];
        private final Random random = new Random(17);

        Map() {
            for (int i = 0; i < DEPOTS; i++) {
                move(i);
            }
        }

        private void move(int depot) {
            x[depot] = random.nextDouble() * 600;
            y[depot] = random.nextDouble() * 900;
        }

        void newOrders(int count) {
            for (int i = 0; i < count; i++) {
                move(random.nextInt(DEPOTS));
            }
        }

        double between(int a, int b) {
            double dx = x[a] - x[b];
            double dy = y[a] - y[b];
            return Math.sqrt(dx * dx + dy * dy);
        }
    }

    /** Where dispatchers get the plan of the period to come. */
    static final class PlanBoard {
        private final AtomicReference<CompletableFuture<Plan>> next = new AtomicReference<>(new CompletableFuture<>());

        CompletableFuture<Plan> next() {
            return next.get();
        }

        void publish(Plan plan) {
            next.getAndSet(new CompletableFuture<>()).complete(plan);
            plans.incrementAndGet();
            late.addAndGet(System.nanoTime() - plan.due());
        }
    }

    /** Improves the tour by turning parts of it, until the period is over. */
    static final class Optimiser implements Runnable {
        private final Map map;
        private final PlanBoard board;
        private final Random random = new Random(23);
        private final int[] tour = new int[DEPOTS];

        Optimiser(Map map, PlanBoard board) {
            this.map = map;
            this.board = board;
            for (int i = 0; i < DEPOTS; i++) {
                tour[i] = i;
            }
        }

        private double total() {
            double sum = map.between(tour[DEPOTS - 1], tour[0]);
            for (int i = 1; i < DEPOTS; i++) {
                sum += map.between(tour[i - 1], tour[i]);
            }
            return sum;
        }

        private double gain(int from, int to) {
            int before = tour[from - 1];
            int after = tour[(to + 1) % DEPOTS];
            return map.between(before, tour[from]) + map.between(tour[to], after)
                - map.between(before, tour[to]) - map.between(tour[from], after);
        }

        private void turn(int from, int to) {
            for (int i = from, j = to; i < j; i++, j--) {
                int depot = tour[i];
                tour[i] = tour[j];
                tour[j] = depot;
            }
        }

        private void improve(int rounds) {
            for (int i = 0; i < rounds; i++) {
                int from = 1 + random.nextInt(DEPOTS - 2);
                int to = Math.min(DEPOTS - 1, from + 1 + random.nextInt(200));
                if (gain(from, to) > 1e-9) {
                    turn(from, to);
                }
            }
            trials.addAndGet(rounds);
        }

        @Override
        public void run() {
            long due = System.nanoTime() + PERIOD;
            for (int number = 1; ; number++) {
                map.newOrders(30);
                while (System.nanoTime() < due) {
                    improve(2000);
                }
                length = total();
                board.publish(new Plan(number, tour.clone(), length, due));
                due += PERIOD;
            }
        }
    }

    static final class Dispatcher implements Runnable {
        private final PlanBoard board;
        private final int region;

        Dispatcher(PlanBoard board, int region) {
            this.board = board;
            this.region = region;
        }

        private String orders(Plan plan) {
            StringBuilder text = new StringBuilder("plan " + plan.number());
            for (int i = region * 250; i < region * 250 + 250; i++) {
                text.append(' ').append(plan.tour()[i]);
            }
            return text.toString();
        }

        @Override
        public void run() {
            while (true) {
                Plan plan = board.next().join();
                if (orders(plan).length() > 250) {
                    orders.incrementAndGet();
                }
            }
        }
    }

    static void start(Runnable what, String name) {
        Thread thread = new Thread(what, name);
        thread.setDaemon(true);
        thread.start();
    }

    public static void main(String[] args) throws Exception {
        PlanBoard board = new PlanBoard();
        for (int i = 0; i < 6; i++) {
            start(new Dispatcher(board, i), "dispatcher-" + i);
        }
        start(new Optimiser(new Map(), board), "optimiser");
        System.out.println("READY");
        long end = System.nanoTime() + 170_000_000_000L;
        while (System.nanoTime() < end) {
            long t = trials.get();
            long o = orders.get();
            long p = plans.get();
            long l = late.get();
            Thread.sleep(1000);
            long done = plans.get() - p;
            System.out.printf("measured: %d plans, %.3f ms late, tour of %.0f km, %d trials, %d orders%n", done,
                (late.get() - l) / 1e6 / Math.max(1, done), length, trials.get() - t, orders.get() - o);
        }
        System.exit(0);
    }
}
