// SPDX-License-Identifier: Apache-2.0
// cause: the ScheduledThreadPoolExecutor keeps every cancelled delivery deadline as a dead task in its delay queue until its 8 s have run out (about 320000 of them), because setRemoveOnCancelPolicy(true) is not set
// share: without: heap floor 22-54 MB, gc mostly 10-60 ms/s with full collections of 100-480 ms every 5-10 s; fixed: heap floor 1.0 MB, gc 1-5 ms/s (heap more than 20 times less)
// expect: cancelled-tasks | gc-pauses holder=ScheduledThreadPoolExecutor | gc-cpu holder=ScheduledThreadPoolExecutor
// symptom: gc-pauses gc-cpu
// judge: right = names the deadline scheduler (ScheduledThreadPoolExecutor with thread "deadlines", filled in Desk.dispatch) whose queue keeps cancelled ScheduledFutureTasks (remove-on-cancel policy not set); only symptom = "heap is well filled", "full GCs", "allocation in Desk.dispatch", "DelayedWorkQueue siftUp is hot"
// set: twenty-first
// jdk: 8
// jvm: -XX:+UseParallelGC -Xmn8m
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

public class CourierDispatch {
    static final long RUN_MILLIS = 220_000L;
    static final long DEADLINE_MILLIS = 8_000L;
    static final int ORDERS_PER_TICK = 400;

    static final class Order {
        final long id;
        final byte[] manifest;
        volatile int courier = -1;
        volatile boolean overdue;
        volatile Future<?> deadline;

        Order(long id, int size) {
            this.id = id;
            this.manifest = new byte[size];
            for (int i = 0; i < size; i += 16) {
                manifest[i] = (byte) (id + i);
            }
        }
    }

    static final class Desk {
        final ScheduledThreadPoolExecutor deadlines = new ScheduledThreadPoolExecutor(1, r -> {
            Thread t = new Thread(r, "deadlines");
            t.setDaemon(true);
            return t;
        });
        final BlockingQueue<Order> accepted = new ArrayBlockingQueue<Order>(8192);
        final AtomicLong assigned = new AtomicLong();
        final AtomicLong overdue = new AtomicLong();

        Desk(boolean fixed) {
            if (fixed) {
                deadlines.setRemoveOnCancelPolicy(true);
            }
        }

        void dispatch(Order order) throws InterruptedException {
            order.deadline = deadlines.schedule(() -> escalate(order), DEADLINE_MILLIS, TimeUnit.MILLISECONDS);
            accepted.put(order);
        }

        void escalate(Order order) {
            order.overdue = true;
            overdue.incrementAndGet();
        }

        void assignLoop() {
            try {
                while (true) {
                    Order order = accepted.take();
                    int best = 0;
                    for (int i = 0; i < order.manifest.length; i++) {
                        best = best * 31 + order.manifest[i];
                    }
                    order.courier = Math.floorMod(best, 300);
                    order.deadline.cancel(false);
                    assigned.incrementAndGet();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static void receive(Desk desk) {
        long id = 0;
        long next = System.nanoTime();
        try {
            while (true) {
                for (int i = 0; i < ORDERS_PER_TICK; i++) {
                    desk.dispatch(new Order(id++, 48));
                }
                next += TimeUnit.MILLISECONDS.toNanos(10);
                long wait = next - System.nanoTime();
                if (wait > 0) {
                    TimeUnit.NANOSECONDS.sleep(wait);
                } else {
                    next = System.nanoTime();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static long gcMillis() {
        long sum = 0;
        for (GarbageCollectorMXBean b : ManagementFactory.getGarbageCollectorMXBeans()) {
            sum += b.getCollectionTime();
        }
        return sum;
    }

    public static void main(String[] args) throws Exception {
        Desk desk = new Desk(Boolean.getBoolean("fixed"));
        List<Thread> threads = new ArrayList<Thread>();
        threads.add(new Thread(desk::assignLoop, "assign"));
        threads.add(new Thread(() -> receive(desk), "orders-in"));
        for (Thread t : threads) {
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(DEADLINE_MILLIS + 1500);
        System.out.println("READY");
        Runtime rt = Runtime.getRuntime();
        long end = System.currentTimeMillis() + RUN_MILLIS;
        long last = desk.assigned.get();
        long lastGc = gcMillis();
        while (System.currentTimeMillis() < end) {
            long floor = Long.MAX_VALUE;
            for (int i = 0; i < 50; i++) {
                Thread.sleep(20);
                floor = Math.min(floor, rt.totalMemory() - rt.freeMemory());
            }
            long count = desk.assigned.get();
            long gc = gcMillis();
            System.out.printf("measured: heap floor %.1f MB, gc %d ms/s, %d orders assigned, %d overdue%n",
                    floor / 1048576.0, gc - lastGc, count - last, desk.overdue.get());
            last = count;
            lastGc = gc;
        }
    }
}
