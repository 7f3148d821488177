// SPDX-License-Identifier: Apache-2.0
// cause: each booking opens a deadline with a java.util.Timer of its own (FerryDeskHours$Deadlines.open), that is, a thread is started and ended for each booking
// share: medians of 1 s on a busy machine of 2 CPUs: 7538 bookings/s, 237.40 us each, 0 void; with -Dfixed=true: 143148 bookings/s, 6.90 us each, 0 void
// expect: waiting kind=thread-start frame=Deadlines.open | hot-code kind=starting-threads frame=Deadlines.open
// symptom: waiting | hot-code
// judge: NAMED: starting threads, for Deadlines.open / new Timer; SYMPTOM ONLY: computing in native or kernel code without the place, many threads; WRONG: locks, GC, too few threads, the price computation
// jdk: 11
// set: twenty-eighth
// jvm: -Xmx64m -XX:+UseSerialGC
import java.util.ArrayDeque;
import java.util.Random;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

public class FerryDeskHours {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final long SPAN = Long.getLong("span", 170) * 1000000000L;
    static final LongAdder done = new LongAdder(), nanos = new LongAdder(), expired = new LongAdder();
    static volatile int shown;

    static final class Booking {
        final int route, cars, persons;
        volatile boolean void_;

        Booking(Random r) {
            route = r.nextInt(40);
            cars = r.nextInt(3);
            persons = 1 + r.nextInt(6);
        }
    }

    interface Deadline extends AutoCloseable {
        void close();
    }

    /** A booking that is not complete in time is void. */
    static final class Deadlines {
        final ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(1, r -> {
            Thread t = new Thread(r, "clock");
            t.setDaemon(true);
            return t;
        });

        Deadlines() {
            clock.setRemoveOnCancelPolicy(true);
        }

        Deadline open(Booking b, long millis) {
            if (FIXED) {
                Future<?> f = clock.schedule(() -> expire(b), millis, TimeUnit.MILLISECONDS);
                return () -> f.cancel(false);
            }
            Timer timer = new Timer("booking-deadline", true);
            timer.schedule(new TimerTask() {
                public void run() {
                    expire(b);
                }
            }, millis);
            return timer::cancel;
        }

        void expire(Booking b) {
            b.void_ = true;
            expired.increment();
        }
    }

    static final class Fares {
        final int[][] cents = new int[40][64];

        Fares() {
            Random r = new Random(1);
            for (int[] row : cents) for (int i = 0; i < row.length; i++) row[i] = 500 + r.nextInt(9000);
        }

        int price(Booking b) {
            int best = Integer.MAX_VALUE;
            int[] row = cents[b.route];
            for (int day = 0; day < 30; day++) {
                int sum = 0;
                for (int i = 0; i < row.length; i++) sum += (row[i] * (b.persons + 2 * b.cars) + day * i) % 997;
                best = Math.min(best, sum);
            }
            return best;
        }
    }

    static final class Sales {
        final Deadlines deadlines = new Deadlines();
        final Fares fares = new Fares();
        final ArrayDeque<String> ledger = new ArrayDeque<>();

        void sell(Booking b) {
            try (Deadline d = deadlines.open(b, 2000)) {
                int price = fares.price(b);
                if (!b.void_) enter("route " + b.route + " " + price);
            }
        }

        synchronized void enter(String line) {
            ledger.add(line);
            if (ledger.size() > 500) ledger.poll();
            shown += line.length();
        }
    }

    public static void main(String[] args) throws Exception {
        long until = System.nanoTime() + SPAN;
        Sales sales = new Sales();
        ArrayBlockingQueue<Booking> calls = new ArrayBlockingQueue<>(100);
        Thread line = new Thread(() -> {
            Random r = new Random(7);
            try {
                while (true) calls.put(new Booking(r));
            } catch (InterruptedException e) {
                return;
            }
        }, "line");
        line.setDaemon(true);
        line.start();
        for (int i = 0; i < 2; i++) {
            Thread t = new Thread(() -> {
                try {
                    while (true) {
                        Booking b = calls.take();
                        long s = System.nanoTime();
                        sales.sell(b);
                        nanos.add(System.nanoTime() - s);
                        done.increment();
                    }
                } catch (InterruptedException e) {
                    return;
                }
            }, "desk-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(2500);
        System.out.println("READY");
        done.sumThenReset();
        nanos.sumThenReset();
        while (System.nanoTime() < until) {
            Thread.sleep(1000);
            long n = done.sumThenReset();
            System.out.printf("measured: %d bookings/s, %.1f us each, %d void%n", n, nanos.sumThenReset() / 1e3 / Math.max(1, n), expired.sum());
        }
    }
}
