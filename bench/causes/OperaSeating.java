// SPDX-License-Identifier: Apache-2.0
// cause: OperaSeating$UndoHistory.remember serialises the whole hall (2600 seats, ObjectOutputStream) before every single hold of a few seats, and UndoHistory.back reads it all again, though an undo needs only the two or three seats that changed
// share: 90 to 94 % of the time in which desks serve is in the undo history (0.5 of 0.55 ms an enquiry), 0.4 to 0.5 CPUs; the rest is the search for seats
// expect: hot-code what=serialising frame=OperaSeating$UndoHistory.
// symptom: hot-code hot-calls
// judge: NAMED: serialisation (writing/reading objects, ObjectOutputStream/ObjectInputStream) for OperaSeating$UndoHistory.remember (and .back), also if it is called serialising with class descriptions for that function. SYMPTOM ONLY: much CPU in the JDK's ObjectOutputStream without who calls it; allocation or collections of what remember allocates, without serialisation; Desk.run or Desk.serve as hot without serialisation. WRONG: seat search (Hall.adjacent), locks, waiting of the desks, heap too small as the main cause, reflection
// jdk: 17
// set: thirty-second
// jvm: -Xmx512m

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;

/** Ticket desks of an opera house: each sells the seats of one performance, and can take back its last holds. */
public class OperaSeating {

    static final LongAdder ENQUIRIES = new LongAdder();
    static final LongAdder SERVING_NS = new LongAdder();
    static final LongAdder HISTORY_NS = new LongAdder();

    static final class Seat implements Serializable {
        private static final long serialVersionUID = 1L;
        final int row;
        final int number;
        final int tier;
        final long cents;
        String holder = "";
        long heldUntil;

        Seat(int row, int number, int tier, long cents) {
            this.row = row;
            this.number = number;
            this.tier = tier;
            this.cents = cents;
        }

        boolean free() {
            return holder.isEmpty();
        }
    }

    static final class Hall implements Serializable {
        private static final long serialVersionUID = 1L;
        final String performance;
        final int perRow;
        final List<Seat> seats = new ArrayList<>();
        int held;

        Hall(String performance, int rows, int perRow) {
            this.performance = performance;
            this.perRow = perRow;
            for (int r = 0; r < rows; r++)
                for (int n = 0; n < perRow; n++)
                    seats.add(new Seat(r, n, r * 5 / rows, 18_000L - r * 200L - Math.abs(n - perRow / 2) * 35L));
        }

        List<Seat> adjacent(int party, long budget) {
            List<Seat> best = List.of();
            long bestCents = 0;
            for (int at = 0; at + party <= seats.size(); at++) {
                if (at % perRow + party > perRow)
                    continue;
                long sum = 0;
                boolean free = true;
                for (int k = 0; k < party && free; k++) {
                    Seat seat = seats.get(at + k);
                    free = seat.free();
                    sum += seat.cents;
                }
                if (free && sum <= budget && sum > bestCents) {
                    best = seats.subList(at, at + party);
                    bestCents = sum;
                }
            }
            return best;
        }

        void hold(List<Seat> chosen, String holder) {
            for (Seat seat : chosen) {
                seat.holder = holder;
                seat.heldUntil = System.currentTimeMillis() + 600_000;
            }
            held += chosen.size();
        }

        void evening() {
            for (Seat seat : seats)
                seat.holder = "";
            held = 0;
        }
    }

    static final class UndoHistory {
        private static final int DEPTH = 20;
        private final ArrayDeque<byte[]> states = new ArrayDeque<>();

        void remember(Hall hall) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream(64 << 10);
            try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
                out.writeObject(hall);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            states.push(bytes.toByteArray());
            if (states.size() > DEPTH)
                states.removeLast();
        }

        Hall back(Hall now) {
            byte[] state = states.poll();
            if (state == null)
                return now;
            try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(state))) {
                return (Hall) in.readObject();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (ClassNotFoundException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static final class Desk implements Runnable {
        private final Random customers;
        private final UndoHistory history = new UndoHistory();
        private Hall hall;
        private int tickets;

        Desk(String performance, long seed) {
            hall = new Hall(performance, 52, 50);
            customers = new Random(seed);
        }

        @Override public void run() {
            try {
                while (true) {
                    long from = System.nanoTime();
                    serve();
                    SERVING_NS.add(System.nanoTime() - from);
                    ENQUIRIES.increment();
                    Thread.sleep(1);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void serve() {
            if (customers.nextInt(10) == 0) {
                long from = System.nanoTime();
                hall = history.back(hall);
                HISTORY_NS.add(System.nanoTime() - from);
                return;
            }
            int party = 1 + customers.nextInt(4);
            List<Seat> chosen = hall.adjacent(party, party * (9_000L + customers.nextInt(9_000)));
            if (chosen.isEmpty()) {
                hall.evening();
                return;
            }
            long from = System.nanoTime();
            history.remember(hall);
            HISTORY_NS.add(System.nanoTime() - from);
            hall.hold(chosen, hall.performance + "-" + ++tickets);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        String[] performances = {"Rusalka", "Tosca"};
        for (int i = 0; i < performances.length; i++)
            new Thread(new Desk(performances[i], 7 + i), "desk-" + performances[i]).start();
        Thread.sleep(3000);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long n = ENQUIRIES.sum(), serving = SERVING_NS.sum(), kept = HISTORY_NS.sum();
            Thread.sleep(1000);
            n = ENQUIRIES.sum() - n;
            serving = SERVING_NS.sum() - serving;
            kept = HISTORY_NS.sum() - kept;
            System.out.printf(Locale.ROOT, "measured: %d enquiries/s, %.2f ms each, %.1f %% of it in the undo history%n",
                    n, serving / 1e6 / Math.max(1, n), 100.0 * kept / Math.max(1, serving));
            System.out.flush();
        }
    }
}
