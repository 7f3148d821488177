// SPDX-License-Identifier: Apache-2.0
// healthy: the load is bursty on purpose: trades are netted in one window each second, which keeps two threads busy for a few tenths of a second and leaves them idle for the rest, long before the next window opens
// share: 4,000,000 trades/s netted, each window closed after 150-340 ms of its second
// judge: right = says no fault (scheduled windows, closed well within the second, idle between); wrong = blames the bursts, the idle pool threads, the barrier/join, the schedule or the netting loops as a fault
// set: twenty-first
// jdk: 21
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

public class SettlementWindow {
    static final long RUN_MILLIS = 220_000L;
    static final int MEMBERS = 400;
    static final int TRADES = 2_000_000;

    /** The net positions of all members after part of a window. */
    record Positions(long[] cents) {
        Positions plus(Positions other) {
            long[] sum = Arrays.copyOf(cents, cents.length);
            for (int i = 0; i < sum.length; i++) {
                sum[i] += other.cents[i];
            }
            return new Positions(sum);
        }

        long owed() {
            return Arrays.stream(cents).filter(c -> c < 0).map(c -> -c).sum();
        }
    }

    static final class House {
        private final ExecutorService netting;
        private final AtomicLong window = new AtomicLong();
        final AtomicLong trades = new AtomicLong();
        final AtomicLong closeNanos = new AtomicLong();
        volatile long owed;

        House(ExecutorService netting) {
            this.netting = netting;
        }

        void settle() {
            long started = System.nanoTime();
            long number = window.incrementAndGet();
            List<Callable<Positions>> parts = new ArrayList<>();
            for (int part = 0; part < 2; part++) {
                long seed = number * 2 + part;
                parts.add(() -> net(new SplittableRandom(seed), TRADES));
            }
            try {
                Positions all = new Positions(new long[MEMBERS]);
                for (Future<Positions> f : netting.invokeAll(parts)) {
                    all = all.plus(f.get());
                }
                owed = all.owed();
                trades.addAndGet(2L * TRADES);
                closeNanos.set(System.nanoTime() - started);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (java.util.concurrent.ExecutionException e) {
                throw new IllegalStateException(e.getCause());
            }
        }

        static Positions net(SplittableRandom trades, int count) {
            long[] cents = new long[MEMBERS];
            for (int i = 0; i < count; i++) {
                int buyer = trades.nextInt(MEMBERS);
                int seller = trades.nextInt(MEMBERS);
                long price = priceCents(trades.nextInt(1, 5000), trades.nextInt(30, 900));
                cents[buyer] -= price;
                cents[seller] += price;
            }
            return new Positions(cents);
        }

        static long priceCents(int quantity, int daysToExpiry) {
            double discount = Math.exp(-0.031 * daysToExpiry / 365.0);
            double carry = Math.pow(1.0004, daysToExpiry / 7.0);
            double storage = Math.log1p(quantity) * Math.sqrt(daysToExpiry);
            return Math.round(quantity * 100.0 * discount * carry + storage);
        }
    }

    static ThreadFactory named(String name) {
        return r -> {
            Thread t = new Thread(r, name);
            t.setDaemon(true);
            return t;
        };
    }

    public static void main(String[] args) throws Exception {
        House house = new House(Executors.newFixedThreadPool(2, named("netting")));
        ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(named("window-clock"));
        clock.scheduleAtFixedRate(house::settle, 0, 1, TimeUnit.SECONDS);
        Thread.sleep(4600);
        System.out.println("READY");
        long end = System.currentTimeMillis() + RUN_MILLIS;
        long last = house.trades.get();
        while (System.currentTimeMillis() < end) {
            Thread.sleep(1000);
            long n = house.trades.get();
            System.out.printf("measured: %d trades/s netted, window closed after %.0f ms, %d.%02d owed%n", n - last,
                    house.closeNanos.get() / 1e6, house.owed / 100, house.owed % 100);
            last = n;
        }
    }
}
