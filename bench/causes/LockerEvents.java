// SPDX-License-Identifier: Apache-2.0
// healthy: 24 couriers' consumers long-poll a queue (poll with 5 s timeout) and mostly idle by design; about 120 events/s arrive and each is handled at once (a few hundred microseconds of delay), the queue stays empty.
// judge: any claim of a fault is wrong: e.g. "threads blocked/starved on the queue", "pool too large or exhausted", "slow producer", "waiting in poll dominates the time", "sleep in the door sensor".
// set: twentieth
// jdk: 11
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

public class LockerEvents {
    static final class DoorEvent {
        final int locker;
        final boolean opened;
        final long at = System.nanoTime();

        DoorEvent(int locker, boolean opened) {
            this.locker = locker;
            this.opened = opened;
        }
    }

    final BlockingQueue<DoorEvent> inbox = new LinkedBlockingQueue<>(10000);
    final Map<Integer, Integer> visits = new HashMap<>();
    final LongAdder handled = new LongAdder();
    final LongAdder micros = new LongAdder();
    final LongAdder quiet = new LongAdder();

    void consumer() {
        try {
            while (true) {
                DoorEvent e = inbox.poll(5, TimeUnit.SECONDS);
                if (e == null) {
                    quiet.increment();
                    continue;
                }
                String notice = notice(e);
                synchronized (visits) {
                    visits.merge(e.locker, notice.length() > 0 ? 1 : 0, Integer::sum);
                }
                micros.add((System.nanoTime() - e.at) / 1000);
                handled.increment();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static String notice(DoorEvent e) {
        StringBuilder b = new StringBuilder();
        int code = e.locker * 7919;
        for (int i = 0; i < 400; i++) {
            code = code * 31 + i;
            if (i % 40 == 0) {
                b.append(Integer.toHexString(code)).append('.');
            }
        }
        return (e.opened ? "collected " : "stored ") + b;
    }

    void sensors() {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        try {
            while (true) {
                inbox.put(new DoorEvent(r.nextInt(900), r.nextBoolean()));
                if (r.nextInt(10) == 0) {
                    inbox.put(new DoorEvent(r.nextInt(900), r.nextBoolean()));
                }
                Thread.sleep(2 + r.nextInt(14));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        LockerEvents hub = new LockerEvents();
        for (int i = 0; i < 24; i++) {
            Thread t = new Thread(hub::consumer, "courier-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread s = new Thread(hub::sensors, "door-sensors");
        s.setDaemon(true);
        s.start();
        System.out.println("READY");
        long lastN = 0;
        long lastT = 0;
        for (int i = 0; i < 240; i++) {
            Thread.sleep(1000);
            long n = hub.handled.sum();
            long t = hub.micros.sum();
            System.out.println("measured: " + (n - lastN) + " events/s, mean delay "
                    + (n == lastN ? 0 : (t - lastT) / (n - lastN)) + " us, queued " + hub.inbox.size());
            lastN = n;
            lastT = t;
        }
    }
}
