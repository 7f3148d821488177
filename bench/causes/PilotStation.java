// SPDX-License-Identifier: Apache-2.0
// healthy: three of four "station" threads wait for the lock Bridge.command during the whole recording, since they are stand-bys: only the station in command routes the messages, which takes a small part of its time, and it hands over every 75 s; nothing is slow and nobody waits for the stand-bys.
// share: measures routed messages per second (about as many as arrive, 400/s) and the mean age of a message when it is routed (a few ms)
// judge: WRONG: threads are stuck or deadlocked, lock contention on Bridge.command, hold the lock for less time, station-N keeps others waiting as a fault, the queue of messages or its consumer is too slow. ACCEPTABLE: neutral remarks that three threads wait for a lock which one thread holds all the time (if nothing is called a fault that slows the work), or nothing stands out.
// jdk: 17
// set: twenty-fifth
// jvm:
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;

public class PilotStation {
    record Message(String ship, int heading, int knots, long at) { }

    static class Bridge {
        private final ReentrantLock command = new ReentrantLock(true);
        private volatile String inCommand = "nobody";

        void duty(String name, long millis, Watch watch) throws InterruptedException {
            command.lock();
            try {
                inCommand = name;
                watch.stand(System.nanoTime() + millis * 1_000_000);
            } finally {
                command.unlock();
            }
        }
        String inCommand() {
            return inCommand;
        }
    }

    interface Watch {
        void stand(long until) throws InterruptedException;
    }

    static class Chart {
        private final Map<String, double[]> positions = new HashMap<>();
        private final int[] sectors = new int[36];
        void move(Message m) {
            double[] p = positions.computeIfAbsent(m.ship(), s -> new double[] {s.hashCode() % 100, s.hashCode() / 100 % 100});
            double rad = Math.toRadians(m.heading());
            p[0] += Math.cos(rad) * m.knots() / 3600;
            p[1] += Math.sin(rad) * m.knots() / 3600;
            sectors[Math.floorMod(m.heading() / 10, 36)]++;
        }
        double nearest(String ship) {
            double[] p = positions.get(ship);
            double best = Double.MAX_VALUE;
            for (Map.Entry<String, double[]> e : positions.entrySet()) {
                if (e.getKey().equals(ship)) continue;
                double[] q = e.getValue();
                best = Math.min(best, Math.hypot(p[0] - q[0], p[1] - q[1]));
            }
            return best;
        }
    }

    static class Station implements Runnable {
        final Bridge bridge;
        final BlockingQueue<Message> radio;
        final Chart chart;
        final Totals totals;
        Station(Bridge bridge, BlockingQueue<Message> radio, Chart chart, Totals totals) {
            this.bridge = bridge;
            this.radio = radio;
            this.chart = chart;
            this.totals = totals;
        }
        @Override public void run() {
            try {
                while (true) bridge.duty(Thread.currentThread().getName(), 75_000, this::route);
            } catch (InterruptedException e) {
                return;
            }
        }
        private void route(long until) throws InterruptedException {
            while (System.nanoTime() < until) {
                Message m = radio.poll(200, TimeUnit.MILLISECONDS);
                if (m == null) continue;
                chart.move(m);
                if (chart.nearest(m.ship()) < 0.5) totals.warnings.increment();
                totals.age.add(System.nanoTime() - m.at());
                totals.routed.increment();
            }
        }
    }

    static class Totals {
        final LongAdder routed = new LongAdder(), age = new LongAdder(), warnings = new LongAdder();
    }

    static class Receiver implements Runnable {
        final BlockingQueue<Message> radio;
        final Random r;
        Receiver(BlockingQueue<Message> radio, int id) {
            this.radio = radio;
            r = new Random(id);
        }
        private Message decode(String raw) {
            String[] f = raw.split("\\*");
            return new Message(f[0], Integer.parseInt(f[1]), Integer.parseInt(f[2]), System.nanoTime());
        }
        @Override public void run() {
            try {
                while (true) {
                    for (int i = 0; i < 4; i++) radio.put(decode("SHIP" + r.nextInt(600) + '*' + r.nextInt(360) + '*' + r.nextInt(22)));
                    Thread.sleep(20);
                }
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Bridge bridge = new Bridge();
        BlockingQueue<Message> radio = new LinkedBlockingQueue<>(5000);
        Chart chart = new Chart();
        Totals totals = new Totals();
        for (int i = 0; i < 4; i++) start(new Station(bridge, radio, chart, totals), "station-" + i);
        for (int i = 0; i < 2; i++) start(new Receiver(radio, i), "receiver-" + i);
        System.out.println("READY");
        for (long end = System.nanoTime() + 170_000_000_000L; System.nanoTime() < end; ) {
            Thread.sleep(1000);
            long n = totals.routed.sumThenReset(), age = totals.age.sumThenReset();
            System.out.printf("measured: %d messages/s routed by %s, mean age %.3f ms, %d waiting, %d warnings%n",
                n, bridge.inCommand(), n == 0 ? 0 : age / 1e6 / n, radio.size(), totals.warnings.sumThenReset());
        }
        System.exit(0);
    }

    static void start(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }
}
