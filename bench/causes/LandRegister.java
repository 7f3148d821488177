// SPDX-License-Identifier: Apache-2.0
// healthy: the register keeps all its 1.1 million parcels in the heap on purpose, some 450 MiB, which do not grow; there is room beside them, and collections are rare and short
// share: 450 MiB of 1 GiB in use after collections, not growing; a collection of 40 to 90 ms every 5 to 10 s (1 % of the time or less); 0.15 CPUs, 0.2 ms a question
// judge: RIGHT: nothing stands out, or neutral statements of where CPU time goes (Register.near, Grid lookups). WRONG: any accusation: a leak or growing live set, a heap that is too small or too large, collections (pauses, CPU), locks (the read-write lock of Register is taken shortly), waiting, too many threads, caches
// jdk: 8
// set: thirty-second
// jvm: -Xms1g -Xmx1g -Xmn160m

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** The land register of a province in memory: parcels by number and by place, with questions and transfers. */
public class LandRegister {

    static final LongAdder QUESTIONS = new LongAdder();
    static final LongAdder QUESTION_NS = new LongAdder();
    static final LongAdder TRANSFERS = new LongAdder();

    static final class Parcel {
        final long number;
        final int x;
        final int y;
        final int area;
        final byte[] deed;
        volatile int owner;

        Parcel(long number, int x, int y, int area, byte[] deed, int owner) {
            this.number = number;
            this.x = x;
            this.y = y;
            this.area = area;
            this.deed = deed;
            this.owner = owner;
        }
    }

    /** Parcels by squares of 250 m. */
    static final class Grid {
        private static final int SIDE = 420;
        private static final int SQUARE = 250;
        private final List<List<Parcel>> squares = new ArrayList<>(SIDE * SIDE);

        Grid() {
            for (int i = 0; i < SIDE * SIDE; i++)
                squares.add(new ArrayList<Parcel>(8));
        }

        void add(Parcel parcel) {
            at(parcel.x / SQUARE, parcel.y / SQUARE).add(parcel);
        }

        List<Parcel> at(int column, int row) {
            return squares.get(clamp(row) * SIDE + clamp(column));
        }

        private static int clamp(int i) {
            return Math.max(0, Math.min(SIDE - 1, i));
        }
    }

    static final class Register {
        private final Map<Long, Parcel> byNumber = new HashMap<>(1 << 21);
        private final Grid grid = new Grid();
        private final ReadWriteLock lock = new ReentrantReadWriteLock();

        void load(int count) {
            Random survey = new Random(1);
            int extent = Grid.SIDE * Grid.SQUARE;
            for (int i = 0; i < count; i++) {
                byte[] deed = new byte[240 + survey.nextInt(80)];
                deed[0] = (byte) i;
                Parcel parcel = new Parcel(7_000_000_000L + i, survey.nextInt(extent), survey.nextInt(extent),
                        200 + survey.nextInt(4000), deed, survey.nextInt(400_000));
                byNumber.put(parcel.number, parcel);
                grid.add(parcel);
            }
        }

        List<Parcel> near(int x, int y, int metres) {
            List<Parcel> found = new ArrayList<>();
            int reach = metres / Grid.SQUARE + 1, column = x / Grid.SQUARE, row = y / Grid.SQUARE;
            lock.readLock().lock();
            try {
                for (int r = row - reach; r <= row + reach; r++)
                    for (int c = column - reach; c <= column + reach; c++)
                        for (Parcel parcel : grid.at(c, r)) {
                            long dx = parcel.x - x, dy = parcel.y - y;
                            if (dx * dx + dy * dy <= (long) metres * metres)
                                found.add(parcel);
                        }
            } finally {
                lock.readLock().unlock();
            }
            return found;
        }

        boolean transfer(long number, int owner) {
            lock.writeLock().lock();
            try {
                Parcel parcel = byNumber.get(number);
                if (parcel == null)
                    return false;
                parcel.owner = owner;
                return true;
            } finally {
                lock.writeLock().unlock();
            }
        }
    }

    static final class Clerk implements Runnable {
        private final Register register;
        private final Random letters;
        private final int count;
        private long area;

        Clerk(Register register, int count, int seed) {
            this.register = register;
            this.count = count;
            this.letters = new Random(seed);
        }

        @Override public void run() {
            try {
                while (true) {
                    long from = System.nanoTime();
                    answer();
                    QUESTION_NS.add(System.nanoTime() - from);
                    QUESTIONS.increment();
                    Thread.sleep(6 + letters.nextInt(6));
                }
            } catch (InterruptedException e) {
                System.out.println("area " + area);
            }
        }

        private void answer() {
            int extent = Grid.SIDE * Grid.SQUARE;
            List<Parcel> near = register.near(letters.nextInt(extent), letters.nextInt(extent), 1600 + letters.nextInt(1500));
            int largest = 0;
            for (Parcel parcel : near) {
                largest = Math.max(largest, parcel.area);
                area += parcel.area % 100;
            }
            area += largest;
            if (letters.nextInt(4) == 0 && register.transfer(7_000_000_000L + letters.nextInt(count), letters.nextInt(400_000)))
                TRANSFERS.increment();
        }
    }

    static long pauses() {
        long ms = 0;
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans())
            ms += Math.max(0, bean.getCollectionTime());
        return ms;
    }

    public static void main(String[] args) throws InterruptedException {
        int count = 1_100_000;
        Register register = new Register();
        register.load(count);
        for (int i = 1; i <= 6; i++)
            new Thread(new Clerk(register, count, i), "clerk-" + i).start();
        Thread.sleep(4000);
        System.out.println("READY");
        System.out.flush();
        com.sun.management.OperatingSystemMXBean system =
                (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        while (true) {
            long n = QUESTIONS.sum(), ns = QUESTION_NS.sum(), gc = pauses(), cpu = system.getProcessCpuTime(), from = System.nanoTime();
            Thread.sleep(1000);
            n = QUESTIONS.sum() - n;
            System.out.printf(Locale.ROOT, "measured: %d questions/s, %.2f ms each, %d ms of collections, heap %d of %d MiB in use, %.2f CPUs, %d transfers%n",
                    n, (QUESTION_NS.sum() - ns) / 1e6 / Math.max(1, n), pauses() - gc,
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() >> 20,
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getMax() >> 20,
                    (system.getProcessCpuTime() - cpu) / (double) (System.nanoTime() - from), TRANSFERS.sum());
            System.out.flush();
        }
    }
}
