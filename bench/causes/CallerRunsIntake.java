// SPDX-License-Identifier: Apache-2.0
// cause: the pool's queue is full, so the thread that takes parcels in runs tasks itself and takes none until then
// expect: pool-busy pool=sorter | waiting frame=CallerRunsIntake.label | saturated-thread thread=intake
// symptom: waiting pool-busy
// jdk: 17
// set: eighth
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** A label takes 40 ms of the printer; two sorters do 50 a second, and 90 parcels a second come. */
public final class CallerRunsIntake {
    private static final LongAdder BY_INTAKE = new LongAdder();
    private static final LongAdder ALL = new LongAdder();
    private static final AtomicInteger NAMES = new AtomicInteger();

    private final BlockingQueue<Integer> belt = new LinkedBlockingQueue<>(500);
    private final ThreadPoolExecutor sorters = new ThreadPoolExecutor(2, 2, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(10),
            task -> new Thread(task, "sorter-" + NAMES.getAndIncrement()), new ThreadPoolExecutor.CallerRunsPolicy());

    private static void label(int parcel) {
        try {
            Thread.sleep(40); // the printer
            ALL.increment();
            if (Thread.currentThread().getName().equals("intake")) {
                BY_INTAKE.increment();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void intake() {
        try {
            for (;;) {
                int parcel = belt.take();
                sorters.execute(() -> label(parcel));
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void deliver() {
        try {
            for (int parcel = 0;; parcel++) {
                belt.offer(parcel);
                Thread.sleep(11); // the next parcel
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        CallerRunsIntake hall = new CallerRunsIntake();
        new Thread(hall::intake, "intake").start();
        new Thread(hall::deliver, "truck").start();
        System.out.println("READY");
        for (;;) {
            Thread.sleep(2000);
            System.out.println("measured: " + BY_INTAKE.sum() + " of " + ALL.sum() + " labels by the intake itself, " + hall.belt.size() + " parcels wait");
        }
    }
}
