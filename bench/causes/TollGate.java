// SPDX-License-Identifier: Apache-2.0
// healthy: 24 partner threads wait nearly all the time in Quota.take() and CPU is almost idle, but the service gives each partner its contracted rate (12 calls/s for each of 24 partners, 288/s in all) and the waiting is the agreed rate limit.
// share: measures 288 calls/s of 288 contracted, service time mean about 10 us
// judge: WRONG: any finding of lock contention, thread starvation, a pool that is too small, a slow backend, or a lost wake-up; any advice to raise the rate or add threads as a repair of a fault. ACCEPTABLE: neutral remarks that the threads mostly wait in Quota.take (timed waiting by the rate limit), that throughput is capped by the quota at 288 calls/s, that CPU and heap are nearly idle.
// jdk: 8
// set: twenty-sixth
// jvm:
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

public class TollGate {
    static final long END = System.nanoTime() + 170_000_000_000L;
    static final int PARTNERS = 24;
    static final int CALLS_PER_SECOND = 12;
    static final AtomicLong calls = new AtomicLong();
    static final AtomicLong serviceNanos = new AtomicLong();

    static final class Quota {
        private final long stepNanos;
        private long nextFree;

        Quota(int perSecond) {
            stepNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
            nextFree = System.nanoTime();
        }

        synchronized void take() throws InterruptedException {
            long now = System.nanoTime();
            while (now < nextFree) {
                TimeUnit.NANOSECONDS.timedWait(this, nextFree - now + 50_000);
                now = System.nanoTime();
            }
            nextFree = Math.max(nextFree + stepNanos, now - 3 * stepNanos);
        }
    }

    static final class Passage {
        final int vehicleClass;
        final int entry;
        final int exit;

        Passage(int vehicleClass, int entry, int exit) {
            this.vehicleClass = vehicleClass;
            this.entry = entry;
            this.exit = exit;
        }
    }

    static final class Tariff {
        private final long[][] matrix = new long[60][60];

        Tariff() {
            for (int a = 0; a < 60; a++) {
                for (int b = 0; b < 60; b++) {
                    matrix[a][b] = 120 + 35L * Math.abs(a - b);
                }
            }
        }

        long price(Passage p) {
            return matrix[p.entry][p.exit] * (2 + p.vehicleClass) / 2;
        }
    }

    static final class Partner extends Thread {
        final Quota quota = new Quota(CALLS_PER_SECOND);
        final Tariff tariff;
        final Random random;
        long billedCents;

        Partner(int id, Tariff tariff) {
            super("partner-" + id);
            this.tariff = tariff;
            this.random = new Random(id);
            setDaemon(true);
        }

        @Override
        public void run() {
            try {
                while (System.nanoTime() < END) {
                    quota.take();
                    long start = System.nanoTime();
                    for (int i = 0; i < 50; i++) {
                        billedCents += tariff.price(new Passage(random.nextInt(5), random.nextInt(60),
                                random.nextInt(60)));
                    }
                    serviceNanos.addAndGet(System.nanoTime() - start);
                    calls.incrementAndGet();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Tariff tariff = new Tariff();
        List<Partner> partners = new ArrayList<>();
        for (int i = 0; i < PARTNERS; i++) {
            Partner partner = new Partner(i, tariff);
            partners.add(partner);
            partner.start();
        }
        System.out.println("READY");
        long lastCount = 0;
        long lastService = 0;
        while (System.nanoTime() < END) {
            Thread.sleep(1000);
            long count = calls.get();
            long service = serviceNanos.get();
            long n = count - lastCount;
            System.out.printf("measured: %d calls/s (contract %d), service time mean %.1f us%n", n,
                    PARTNERS * CALLS_PER_SECOND, n == 0 ? 0.0 : (service - lastService) / 1e3 / n);
            lastCount = count;
            lastService = service;
        }
        for (Partner partner : partners) {
            partner.join(500);
        }
        System.exit(0);
    }
}
