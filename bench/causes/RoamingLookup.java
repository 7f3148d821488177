// SPDX-License-Identifier: Apache-2.0
// cause: Subscriber.refresh waits for the home register's answer inside a synchronized method while running on a virtual thread; on JDK 21 this pins the carrier thread, so with 2 carriers only 2 of the 32 sessions make progress at a time.
// share: throughput 237 lookups/s vs 3700/s fixed
// judge: Must say that virtual threads are pinned to their carriers (blocking inside synchronized), in RoamingLookup.Subscriber.refresh or its monitor. "Slow home register", "waiting on CompletableFuture" or "lock contention on Subscriber" does not count (the monitors are not contended).
// set: eighteenth
// expect: waiting monitor=Subscriber.refresh | unstarted-threads monitor=Subscriber.refresh | waiting holder=Subscriber.refresh
// symptom: unstarted-threads waiting
// jdk: 21
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.ReentrantLock;

public class RoamingLookup {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final LongAdder lookups = new LongAdder();
    static final LongAdder nanos = new LongAdder();

    record Location(String network, int cell, long validUntil) {}

    static final class HomeRegister {
        private final ScheduledExecutorService link = Executors.newSingleThreadScheduledExecutor(r -> {
            Thread t = new Thread(r, "register-link");
            t.setDaemon(true);
            return t;
        });

        Location locate(int number) {
            CompletableFuture<Location> answer = new CompletableFuture<>();
            link.schedule(() -> answer.complete(decode(number)), 8, TimeUnit.MILLISECONDS);
            return answer.join();
        }

        private Location decode(int number) {
            int h = number * 0x9E3779B9;
            return new Location("NET" + (h >>> 28), h >>> 14 & 0xFFFF, System.nanoTime() + 1_000_000);
        }
    }

    static final class Subscriber {
        private final int number;
        private final HomeRegister register;
        private final ReentrantLock lock = new ReentrantLock();
        private Location location;
        private int changes;
        Subscriber(int number, HomeRegister register) {
            this.number = number;
            this.register = register;
        }

        Location where() {
            if (!FIXED) return refresh();
            lock.lock();
            try {
                return update();
            } finally {
                lock.unlock();
            }
        }

        private synchronized Location refresh() { return update(); }

        private Location update() {
            if (location == null || location.validUntil() < System.nanoTime()) {
                location = register.locate(number);
                changes++;
            }
            return location;
        }
    }

    static final class Gateway implements Runnable {
        private final Subscriber[] own;
        private final Map<String, Integer> perNetwork = new HashMap<>();
        Gateway(Subscriber[] own) { this.own = own; }

        @Override public void run() {
            ThreadLocalRandom r = ThreadLocalRandom.current();
            while (true) {
                Subscriber s = own[r.nextInt(own.length)];
                long t0 = System.nanoTime();
                Location l = s.where();
                nanos.add(System.nanoTime() - t0);
                route(s, l);
                lookups.increment();
            }
        }

        private void route(Subscriber s, Location l) {
            String msg = "MT-SMS;" + s.number + ";" + l.network() + ";" + Integer.toHexString(l.cell());
            int check = 0;
            for (int k = 0; k < 20; k++) for (int i = 0; i < msg.length(); i++) check = check * 31 + msg.charAt(i) + k;
            perNetwork.merge(l.network(), check & 1, Integer::sum);
        }
    }

    public static void main(String[] args) throws Exception {
        HomeRegister register = new HomeRegister();
        for (int g = 0; g < 32; g++) {
            Subscriber[] own = new Subscriber[200];
            for (int i = 0; i < own.length; i++) own[i] = new Subscriber(g * 1000 + i, register);
            Thread.ofVirtual().name("gateway-" + g).start(new Gateway(own));
        }
        System.out.println("READY");
        for (int s = 0; s < 200; s++) {
            Thread.sleep(1000);
            long c = lookups.sumThenReset(), n = nanos.sumThenReset();
            System.out.println("measured: lookups/s " + c + " mean ms " + (c == 0 ? 0 : n / c / 1000) / 1000.0);
        }
        System.exit(0);
    }
}
