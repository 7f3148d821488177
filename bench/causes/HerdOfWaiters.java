// SPDX-License-Identifier: Apache-2.0
// cause: each put wakes all of 200 idle workers by notifyAll, for one task: HerdOfWaiters.take, HerdOfWaiters.put
// expect: waiting frame=HerdOfWaiters.take | lock-contention frame=HerdOfWaiters.take | lock-contention caller=HerdOfWaiters.take | waiting frame=HerdOfWaiters.put | hot-method frame=HerdOfWaiters.take | hot-method caller=HerdOfWaiters.take | hot-calls frame=HerdOfWaiters.take | hot-code frame=HerdOfWaiters.take | endpoint-cpu frame=HerdOfWaiters.take | hot-method frame=HerdOfWaiters.put | hot-method caller=HerdOfWaiters.put | hot-calls frame=HerdOfWaiters.put | hot-code frame=HerdOfWaiters.put | endpoint-cpu frame=HerdOfWaiters.put
// symptom: hot-method hot-calls hot-code waiting lock-contention too-many-threads
// jdk: 21
// set: ninth
import java.util.ArrayDeque;
import java.util.concurrent.atomic.LongAdder;

public final class HerdOfWaiters {
    private static final int WORKERS = 200;
    private static final LongAdder WOKEN = new LongAdder();
    private static final LongAdder TASKS = new LongAdder();
    private static final LongAdder WORKING = new LongAdder();
    private static volatile long last;

    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();

    private synchronized void put(Runnable task) {
        tasks.addLast(task);
        notifyAll();
    }

    private synchronized Runnable take() throws InterruptedException {
        while (tasks.isEmpty()) {
            wait();
            WOKEN.increment();
        }
        return tasks.removeFirst();
    }

    private static void resize(int picture) {
        long start = System.nanoTime();
        long sum = picture;
        for (int i = 0; i < 30_000; i++) {
            sum += sum << 3 ^ i;
        }
        last = sum;
        WORKING.add(System.nanoTime() - start);
        TASKS.increment();
    }

    private void work() {
        try {
            for (;;) {
                take().run();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void intake() {
        try {
            for (int i = 0;; i++) {
                int picture = i;
                put(() -> resize(picture));
                Thread.sleep(2); // the next picture
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        HerdOfWaiters pool = new HerdOfWaiters();
        for (int i = 0; i < WORKERS; i++) {
            new Thread(pool::work, "resize-" + i).start();
        }
        new Thread(pool::intake, "intake").start();
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            System.out.println("measured: " + WOKEN.sum() / (TASKS.sum() + 1) + " workers woken a task, which takes "
                    + WORKING.sum() / (TASKS.sum() + 1) / 1000 + " us; " + TASKS.sum() + " tasks");
        }
    }
}
