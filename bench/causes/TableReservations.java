// SPDX-License-Identifier: Apache-2.0
// healthy: looks like a scheduler whose queue is full of cancelled tasks, but deadlines are 3 s long and small, some 2,500 of them wait to be dropped at most (300 KB of a heap of 64 MB), a number that does not grow, and scheduling takes microseconds.
// share: measures requests a second (some 820), mean latency (about 1.7 ms, as the kitchen's answer takes), and the length of the deadlines' queue
// judge: WRONG: accusing the cancelled tasks of costing time or memory that matters, a leak, collections, the single deadline thread, the wait for futures in TableReservations$Host.reserve or the kitchen's pool as a fault. ACCEPTABLE: a neutral remark that most tasks in the queue are cancelled and that it takes no room worth mentioning; that requests wait for the kitchen's answer by design.
// jdk: 11
// set: twenty-sixth
// jvm:

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

public class TableReservations {
    static final AtomicLong reservations = new AtomicLong();
    static final AtomicLong refused = new AtomicLong();
    static final AtomicLong late = new AtomicLong();
    static final AtomicLong nanos = new AtomicLong();

    static final class Wish {
        final int guests;
        final int quarter;
        final boolean window;

        Wish(int guests, int quarter, boolean window) {
            this.guests = guests;
            this.quarter = quarter;
            this.window = window;
        }
    }

    /** The tables of a house, by quarters of an hour. */
    static final class Floor {
        private final int[] seats = new int[40];
        private final BitSet[] taken = new BitSet[40];

        Floor() {
            for (int i = 0; i < seats.length; i++) {
                seats[i] = 2 + i % 5 * 2;
                taken[i] = new BitSet(96);
            }
        }

        synchronized int find(Wish wish) {
            int best = -1;
            for (int i = 0; i < seats.length; i++) {
                boolean free = taken[i].nextSetBit(wish.quarter) < 0 || taken[i].nextSetBit(wish.quarter) >= wish.quarter + 6;
                if (free && seats[i] >= wish.guests && (best < 0 || seats[i] < seats[best]) && (!wish.window || i % 2 == 0)) {
                    best = i;
                }
            }
            if (best >= 0) {
                taken[best].set(wish.quarter, wish.quarter + 6);
            }
            return best;
        }

        synchronized void clear() {
            for (BitSet set : taken) {
                set.clear();
            }
        }
    }

    /** Asks the kitchen whether it can cook for so many at that time. */
    static final class Kitchen {
        private final AtomicInteger number = new AtomicInteger();
        private final ExecutorService cooks = Executors.newFixedThreadPool(6, r -> {
            Thread thread = new Thread(r, "kitchen-" + number.getAndIncrement());
            thread.setDaemon(true);
            return thread;
        });

        CompletableFuture<Boolean> canCook(Wish wish) {
            return CompletableFuture.supplyAsync(() -> {
                LockSupport.parkNanos(1_500_000);
                return wish.guests * 7 % 31 != 3;
            }, cooks);
        }
    }

    static final class Deadlines {
        private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, r -> {
            Thread thread = new Thread(r, "deadlines");
            thread.setDaemon(true);
            return thread;
        });

        ScheduledFuture<?> within(CompletableFuture<?> answer, long millis) {
            return timer.schedule(() -> {
                late.incrementAndGet();
                answer.completeExceptionally(new TimeoutException());
            }, millis, TimeUnit.MILLISECONDS);
        }

        int length() {
            return timer.getQueue().size();
        }
    }

    static final class Host {
        private final Floor floor = new Floor();
        private final Kitchen kitchen = new Kitchen();
        private final Deadlines deadlines;

        Host(Deadlines deadlines) {
            this.deadlines = deadlines;
        }

        int reserve(Wish wish) throws Exception {
            CompletableFuture<Boolean> answer = kitchen.canCook(wish);
            ScheduledFuture<?> deadline = deadlines.within(answer, 3000);
            boolean can = answer.get();
            deadline.cancel(false);
            return can ? floor.find(wish) : -1;
        }
    }

    static void start(Runnable what, String name) {
        Thread thread = new Thread(what, name);
        thread.setDaemon(true);
        thread.start();
    }

    public static void main(String[] args) throws Exception {
        Deadlines deadlines = new Deadlines();
        Host host = new Host(deadlines);
        for (int g = 0; g < 4; g++) {
            Random random = new Random(g);
            start(() -> {
                List<Integer> tables = new ArrayList<>();
                try {
                    while (true) {
                        Wish wish = new Wish(1 + random.nextInt(8), random.nextInt(88), random.nextInt(4) == 0);
                        long begin = System.nanoTime();
                        int table = host.reserve(wish);
                        nanos.addAndGet(System.nanoTime() - begin);
                        reservations.incrementAndGet();
                        if (table < 0) {
                            refused.incrementAndGet();
                        }
                        tables.add(table);
                        if (tables.size() == 200) {
                            tables.clear();
                            host.floor.clear();
                        }
                        Thread.sleep(3);
                    }
                } catch (Exception e) {
                    e.printStackTrace();
                }
            }, "guest-" + g);
        }
        System.out.println("READY");
        long end = System.nanoTime() + 170_000_000_000L;
        while (System.nanoTime() < end) {
            long r = reservations.get();
            long n = nanos.get();
            Thread.sleep(1000);
            long done = reservations.get() - r;
            System.out.printf("measured: %d requests/s, %.2f ms each, %d deadlines in the queue, %d late, %d refused%n", done,
                (nanos.get() - n) / 1e6 / Math.max(1, done), deadlines.length(), late.get(), refused.get());
        }
        System.exit(0);
    }
}
