// SPDX-License-Identifier: Apache-2.0
// healthy: Each of the two gates owns its own Hall, whose synchronized methods are taken some hundred thousand times a second, but only by its owner (the display reads each hall once a second), so the monitors are practically never contended and cost a few per cent; the CPU time is the seat search itself.
// judge: Wrong accusations: lock contention, too much synchronization or coarse locking on SeatCounter.Hall, a need for atomic or concurrent classes, blocked threads, false sharing; also that the busy CPUs are a spin loop. Correct: no contention, work-bound.
// set: eighteenth
// jdk: 25
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class SeatCounter {
    static final LongAdder bookings = new LongAdder();

    record Block(int row, int first, int size) {}

    static final class Hall {
        private final long[] rows;
        private final int seats;
        private long taken;
        private long released;
        Hall(int rows, int seats) {
            this.rows = new long[rows];
            this.seats = seats;
        }

        synchronized Block take(int size, int from) {
            int bestRow = -1, bestSeat = 0, bestRank = Integer.MAX_VALUE;
            long mask = (1L << size) - 1;
            for (int i = 0; i < 40; i++) {
                int row = (from + i) % rows.length;
                long free = ~rows[row];
                for (int s = 0; s + size <= seats; s++) {
                    if ((free >>> s & mask) != mask) continue;
                    int rank = rank(free, row, s, size);
                    if (rank < bestRank) {
                        bestRank = rank;
                        bestRow = row;
                        bestSeat = s;
                    }
                }
            }
            if (bestRow < 0) return null;
            rows[bestRow] |= mask << bestSeat;
            taken += size;
            return new Block(bestRow, bestSeat, size);
        }

        private int rank(long free, int row, int seat, int size) {
            int gap = (int) (free >>> (seat + size) & 1) + (seat > 0 ? (int) (free >>> (seat - 1) & 1) : 0);
            return gap * 40 + Math.abs(seat + size / 2 - seats / 2) + row / 4;
        }

        synchronized void release(Block b) {
            long mask = (1L << b.size()) - 1;
            rows[b.row()] &= ~(mask << b.first());
            released += b.size();
        }

        synchronized boolean crowded() { return taken - released > (long) rows.length * seats * 3 / 4; }

        synchronized long[] figures() { return new long[] {taken, released}; }
    }

    static final class Gate implements Runnable {
        private final Hall hall;
        private final ArrayDeque<Block> held = new ArrayDeque<>();
        private final int[] groupSizes = new int[6];
        Gate(Hall hall) { this.hall = hall; }

        @Override public void run() {
            ThreadLocalRandom r = ThreadLocalRandom.current();
            int done = 0;
            while (true) {
                int size = 1 + r.nextInt(5);
                Block b = hall.take(size, r.nextInt(200));
                if (b != null) {
                    held.addLast(b);
                    groupSizes[size]++;
                }
                if (hall.crowded() || b == null) clear(held.size() / 4 + 1);
                if (++done == 100) {
                    bookings.add(done);
                    done = 0;
                }
            }
        }

        private void clear(int n) {
            for (int i = 0; i < n && !held.isEmpty(); i++) hall.release(held.pollFirst());
        }
    }

    static String display(List<Hall> halls) {
        StringBuilder sb = new StringBuilder();
        for (Hall h : halls) {
            long[] f = h.figures();
            sb.append(" seated ").append(f[0] - f[1]);
        }
        return sb.toString();
    }

    public static void main(String[] args) throws Exception {
        List<Hall> halls = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Hall h = new Hall(200, 48);
            halls.add(h);
            Thread t = new Thread(new Gate(h), "gate-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        for (int s = 0; s < 200; s++) {
            Thread.sleep(1000);
            System.out.println("measured: bookings/s " + bookings.sumThenReset() + display(halls));
        }
        System.exit(0);
    }
}
