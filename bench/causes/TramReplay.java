// SPDX-License-Identifier: Apache-2.0
// healthy: four depot readers wait for room in a queue nearly all the time (Depot.run, ArrayBlockingQueue.put), but the drive is played at the speed at which it was recorded (Player.run), and readers are meant to be a few records ahead only
// share: 250 positions/s as recorded, 0.3 to 0.4 ms behind the record, 0.1 CPUs
// judge: any finding of trouble is WRONG, except a neutral sentence that readers wait for room. WRONG: waiting for room in a queue as an accusation, the player (sleeping) as a bottleneck, saturated thread, more consumers, locks.
// jdk: 25
// set: twenty-seventh
// jvm: -Xmx64m
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32;

public class TramReplay {
    static final LongAdder played = new LongAdder();
    static final LongAdder lateNanos = new LongAdder();

    record Position(int tram, long atMs, double east, double north, byte[] raw) {
    }

    static final class Depot implements Runnable {
        final int number;
        final BlockingQueue<Position> ahead = new ArrayBlockingQueue<>(16);

        Depot(int number) {
            this.number = number;
        }

        Position decode(long n, Random r) {
            byte[] raw = new byte[2048];
            r.nextBytes(raw);
            CRC32 sum = new CRC32();
            for (int i = 0; i < 3000; i++)
                sum.update(raw);
            double angle = n * 0.01 + number;
            return new Position(number * 100 + (int) (n % 40), n * 16, Math.cos(angle) * 4000, Math.sin(angle) * 4000 + sum.getValue() % 3, raw);
        }

        @Override
        public void run() {
            Random r = new Random(number);
            try {
                for (long n = 0;; n++)
                    ahead.put(decode(n, r));
            } catch (InterruptedException e) {
                System.out.println(e);
            }
        }
    }

    static final class City {
        final double[] east = new double[500];
        final double[] north = new double[500];

        void move(Position p) {
            east[p.tram()] = p.east();
            north[p.tram()] = p.north();
        }

        int crossings() {
            int n = 0;
            for (int i = 0; i < east.length; i++)
                for (int k = i + 1; k < east.length; k++)
                    if (Math.abs(east[i] - east[k]) + Math.abs(north[i] - north[k]) < 30)
                        n++;
            return n;
        }
    }

    static final class Player implements Runnable {
        final List<Depot> depots;
        final City city = new City();
        int crossings;

        Player(List<Depot> depots) {
            this.depots = depots;
        }

        @Override
        public void run() {
            long begin = System.nanoTime();
            Position[] next = new Position[depots.size()];
            try {
                for (;;) {
                    int first = 0;
                    for (int i = 0; i < next.length; i++) {
                        if (next[i] == null)
                            next[i] = depots.get(i).ahead.take();
                        if (next[i].atMs() < next[first].atMs())
                            first = i;
                    }
                    Position p = next[first];
                    next[first] = null;
                    long due = begin + p.atMs() * 1_000_000L;
                    for (long rest; (rest = due - System.nanoTime()) > 0;)
                        LockSupport.parkNanos(rest);
                    city.move(p);
                    if (first == 0)
                        crossings += city.crossings();
                    lateNanos.add(System.nanoTime() - due);
                    played.increment();
                }
            } catch (InterruptedException e) {
                System.out.println(crossings);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        long start = System.nanoTime();
        long end = start + Integer.getInteger("seconds", 170) * 1_000_000_000L;
        List<Depot> depots = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Depot d = new Depot(i);
            depots.add(d);
            Thread.ofPlatform().daemon().name("depot-" + i).start(d);
        }
        Thread.ofPlatform().daemon().name("player").start(new Player(depots));
        Thread.sleep(4000);
        System.out.println("READY");
        long last = played.sum();
        long lastNs = lateNanos.sum();
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long s = played.sum();
            long ns = lateNanos.sum();
            System.out.printf("measured: %d positions/s, %.2f ms behind the record%n", s - last, (ns - lastNs) / 1e6 / Math.max(1, s - last));
            last = s;
            lastNs = ns;
        }
        System.exit(0);
    }
}
