// SPDX-License-Identifier: Apache-2.0
// healthy: thread locals as they are meant: scratch arrays and a distance table, costly to make, are made once for each of four threads that live as long as the program; the context of a request is a thread local as well, removed after each order of a request and made anew (withInitial) by the next one, some ten thousand times a second, which costs less than a microsecond each
// share: making initial values takes about 1 to 4 % of the CPU time after the start, as measured (in FreightOffice$Context's and FreightOffice$Tables' suppliers); the rest is the planning itself, 0.2 to 0.8 CPUs; requests take some milliseconds and hardly wait
// judge: NAMED: that nothing stands out, or neutral words only: time goes to computing in FreightOffice$Planner.insert, length, improve or the like (hot method, no fault). SYMPTOM ONLY: does not apply. WRONG: thread locals or their initial values as a fault, the futures of desks as trouble, the pool planner as too small, collections, locks, any other accusation
// jdk: 17
// set: thirty-fourth
// jvm: -Xmx128m
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Plans the tours of vans: orders come from desks, planners put them into the shortest tour. */
public class FreightOffice {
    static final int PLACES = 300;
    static final LongAdder plans = new LongAdder(), planNanos = new LongAdder(), deskNanos = new LongAdder();
    static final LongAdder contexts = new LongAdder(), tables = new LongAdder(), initialNanos = new LongAdder();

    record Order(int from, int to, int pallets) { }

    /** What was tried for one order, for the trail that the customer may ask for. */
    static final class Context {
        private static final AtomicLong numbers = new AtomicLong();
        private static final ThreadLocal<Context> current = ThreadLocal.withInitial(Context::make);
        final long number = numbers.incrementAndGet();
        private final int[] trail = new int[96];
        private int steps;

        private static Context make() {
            long begin = System.nanoTime();
            Context context = new Context();
            contexts.increment();
            initialNanos.add(System.nanoTime() - begin);
            return context;
        }

        static Context get() {
            return current.get();
        }

        static void end() {
            current.remove();
        }

        void step(int stop) {
            trail[steps++ % trail.length] = stop;
        }
    }

    /** The distances between all places, and room to work in; a thread's own. */
    static final class Tables {
        private static final ThreadLocal<Tables> own = ThreadLocal.withInitial(Tables::make);
        final double[][] distance = new double[PLACES][PLACES];
        final int[] tour = new int[256];

        private static Tables make() {
            long begin = System.nanoTime();
            Tables made = new Tables();
            double[] east = new double[PLACES], north = new double[PLACES];
            Random random = new Random(99);
            for (int i = 0; i < PLACES; i++) {
                east[i] = random.nextDouble() * 300;
                north[i] = random.nextDouble() * 200;
            }
            for (int i = 0; i < PLACES; i++) {
                for (int j = 0; j < PLACES; j++)
                    made.distance[i][j] = Math.hypot(east[i] - east[j], north[i] - north[j]) * 1.27;
            }
            tables.increment();
            initialNanos.add(System.nanoTime() - begin);
            return made;
        }

        static Tables get() {
            return own.get();
        }
    }

    static final class Planner {
        private double length(int[] tour, int stops) {
            double[][] distance = Tables.get().distance;
            double sum = 0;
            for (int i = 1; i < stops; i++)
                sum += distance[tour[i - 1]][tour[i]];
            return sum;
        }

        /** Puts a place where the tour grows least. */
        private int insert(int[] tour, int stops, int place) {
            double[][] distance = Tables.get().distance;
            int best = stops;
            double least = Double.MAX_VALUE;
            for (int i = 1; i < stops; i++) {
                double more = distance[tour[i - 1]][place] + distance[place][tour[i]] - distance[tour[i - 1]][tour[i]];
                if (more < least) {
                    least = more;
                    best = i;
                }
            }
            System.arraycopy(tour, best, tour, best + 1, stops - best);
            tour[best] = place;
            Context.get().step(best);
            return stops + 1;
        }

        /** Turns parts of the tour round while that makes it shorter. */
        private void improve(int[] tour, int stops) {
            double[][] distance = Tables.get().distance;
            for (int pass = 0; pass < 40; pass++) {
                for (int i = 1; i < stops - 2; i++) {
                    for (int j = i + 1; j < stops - 1; j++) {
                        double now = distance[tour[i - 1]][tour[i]] + distance[tour[j]][tour[j + 1]];
                        double then = distance[tour[i - 1]][tour[j]] + distance[tour[i]][tour[j + 1]];
                        if (then < now - 1e-9) {
                            for (int a = i, b = j; a < b; a++, b--) {
                                int t = tour[a];
                                tour[a] = tour[b];
                                tour[b] = t;
                            }
                        }
                    }
                }
                Context.get().step(pass);
            }
        }

        double plan(List<Order> orders) {
            long begin = System.nanoTime();
            try {
                int[] tour = Tables.get().tour;
                tour[0] = 0;
                tour[1] = 0;
                int stops = 2;
                for (Order order : orders) {
                    stops = insert(tour, stops, order.from());
                    stops = insert(tour, stops, order.to());
                    Context.end();
                }
                improve(tour, stops);
                return length(tour, stops);
            } finally {
                Context.end();
                plans.increment();
                planNanos.add(System.nanoTime() - begin);
            }
        }
    }

    /** A desk: takes the orders of a customer, asks for a tour, then the next customer's. */
    static void desk(ExecutorService pool, Planner planner, int number) {
        Random random = new Random(number);
        double kilometres = 0;
        try {
            while (true) {
                List<Order> orders = new ArrayList<>();
                for (int i = 0; i < 90; i++)
                    orders.add(new Order(random.nextInt(PLACES), random.nextInt(PLACES), 1 + random.nextInt(4)));
                long begin = System.nanoTime();
                Future<Double> plan = pool.submit(() -> planner.plan(orders));
                kilometres += plan.get();
                deskNanos.add(System.nanoTime() - begin);
                Thread.sleep(12 + random.nextInt(12));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException("after " + kilometres + " km", e);
        }
    }

    public static void main(String[] args) throws Exception {
        AtomicInteger threads = new AtomicInteger();
        ExecutorService pool = Executors.newFixedThreadPool(4, r -> new Thread(r, "planner-" + threads.incrementAndGet()));
        Planner planner = new Planner();
        for (int i = 0; i < 3; i++) {
            int number = i;
            new Thread(() -> desk(pool, planner, number), "desk-" + i).start();
        }
        for (int second = 0; ; second++) {
            Thread.sleep(1000);
            long n = Math.max(1, plans.sumThenReset());
            double planned = planNanos.sumThenReset() / 1e6, initial = initialNanos.sumThenReset() / 1e6;
            System.out.printf("measured: %d plans, %.2f ms each (%.2f ms as the desks see it); %d contexts and %d tables made in %.3f ms, %.2f %% of planning%n",
                n, planned / n, deskNanos.sumThenReset() / 1e6 / n, contexts.sumThenReset(), tables.sumThenReset(), initial, 100 * initial / Math.max(1, planned));
            if (second == 3) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
