// SPDX-License-Identifier: Apache-2.0
// cause: Place.hashCode() is show ^ row ^ seat: 64 values for 24,000 keys, map bins become huge uncomparable trees
// expect: hot-code kind=colliding-keys
// symptom: hot-method hot-calls
// share: about 91 %; 54,000 plans/s, 37 us; fixed 600,000 plans/s, 3.3 us
// judge: right: hash collisions: SeatMap.Place.hashCode spreads badly, lookups in the seats map walk big bins
// judge: symptom: CPU in ConcurrentHashMap.get/compute, TreeNode.findTreeNode, Place.equals; blocks at bin locks
// judge: wrong: contention on the map as such, map too small, GC, boxing, page building, too few booking threads
// jdk: 21
// set: fourteenth
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.zip.CRC32;

/** Cinema booking: shows seat plans, reserves and frees seats, all in memory; a journal checksum is kept per block. */
public class SeatMap {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int SHOWS = 40, ROWS = 20, SEATS = 30, DESKS = 2;

    static final class Place {
        final int show, row, seat;

        Place(int show, int row, int seat) {
            this.show = show;
            this.row = row;
            this.seat = seat;
        }

        @Override public boolean equals(Object o) {
            return o instanceof Place p && p.show == show && p.row == row && p.seat == seat;
        }

        @Override public int hashCode() {
            return FIXED ? (show * 64 + row) * 64 + seat : show ^ row ^ seat;
        }
    }

    record Ticket(String customer, int cents, long at) { }

    private final ConcurrentHashMap<Place, Ticket> seats = new ConcurrentHashMap<>();
    private final int[] basePrice = new int[SHOWS];
    private final BlockingQueue<String> journal = new ArrayBlockingQueue<>(2000);
    final LongAdder mapNanos = new LongAdder(), booked = new LongAdder(), freed = new LongAdder();

    SeatMap() {
        Random r = new Random(3);
        for (int s = 0; s < SHOWS; s++) {
            basePrice[s] = 800 + r.nextInt(900);
            for (int row = 0; row < ROWS; row++) {
                for (int seat = 0; seat < SEATS; seat++) {
                    String customer = r.nextInt(3) == 0 ? "c" + r.nextInt(999) : "";
                    seats.put(new Place(s, row, seat), new Ticket(customer, 0, 0));
                }
            }
        }
    }

    /** The plan of a row, as the browser needs it. */
    String plan(int show, int row) {
        StringBuilder sb = new StringBuilder(256).append("{\"row\":").append(row).append(",\"seats\":[");
        for (int seat = 0; seat < SEATS; seat++) {
            Ticket t = find(new Place(show, row, seat));
            sb.append(t.customer().isEmpty() ? basePrice[show] + row * 10 : -1).append(',');
        }
        sb.setCharAt(sb.length() - 1, ']');
        return sb.append('}').toString();
    }

    private Ticket find(Place p) {
        long t = System.nanoTime();
        Ticket found = seats.get(p);
        mapNanos.add(System.nanoTime() - t);
        return found;
    }

    boolean toggle(Place p, String customer) {
        long t = System.nanoTime();
        Ticket now = seats.compute(p, (k, old) -> old.customer().isEmpty()
            ? new Ticket(customer, basePrice[k.show] + k.row * 10, System.currentTimeMillis())
            : new Ticket("", 0, 0));
        mapNanos.add(System.nanoTime() - t);
        boolean took = !now.customer().isEmpty();
        (took ? booked : freed).increment();
        journal.offer(p.show + "/" + p.row + "/" + p.seat + (took ? " " + customer : " -"));
        return took;
    }

    void keepJournal() {
        CRC32 crc = new CRC32();
        List<String> lines = new ArrayList<>();
        try {
            while (true) {
                Thread.sleep(50);
                lines.clear();
                journal.drainTo(lines);
                for (String l : lines) crc.update(l.getBytes(StandardCharsets.UTF_8));
            }
        } catch (InterruptedException e) {
            System.err.println("journal ends at " + crc.getValue());
        }
    }

    public static void main(String[] args) throws Exception {
        SeatMap map = new SeatMap();
        Thread j = new Thread(map::keepJournal, "journal");
        j.setDaemon(true);
        j.start();
        LongAdder done = new LongAdder(), nanos = new LongAdder(), length = new LongAdder();
        for (int i = 0; i < DESKS; i++) {
            int desk = i;
            new Thread(() -> {
                ThreadLocalRandom r = ThreadLocalRandom.current();
                while (true) {
                    long t = System.nanoTime();
                    int show = r.nextInt(SHOWS), row = r.nextInt(ROWS);
                    length.add(map.plan(show, row).length());
                    if (r.nextInt(4) == 0) map.toggle(new Place(show, row, r.nextInt(SEATS)), "desk" + desk);
                    nanos.add(System.nanoTime() - t);
                    done.increment();
                }
            }, "desk-" + i).start();
        }
        System.out.println("READY");
        while (true) {
            Thread.sleep(1000);
            long n = Math.max(1, done.sumThenReset()), t = nanos.sumThenReset();
            System.out.printf(Locale.ROOT,
                "measured: %d plans/s, mean %.1f us, map lookups %.0f %% of it, %d booked, %d freed, %d KB/s%n",
                n, t / 1e3 / n, 100.0 * map.mapNanos.sumThenReset() / t, map.booked.sumThenReset(),
                map.freed.sumThenReset(), length.sumThenReset() >> 10);
        }
    }
}
