// SPDX-License-Identifier: Apache-2.0
// cause: FerryStandby.admit checks ConcurrentLinkedQueue.size() for every arriving booking; size() walks the whole standby list (about 12000 nodes), so each admission costs O(n).
// share: about 97 % of the CPU time; 28000 boardings/s against 1180000/s with -Dfixed=true (ratio about 42; about 55 on a heavily loaded machine)
// judge: must name ConcurrentLinkedQueue.size() as O(n) (a walk of the list), called per request from FerryStandby.admit. "High CPU in admit" without size(), or "queue is long", or allocation/GC of nodes is only a symptom.
// expect: hot-code callee=ConcurrentLinkedQueue.size
// symptom: hot-method
// set: twentieth
// jdk: 8
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

public class FerryStandby {
    static final boolean REVISED = Boolean.getBoolean("fixed");
    static final int CAPACITY = 20000;

    static final class Booking {
        final long id;
        final int axles;
        final int lengthCm;
        final String port;
        int fare;

        Booking(long id, int axles, int lengthCm, String port) {
            this.id = id;
            this.axles = axles;
            this.lengthCm = lengthCm;
            this.port = port;
        }
    }

    final Queue<Booking> standby = new ConcurrentLinkedQueue<Booking>();
    final AtomicInteger standing = new AtomicInteger();
    final AtomicLong served = new AtomicLong();
    final AtomicLong refused = new AtomicLong();
    final AtomicLong ids = new AtomicLong();
    final String[] ports = {"Oban", "Craignure", "Lochboisdale", "Ullapool", "Stornoway"};

    Booking arrive() {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        return new Booking(ids.incrementAndGet(), 2 + r.nextInt(4), 350 + r.nextInt(1400),
                ports[r.nextInt(ports.length)]);
    }

    boolean admit(Booking b) {
        int waiting = REVISED ? standing.get() : standby.size();
        if (waiting >= CAPACITY) {
            refused.incrementAndGet();
            return false;
        }
        standby.offer(b);
        standing.incrementAndGet();
        return true;
    }

    Booking board() {
        Booking b = standby.poll();
        if (b != null) {
            standing.decrementAndGet();
        }
        return b;
    }

    int fare(Booking b) {
        int base = 0;
        for (int season = 0; season < 12; season++) {
            for (int step = 0; step < 40; step++) {
                base = base * 31 + (b.lengthCm * (step + 1) + b.axles * season) % 97;
            }
        }
        StringBuilder label = new StringBuilder();
        label.append(b.port).append('-').append(b.id).append('/').append(base & 0xffff);
        return (base & 0x3fff) + label.length();
    }

    void quay() {
        while (true) {
            Booking b = arrive();
            b.fare = fare(b);
            if (admit(b)) {
                Booking out = board();
                if (out != null && out.fare >= 0) {
                    served.incrementAndGet();
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        final FerryStandby desk = new FerryStandby();
        for (int i = 0; i < 12000; i++) {
            desk.standby.offer(desk.arrive());
            desk.standing.incrementAndGet();
        }
        for (int i = 0; i < 2; i++) {
            Thread t = new Thread(new Runnable() {
                @Override
                public void run() {
                    desk.quay();
                }
            }, "quay-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        long last = 0;
        for (int s = 0; s < 240; s++) {
            Thread.sleep(1000);
            long now = desk.served.get();
            System.out.println("measured: " + (now - last) + " boardings/s");
            last = now;
        }
    }
}
