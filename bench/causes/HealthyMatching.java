// SPDX-License-Identifier: Apache-2.0
// healthy: one thread matches orders, which come in bursts over bounded queues from four gateways; two more store and publish its trades
// jdk: 17
// set: tenth
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.zip.Adler32;

public final class HealthyMatching {
    private static final class Order {
        final boolean buys;
        final int limit;
        int left;

        Order(boolean buys, int limit, int left) {
            this.buys = buys;
            this.limit = limit;
            this.left = left;
        }
    }

    private static final Order EVENING = new Order(true, 0, 0); // clears what is open

    private final BlockingQueue<Order> orders = new ArrayBlockingQueue<>(1000);
    private final List<BlockingQueue<String>> outputs = List.of(new LinkedBlockingQueue<>(5000), new LinkedBlockingQueue<>(5000));

    private void gateway(int number) {
        Random random = new Random(number);
        try {
            for (int n = 0;; n++) {
                for (int i = 0; i < 20; i++) {
                    orders.put(new Order(random.nextBoolean(), 995 + random.nextInt(10), 1 + random.nextInt(50)));
                }
                if (n % 100 == 99 && number == 0) {
                    orders.put(EVENING);
                }
                Thread.sleep(10);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void match() {
        PriorityQueue<Order> bids = new PriorityQueue<>(Comparator.comparingInt((Order order) -> -order.limit));
        PriorityQueue<Order> asks = new PriorityQueue<>(Comparator.comparingInt((Order order) -> order.limit));
        List<Order> batch = new ArrayList<>();
        try {
            for (;;) {
                batch.add(orders.take());
                orders.drainTo(batch, 50);
                for (Order order : batch) {
                    if (order == EVENING) {
                        bids.clear();
                        asks.clear();
                        continue;
                    }
                    PriorityQueue<Order> others = order.buys ? asks : bids;
                    while (order.left > 0 && !others.isEmpty()
                            && (order.buys ? others.peek().limit <= order.limit : others.peek().limit >= order.limit)) {
                        Order other = others.peek();
                        int n = Math.min(order.left, other.left);
                        order.left -= n;
                        other.left -= n;
                        if (other.left == 0) {
                            others.remove();
                        }
                        for (BlockingQueue<String> output : outputs) {
                            output.put(n + "@" + other.limit);
                        }
                    }
                    if (order.left > 0) {
                        (order.buys ? bids : asks).add(order);
                    }
                }
                batch.clear();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void output(BlockingQueue<String> trades) {
        Adler32 sum = new Adler32();
        try {
            for (;;) {
                String trade = trades.take();
                for (int i = 0; i < trade.length(); i++) {
                    sum.update(trade.charAt(i));
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        HealthyMatching venue = new HealthyMatching();
        new Thread(venue::match, "matching").start();
        new Thread(() -> output(venue.outputs.get(0)), "journal").start();
        new Thread(() -> output(venue.outputs.get(1)), "market-data").start();
        for (int i = 0; i < 4; i++) {
            int number = i;
            new Thread(() -> venue.gateway(number), "gateway-" + i).start();
        }
        System.out.println("READY");
    }
}
