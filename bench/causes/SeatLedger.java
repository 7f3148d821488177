// SPDX-License-Identifier: Apache-2.0
// cause: SeatLedger.SeatKey.hashCode uses only the show's number and not the seat, so the ~600 seats of a show collide in one bin of the ConcurrentHashMap and every lookup/update searches a tree of non-comparable keys
// share: 13,000-22,000 sales/s faulty and 680,000-930,000 fixed in the first pair of runs (beside a light program of mine); 8,700-12,600 faulty and 260,000-460,000 fixed at load average 9; in one run beside another of my own JVMs 5,000-6,800 faulty and only 12,500-111,000 fixed (2 times at worst)
// judge: Named = poor hashCode of SeatKey (ignores row and place), hash collisions in the map. Near (accept) = "map operations are slow because of hash collisions / TreeNode search with the key SeatKey". Symptom only = "hot in ConcurrentHashMap.get/TreeBin.find/SeatKey.equals", "waiting on bins (monitor) in ConcurrentHashMap". Wrong = map too small / lock contention as the cause, GC, too much work.
// expect: hot-code kind=colliding-keys keys=SeatKey
// symptom: hot-code
// jdk: 25
// set: sixteenth
// jvm: -Xmx128m
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class SeatLedger {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final LongAdder sales = new LongAdder(), returns = new LongAdder(), looks = new LongAdder();

    static final class SeatKey {
        final int show; final short row; final short place;
        SeatKey(int show, int row, int place) { this.show = show; this.row = (short) row; this.place = (short) place; }
        @Override public boolean equals(Object o) {
            return o instanceof SeatKey k && k.show == show && k.row == row && k.place == place;
        }
        @Override public int hashCode() {
            int h = 17 * 31 + Integer.hashCode(show);
            if (FIXED) h = (h * 31 + row) * 31 + place;
            return h;
        }
    }

    enum State { FREE, HELD, SOLD }

    record Seat(State state, long customer, long since) {}

    static class Ledger {
        final ConcurrentHashMap<SeatKey, Seat> seats = new ConcurrentHashMap<>();
        final LongAdder[] takings = new LongAdder[120];
        Ledger() {
            for (int show = 0; show < 120; show++) {
                takings[show] = new LongAdder();
                for (int row = 0; row < 25; row++)
                    for (int place = 0; place < 24; place++) seats.put(new SeatKey(show, row, place), new Seat(State.FREE, 0, 0));
            }
        }
        int freeInRow(int show, int row) {
            int free = 0;
            for (int place = 0; place < 24; place++)
                if (seats.get(new SeatKey(show, row, place)).state() == State.FREE) free++;
            return free;
        }
        boolean sell(int show, int row, int place, long customer) {
            Seat before = seats.get(new SeatKey(show, row, place));
            if (before.state() != State.FREE) return false;
            boolean ok = seats.replace(new SeatKey(show, row, place), before, new Seat(State.SOLD, customer, System.nanoTime()));
            if (ok) takings[show].add(1200 + row * 50L);
            return ok;
        }
        void giveBack(int show, int row, int place) {
            seats.computeIfPresent(new SeatKey(show, row, place), (k, s) -> s.state() == State.SOLD ? new Seat(State.FREE, 0, 0) : s);
        }
    }

    static class BoxOffice implements Callable<Void> {
        final Ledger ledger; final Random rnd;
        BoxOffice(Ledger ledger, int no) { this.ledger = ledger; rnd = new Random(no); }
        public Void call() throws Exception {
            for (int n = 1; ; n++) {
                int show = rnd.nextInt(120), row = rnd.nextInt(25);
                if (ledger.freeInRow(show, row) > 0) {
                    for (int place = 0; place < 24; place++) {
                        if (ledger.sell(show, row, place, n)) { sales.increment(); break; }
                    }
                }
                if (n % 1000 == 0) Thread.sleep(1);
            }
        }
    }

    static void refundDesk(Ledger ledger) {
        Random rnd = new Random(99);
        while (true) {
            ledger.giveBack(rnd.nextInt(120), rnd.nextInt(25), rnd.nextInt(24));
            returns.increment();
        }
    }

    static void website(Ledger ledger) {
        Random rnd = new Random(5);
        while (true) {
            int show = rnd.nextInt(120), free = 0;
            for (int row = 0; row < 25; row++) free += ledger.freeInRow(show, row);
            if (free >= 0) looks.increment();
            try { Thread.sleep(5); } catch (InterruptedException e) { return; }
        }
    }

    public static void main(String[] args) throws Exception {
        Ledger ledger = new Ledger();
        AtomicInteger no = new AtomicInteger();
        ExecutorService offices = Executors.newCachedThreadPool(r -> Thread.ofPlatform().daemon().name("counter-" + no.incrementAndGet()).unstarted(r));
        for (int i = 0; i < 3; i++) offices.submit(new BoxOffice(ledger, i));
        offices.submit(() -> refundDesk(ledger));
        offices.submit(() -> website(ledger));
        for (int s = 0; s < 150; s++) {
            long a = sales.sum(), b = returns.sum(), c = looks.sum();
            Thread.sleep(1000);
            System.out.println("measured: sales/s=" + (sales.sum() - a) + " refunds/s=" + (returns.sum() - b) + " pages/s=" + (looks.sum() - c));
            if (s == 4) System.out.println("READY");
        }
        System.exit(0);
    }
}
