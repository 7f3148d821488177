// SPDX-License-Identifier: Apache-2.0
// cause: PermitCounter$NumberBook.issue draws a random permit number under its lock and, when the number is taken, rests in PermitCounter$NumberBook.backOff (Thread.sleep of 6 ms and more) before it draws the next one, while it still holds the lock: nothing becomes better by that rest, and all desks wait for it
// share: the lock's holder is asleep for 95 % of the time or more; 9 of 10 desks wait for the lock, a permit takes some 350 ms in place of 2 ms
// expect: waiting frame=PermitCounter$NumberBook.backOff | waiting holder=PermitCounter$NumberBook.backOff
// symptom: waiting
// judge: NAMED: the sleep at NumberBook.backOff (called by NumberBook.issue), or the wait for the lock at NumberBook.issue if it says that its holder sleeps (Thread.sleep, timer) at NumberBook.backOff. SYMPTOM ONLY: waiting for a lock at NumberBook.issue (or Desk.run) without the sleep. WRONG: computing in Desk.examine, CPUs, collections, that more threads or desks are needed, nothing stands out
// jdk: 17
// set: thirty-second
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.CRC32;

/** Issues parking permits of a town: desks examine applications and give each permit a number. */
public class PermitCounter {

    static final int DESKS = 10;
    static final AtomicLong ISSUED = new AtomicLong();
    static final AtomicLong WAITED = new AtomicLong();

    /** The numbers in use. A number is drawn at random, so that it shows nothing about when it was issued. */
    static final class NumberBook {
        private final ReentrantLock lock = new ReentrantLock();
        private final BitSet taken;
        private final Deque<Integer> byAge = new ArrayDeque<>();
        private final int range;
        private final int valid;
        private final Random random = new Random(7);
        long rested;

        NumberBook(int range, int valid) {
            this.range = range;
            this.valid = valid;
            taken = new BitSet(range);
            while (byAge.size() < valid) {
                int number = random.nextInt(range);
                if (!taken.get(number)) enter(number);
            }
        }

        private void enter(int number) {
            taken.set(number);
            byAge.addLast(number);
        }

        int issue() throws InterruptedException {
            lock.lock();
            try {
                for (int attempt = 1;; attempt++) {
                    int number = random.nextInt(range);
                    if (!taken.get(number)) {
                        enter(number);
                        while (byAge.size() > valid) taken.clear(byAge.removeFirst());
                        return number;
                    }
                    backOff(attempt);
                }
            } finally {
                lock.unlock();
            }
        }

        private void backOff(int attempt) throws InterruptedException {
            long begin = System.nanoTime();
            Thread.sleep(Math.min(48, 6L * attempt));
            rested += System.nanoTime() - begin;
        }
    }

    static final class Application {
        final String plate;
        final String street;
        final byte[] proof;

        Application(Random random) {
            plate = "KN-" + (char) ('A' + random.nextInt(26)) + (char) ('A' + random.nextInt(26)) + " " + (100 + random.nextInt(900));
            street = "Lane " + random.nextInt(400);
            proof = new byte[60_000];
            random.nextBytes(proof);
        }
    }

    static final class Register {
        private final Deque<String> latest = new ArrayDeque<>();

        synchronized void record(String permit) {
            latest.addLast(permit);
            if (latest.size() > 5000) latest.removeFirst();
        }
    }

    static final class Desk implements Runnable {
        private final NumberBook book;
        private final Register register;
        private final Random random;

        Desk(NumberBook book, Register register, int seed) {
            this.book = book;
            this.register = register;
            random = new Random(seed);
        }

        private long examine(Application application) {
            CRC32 crc = new CRC32();
            crc.update(application.plate.getBytes(StandardCharsets.UTF_8));
            crc.update(application.street.getBytes(StandardCharsets.UTF_8));
            for (int page = 0; page < 250; page++) crc.update(application.proof);
            return crc.getValue();
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Application application = new Application(random);
                    long seal = examine(application);
                    long begin = System.nanoTime();
                    int number = book.issue();
                    WAITED.addAndGet(System.nanoTime() - begin);
                    register.record(number + " " + application.plate + " " + Long.toHexString(seal));
                    ISSUED.incrementAndGet();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        NumberBook book = new NumberBook(10_000, 7_000);
        Register register = new Register();
        List<Thread> desks = new ArrayList<>();
        for (int i = 0; i < DESKS; i++) {
            Thread thread = new Thread(new Desk(book, register, i), "desk-" + i);
            desks.add(thread);
            thread.start();
        }
        while (ISSUED.get() < 30) Thread.sleep(50);
        System.out.println("READY");
        System.out.flush();
        long issued = ISSUED.get(), waited = WAITED.get(), rested = book.rested, at = System.nanoTime();
        while (true) {
            Thread.sleep(1000);
            long n = ISSUED.get(), w = WAITED.get(), r = book.rested, now = System.nanoTime();
            System.out.printf("measured: %d permits, %.1f ms each for its number, the book rested %.0f %% of the time%n",
                    n - issued, (w - waited) / 1e6 / Math.max(1, n - issued), 100.0 * (r - rested) / (now - at));
            issued = n;
            waited = w;
            rested = r;
            at = now;
        }
    }
}
