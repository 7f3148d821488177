// SPDX-License-Identifier: Apache-2.0
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Pools whose threads and tasks stay as they are, one whose queue grows, and garbage, so that objects move. */
public class Pools {
    static final int TASKS_MOST = 300_000;
    static volatile Object garbage;

    /** A pool of a class of the program. */
    static class Desk extends ThreadPoolExecutor {
        Desk(String name, int core, int maximum, BlockingQueue<Runnable> queue) {
            super(core, maximum, 1, TimeUnit.HOURS, queue, new java.util.concurrent.ThreadFactory() {
                int made;

                @Override
                public Thread newThread(Runnable task) {
                    Thread t = new Thread(task, name + "-" + ++made);
                    t.setDaemon(true);
                    return t;
                }
            });
        }
    }

    static void sleep(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void never() {
        sleep(Long.MAX_VALUE);
    }

    static void print() {
        sleep(1000);
    }

    public static void main(String[] args) throws java.io.IOException {
        ThreadPoolExecutor linked = new Desk("linked", 2, 8, new LinkedBlockingQueue<>());
        ThreadPoolExecutor bounded = new Desk("bounded", 1, 1, new ArrayBlockingQueue<>(50));
        ThreadPoolExecutor direct = new Desk("direct", 0, 7, new SynchronousQueue<>());
        ThreadPoolExecutor grows = new Desk("grows", 3, 9, new LinkedBlockingQueue<>());
        ScheduledThreadPoolExecutor later = new ScheduledThreadPoolExecutor(1, task -> {
            Thread t = new Thread(task, "later");
            t.setDaemon(true);
            return t;
        });
        Timer timer = new Timer("timer", true);
        for (int i = 0; i < 100; i++) {
            linked.execute(Pools::never);
        }
        for (int i = 0; i < 31; i++) {
            bounded.execute(Pools::never);
        }
        for (int i = 0; i < 3; i++) {
            direct.execute(Pools::never);
        }
        for (int i = 0; i < 4000; i++) {
            java.util.concurrent.Future<?> f = later.schedule(Pools::never, 1, TimeUnit.HOURS);
            if (i % 4 != 0) {
                f.cancel(false);
            }
        }
        for (int i = 0; i < 40; i++) {
            TimerTask task = new TimerTask() {
                @Override
                public void run() {
                    never();
                }
            };
            timer.schedule(task, 3_600_000 + 1000 * i);
            if (i % 4 == 3) { // not the first, which the timer would drop
                task.cancel();
            }
        }
        ScheduledThreadPoolExecutor stuck = new ScheduledThreadPoolExecutor(1, task -> {
            Thread t = new Thread(task, "stuck");
            t.setDaemon(true);
            return t;
        });
        stuck.execute(Pools::never);
        stuck.schedule(Pools::print, 1, TimeUnit.SECONDS);
        stuck.schedule(Pools::print, 1, TimeUnit.HOURS);
        Timer slow = new Timer("slow", true);
        for (long ms : new long[] {0, 1000, 3_600_000}) {
            slow.schedule(new TimerTask() {
                @Override
                public void run() {
                    never();
                }
            }, ms);
        }
        System.out.println("up");
        boolean feeds = false;
        for (int i = 0;; i++) {
            garbage = new byte[10_000];
            if (i % 100 == 0) {
                if (!feeds && System.in.available() > 0) {
                    feeds = true;
                    System.out.println("grows");
                }
                for (int k = 0; feeds && k < 10 && grows.getQueue().size() < TASKS_MOST; k++) {
                    grows.execute(Pools::print);
                }
                sleep(3);
            }
        }
    }
}
