// SPDX-License-Identifier: Apache-2.0
// healthy: each 5 s a burst of 30000 settlements fills the bounded queue, uses all CPU and makes the submitting thread run tasks itself (CallerRunsPolicy), then all is idle, but each window is complete after about 0.4 to 1 second, far before the next one, and the back pressure is the design.
// share: measures 6667 settled/s, last window 695 ms of 5000 (means over the seconds after warm-up of a run of 9 to 13 s, shared 2-core machine)
// judge: WRONG: pool saturation or a too small pool or queue as a fault, thread starvation, the idle pool threads as a fault, a stalled scheduler, rejected or lost tasks, lock contention on the queue. ACCEPTABLE as true and neutral: load comes in bursts each 5 s; CPU full during a burst and idle between; the window thread helps with the work through CallerRunsPolicy.
// jdk: 25
// set: twenty-fourth
// jvm:
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Clearing house: collects orders and settles all of them at fixed window times. */
public class SettlementWindowDesk {
    static final int BATCH = 30_000;
    static final int MEMBERS = 300;
    static final long PERIOD_MILLIS = 5_000;

    record Order(long id, int payer, int payee, long cents) { }

    private final ConcurrentHashMap<Integer, AtomicLong> positions = new ConcurrentHashMap<>();
    private final ThreadPoolExecutor clerks = new ThreadPoolExecutor(4, 4, 0, TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(256),
            Thread.ofPlatform().daemon().name("clerk-", 0).factory(),
            new ThreadPoolExecutor.CallerRunsPolicy());
    private final SplittableRandom random = new SplittableRandom(31);
    private final LongAdder settled = new LongAdder();
    private final LongAdder receipts = new LongAdder();
    private volatile long windowMillis;
    private volatile int windows;
    private volatile int late;
    private long nextId;

    SettlementWindowDesk() {
        for (int m = 0; m < MEMBERS; m++) {
            positions.put(m, new AtomicLong());
        }
    }

    private Order draw() {
        int payer = random.nextInt(MEMBERS);
        int payee = (payer + 1 + random.nextInt(MEMBERS - 1)) % MEMBERS;
        return new Order(nextId++, payer, payee, random.nextLong(100, 1_000_000));
    }

    private void settle(Order order) {
        positions.get(order.payer()).addAndGet(-order.cents());
        positions.get(order.payee()).addAndGet(order.cents());
        receipts.add(receipt(order) & 0xff);
        settled.increment();
    }

    private static int receipt(Order order) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            byte[] chain = ByteBuffer.allocate(24).putLong(order.id()).putInt(order.payer())
                    .putInt(order.payee()).putLong(order.cents()).array();
            for (int i = 0; i < 250; i++) {
                chain = digest.digest(chain);
            }
            return ByteBuffer.wrap(chain).getInt();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    void window() {
        try {
            long t0 = System.nanoTime();
            CountDownLatch left = new CountDownLatch(BATCH);
            for (int i = 0; i < BATCH; i++) {
                Order order = draw();
                clerks.execute(() -> {
                    settle(order);
                    left.countDown();
                });
            }
            left.await();
            long sum = positions.values().stream().mapToLong(AtomicLong::get).sum();
            if (sum != 0) {
                System.out.println("sums do not balance: " + sum);
            }
            windowMillis = (System.nanoTime() - t0) / 1_000_000;
            windows++;
            if (windowMillis > PERIOD_MILLIS) {
                late++;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        SettlementWindowDesk house = new SettlementWindowDesk();
        ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("window").factory());
        clock.scheduleAtFixedRate(house::window, 1_000, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
        System.out.println("READY");
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(170);
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            System.out.printf("measured: %d settled/s, last window %d ms of %d, windows %d, late %d%n",
                    house.settled.sumThenReset(), house.windowMillis, PERIOD_MILLIS, house.windows, house.late);
        }
        clock.shutdownNow();
    }
}
