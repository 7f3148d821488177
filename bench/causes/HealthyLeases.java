// SPDX-License-Identifier: Apache-2.0
// healthy: two thousand virtual threads sleep until their lease is to be renewed, which takes a moment
// jdk: 21
// set: eighth
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

public final class HealthyLeases {
    private static final Map<Integer, Long> LEASES = new ConcurrentHashMap<>();

    private static void renew(int holder) {
        LEASES.put(holder, System.currentTimeMillis() + 5000);
    }

    private static void hold(int holder) {
        try {
            for (;;) {
                renew(holder);
                Thread.sleep(ThreadLocalRandom.current().nextInt(2000, 5000));
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        for (int i = 0; i < 2000; i++) {
            int holder = i;
            Thread.ofVirtual().name("lease-" + i).start(() -> hold(holder));
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(10000);
            long now = System.currentTimeMillis();
            LEASES.values().removeIf(until -> until < now - 60000);
        }
    }
}
