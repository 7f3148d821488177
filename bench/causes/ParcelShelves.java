// SPDX-License-Identifier: Apache-2.0
// cause: ParcelShelves.Slot.hashCode (row ^ shelf) has only 256 different values for 65536 warehouse slots, so every lookup in the ConcurrentHashMap Warehouse.bySlot searches a bin of 256 equal hashes (keys are not Comparable, so even the tree bins are searched node by node)
// share: faulty 10172 orders/s, 267 us each (median second); fixed 192773 orders/s, 14.5 us each (median second); 19.0 times (11 s and 10 s on a shared, loaded 2-CPU machine)
// judge: NAMED = the hash function of the key class Slot is poor / collides / many keys share a bin (Slot.hashCode, or "hash collisions in the map bySlot, ConcurrentHashMap TreeBin lookups; improve hashCode or make Slot Comparable"). SYMPTOM ONLY = "CPU is spent in ConcurrentHashMap.get / TreeNode.findTreeNode / Slot.equals" without saying collisions or hashCode. WRONG = lock contention, GC, map too small or too large, label formatting as the main cause, too few threads.
// expect: hot-code kind=colliding-keys
// symptom: hot-method hot-calls
// jdk: 8
// set: sixteenth
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

public class ParcelShelves {
    static final boolean SPREAD = Boolean.getBoolean("fixed");

    /** A place in the warehouse. */
    static final class Slot {
        final int row;
        final int shelf;

        Slot(int row, int shelf) {
            this.row = row;
            this.shelf = shelf;
        }

        @Override
        public boolean equals(Object o) {
            if (!(o instanceof Slot)) return false;
            Slot s = (Slot) o;
            return s.row == row && s.shelf == shelf;
        }

        @Override
        public int hashCode() {
            return SPREAD ? row * 0x9E3779B1 + shelf * 31 : row ^ shelf;
        }
    }

    static final class Parcel {
        final long number;
        final int grams;
        volatile int moves;

        Parcel(long number, int grams) {
            this.number = number;
            this.grams = grams;
        }
    }

    static final class Warehouse {
        static final int ROWS = 256;
        static final int SHELVES = 256;
        final ConcurrentHashMap<Slot, Parcel> bySlot = new ConcurrentHashMap<>(1 << 17);

        void stock() {
            AtomicLong number = new AtomicLong(7_000_000);
            SplittableRandom r = new SplittableRandom(3);
            for (int row = 0; row < ROWS; row++)
                for (int shelf = 0; shelf < SHELVES; shelf++)
                    bySlot.put(new Slot(row, shelf), new Parcel(number.incrementAndGet(), 100 + r.nextInt(20_000)));
        }

        Parcel find(int row, int shelf) {
            return bySlot.get(new Slot(row, shelf));
        }

        void swap(Slot a, Slot b) {
            Parcel pa = bySlot.get(a);
            Parcel pb = bySlot.get(b);
            if (pa == null || pb == null) return;
            pa.moves++;
            pb.moves++;
            bySlot.replace(a, pb);
            bySlot.replace(b, pa);
        }
    }

    static final class Labels {
        String print(Parcel p, int row, int shelf) {
            StringBuilder b = new StringBuilder(48);
            b.append("DE-").append(p.number).append('/').append(row).append('.').append(shelf).append(' ').append(p.grams).append('g');
            int check = 0;
            for (int i = 0; i < b.length(); i++) check = (check * 3 + b.charAt(i)) % 97;
            return b.append('#').append(check).toString();
        }
    }

    final Warehouse warehouse = new Warehouse();
    final Labels labels = new Labels();
    final LongAdder handled = new LongAdder();
    final LongAdder nanos = new LongAdder();
    volatile long sink;

    void pickTour(SplittableRandom r) {
        List<String> tour = new ArrayList<>();
        int row = r.nextInt(Warehouse.ROWS);
        long weight = 0;
        for (int i = 0; i < 20; i++) {
            int shelf = r.nextInt(Warehouse.SHELVES);
            Parcel p = warehouse.find((row + i / 5) % Warehouse.ROWS, shelf);
            if (p == null) continue;
            weight += p.grams;
            tour.add(labels.print(p, row, shelf));
        }
        sink += weight + tour.size();
    }

    void relocate(SplittableRandom r) {
        for (int i = 0; i < 4; i++)
            warehouse.swap(new Slot(r.nextInt(Warehouse.ROWS), r.nextInt(Warehouse.SHELVES)),
                    new Slot(r.nextInt(Warehouse.ROWS), r.nextInt(Warehouse.SHELVES)));
    }

    void countRow(SplittableRandom r) {
        int row = r.nextInt(Warehouse.ROWS);
        long grams = 0;
        for (int shelf = 0; shelf < Warehouse.SHELVES; shelf += 8) {
            Parcel p = warehouse.find(row, shelf);
            if (p != null) grams += p.grams;
        }
        sink += grams;
    }

    void clerk(int id) {
        SplittableRandom r = new SplittableRandom(id * 991L);
        while (true) {
            long t = System.nanoTime();
            int what = r.nextInt(10);
            if (what < 7) pickTour(r);
            else if (what < 9) relocate(r);
            else countRow(r);
            nanos.add(System.nanoTime() - t);
            handled.increment();
        }
    }

    public static void main(String[] args) throws Exception {
        ParcelShelves t = new ParcelShelves();
        t.warehouse.stock();
        for (int i = 0; i < 3; i++) {
            final int id = i + 1;
            Thread th = new Thread(() -> t.clerk(id), "clerk-" + id);
            th.setDaemon(true);
            th.start();
        }
        long end = System.currentTimeMillis() + 150_000;
        for (int s = 0; System.currentTimeMillis() < end; s++) {
            Thread.sleep(1000);
            long n = t.handled.sumThenReset();
            long ns = t.nanos.sumThenReset();
            System.out.println("measured: " + n + " orders/s, " + (n == 0 ? 0 : ns / n / 1000) + " us each");
            if (s == 3) System.out.println("READY");
        }
    }
}
