// SPDX-License-Identifier: Apache-2.0
// cause: PickingRounds$Aisle.round waits for the end of its pool of pickers (ExecutorService.close, awaitTermination), which is delayed: PickingRounds$Picker.run learns only from a time-out of 400 ms of BlockingQueue.poll that the round has no more orders, though all of them are there before it starts
// share: about 97 % of each round (400 ms of about 410 ms), as measured, is waiting for pickers that have nothing left to pick; orders wait for the next round in that time
// expect: waiting kind=queue frame=PickingRounds$Picker.run | waiting kind=pool-end frame=PickingRounds$Aisle.round chain=PickingRounds$Picker.run
// symptom: waiting
// judge: NAMED: waiting for the end of a pool (awaitTermination/close) at PickingRounds$Aisle.round, if it also says that its workers (picker) wait for elements of a queue (poll, with a time-out) at PickingRounds$Picker.run; or that wait at PickingRounds$Picker.run as what Aisle.round waits for. SYMPTOM ONLY: waiting for the end of a pool at Aisle.round without what its threads do; the queue wait at Picker.run without who waits for it; starting threads or making a pool for each round. WRONG: CPU or hot code of Picker.pick, collections, the intake, locks, the machine, pool too small
// jdk: 25
// set: thirty-fourth
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** A wholesale warehouse for flowers: orders are collected for each aisle, and picked in rounds. */
public class PickingRounds {
    static final LongAdder rounds = new LongAdder(), picked = new LongAdder();
    static final LongAdder roundNanos = new LongAdder(), pickNanos = new LongAdder(), orderNanos = new LongAdder();

    record Line(String article, int stems) { }

    record Order(long number, long arrived, List<Line> lines) { }

    /** The stock of an aisle, in buckets of stems. */
    static final class Stock {
        private final ConcurrentHashMap<String, AtomicInteger> buckets = new ConcurrentHashMap<>();

        int take(String article, int stems) {
            AtomicInteger bucket = buckets.computeIfAbsent(article, a -> new AtomicInteger(5000));
            int left = bucket.addAndGet(-stems);
            if (left < 0)
                bucket.addAndGet(5000);
            return Math.max(left, 0);
        }
    }

    /** Takes orders of a round, until there are none. */
    static final class Picker implements Runnable {
        private static final long PATIENCE_MS = 400;
        private final BlockingQueue<Order> open;
        private final Stock stock;

        Picker(BlockingQueue<Order> open, Stock stock) {
            this.open = open;
            this.stock = stock;
        }

        @Override public void run() {
            try {
                Order order;
                while ((order = open.poll(PATIENCE_MS, TimeUnit.MILLISECONDS)) != null)
                    pick(order);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void pick(Order order) {
            long begin = System.nanoTime();
            long seal = order.number();
            for (Line line : order.lines()) {
                int left = stock.take(line.article(), line.stems());
                for (int i = 0; i < 15_000; i++)
                    seal = Long.rotateLeft(seal * 31 + left + i, 7);
            }
            if (seal == 42)
                System.out.println("sealed " + order.number());
            long end = System.nanoTime();
            pickNanos.add(end - begin);
            orderNanos.add(end - order.arrived());
            picked.increment();
        }
    }

    /** One aisle: what has arrived since the last round is picked in the next one. */
    static final class Aisle implements Runnable {
        private final String name;
        private final BlockingQueue<Order> arrivals = new LinkedBlockingQueue<>();
        private final Stock stock = new Stock();
        private final AtomicInteger pickers = new AtomicInteger();

        Aisle(String name) {
            this.name = name;
        }

        void accept(Order order) {
            arrivals.add(order);
        }

        private void round(List<Order> orders) {
            long begin = System.nanoTime();
            ThreadFactory factory = r -> new Thread(r, name + "-picker-" + pickers.incrementAndGet() % 3);
            try (ExecutorService pool = Executors.newFixedThreadPool(3, factory)) {
                BlockingQueue<Order> open = new LinkedBlockingQueue<>(orders);
                for (int i = 0; i < 3; i++)
                    pool.execute(new Picker(open, stock));
            }
            rounds.increment();
            roundNanos.add(System.nanoTime() - begin);
        }

        @Override public void run() {
            try {
                while (true) {
                    List<Order> orders = new ArrayList<>();
                    orders.add(arrivals.take());
                    arrivals.drainTo(orders);
                    round(orders);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Orders as shops send them. */
    static final class Intake implements Runnable {
        private static final String[] ARTICLES = {"rose 50", "tulip", "gerbera", "lily", "fern", "anemone", "carnation", "iris"};
        private final List<Aisle> aisles;

        Intake(List<Aisle> aisles) {
            this.aisles = aisles;
        }

        @Override public void run() {
            try {
                for (long number = 1; ; number++) {
                    List<Line> lines = new ArrayList<>();
                    for (int i = 0; i < 12; i++)
                        lines.add(new Line(ARTICLES[(int) ((number * 7 + i) % ARTICLES.length)], 10 + i * 5));
                    aisles.get((int) (number % aisles.size())).accept(new Order(number, System.nanoTime(), lines));
                    Thread.sleep(3);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        List<Aisle> aisles = List.of(new Aisle("cut"), new Aisle("potted"), new Aisle("green"), new Aisle("dry"));
        for (Aisle aisle : aisles)
            new Thread(aisle, "aisle-" + aisle.name).start();
        new Thread(new Intake(aisles), "intake").start();
        for (int second = 0; ; second++) {
            Thread.sleep(1000);
            long n = Math.max(1, rounds.sumThenReset()), orders = Math.max(1, picked.sumThenReset());
            double round = roundNanos.sumThenReset() / 1e6 / n, pick = pickNanos.sumThenReset() / 1e6 / n;
            System.out.printf("measured: %d rounds of %.0f ms, %.1f ms of picking by 3 pickers in each; an order takes %.0f ms%n",
                n, round, pick, orderNanos.sumThenReset() / 1e6 / orders);
            if (second == 2) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
