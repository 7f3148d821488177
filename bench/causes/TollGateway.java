// SPDX-License-Identifier: Apache-2.0
// cause: Lane.next, on the only book thread, parks for 10 ms (LockSupport.parkNanos) whenever it finds the queue empty, and nobody unparks it, so that a charge that arrives in between waits for the rest of that time before it gets its receipt.
// share: 420 to 490 charges a second with a mean of 8.1 to 9.4 ms (faulty); 2270 to 2330 a second with a mean of 0.03 to 0.04 ms (fixed: LinkedBlockingQueue.take)
// expect: waiting timer=TollGateway$Lane.next
// symptom: waiting
// judge: NAMED: the book thread rests in timed parks at TollGateway$Lane.next (parkNanos of 10 ms on an empty queue) while stations wait for their receipts; block on the queue or unpark it. SYMPTOM ONLY: the stations wait for a future at Station.run; the receipt takes 8 ms. WRONG: Book.run is saturated or slow, Station.barrier computes too much, the stations' sleep of 2 ms as the cause, too few threads, contention for a lock, spinning in Lane.next as the main cost.
// jdk: 25
// set: thirtieth
// jvm:
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** Toll accounts: stations along a motorway charge accounts, and one thread, the book, owns all balances. */
public class TollGateway {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int SPAN = Integer.getInteger("span", 170);
    static volatile boolean open = true;

    record Receipt(long number, long balance) { }

    static final class Charge {
        final int account;
        final int cents;
        final CompletableFuture<Receipt> receipt = new CompletableFuture<>();

        Charge(int account, int cents) {
            this.account = account;
            this.cents = cents;
        }
    }

    interface Inbox {
        void put(Charge charge);
        Charge next() throws InterruptedException;
    }

    /** The way from the stations to the book. */
    static final class Lane implements Inbox {
        private static final int SPINS = 50;
        private final ConcurrentLinkedQueue<Charge> charges = new ConcurrentLinkedQueue<>();

        @Override public void put(Charge charge) {
            charges.add(charge);
        }

        @Override public Charge next() throws InterruptedException {
            int tries = 0;
            for (;;) {
                Charge charge = charges.poll();
                if (charge != null) return charge;
                if (Thread.interrupted()) throw new InterruptedException();
                if (++tries < SPINS) Thread.onSpinWait();
                else LockSupport.parkNanos(10_000_000);
            }
        }
    }

    static final class Mailbox implements Inbox {
        private final LinkedBlockingQueue<Charge> charges = new LinkedBlockingQueue<>();

        @Override public void put(Charge charge) {
            charges.add(charge);
        }

        @Override public Charge next() throws InterruptedException {
            return charges.take();
        }
    }

    static final class Book implements Runnable {
        private final Inbox inbox;
        private final long[] balances = new long[5000];
        private final ArrayDeque<String> journal = new ArrayDeque<>();
        private long number;

        Book(Inbox inbox) {
            this.inbox = inbox;
            Arrays.fill(balances, 50_000);
        }

        @Override public void run() {
            try {
                while (open) {
                    Charge charge = inbox.next();
                    long balance = balances[charge.account] -= charge.cents;
                    if (balance < 0) balances[charge.account] += 50_000;
                    journal.addLast(number + ";" + charge.account + ";" + charge.cents + ";" + balance);
                    if (journal.size() > 2000) journal.removeFirst();
                    charge.receipt.complete(new Receipt(number++, balance));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class Station implements Runnable {
        private final Inbox inbox;
        private final LongAdder charged;
        private final LongAdder nanos;
        private final SplittableRandom random;

        Station(Inbox inbox, LongAdder charged, LongAdder nanos, long seed) {
            this.inbox = inbox;
            this.charged = charged;
            this.nanos = nanos;
            this.random = new SplittableRandom(seed);
        }

        private long barrier(Receipt receipt) {
            long code = receipt.number();
            for (int i = 0; i < 60_000; i++) code = code * 6364136223846793005L + receipt.balance();
            return code;
        }

        @Override public void run() {
            long codes = 0;
            try {
                while (open) {
                    long begin = System.nanoTime();
                    Charge charge = new Charge(random.nextInt(5000), 120 + random.nextInt(900));
                    inbox.put(charge);
                    Receipt receipt = charge.receipt.get();
                    nanos.add(System.nanoTime() - begin);
                    charged.increment();
                    codes ^= barrier(receipt);
                    Thread.sleep(2);
                }
            } catch (InterruptedException | ExecutionException e) {
                Thread.currentThread().interrupt();
            }
            if (codes == 1) System.out.println(codes);
        }
    }

    public static void main(String[] args) throws Exception {
        Inbox inbox = FIXED ? new Mailbox() : new Lane();
        LongAdder charged = new LongAdder();
        LongAdder nanos = new LongAdder();
        Thread.ofPlatform().daemon().name("book").start(new Book(inbox));
        for (int i = 0; i < 5; i++) Thread.ofPlatform().daemon().name("station-" + i).start(new Station(inbox, charged, nanos, i));
        System.out.println("READY");
        for (int second = 0; second < SPAN; second++) {
            Thread.sleep(1000);
            long n = charged.sumThenReset();
            System.out.printf("measured: %d charges, mean %.2f ms until the receipt%n", n, n == 0 ? 0.0 : nanos.sumThenReset() / 1e6 / n);
        }
        open = false;
    }
}
