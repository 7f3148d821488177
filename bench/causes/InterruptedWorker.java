// SPDX-License-Identifier: Apache-2.0
// cause: a worker was interrupted, catches it inside of its loop and restores the flag, so that its next take() throws at once, for ever: Worker.run, next
// expect: hot-code frame=InterruptedWorker$Worker | hot-method frame=InterruptedWorker$Worker | hot-method caller=InterruptedWorker$Worker | hot-calls frame=InterruptedWorker$Worker | endpoint-cpu frame=InterruptedWorker$Worker | saturated-thread frame=InterruptedWorker$Worker
// judge: right is what says that InterruptedWorker$Worker.run or .next spins, burns the CPU or throws exceptions all the time
// jdk: 21
// set: twelfth
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

public final class InterruptedWorker {
    private static final AtomicLong DONE = new AtomicLong();

    private static final class Worker implements Runnable {
        private final BlockingQueue<Integer> tasks;

        private Worker(BlockingQueue<Integer> tasks) {
            this.tasks = tasks;
        }

        private int next() throws InterruptedException {
            return tasks.take();
        }

        private static long handle(int task) {
            long hash = task;
            for (int i = 0; i < 20_000; i++) {
                hash = hash * 31 + (hash >>> 9);
            }
            return hash;
        }

        @Override
        public void run() {
            for (;;) {
                try {
                    DONE.addAndGet(handle(next()) & 1);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt(); // as the guide says
                }
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        BlockingQueue<Integer> tasks = new LinkedBlockingQueue<>();
        Thread[] workers = new Thread[4];
        for (int i = 0; i < workers.length; i++) {
            workers[i] = new Thread(new Worker(tasks), "worker-" + i);
            workers[i].start();
        }
        System.out.println("READY");
        for (int task = 0;; task++) {
            Thread.sleep(10);
            tasks.add(task);
            if (task == 100) {
                workers[2].interrupt(); // cancels what took too long
            }
        }
    }
}
