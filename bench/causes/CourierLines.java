// SPDX-License-Identifier: Apache-2.0
// cause: CourierLines.Dispatcher.dispatch does not give the line back when Line.call throws AddressUnknown (2 percent of the orders): the lines leak from the Switchboard's pool of 16 and come back only when hangUpSilent reclaims them after 1.5 s, so the dispatchers wait in borrow for a line
// share: 10 s means: faulty 527 orders/s at 16.2 ms, fixed (give back in finally) 1523 orders/s at 3.1 ms, 2.9x; faulty swings from second to second
// expect: waiting kind=pool least=.
// symptom: waiting
// judge: NAMED: pooled lines are not returned on the exception path (leak of the resource in dispatch, missing finally). SYMPTOM ONLY: dispatchers wait in Switchboard.borrow / ArrayBlockingQueue.take; pool exhausted; pool of lines too small (without the leak); lines held long. WRONG: the cost of exceptions, the 3 ms call is slow, too few or too many dispatchers, exchange thread's polling or hang-up time as the cause, lock contention in the queue, CPU or GC
// jdk: 21
// set: twenty-second
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Dispatchers call couriers over a limited number of telephone lines. */
public class CourierLines {
    static final boolean FIXED = Boolean.getBoolean("fixed");

    static final class AddressUnknown extends Exception {
        private static final long serialVersionUID = 1L;
        AddressUnknown(String m) { super(m); }
    }

    static final class Line {
        final int id;
        long turns;
        Line(int id) { this.id = id; }

        String call(int order) throws InterruptedException, AddressUnknown {
            Thread.sleep(3);
            turns++;
            if (order % 50 == 13) throw new AddressUnknown("order " + order);
            return "courier-" + (order * 31 + id) % 211;
        }
    }

    static final class Switchboard {
        private final BlockingQueue<Line> idle;
        private final Map<Line, Long> lent = new ConcurrentHashMap<>();

        Switchboard(int lines) {
            idle = new ArrayBlockingQueue<>(lines);
            for (int i = 0; i < lines; i++) idle.add(new Line(i));
        }

        Line borrow() throws InterruptedException {
            Line l = idle.take();
            lent.put(l, System.nanoTime());
            return l;
        }

        void giveBack(Line l) {
            if (lent.remove(l) != null) idle.add(l);
        }

        /** The exchange hangs up lines nobody has spoken on for 1.5 seconds. */
        void hangUpSilent() {
            long now = System.nanoTime();
            for (Map.Entry<Line, Long> e : lent.entrySet()) {
                if (now - e.getValue() > TimeUnit.MILLISECONDS.toNanos(1500)) giveBack(e.getKey());
            }
        }
    }

    static final class Dispatcher implements Runnable {
        private final Switchboard board;
        private final Random rnd;
        private final LongAdder done;
        private final LongAdder micros;
        private final LongAdder refused;

        Dispatcher(Switchboard board, int seed, LongAdder done, LongAdder micros, LongAdder refused) {
            this.board = board; this.rnd = new Random(seed);
            this.done = done; this.micros = micros; this.refused = refused;
        }

        private String dispatch(int order) throws InterruptedException, AddressUnknown {
            Line line = board.borrow();
            if (FIXED) {
                try {
                    return line.call(order);
                } finally {
                    board.giveBack(line);
                }
            }
            String courier = line.call(order);
            board.giveBack(line);
            return courier;
        }

        @Override public void run() {
            try {
                while (true) {
                    long t0 = System.nanoTime();
                    try {
                        dispatch(rnd.nextInt(1_000_000));
                    } catch (AddressUnknown e) {
                        refused.increment();
                    }
                    micros.add((System.nanoTime() - t0) / 1000);
                    done.increment();
                    Thread.sleep(2);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Switchboard board = new Switchboard(16);
        LongAdder done = new LongAdder();
        LongAdder micros = new LongAdder();
        LongAdder refused = new LongAdder();
        for (int i = 0; i < 8; i++) {
            Thread t = new Thread(new Dispatcher(board, i, done, micros, refused), "dispatcher-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread exchange = new Thread(() -> {
            try {
                while (true) {
                    Thread.sleep(100);
                    board.hangUpSilent();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "exchange");
        exchange.setDaemon(true);
        exchange.start();
        Thread.sleep(6000);
        System.out.println("READY");
        done.reset();
        micros.reset();
        refused.reset();
        for (int s = 0; s < 165; s++) {
            Thread.sleep(1000);
            long n = done.sumThenReset();
            System.out.printf("measured: %d orders/s, mean %.1f ms, %d refused%n", n,
                    micros.sumThenReset() / 1000.0 / Math.max(1, n), refused.sumThenReset());
        }
        System.exit(0);
    }
}
