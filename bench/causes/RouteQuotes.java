// SPDX-License-Identifier: Apache-2.0
// cause: quotes run in a pool and wait for their legs, which are queued in the same pool behind other quotes: RouteQuotes.quote
// share: 99 % of a quote is waiting for legs, 280 ms, and the legs need 0.1 to 0.8 ms
// expect: waiting frame=RouteQuotes.quote | pool-busy frame=RouteQuotes.quote
// judge: right is that tasks of the pool wait in quote() for tasks of the same pool; that the pool is busy is a symptom
// symptom: waiting pool-busy
// jdk: 11
// set: tenth
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;

/** A quote for a route is the sum of its legs; a leg that is not known in time is estimated. */
public final class RouteQuotes {
    private static final LongAdder WAITING = new LongAdder();
    private static final LongAdder ALL = new LongAdder();
    private static final LongAdder QUOTES = new LongAdder();
    private static final LongAdder LEGS = new LongAdder();
    private static final LongAdder ESTIMATES = new LongAdder();

    private final ExecutorService workers = Executors.newFixedThreadPool(4);

    private static double leg(int from, int to) {
        long start = System.nanoTime();
        double km = 0;
        for (int i = 1; i < 4000; i++) {
            km += Math.abs(Math.sin(from * i) - Math.cos(to * i)) / i;
        }
        LEGS.add(System.nanoTime() - start);
        return km;
    }

    private double quote(int route) throws InterruptedException, ExecutionException {
        long start = System.nanoTime();
        List<Future<Double>> legs = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int from = route * 3 + i;
            legs.add(workers.submit(() -> leg(from, from + 1)));
        }
        double km = 0;
        long waited = System.nanoTime();
        for (Future<Double> leg : legs) {
            try {
                km += leg.get(100, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                leg.cancel(false);
                ESTIMATES.increment();
                km += 4.2;
            }
        }
        long end = System.nanoTime();
        WAITING.add(end - waited);
        ALL.add(end - start);
        QUOTES.increment();
        return km * 1.19;
    }

    private void customer(int number) {
        double sum = 0;
        try {
            for (int n = number; sum >= 0; n += 8) {
                int route = n;
                sum += workers.submit(() -> quote(route)).get();
                Thread.sleep(2);
            }
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        RouteQuotes quotes = new RouteQuotes();
        for (int i = 0; i < 8; i++) {
            int number = i;
            new Thread(() -> quotes.customer(number), "customer-" + i).start();
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            long all = ALL.sumThenReset();
            long count = QUOTES.sumThenReset() + 1;
            System.out.println("measured: " + 100 * WAITING.sumThenReset() / (all + 1) + " % of a quote is waiting for legs, "
                    + all / count / 1000 + " us a quote, of which " + LEGS.sumThenReset() / count / 1000 + " us are legs; "
                    + ESTIMATES.sumThenReset() + " legs estimated");
        }
    }
}
