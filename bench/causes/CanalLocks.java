// SPDX-License-Identifier: Apache-2.0
// healthy: A control scheduler for canal locks: its threads mostly sleep or wait by design (fixed intervals, gates that take their time); every task starts within a few milliseconds of its due time and the process is almost idle.
// judge: Wrong: to accuse parked scheduler threads, Thread.sleep in CanalLocks.moveGate, or the wait of the dispatcher for the next vessel, or to recommend more threads (the pool is never exhausted), or to call a lock (the name is the domain's) contended.
// set: twentieth
// jdk: 11
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

public class CanalLocks {
    static final int CHAMBERS = 24;
    private final ScheduledExecutorService control;
    private final Deque<Integer> vessels = new ArrayDeque<>();
    private final double[] level = new double[CHAMBERS];
    private final AtomicInteger checks = new AtomicInteger();
    private final AtomicLong lateMicros = new AtomicLong();
    private final AtomicInteger passages = new AtomicInteger();

    CanalLocks() {
        AtomicInteger n = new AtomicInteger();
        control = Executors.newScheduledThreadPool(12, r -> {
            Thread t = new Thread(r, "control-" + n.incrementAndGet());
            t.setDaemon(true);
            return t;
        });
    }

    void supervise(int chamber) {
        long period = TimeUnit.MILLISECONDS.toNanos(250 + chamber * 10);
        long start = System.nanoTime() + period;
        long[] due = {start};
        control.scheduleAtFixedRate(() -> {
            lateMicros.addAndGet((System.nanoTime() - due[0]) / 1000);
            due[0] += period;
            double l = level[chamber];
            for (int i = 0; i < 2000; i++) {
                l += (Math.sin(i * 0.01 + chamber) - l) * 0.01;
            }
            level[chamber] = l;
            checks.incrementAndGet();
        }, period, period, TimeUnit.NANOSECONDS);
    }

    void moveGate() {
        try {
            Thread.sleep(400);
            passages.incrementAndGet();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void dispatcher() {
        try {
            while (true) {
                int vessel;
                synchronized (vessels) {
                    while (vessels.isEmpty()) {
                        vessels.wait();
                    }
                    vessel = vessels.poll();
                }
                control.schedule(this::moveGate, 20 + vessel % 30, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void arrivals() {
        try {
            for (int vessel = 1; ; vessel++) {
                Thread.sleep(200 + ThreadLocalRandom.current().nextInt(200));
                synchronized (vessels) {
                    vessels.add(vessel);
                    vessels.notify();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void start(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws InterruptedException {
        CanalLocks canal = new CanalLocks();
        for (int c = 0; c < CHAMBERS; c++) {
            canal.supervise(c);
        }
        start("dispatcher", canal::dispatcher);
        start("arrivals", canal::arrivals);
        System.out.println("READY");
        for (int s = 0; s < 220; s++) {
            Thread.sleep(1000);
            int n = canal.checks.getAndSet(0);
            long us = canal.lateMicros.getAndSet(0);
            System.out.println("measured: " + n + " checks/s, mean lateness " + (n == 0 ? 0 : us / n) + " us, "
                    + canal.passages.getAndSet(0) + " passages/s");
        }
    }
}
