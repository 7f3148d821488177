// SPDX-License-Identifier: Apache-2.0
// cause: Rack.add puts all plates of an edition (24 to 48) into the deque and calls filled.signal() once, so that one of six setters wakes and makes all plates one after another while the other five stay in Condition.await though the deque is full; the desk waits in Rack.finish for the condition 'complete' six times as long.
// share: faulty 19 editions a second, mean 101.6 ms each; fixed 88 editions a second, mean 22.9 ms each (4.6 times better in throughput; medians of 11 s runs on a crowded machine of 2 CPUs)
// expect: waiting frame=PlateRoom$Rack.finish
// symptom: waiting
// judge: NAMED: desks wait for a condition in PlateRoom$Rack.finish while one setter of each rack has all the work and the other five rest in Rack.next (Condition.await), as Rack.add signals 'filled' once for many plates (signal in place of signalAll, or one signal per plate). Naming the wait at Rack.finish together with the one busy setter among idle ones is right in essence. SYMPTOM ONLY: desks wait for a condition in Rack.finish, without what keeps them; setters park for 3 ms in Setter.run (exposure of a plate, needed). WRONG: contention of the lock of Rack, too few setters, Setter.raster as hot code, a lack of CPUs, the parkNanos of the setters as the fault.
// jdk: 17
// set: twenty-ninth
// jvm:
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

public class PlateRoom {
    static final boolean REVISED = Boolean.getBoolean("fixed");
    static final LongAdder EDITIONS = new LongAdder();
    static final LongAdder PLATES = new LongAdder();
    static final LongAdder NANOS = new LongAdder();

    static final class Edition {
        final String title;
        private int open;

        Edition(String title, int plates) {
            this.title = title;
            this.open = plates;
        }
    }

    static final class Plate {
        final Edition edition;
        final int page;
        final char ink;
        long checksum;

        Plate(Edition edition, int page, char ink) {
            this.edition = edition;
            this.page = page;
            this.ink = ink;
        }
    }

    static final class Rack {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition filled = lock.newCondition();
        private final Condition complete = lock.newCondition();
        private final Deque<Plate> waiting = new ArrayDeque<>();

        void add(Collection<Plate> plates) {
            lock.lock();
            try {
                waiting.addAll(plates);
                if (REVISED) {
                    filled.signalAll();
                } else {
                    filled.signal();
                }
            } finally {
                lock.unlock();
            }
        }

        Plate next() throws InterruptedException {
            lock.lock();
            try {
                while (waiting.isEmpty()) {
                    filled.await();
                }
                return waiting.pollFirst();
            } finally {
                lock.unlock();
            }
        }

        void ready(Plate plate) {
            lock.lock();
            try {
                if (--plate.edition.open == 0) {
                    complete.signalAll();
                }
            } finally {
                lock.unlock();
            }
        }

        void finish(Edition edition) throws InterruptedException {
            lock.lock();
            try {
                while (edition.open > 0) {
                    complete.await();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    static final class Setter implements Runnable {
        private final Rack rack;
        private final long[] screen = new long[1024];

        Setter(Rack rack) {
            this.rack = rack;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Plate plate = rack.next();
                    raster(plate);
                    LockSupport.parkNanos(3_000_000L);
                    rack.ready(plate);
                    PLATES.increment();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void raster(Plate plate) {
            long seed = plate.page * 31L + plate.ink;
            for (int i = 0; i < screen.length; i++) {
                seed = seed * 6364136223846793005L + 1442695040888963407L;
                screen[i] = seed >>> 33;
            }
            long sum = 0;
            for (long dot : screen) {
                sum = sum * 31 + dot;
            }
            plate.checksum = sum;
        }
    }

    static final class Desk implements Runnable {
        private final Rack rack;
        private final long end;
        private final String town;
        private final Random random;

        Desk(Rack rack, String town, long end) {
            this.rack = rack;
            this.town = town;
            this.end = end;
            this.random = new Random(town.hashCode());
        }

        @Override
        public void run() {
            try {
                for (int n = 0; System.nanoTime() < end; n++) {
                    long from = System.nanoTime();
                    int pages = 6 + 2 * random.nextInt(4);
                    Edition edition = new Edition(town + " " + n, pages * 4);
                    List<Plate> plates = new ArrayList<>();
                    for (int page = 1; page <= pages; page++) {
                        for (char ink : "CMYK".toCharArray()) {
                            plates.add(new Plate(edition, page, ink));
                        }
                    }
                    rack.add(plates);
                    rack.finish(edition);
                    NANOS.add(System.nanoTime() - from);
                    EDITIONS.increment();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        int span = Integer.getInteger("span", 170);
        long end = System.nanoTime() + span * 1_000_000_000L;
        for (String town : new String[] {"Kassel", "Fulda"}) {
            Rack rack = new Rack();
            for (int i = 0; i < 6; i++) {
                Thread t = new Thread(new Setter(rack), "setter-" + town + "-" + i);
                t.setDaemon(true);
                t.start();
            }
            Thread t = new Thread(new Desk(rack, town, end), "desk-" + town);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long n = EDITIONS.sumThenReset();
            long ns = NANOS.sumThenReset();
            System.out.printf("measured: %d editions a second, %d plates, mean %.1f ms an edition%n",
                n, PLATES.sumThenReset(), n == 0 ? 0 : ns / 1e6 / n);
        }
    }
}
