// SPDX-License-Identifier: Apache-2.0
// healthy: an external sort with a budget: SortMemory.acquire throws SortMemoryError, a subclass of OutOfMemoryError of the program's own (as Spark does it), and ExternalSort.add answers it as designed, by writing a sorted part to a file; the JVM itself never lacks memory.
// share: 1 to 3 such errors for each list of 120000 consignments, some 5 to 30 a second, each followed by a spill (which are counted); no list fails; after collections 6 of 192 MiB of heap are in use; 0.3 to 0.7 CPUs.
// judge: Right: nothing stands out, or neutral statements of where CPU time goes (sorting in ExternalSort.spill, merging in ExternalSort.finish, Consignment.LOADING, reading and writing of spills). WRONG: out-of-memory, a heap that is too small or leaks, collections, exceptions as what costs time, waiting for the disk or field-by-field access as a fault (streams are buffered), sleeps of depot-N. Remarks about a crowded machine are all right if it is crowded.
// jdk: 17
// set: thirty-first
// jvm: -Xmx192m

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Sorts the consignments of a parcel service by route for each lorry's loading list, within a budget of memory. */
public class ConsignmentSorter {
    static final long BUDGET = 10L << 20;
    static final int RECORD_COST = 120;

    /** A sort has no more of the budget to take; it is to write what it has to a file. */
    static final class SortMemoryError extends OutOfMemoryError {
        private static final long serialVersionUID = 1;

        SortMemoryError(long asked, long left) {
            super("unable to acquire " + asked + " bytes of sort memory, got " + left);
        }
    }

    /** The budget that all sorts share: each may have its part of it, and more while others do not need theirs. */
    static final class SortMemory {
        private final AtomicLong left = new AtomicLong(BUDGET);

        private final AtomicInteger sorts = new AtomicInteger();

        void begin() {
            sorts.incrementAndGet();
        }

        void end(long bytes) {
            sorts.decrementAndGet();
            release(bytes);
        }

        void acquire(long has, long bytes) {
            if (has + bytes > BUDGET / sorts.get()) {
                throw new SortMemoryError(bytes, Math.max(0, BUDGET / sorts.get() - has));
            }
            long now;
            do {
                now = left.get();
                if (now < bytes) {
                    throw new SortMemoryError(bytes, now);
                }
            } while (!left.compareAndSet(now, now - bytes));
        }

        void release(long bytes) {
            left.addAndGet(bytes);
        }
    }

    record Consignment(int route, int stop, long number, int grams) {
        static final Comparator<Consignment> LOADING =
                Comparator.comparingInt(Consignment::route).thenComparingInt(Consignment::stop).thenComparingLong(Consignment::number);

        void write(DataOutputStream out) throws IOException {
            out.writeInt(route);
            out.writeInt(stop);
            out.writeLong(number);
            out.writeInt(grams);
        }

        static Consignment read(DataInputStream in) throws IOException {
            try {
                return new Consignment(in.readInt(), in.readInt(), in.readLong(), in.readInt());
            } catch (EOFException e) {
                return null;
            }
        }
    }

    /** A sorted part of the whole, in a file that has no name any more when it is read. */
    static final class Spill implements Closeable {
        private final DataInputStream in;
        private Consignment head;

        Spill(List<Consignment> sorted) throws IOException {
            Path file = Files.createTempFile("consignments", ".spill");
            try {
                try (OutputStream raw = Files.newOutputStream(file);
                        DataOutputStream out = new DataOutputStream(new BufferedOutputStream(raw, 65536))) {
                    for (Consignment c : sorted) {
                        c.write(out);
                    }
                }
                in = new DataInputStream(new BufferedInputStream(new FileInputStream(file.toFile()), 65536));
            } finally {
                Files.deleteIfExists(file);
            }
            head = Consignment.read(in);
        }

        Consignment head() {
            return head;
        }

        Consignment take() throws IOException {
            Consignment c = head;
            head = Consignment.read(in);
            return c;
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }

    static final class ExternalSort {
        private static final int STEP = 4096;
        private final SortMemory memory;
        private final List<Consignment> inMemory = new ArrayList<>(90_000);
        private final List<Spill> spills = new ArrayList<>();
        private long acquired;
        static final LongAdder spilled = new LongAdder();

        ExternalSort(SortMemory memory) {
            this.memory = memory;
            memory.begin();
        }

        void add(Consignment c) throws IOException {
            if (inMemory.size() % STEP == 0) {
                try {
                    acquire();
                } catch (SortMemoryError e) {
                    spill();
                }
            }
            inMemory.add(c);
        }

        private void acquire() {
            memory.acquire(acquired, (long) STEP * RECORD_COST);
            acquired += (long) STEP * RECORD_COST;
        }

        private void spill() throws IOException {
            if (inMemory.isEmpty()) {
                return;
            }
            inMemory.sort(Consignment.LOADING);
            spills.add(new Spill(inMemory));
            spilled.increment();
            inMemory.clear();
            memory.release(acquired - (long) STEP * RECORD_COST);
            acquired = (long) STEP * RECORD_COST;
        }

        /** Goes through all in order, and says how many there were. */
        int finish() throws IOException {
            try {
                spill();
                PriorityQueue<Spill> heads = new PriorityQueue<>((a, b) -> Consignment.LOADING.compare(a.head(), b.head()));
                heads.addAll(spills);
                int n = 0;
                Consignment last = null;
                while (!heads.isEmpty()) {
                    Spill s = heads.poll();
                    Consignment c = s.take();
                    if (last != null && Consignment.LOADING.compare(last, c) > 0) {
                        throw new IllegalStateException("not in order: " + last + ", " + c);
                    }
                    last = c;
                    n++;
                    if (s.head() != null) {
                        heads.add(s);
                    }
                }
                return n;
            } finally {
                for (Spill s : spills) {
                    s.close();
                }
                inMemory.clear();
                memory.end(acquired);
            }
        }
    }

    /** One depot, whose list is made anew for each departure. */
    static final class Depot implements Runnable {
        private final SortMemory memory;
        private final Random random;
        private final CountDownLatch warm;
        static final LongAdder lists = new LongAdder();
        static final LongAdder sorted = new LongAdder();
        static final LongAdder failed = new LongAdder();

        Depot(SortMemory memory, int number, CountDownLatch warm) {
            this.memory = memory;
            this.random = new Random(number);
            this.warm = warm;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    long begin = System.nanoTime();
                    try {
                        sorted.add(list(120_000));
                        lists.increment();
                    } catch (IOException e) {
                        failed.increment();
                        System.err.println("depot: " + e);
                    }
                    warm.countDown();
                    Thread.sleep(50 + 2 * (System.nanoTime() - begin) / 1_000_000);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private int list(int consignments) throws IOException {
            ExternalSort sort = new ExternalSort(memory);
            for (int i = 0; i < consignments; i++) {
                sort.add(new Consignment(random.nextInt(180), random.nextInt(400), random.nextLong() >>> 20, 50 + random.nextInt(30000)));
            }
            return sort.finish();
        }
    }

    public static void main(String[] args) throws Exception {
        SortMemory memory = new SortMemory();
        CountDownLatch warm = new CountDownLatch(6);
        for (int i = 1; i <= 2; i++) {
            new Thread(new Depot(memory, i, warm), "depot-" + i).start();
        }
        warm.await();
        System.out.println("READY");
        System.out.flush();
        while (true) {
            Thread.sleep(2000);
            Runtime r = Runtime.getRuntime();
            System.out.printf("measured: %d lists, %d consignments sorted, %d spills, %d failed; heap in use %d of %d MiB%n",
                    Depot.lists.sumThenReset(), Depot.sorted.sumThenReset(), ExternalSort.spilled.sumThenReset(),
                    Depot.failed.sum(), (r.totalMemory() - r.freeMemory()) >> 20, r.maxMemory() >> 20);
        }
    }
}
