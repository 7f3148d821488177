// SPDX-License-Identifier: Apache-2.0
// healthy: small jobs run from time to time on a scheduler, beside threads that wait for the end
// jdk: 11
// set: second
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

public final class HealthyScheduled {
    private static volatile int ticks;

    public static void main(String[] args) throws InterruptedException {
        ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(3);
        for (int i = 1; i <= 5; i++) {
            scheduler.scheduleAtFixedRate(() -> ticks++, i, 10L * i, TimeUnit.MILLISECONDS);
        }
        System.out.println("READY");
        new CountDownLatch(1).await();
    }
}
