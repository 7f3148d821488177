// SPDX-License-Identifier: Apache-2.0
// cause: BullionFloor$ContractNotes: all 72 dealers wait on the one condition "changed" in BullionFloor$ContractNotes.awaitNote, and BullionFloor$ContractNotes.post calls signalAll for each note, though it is for one dealer only: all of them are woken, look, and wait again
// share: 57 to 66 threads are woken for each note, of which one is needed (52,000 to 66,000 a second at 950 notes/s); that is nearly all of the 0.72 to 0.89 CPUs used, 0.8 to 1.0 ms of CPU for each note
// expect: hot-code kind=waking frame=BullionFloor$ContractNotes
// symptom: hot-calls hot-method waiting
// judge: NAMED: threads that are woken for nothing and wait again (a herd: signalAll / notifyAll, "waking threads that wait again") at BullionFloor$ContractNotes.awaitNote or .post. SYMPTOM ONLY: contention of (or waiting for) the lock of ContractNotes, too many threads or context switches, waiting for CPUs, dealers that wait for a condition in awaitNote, hot calls of awaitNote or post without saying that threads are woken in vain. WRONG: the feed (BullionFloor$ExchangeFeed.run or .fix) as saturated, as what computes or for its pace (parkNanos), booking (BullionFloor$Dealer.book), collections, "nothing stands out"
// jdk: 21
// set: thirty-sixth
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

public class BullionFloor {
    static final int DEALERS = 72;
    static final LongAdder looks = new LongAdder();
    static final LongAdder served = new LongAdder();

    record Note(int dealer, int ounces, long priceCents) {
    }

    /** Contract notes that wait to be taken by the dealer they are for. */
    static final class ContractNotes {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition changed = lock.newCondition();
        private final Map<Integer, Deque<Note>> byDealer = new HashMap<>();

        void post(Note note) {
            lock.lock();
            try {
                byDealer.computeIfAbsent(note.dealer(), d -> new ArrayDeque<>()).add(note);
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }

        Note awaitNote(int dealer) throws InterruptedException {
            lock.lock();
            try {
                while (true) {
                    Deque<Note> mine = byDealer.get(dealer);
                    if (mine != null && !mine.isEmpty()) {
                        return mine.poll();
                    }
                    changed.await();
                    looks.increment();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /** Brings the fills of the exchange, each for one dealer. */
    static final class ExchangeFeed implements Runnable {
        private static final long EVERY = 900_000;
        private final ContractNotes notes;
        private final long[] asks = new long[64];

        ExchangeFeed(ContractNotes notes) {
            this.notes = notes;
            for (int i = 0; i < asks.length; i++) {
                asks[i] = 240_000 + i * 17L;
            }
        }

        private long fix(int ounces) {
            int best = 0;
            for (int i = 1; i < asks.length; i++) {
                if (asks[i] < asks[best]) {
                    best = i;
                }
            }
            long price = asks[best];
            asks[best] += ounces / 8 + 1;
            if (asks[best] > 250_000) {
                asks[best] = 240_000;
            }
            return price;
        }

        @Override
        public void run() {
            ThreadLocalRandom random = ThreadLocalRandom.current();
            while (true) {
                LockSupport.parkNanos(EVERY);
                int ounces = 1 + random.nextInt(400);
                notes.post(new Note(random.nextInt(DEALERS), ounces, fix(ounces)));
            }
        }
    }

    static final class Dealer implements Runnable {
        private final int id;
        private final ContractNotes notes;
        private final long[] averages = new long[128];
        private long ounces;
        private long paid;

        Dealer(int id, ContractNotes notes) {
            this.id = id;
            this.notes = notes;
        }

        private void book(Note note) {
            ounces += note.ounces();
            paid += note.ounces() * note.priceCents();
            averages[(int) (ounces % averages.length)] = paid / ounces;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    book(notes.awaitNote(id));
                    served.increment();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        ContractNotes notes = new ContractNotes();
        Thread.ofPlatform().daemon().name("exchange-feed").start(new ExchangeFeed(notes));
        for (int i = 0; i < DEALERS; i++) {
            Thread.ofPlatform().daemon().name("dealer-" + i).start(new Dealer(i, notes));
        }
        var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        Thread.sleep(3000);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long cpu = system.getProcessCpuTime(), wall = System.nanoTime(), woken = looks.sum(), done = served.sum();
            Thread.sleep(1000);
            cpu = system.getProcessCpuTime() - cpu;
            wall = System.nanoTime() - wall;
            woken = looks.sum() - woken;
            done = served.sum() - done;
            System.out.printf(Locale.ROOT, "measured: %d notes/s, %d threads woken for them a second (%.1f for each note, 1 needed); %.2f CPUs used, %.0f us of CPU for each note%n",
                done, woken, woken / (double) Math.max(1, done), cpu / (double) wall, cpu / 1e3 / Math.max(1, done));
            System.out.flush();
        }
    }
}
