// SPDX-License-Identifier: Apache-2.0
// cause: NurseryStock$Stock.batches joins the batches of 160 greenhouses by Stream.concat in a loop, one concat within the other, so that in NurseryStock$Stock.firstFit each element is fetched through up to 160 nested ConcatSpliterator.tryAdvance calls (should be houses.stream().flatMap(...))
// share: 99.9 % of the time of an order is the search, 0.84 ms; with flatMap in place of the nested concat the same search takes 0.03 to 0.04 ms (measured), so 95 % of it is the nesting; 0.5 to 0.6 CPUs
// expect: hot-code what=many_wrappers frame=NurseryStock$Stock.
// symptom: hot-code hot-calls hot-method
// judge: NAMED: many nested wrappers / nested Stream.concat (ConcatSpliterator.tryAdvance calling itself) for NurseryStock$Stock.firstFit or Stock.batches. SYMPTOM ONLY: CPU time in streams / java.util.stream or in what Stock.firstFit calls, without the nesting; hot method Streams$ConcatSpliterator.tryAdvance with its caller but without saying that it is nested. WRONG: the predicate (Order.fits) as the cause, searching collections (a search over 4800 batches by itself takes about 20 to 50 microseconds), the pool of threads, queues, collections
// jdk: 21
// set: thirty-second
// jvm: -Xmx256m

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/** Order desk of a plant nursery: finds for each order the first batch in the greenhouses that can fill it. */
public class NurseryStock {

    static final LongAdder ORDERS = new LongAdder();
    static final LongAdder FILLED = new LongAdder();
    static final LongAdder SEARCH_NS = new LongAdder();
    static final LongAdder ORDER_NS = new LongAdder();

    enum Species { LAVENDER, HOSTA, ACER, BUXUS, CLEMATIS, FUCHSIA, SALVIA, THYME }

    static final class Batch {
        final Species species;
        final int potSize;
        final int week;
        int pots;

        Batch(Species species, int potSize, int week, int pots) {
            this.species = species;
            this.potSize = potSize;
            this.week = week;
            this.pots = pots;
        }
    }

    record Order(int number, Species species, int potSize, int byWeek, int pots) {
        boolean fits(Batch batch) {
            return batch.species == species && batch.potSize == potSize && batch.week <= byWeek && batch.pots >= pots;
        }
    }

    static final class Greenhouse {
        final String name;
        final List<Batch> batches = new ArrayList<>();

        Greenhouse(String name, Random crop) {
            this.name = name;
            for (int i = 0; i < 30; i++)
                batches.add(new Batch(Species.values()[crop.nextInt(8)], 9 + 2 * crop.nextInt(4),
                        1 + crop.nextInt(52), 20 + crop.nextInt(400)));
        }
    }

    static final class Stock {
        private final List<Greenhouse> houses = new ArrayList<>();

        Stock(int count) {
            Random crop = new Random(5);
            for (int i = 0; i < count; i++)
                houses.add(new Greenhouse("house " + (i + 1), crop));
        }

        Stream<Batch> batches() {
            Stream<Batch> all = Stream.empty();
            for (Greenhouse house : houses)
                all = Stream.concat(all, house.batches.stream());
            return all;
        }

        Optional<Batch> firstFit(Order order) {
            return batches().filter(order::fits).findFirst();
        }
    }

    static final class Desk implements Runnable {
        private final Stock stock = new Stock(160);
        private final BlockingQueue<Order> orders;
        private long invoiced;

        Desk(BlockingQueue<Order> orders) {
            this.orders = orders;
        }

        @Override public void run() {
            try {
                while (true)
                    serve(orders.take());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void serve(Order order) {
            long from = System.nanoTime();
            Optional<Batch> batch = stock.firstFit(order);
            SEARCH_NS.add(System.nanoTime() - from);
            batch.ifPresent(found -> {
                invoiced += price(order);
                found.pots -= order.pots();
                if (found.pots < 20)
                    found.pots += 300;
                FILLED.increment();
            });
            ORDER_NS.add(System.nanoTime() - from);
            ORDERS.increment();
        }

        private long price(Order order) {
            long each = 120 + 35L * order.potSize();
            for (int pots = 50; pots <= order.pots(); pots += 50)
                each -= each / 40;
            return each * order.pots();
        }
    }

    /** Orders as they come in by the hour: in small groups, and no faster than the desks take them. */
    static void intake(BlockingQueue<Order> orders) {
        Random market = new Random(9);
        int number = 0;
        try {
            while (true) {
                for (int i = 0; i < 3; i++)
                    orders.offer(new Order(++number, Species.values()[market.nextInt(8)], 9 + 2 * market.nextInt(4),
                            1 + market.nextInt(52), 150 + market.nextInt(280)));
                Thread.sleep(4);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        BlockingQueue<Order> orders = new ArrayBlockingQueue<>(200);
        for (int i = 1; i <= 2; i++)
            new Thread(new Desk(orders), "order-desk-" + i).start();
        new Thread(() -> intake(orders), "intake").start();
        Thread.sleep(3000);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long n = ORDERS.sum(), search = SEARCH_NS.sum(), all = ORDER_NS.sum(), filled = FILLED.sum();
            Thread.sleep(1000);
            n = Math.max(1, ORDERS.sum() - n);
            search = SEARCH_NS.sum() - search;
            all = Math.max(1, ORDER_NS.sum() - all);
            System.out.printf(Locale.ROOT, "measured: %d orders/s, %d filled, %.2f ms each, %.1f %% of it to find the batch, %d waiting%n",
                    n, FILLED.sum() - filled, all / 1e6 / n, 100.0 * search / all, orders.size());
            System.out.flush();
        }
    }
}
