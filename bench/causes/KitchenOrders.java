// SPDX-License-Identifier: Apache-2.0
// cause: KitchenOrders.Pass.put wakes only one thread (notify) although cooks of six different stations wait on the same monitor in Pass.take, so mostly a cook of the wrong station is woken and goes back to wait; the right one sees its dish only when its timed wait(120) runs out
// share: faulty 502 dishes/s, 11 ms each (median second); fixed 1373 dishes/s, 1.05 ms each (median second); 2.7 times (10 s and 10 s on a shared, loaded 2-CPU machine)
// judge: NAMED = lost/misdirected wake-up: notify() in Pass.put wakes one arbitrary waiter while waiters have different conditions (stations); use notifyAll or a condition/queue per station. Also named: "cooks get work only by time-out of wait(120) in Pass.take, not by notification, because notify wakes the wrong thread". SYMPTOM ONLY = "dishes wait up to 120 ms", "cooks sit in timed wait while work is pending / polling with 120 ms" without the notify. WRONG = lock contention on Pass, too few cooks, slow cooking, GC, deadlock; "idle threads, all fine".
// expect: waiting ranOut=Pass.take
// symptom: waiting
// jdk: 8
// set: sixteenth
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

public class KitchenOrders {
    enum Station { COLD, GRILL, FRYER, SAUCE, PASTRY, PLATING }

    static final class Dish {
        final int table;
        final List<Station> steps;
        final CountDownLatch served = new CountDownLatch(1);
        final long ordered = System.nanoTime();
        int step;
        long taste = 17;

        Dish(int table, List<Station> steps) {
            this.table = table;
            this.steps = steps;
        }

        Station next() {
            return steps.get(step);
        }
    }

    /** Where all dishes stand between two stations. */
    static final class Pass {
        private static final boolean CALL_ALL = Boolean.getBoolean("fixed");
        private final ArrayDeque<Dish> dishes = new ArrayDeque<>();

        synchronized void put(Dish d) {
            dishes.addLast(d);
            if (CALL_ALL) notifyAll();
            else notify();
        }

        synchronized Dish take(Station s) throws InterruptedException {
            while (true) {
                for (Iterator<Dish> it = dishes.iterator(); it.hasNext(); ) {
                    Dish d = it.next();
                    if (d.next() == s) {
                        it.remove();
                        return d;
                    }
                }
                wait(120);
            }
        }

        synchronized int size() {
            return dishes.size();
        }
    }

    static final class Cook implements Runnable {
        final Station station;
        final Pass pass;
        final LongAdder served;

        Cook(Station station, Pass pass, LongAdder served) {
            this.station = station;
            this.pass = pass;
            this.served = served;
        }

        void prepare(Dish d) {
            long x = d.taste;
            int rounds = 20_000 + station.ordinal() * 6_000;
            for (int i = 0; i < rounds; i++) x = x * 6364136223846793005L + (x >>> 13) + d.table;
            d.taste = x;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Dish d = pass.take(station);
                    prepare(d);
                    if (++d.step == d.steps.size()) {
                        served.increment();
                        d.served.countDown();
                    } else {
                        pass.put(d);
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    final Pass pass = new Pass();
    final LongAdder served = new LongAdder();
    final LongAdder waited = new LongAdder();

    List<Station> recipe(Random r) {
        List<Station> steps = new ArrayList<>();
        for (Station s : Station.values()) if (s != Station.PLATING && r.nextInt(5) < 3) steps.add(s);
        steps.add(Station.PLATING);
        return steps;
    }

    void table(int number) {
        Random r = new Random(number);
        try {
            while (true) {
                Dish d = new Dish(number, recipe(r));
                pass.put(d);
                if (!d.served.await(30, TimeUnit.SECONDS)) System.out.println("table " + number + " left");
                waited.add(System.nanoTime() - d.ordered);
                Thread.sleep(2 + r.nextInt(6));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void start(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        KitchenOrders k = new KitchenOrders();
        for (Station s : Station.values())
            for (int i = 1; i <= 2; i++) start("cook-" + s.name().toLowerCase() + "-" + i, new Cook(s, k.pass, k.served));
        for (int i = 1; i <= 8; i++) {
            int n = i;
            start("table-" + n, () -> k.table(n));
        }
        for (int s = 0; s < 150; s++) {
            Thread.sleep(1000);
            long n = k.served.sumThenReset(), w = k.waited.sumThenReset();
            System.out.println("measured: " + n + " dishes/s, " + (n == 0 ? 0 : w / n / 100_000 / 10.0) + " ms from order to table, " + k.pass.size() + " on the pass");
            if (s == 3) System.out.println("READY");
        }
    }
}
