// SPDX-License-Identifier: Apache-2.0
// healthy: orders are checked by List.contains, indexOf and ArrayDeque.remove, some hundred thousand times a second, but in lists of 3 to 12 elements, where searching from end to end is the right thing; the CPU time goes to planning the oven (Oven.plan), which is what the program is for
// share: all searches together take about 1 % of one CPU, some 5 % of the time of the work; Oven.plan has most of it; 0.2 to 0.6 CPUs of 2
// judge: right: nothing stands out, or only neutral statements of where time goes (computing in Oven.plan). WRONG: any accusation, in particular of searching collections, a saturated or waiting thread, or of collections.
// jdk: 11
// set: thirty-third
// jvm: -Xmx256m
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class BakeryOrders {
    static final List<String> GOODS = Arrays.asList("rye", "wheat", "spelt", "roll", "croissant", "bun", "tart", "pretzel", "stollen", "scone", "baguette", "focaccia");
    static final List<String> STOPS = Arrays.asList("market", "school", "station", "harbour", "hospital", "castle", "mill", "church");

    static final class Order {
        final long number;
        final String stop;
        final List<String> goods;
        final List<String> without;

        Order(long number, Random random) {
            this.number = number;
            stop = STOPS.get(random.nextInt(STOPS.size()));
            List<String> g = new ArrayList<>();
            for (int i = 0, n = 3 + random.nextInt(4); i < n; i++)
                g.add(GOODS.get(random.nextInt(GOODS.size())));
            goods = g;
            without = Arrays.asList("nuts", "milk", random.nextBoolean() ? "egg" : "sesame");
        }
    }

    static final class Recipes {
        private final Map<String, List<String>> contents = new HashMap<>();

        Recipes() {
            for (int i = 0; i < GOODS.size(); i++)
                contents.put(GOODS.get(i), Arrays.asList("flour", i % 3 == 0 ? "milk" : "water", i % 4 == 0 ? "sesame" : "salt"));
        }

        int substitutions(Order order) {
            int n = 0;
            for (String good : order.goods)
                for (String allergen : order.without)
                    if (contents.get(good).contains(allergen))
                        n++;
            return n;
        }
    }

    /** Those orders of a van that are not loaded yet: a dozen at most. */
    static final class Van {
        private final ArrayDeque<Order> open = new ArrayDeque<>();

        Order add(Order order) {
            open.addLast(order);
            return open.size() > 12 ? open.peekFirst() : null;
        }

        boolean loaded(Order order) {
            return open.remove(order);
        }
    }

    /** Which batches to bake together, so that trays and minutes are used best. */
    static final class Oven {
        static final int TRAYS = 120, MINUTES = 90;

        int plan(List<Order> orders) {
            int[][] best = new int[TRAYS + 1][MINUTES + 1];
            for (Order o : orders) {
                int trays = 1 + o.goods.size() / 2, minutes = 4 + (int) (o.number % 9);
                int value = 10 * o.goods.size() + minutes;
                for (int t = TRAYS; t >= trays; t--)
                    for (int m = MINUTES; m >= minutes; m--)
                        best[t][m] = Math.max(best[t][m], best[t - trays][m - minutes] + value);
            }
            return best[TRAYS][MINUTES];
        }
    }

    static final class Bakery implements Runnable {
        final Recipes recipes;
        final Oven oven = new Oven();
        final Map<String, Van> vans = new HashMap<>();
        final Random random;
        final AtomicLong orders = new AtomicLong(), searches = new AtomicLong(), searching = new AtomicLong(), total = new AtomicLong(), value = new AtomicLong();
        private long number;

        Bakery(int id, Recipes recipes) {
            this.recipes = recipes;
            random = new Random(id);
            STOPS.forEach(s -> vans.put(s, new Van()));
        }

        List<Order> receive(int n) {
            List<Order> list = new ArrayList<>(n);
            for (int i = 0; i < n; i++)
                list.add(new Order(++number, random));
            return list;
        }

        void check(List<Order> list) {
            long t = System.nanoTime();
            int substitutions = 0, distance = 0;
            for (Order o : list) {
                substitutions += recipes.substitutions(o);
                distance += STOPS.indexOf(o.stop);
                Van van = vans.get(o.stop);
                Order first = van.add(o);
                if (first != null && !van.loaded(first))
                    throw new IllegalStateException("order " + first.number + " is not in its van");
                searches.addAndGet(o.goods.size() * 3 + 2);
            }
            value.addAndGet(substitutions + distance);
            searching.addAndGet(System.nanoTime() - t);
        }

        @Override
        public void run() {
            long t = System.nanoTime();
            List<Order> list = receive(80);
            check(list);
            value.addAndGet(oven.plan(list));
            orders.addAndGet(list.size());
            total.addAndGet(System.nanoTime() - t);
        }
    }

    public static void main(String[] args) throws Exception {
        Recipes recipes = new Recipes();
        AtomicInteger n = new AtomicInteger();
        ScheduledExecutorService ovens = Executors.newScheduledThreadPool(3, r -> {
            Thread t = new Thread(r, "bakery-" + n.incrementAndGet());
            t.setDaemon(true);
            return t;
        });
        List<Bakery> bakeries = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            bakeries.add(new Bakery(i, recipes));
            ovens.scheduleWithFixedDelay(bakeries.get(i), 5 + 3 * i, 9, TimeUnit.MILLISECONDS);
        }
        for (int second = 1;; second++) {
            Thread.sleep(1000);
            long orders = 0, searches = 0, searching = 0, total = 0;
            for (Bakery b : bakeries) {
                orders += b.orders.getAndSet(0);
                searches += b.searches.getAndSet(0);
                searching += b.searching.getAndSet(0);
                total += b.total.getAndSet(0);
            }
            System.out.printf("measured: %d orders, %d searches in short lists took %.1f ms, that is %.1f %% of %.0f ms of work%n",
                orders, searches, searching / 1e6, total == 0 ? 0 : 100.0 * searching / total, total / 1e6);
            if (second == 4) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
