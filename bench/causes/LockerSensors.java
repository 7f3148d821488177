// SPDX-License-Identifier: Apache-2.0
// healthy: six thousand virtual threads are parked nearly all the time because every locker reports once a second; each wakes on time (within a few ms), does microseconds of work, and heap and carriers stay mostly free
// share: 6,000 reports/s, 0.4-0.8 ms after due, heap 22-29 MB
// judge: right = says no fault; wrong = blames the number of (virtual) threads, Thread.sleep, the short lock in Bank.report or the carriers as a fault
// set: twenty-first
// jdk: 21
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

public class LockerSensors {
    static final long RUN_MILLIS = 220_000L;
    static final int LOCKERS = 6000;
    static final int PER_BANK = 60;

    sealed interface State permits Empty, Occupied {
    }

    record Empty() implements State {
    }

    record Occupied(long parcel, int days) implements State {
    }

    /** One wall of lockers; its display shows how many are free. */
    static final class Bank {
        private final ReentrantLock lock = new ReentrantLock();
        private final State[] states = new State[PER_BANK];
        private int free = PER_BANK;

        Bank() {
            java.util.Arrays.fill(states, new Empty());
        }

        int report(int slot, State now) {
            lock.lock();
            try {
                State before = states[slot];
                states[slot] = now;
                if (before instanceof Empty && now instanceof Occupied) {
                    free--;
                } else if (before instanceof Occupied && now instanceof Empty) {
                    free++;
                }
                return free;
            } finally {
                lock.unlock();
            }
        }
    }

    static final class Locker implements Runnable {
        private final Bank bank;
        private final int slot;
        private final Stats stats;
        private State state = new Empty();

        Locker(Bank bank, int slot, Stats stats) {
            this.bank = bank;
            this.slot = slot;
            this.stats = stats;
        }

        @Override
        public void run() {
            try {
                Thread.sleep(Duration.ofMillis(ThreadLocalRandom.current().nextInt(1000)));
                while (true) {
                    long due = System.nanoTime() + 1_000_000_000L;
                    Thread.sleep(Duration.ofSeconds(1));
                    stats.lateNanos.addAndGet(System.nanoTime() - due);
                    state = next(state);
                    bank.report(slot, state);
                    stats.reports.incrementAndGet();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        static State next(State s) {
            ThreadLocalRandom random = ThreadLocalRandom.current();
            return switch (s) {
                case Empty e -> random.nextInt(4) == 0 ? new Occupied(random.nextLong(1L << 40), 0) : e;
                case Occupied(long parcel, int days) when days > 6 || random.nextInt(5) == 0 -> new Empty();
                case Occupied(long parcel, int days) -> new Occupied(parcel, days + 1);
            };
        }
    }

    static final class Stats {
        final AtomicLong reports = new AtomicLong();
        final AtomicLong lateNanos = new AtomicLong();
    }

    public static void main(String[] args) throws Exception {
        Stats stats = new Stats();
        List<Thread> lockers = new ArrayList<>();
        Bank bank = null;
        for (int i = 0; i < LOCKERS; i++) {
            if (i % PER_BANK == 0) {
                bank = new Bank();
            }
            lockers.add(Thread.ofVirtual().name("locker-", i).start(new Locker(bank, i % PER_BANK, stats)));
        }
        Thread.sleep(4000);
        System.out.println("READY");
        Runtime rt = Runtime.getRuntime();
        long end = System.currentTimeMillis() + RUN_MILLIS;
        long last = stats.reports.get();
        long lastLate = stats.lateNanos.get();
        while (System.currentTimeMillis() < end) {
            Thread.sleep(1000);
            long n = stats.reports.get();
            long late = stats.lateNanos.get();
            System.out.printf("measured: %d reports/s, %.2f ms after due, heap %d MB, %d lockers%n", n - last,
                    (late - lastLate) / 1e6 / Math.max(1, n - last), (rt.totalMemory() - rt.freeMemory()) >> 20, lockers.size());
            last = n;
            lastLate = late;
        }
    }
}
