// SPDX-License-Identifier: Apache-2.0
// healthy: each booking sets a time-out of 2.5 s and cancels it when it is paid, some milliseconds later; cancelled time-outs stay in the scheduler's queue until they would be due, so there are always some 1500 of them, of about 100 bytes each, which is bounded and costs nothing that could be noticed
// share: by its own figures the queue stays the same length all the time (150 KB), bookings take some 5 ms, collections take less than 1 % of the time
// judge: RIGHT: nothing stands out; cancelled tasks mentioned as neutral, something to watch. WRONG: cancelled tasks accused as a fault or a leak, collections or the heap, waits for a payment (FerryTicketing$Till), the scheduler or a pool, locks
// jdk: 21
// set: thirty-second
// jvm: -Xmx256m
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.CRC32;

/** Sells places on ferries: a place is held for a moment, and released again if it is not paid in time. */
public class FerryTicketing {

    static final int SAILINGS = 60;
    static final LongAdder SOLD = new LongAdder();
    static final LongAdder RELEASED = new LongAdder();
    static final LongAdder TIME = new LongAdder();

    record Hold(long id, int sailing, int place, long at) {
    }

    static final class Sailing {
        private final boolean[] held = new boolean[900];
        private int next;

        synchronized int hold() {
            for (int i = 0; i < held.length; i++) {
                next = (next + 1) % held.length;
                if (!held[next]) {
                    held[next] = true;
                    return next;
                }
            }
            return -1;
        }

        synchronized void free(int place) {
            held[place] = false;
        }
    }

    static final class Holds {
        private final ScheduledThreadPoolExecutor deadlines = new ScheduledThreadPoolExecutor(1, task -> new Thread(task, "deadlines"));
        private final Map<Long, ScheduledFuture<?>> open = new ConcurrentHashMap<>();
        private final AtomicLong ids = new AtomicLong();
        private final Sailing[] sailings = new Sailing[SAILINGS];

        Holds() {
            for (int i = 0; i < SAILINGS; i++) sailings[i] = new Sailing();
        }

        Hold open(int sailing) {
            int place = sailings[sailing].hold();
            if (place < 0) return null;
            Hold hold = new Hold(ids.incrementAndGet(), sailing, place, System.nanoTime());
            open.put(hold.id(), deadlines.schedule(() -> expire(hold), 2500, TimeUnit.MILLISECONDS));
            return hold;
        }

        private void expire(Hold hold) {
            if (open.remove(hold.id()) == null) return;
            sailings[hold.sailing()].free(hold.place());
            RELEASED.increment();
        }

        boolean paid(Hold hold) {
            ScheduledFuture<?> deadline = open.remove(hold.id());
            if (deadline == null) return false;
            deadline.cancel(false);
            sailings[hold.sailing()].free(hold.place());
            return true;
        }

        int queued() {
            return deadlines.getQueue().size();
        }
    }

    /** A till: customers come one after another, choose, pay and get a ticket. */
    static final class Till implements Runnable {
        private final Holds holds;
        private final Random random;

        Till(Holds holds, int seed) {
            this.holds = holds;
            random = new Random(seed);
        }

        private String ticket(Hold hold) {
            byte[] seal = new byte[40_000];
            CRC32 crc = new CRC32();
            for (int i = 0; i < seal.length; i++) seal[i] = (byte) (hold.id() * 31 + i * hold.place());
            crc.update(seal);
            return hold.sailing() + "/" + hold.place() + "/" + Long.toHexString(crc.getValue());
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Hold hold = holds.open(random.nextInt(SAILINGS));
                    if (hold != null) {
                        if (random.nextInt(500) > 0) {
                            TimeUnit.MILLISECONDS.sleep(4 + random.nextInt(3));
                            String ticket = ticket(hold);
                            if (holds.paid(hold) && ticket.length() > 4) {
                                SOLD.increment();
                                TIME.add(System.nanoTime() - hold.at());
                            }
                        }
                    }
                    TimeUnit.MILLISECONDS.sleep(1 + random.nextInt(8));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static long collecting() {
        long millis = 0;
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) millis += bean.getCollectionTime();
        return millis;
    }

    public static void main(String[] args) throws Exception {
        Holds holds = new Holds();
        List<Till> tills = new ArrayList<>();
        for (int i = 0; i < 6; i++) tills.add(new Till(holds, i));
        ExecutorService hall = Executors.newFixedThreadPool(tills.size());
        tills.forEach(hall::execute);
        long begin = System.nanoTime();
        while (SOLD.sum() < 1500 || System.nanoTime() - begin < 3_000_000_000L) Thread.sleep(50);
        System.out.println("READY");
        System.out.flush();
        long collected = collecting();
        while (true) {
            SOLD.reset();
            TIME.reset();
            RELEASED.reset();
            Thread.sleep(1000);
            long now = collecting(), sold = Math.max(1, SOLD.sum());
            Runtime runtime = Runtime.getRuntime();
            System.out.printf("measured: %d sold, %.1f ms each, %d released; %d time-outs in the queue; collections took %d ms, heap %d MB%n", sold,
                    TIME.sum() / 1e6 / sold, RELEASED.sum(), holds.queued(), now - collected, (runtime.totalMemory() - runtime.freeMemory()) >> 20);
            collected = now;
        }
    }
}
