// SPDX-License-Identifier: Apache-2.0
// healthy: 16 sender threads queue for a fair Semaphore and the producer waits for a full bounded queue, which looks like contention, but the semaphore enforces the partner's contract of 200 calls per second and exactly that rate is reached with no refusals.
// share: 200 offers/s of a quota of 200, partner call 2.1 ms, refused 0
// judge: WRONG: lock or semaphore contention as a bottleneck, too many threads, a slow consumer of the outbox, ArrayBlockingQueue too small, slow partner, fair mode of the semaphore as the cause, Thread.sleep in the partner. ACCEPTABLE: the threads wait for permits of a rate limiter (Quota) by design; CPU nearly idle; throughput equals the configured quota; no fault found.
// jdk: 25
// set: twenty-third
// jvm:
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

public class PartnerFeed {
    private static final int QUOTA_PER_SECOND = 200;
    private static final int SLICE_MS = 50;
    private static final int SENDERS = 16;
    private static final AtomicLong SENT = new AtomicLong();
    private static final AtomicLong REFUSED = new AtomicLong();
    private static final AtomicLong CALL_NANOS = new AtomicLong();

    record Offer(int article, int stock, long cents) {
        String encode() {
            return "<offer article='" + article + "' stock='" + stock + "' cents='" + cents + "'/>";
        }
    }

    static final class Partner {
        private final AtomicLongArray perSecond = new AtomicLongArray(400);
        private final long origin = System.nanoTime();
        private final AtomicLong accepted = new AtomicLong();

        boolean accept(String xml) throws InterruptedException {
            int second = (int) ((System.nanoTime() - origin) / 1_000_000_000L);
            if (perSecond.incrementAndGet(second) > QUOTA_PER_SECOND + QUOTA_PER_SECOND / 10) {
                return false;
            }
            Thread.sleep(2);
            accepted.addAndGet(xml.length());
            return true;
        }
    }

    static final class Quota {
        private final Semaphore permits = new Semaphore(0, true);
        private final int perSlice = QUOTA_PER_SECOND * SLICE_MS / 1000;

        void refill() {
            int missing = perSlice - permits.availablePermits();
            if (missing > 0) {
                permits.release(missing);
            }
        }

        void await() throws InterruptedException {
            permits.acquire();
        }
    }

    static final class Sender implements Runnable {
        private final BlockingQueue<Offer> outbox;
        private final Quota quota;
        private final Partner partner;

        Sender(BlockingQueue<Offer> outbox, Quota quota, Partner partner) {
            this.outbox = outbox;
            this.quota = quota;
            this.partner = partner;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Offer o = outbox.take();
                    quota.await();
                    long t = System.nanoTime();
                    boolean ok = partner.accept(o.encode());
                    CALL_NANOS.addAndGet(System.nanoTime() - t);
                    if (ok) {
                        SENT.incrementAndGet();
                    } else {
                        REFUSED.incrementAndGet();
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static void catalogue(BlockingQueue<Offer> outbox) {
        Random random = new Random(40);
        int article = 0;
        try {
            while (true) {
                outbox.put(new Offer(++article % 50000, random.nextInt(300), 99 + random.nextInt(9000)));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void start(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<Offer> outbox = new ArrayBlockingQueue<>(100);
        Quota quota = new Quota();
        Partner partner = new Partner();
        ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(r -> {
            Thread t = new Thread(r, "quota-clock");
            t.setDaemon(true);
            return t;
        });
        clock.scheduleAtFixedRate(quota::refill, SLICE_MS, SLICE_MS, TimeUnit.MILLISECONDS);
        for (int i = 0; i < SENDERS; i++) {
            start("sender-" + i, new Sender(outbox, quota, partner));
        }
        start("catalogue", () -> catalogue(outbox));
        System.out.println("READY");
        long n0 = 0;
        long t0 = 0;
        for (int s = 0; s < 170; s++) {
            Thread.sleep(1000);
            long n = SENT.get();
            long t = CALL_NANOS.get();
            System.out.println("measured: " + (n - n0) + " offers/s of quota " + QUOTA_PER_SECOND + ", partner call "
                    + (t - t0) / Math.max(1, n - n0) / 1000 + " us, refused " + REFUSED.get());
            n0 = n;
            t0 = t;
        }
    }
}
