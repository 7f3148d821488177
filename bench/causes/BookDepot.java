// SPDX-License-Identifier: Apache-2.0
// cause: sleep under a lock: BookDepot$TrayRack.reserve, which is synchronized, rests for 60 ms (Thread.sleep) whenever no tray is free and then looks again, though trays are back after 7 ms; all other counters wait for its monitor in the meantime.
// share: 96 % of the time one thread sleeps in reserve with the lock, and 4 to 8 others wait for that; 98 ms an order of which 0.3 ms are with a tray; 80 orders a second where the 10 counters, which rest 25 ms in between, could make some 300 (reckoned, not measured); 0.04 CPUs in all.
// expect: waiting kind=sleep frame=BookDepot$TrayRack.reserve | lock-contention frame=BookDepot$TrayRack.reserve
// symptom: waiting
// judge: NAMED: waiting for a timer (Thread.sleep) at BookDepot$TrayRack.reserve, while others wait for the monitor of that method (sleep named with the place, by itself or as the end of the chain). SYMPTOM ONLY: lock contention at BookDepot$TrayRack.reserve without the sleep of its holder; too few trays. WRONG: BookDepot$RoutePlan.plan, the sleep in Counter.run, the conveyor thread (it is idle), ConcurrentLinkedQueue, collections, CPU use, deadlock or stuck threads.
// jdk: 17
// set: thirty-sixth
// jvm: -Xmx256m
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A library's depot: counters order volumes, and each order is planned on one of the trays that go to the shelves. */
public class BookDepot {
    static final AtomicLong orders = new AtomicLong(), orderNanos = new AtomicLong(), planNanos = new AtomicLong();
    static final AtomicLong looks = new AtomicLong(), insideNanos = new AtomicLong();

    record Slot(int aisle, int shelf, int place) {
        int distance(Slot o) {
            return Math.abs(aisle - o.aisle) * 40 + Math.abs(shelf - o.shelf) * 3 + Math.abs(place - o.place);
        }
    }

    /** A tray, with what is planned on it. */
    static final class Tray {
        final int number;
        final List<Slot> stops = new ArrayList<>();

        Tray(int number) {
            this.number = number;
        }
    }

    static final class TrayRack {
        private final ConcurrentLinkedQueue<Tray> free = new ConcurrentLinkedQueue<>();
        private final ScheduledExecutorService conveyor = Executors.newSingleThreadScheduledExecutor(r -> new Thread(r, "conveyor"));

        TrayRack(int trays) {
            for (int i = 0; i < trays; i++) {
                free.add(new Tray(i));
            }
        }

        /** In the order in which counters have asked. */
        synchronized Tray reserve() throws InterruptedException {
            long t = System.nanoTime();
            Tray tray = free.poll();
            while (tray == null) {
                looks.incrementAndGet();
                Thread.sleep(60);
                tray = free.poll();
            }
            insideNanos.addAndGet(System.nanoTime() - t);
            return tray;
        }

        /** Sends the tray round the conveyor, at whose end it is free. */
        void send(Tray tray) {
            tray.stops.clear();
            conveyor.schedule(() -> free.add(tray), 6, TimeUnit.MILLISECONDS);
        }
    }

    static final class RoutePlan {
        /** Nearest shelf first, then turns round parts of the route while that makes it shorter. */
        int plan(Tray tray, List<Slot> volumes) {
            List<Slot> rest = new ArrayList<>(volumes);
            Slot at = new Slot(0, 0, 0);
            while (!rest.isEmpty()) {
                Slot best = rest.get(0);
                for (Slot s : rest) {
                    if (at.distance(s) < at.distance(best)) {
                        best = s;
                    }
                }
                rest.remove(best);
                tray.stops.add(best);
                at = best;
            }
            boolean better = true;
            for (int round = 0; better && round < 6; round++) {
                better = false;
                for (int i = 1; i < tray.stops.size() - 2; i++) {
                    for (int k = i + 1; k < tray.stops.size() - 1; k++) {
                        int now = d(tray, i - 1, i) + d(tray, k, k + 1);
                        int then = d(tray, i - 1, k) + d(tray, i, k + 1);
                        if (then < now) {
                            java.util.Collections.reverse(tray.stops.subList(i, k + 1));
                            better = true;
                        }
                    }
                }
            }
            int length = 0;
            for (int i = 1; i < tray.stops.size(); i++) {
                length += d(tray, i - 1, i);
            }
            return length;
        }

        private static int d(Tray t, int a, int b) {
            return t.stops.get(a).distance(t.stops.get(b));
        }
    }

    static final class Counter implements Runnable {
        private final TrayRack rack;
        private final RoutePlan route = new RoutePlan();
        private final Random random;
        long length;

        Counter(int id, TrayRack rack) {
            this.rack = rack;
            this.random = new Random(300 + id);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    List<Slot> volumes = new ArrayList<>();
                    for (int i = 0; i < 90; i++) {
                        volumes.add(new Slot(random.nextInt(20), random.nextInt(12), random.nextInt(30)));
                    }
                    long t = System.nanoTime();
                    order(volumes);
                    orderNanos.addAndGet(System.nanoTime() - t);
                    orders.incrementAndGet();
                    Thread.sleep(20 + random.nextInt(10));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void order(List<Slot> volumes) throws InterruptedException {
            Tray tray = rack.reserve();
            long t = System.nanoTime();
            try {
                length += route.plan(tray, volumes);
            } finally {
                rack.send(tray);
                planNanos.addAndGet(System.nanoTime() - t);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        TrayRack rack = new TrayRack(5);
        for (int i = 0; i < 10; i++) {
            new Thread(new Counter(i, rack), "counter-" + i).start();
        }
        long lo = 0, ln = 0, lp = 0, ll = 0, li = 0;
        for (int s = 1; ; s++) {
            Thread.sleep(1000);
            long o = orders.get(), n = orderNanos.get(), p = planNanos.get(), l = looks.get(), i = insideNanos.get();
            System.out.printf("measured: %d orders, %.1f ms each, of which %.2f ms with a tray; the rack looked again %d times, taken for that %.0f %% of the time%n",
                    o - lo, (n - ln) / 1e6 / Math.max(1, o - lo), (p - lp) / 1e6 / Math.max(1, o - lo), l - ll, (i - li) / 1e7);
            lo = o;
            ln = n;
            lp = p;
            ll = l;
            li = i;
            if (s == 4) {
                System.out.println("READY");
            }
            System.out.flush();
        }
    }
}
