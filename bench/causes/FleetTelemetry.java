// SPDX-License-Identifier: Apache-2.0
// cause: a watchdog takes dumpAllThreads(true, true) every 60 ms: each walks the whole heap at a safepoint
// expect: vm-operations frame=FleetTelemetry$Watch.look | vm-operations callee=dumpAllThreads
// symptom: vm-operations late-safepoints saturated-thread
// share: dumps take 440 ms of each second and stop all threads for most of it
// judge: right: safepoints / VM operation (thread dump) requested by watchdog in Watch.look (dumpAllThreads), or the
// judge: watchdog's dumpAllThreads by name. symptom: pauses at safepoints without who asks; the VM thread's CPU;
// judge: threads kept from running. wrong: GC as the cause, ingest or position code, locks, allocation.
// jdk: 21
// jvm: -Xmx280m -Xms280m
// set: thirteenth

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

public class FleetTelemetry {
    record Ping(int vehicle, double lat, double lon, long at) { }

    static class Vehicle {
        final int id;
        final ArrayDeque<Ping> track = new ArrayDeque<>();
        double metres;

        Vehicle(int id) {
            this.id = id;
        }

        synchronized void add(Ping p) {
            Ping last = track.peekLast();
            if (last != null) {
                double dx = (p.lon - last.lon) * Math.cos(Math.toRadians(p.lat)) * 111_320;
                double dy = (p.lat - last.lat) * 110_540;
                metres += Math.sqrt(dx * dx + dy * dy);
            }
            track.addLast(p);
            if (track.size() > 60) {
                track.removeFirst();
            }
        }
    }

    static class Watch implements Runnable {
        final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        final LongAdder spent = new LongAdder();
        volatile int stuck;

        int look() {
            int n = 0;
            for (ThreadInfo info : threads.dumpAllThreads(true, true)) {
                if (info.getThreadState() == Thread.State.BLOCKED && info.getBlockedCount() > 100_000) {
                    n++;
                }
            }
            return n;
        }

        @Override
        public void run() {
            while (true) {
                long from = System.nanoTime();
                stuck = look();
                spent.add(System.nanoTime() - from);
                try {
                    TimeUnit.MILLISECONDS.sleep(60);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }
    }

    static final Map<Integer, Vehicle> fleet = new ConcurrentHashMap<>();
    static final LongAdder pings = new LongAdder(), late = new LongAdder();

    static void ingest(BlockingQueue<Ping[]> queue) {
        try {
            while (true) {
                for (Ping p : queue.take()) {
                    fleet.computeIfAbsent(p.vehicle, Vehicle::new).add(p);
                    pings.increment();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void receive(BlockingQueue<Ping[]> queue) {
        try {
            while (true) {
                ThreadLocalRandom r = ThreadLocalRandom.current();
                Ping[] batch = new Ping[100];
                for (int i = 0; i < batch.length; i++) {
                    batch[i] = new Ping(r.nextInt(30_000), 52 + r.nextDouble(), 13 + r.nextDouble(), System.nanoTime());
                }
                queue.put(batch);
                long from = System.nanoTime();
                Thread.sleep(4);
                late.add(Math.max(0, System.nanoTime() - from - 4_500_000));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        for (int id = 0; id < 30_000; id++) {
            Vehicle v = fleet.computeIfAbsent(id, Vehicle::new);
            for (int i = 0; i < 60; i++) {
                v.add(new Ping(id, 52 + r.nextDouble(), 13 + r.nextDouble(), i));
            }
        }
        BlockingQueue<Ping[]> queue = new ArrayBlockingQueue<>(64);
        for (int i = 0; i < 3; i++) {
            new Thread(() -> ingest(queue), "ingest-" + i).start();
            new Thread(() -> receive(queue), "receiver-" + i).start();
        }
        Watch watch = new Watch();
        Thread watchdog = new Thread(watch, "stall-watchdog");
        watchdog.setDaemon(true);
        watchdog.start();
        System.out.println("READY");
        while (true) {
            Thread.sleep(1000);
            System.out.printf("measured: watchdog %d ms/s, receivers late by %d ms/s, %d pings/s, %d stuck%n",
                    watch.spent.sumThenReset() / 1_000_000, late.sumThenReset() / 1_000_000, pings.sumThenReset(), watch.stuck);
        }
    }
}
