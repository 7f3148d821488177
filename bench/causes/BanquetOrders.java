// SPDX-License-Identifier: Apache-2.0
// cause: OrderDesk.confirm makes a CountDownLatch with one count for each line of the order, but submits one task for each store (Stores.byStore), which counts down once: as soon as two lines come from one store the latch never gets to zero, and the wait at OrderDesk.confirm lasts until its time-out of 350 ms
// share: about 85 to 90 % of the orders wait until the time-out of 350 ms, 300 ms on average, while the stores check for 3.5 ms; desks wait for the latch 95 % of their time; 0.08 CPUs used
// expect: waiting kind=latch frame=BanquetOrders$OrderDesk.confirm
// symptom: waiting
// judge: NAMED: waiting for a latch at BanquetOrders$OrderDesk.confirm (best with: time-outs end these waits, what they wait for does not come). SYMPTOM ONLY: a wait of the desks without kind or place; that threads of the pool store have nothing to do. WRONG: the pool store is too small or busy, StoreRoom.check is slow or hot, a lock, sleep in Desk.run, CPUs, collections; that the store tasks are what takes the time.
// jdk: 11
// set: thirty-fifth
// jvm: -Xmx256m

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** A caterer confirms orders for banquets: each line comes from one of its stores. */
public class BanquetOrders {
    static final String[] STORES = {"cellar", "cold-room", "bakery", "linen", "dry-goods", "greens"};
    static final int DESKS = 9;
    static final LongAdder orders = new LongAdder(), ranOut = new LongAdder(), waited = new LongAdder(), checking = new LongAdder();

    static final class Line {
        final String article, store;
        final int amount;

        Line(String article, String store, int amount) {
            this.article = article;
            this.store = store;
            this.amount = amount;
        }
    }

    static final class Order {
        final int guests;
        final List<Line> lines = new ArrayList<>();

        Order(Random random) {
            guests = 20 + random.nextInt(200);
            int n = 4 + random.nextInt(4);
            for (int i = 0; i < n; i++) {
                String store = STORES[random.nextInt(STORES.length)];
                lines.add(new Line(store + "-" + random.nextInt(400), store, guests * (1 + random.nextInt(3))));
            }
        }
    }

    static final class StoreRoom {
        final double[] stock = new double[400];

        /** What can be delivered, by what goes out on the days until then. */
        double check(List<Line> lines) {
            long begin = System.nanoTime();
            double least = Double.MAX_VALUE;
            for (Line line : lines) {
                int shelf = Integer.parseInt(line.article.substring(line.article.lastIndexOf('-') + 1));
                double left = 4000 + stock[shelf];
                for (int day = 1; day < 40_000; day++) left -= Math.sin(day * 0.11 + shelf) * 2 + Math.sqrt(day) * 0.001;
                least = Math.min(least, left - line.amount);
            }
            checking.add(System.nanoTime() - begin);
            return least;
        }
    }

    static final class Stores {
        final Map<String, StoreRoom> rooms = new HashMap<>();
        final ExecutorService crew;

        Stores() {
            AtomicInteger number = new AtomicInteger();
            crew = Executors.newFixedThreadPool(6, r -> {
                Thread t = new Thread(r, "store-" + number.incrementAndGet());
                t.setDaemon(true);
                return t;
            });
            for (String s : STORES) rooms.put(s, new StoreRoom());
        }

        Map<String, List<Line>> byStore(Order order) {
            Map<String, List<Line>> parts = new HashMap<>();
            for (Line line : order.lines) parts.computeIfAbsent(line.store, k -> new ArrayList<>()).add(line);
            return parts;
        }
    }

    static final class OrderDesk {
        final Stores stores;

        OrderDesk(Stores stores) {
            this.stores = stores;
        }

        String confirm(Order order) throws InterruptedException {
            Map<String, Double> found = new ConcurrentHashMap<>();
            CountDownLatch answers = new CountDownLatch(order.lines.size());
            stores.byStore(order).forEach((store, lines) -> stores.crew.execute(() -> {
                try {
                    found.put(store, stores.rooms.get(store).check(lines));
                } finally {
                    answers.countDown();
                }
            }));
            long begin = System.nanoTime();
            boolean all = answers.await(350, TimeUnit.MILLISECONDS);
            waited.add(System.nanoTime() - begin);
            if (!all) ranOut.increment();
            orders.increment();
            return offer(order, found);
        }

        String offer(Order order, Map<String, Double> found) {
            StringBuilder text = new StringBuilder("for ").append(order.guests).append(" guests: ");
            for (Map.Entry<String, Double> e : found.entrySet())
                text.append(e.getKey()).append(e.getValue() < 0 ? " short, " : " in stock, ");
            return text.toString();
        }
    }

    static final class Desk implements Runnable {
        final OrderDesk desk;
        final Random random;
        int length;

        Desk(OrderDesk desk, int number) {
            this.desk = desk;
            this.random = new Random(number * 17L);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    length += desk.confirm(new Order(random)).length();
                    Thread.sleep(10 + random.nextInt(10));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        OrderDesk desk = new OrderDesk(new Stores());
        for (int i = 0; i < DESKS; i++) {
            Thread t = new Thread(new Desk(desk, i), "desk-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(2000);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long n = orders.sum(), o = ranOut.sum(), w = waited.sum(), c = checking.sum();
            Thread.sleep(1000);
            long m = Math.max(1, orders.sum() - n);
            System.out.printf("measured: %d orders/s, %d of them waited until the time-out; %.0f ms waiting each, %.1f ms checking in the stores%n",
                    m, ranOut.sum() - o, (waited.sum() - w) / 1e6 / m, (checking.sum() - c) / 1e6 / m);
        }
    }
}
