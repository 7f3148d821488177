// SPDX-License-Identifier: Apache-2.0
// cause: bookings of one flight are optimistic, mostly lose against another, and pause for 200 ms before a retry
// expect: waiting frame=OptimisticRetry.pause | endpoint-wait
// symptom: waiting
// jdk: 25
// set: sixth
import java.util.concurrent.atomic.AtomicReference;
import wick.Scope;
import wick.Wick;

/**
 * Twenty-four clerks book seats of the same flight: each reads the row with its version, needs 8 ms for the way to the
 * database and back, and writes if the version is still the same. With so many at one row about three of four attempts
 * are in vain; the pauses of 200 ms after these are more than nine tenths of a booking, against 8 ms for each attempt.
 * There is no lock and no pool, and next to nothing to compute.
 */
public final class OptimisticRetry {
    private static final int CLERKS = 24;

    private final AtomicReference<Flight> row = new AtomicReference<>(new Flight(0, 0));

    private record Flight(int version, int booked) {
    }

    private static void roundTrip() throws InterruptedException {
        Thread.sleep(8); // to the database and back
    }

    private static void pause() throws InterruptedException {
        Thread.sleep(200);
    }

    private boolean tryBook(int seats) throws InterruptedException {
        Flight seen = row.get();
        roundTrip();
        return row.compareAndSet(seen, new Flight(seen.version() + 1, (seen.booked() + seats) % 1000));
    }

    private void book(int seats) throws InterruptedException {
        while (!tryBook(seats)) {
            pause();
        }
    }

    private void serve(int clerk) {
        try {
            for (;;) {
                try (Scope request = Wick.span("POST /bookings")) {
                    book(1 + clerk % 4);
                }
                Thread.sleep(5); // the next passenger
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        OptimisticRetry service = new OptimisticRetry();
        for (int i = 0; i < CLERKS; i++) {
            int clerk = i;
            new Thread(() -> service.serve(clerk), "clerk-" + i).start();
        }
        System.out.println("READY");
    }
}
