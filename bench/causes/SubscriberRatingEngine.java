// SPDX-License-Identifier: Apache-2.0
// healthy: A rating engine whose two workers are busy with needed work on accounts guarded by 64 stripes (short sections, practically never contended); every 2 s the price table is rebuilt and swapped in (about 1 MB, the old one becomes garbage), which is bounded and cheap.
// judge: right = no fault (CPU is spent on rating itself; stripes are hardly contended; the periodic table rebuild is cheap and its memory is given back); wrong = reporting contention for the stripes, memory growth of accounts or price tables, the rebuild as the cause of a loss, GC.
// set: nineteenth
// jdk: 25
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;

public class SubscriberRatingEngine {
    static final AtomicLong rated = new AtomicLong();
    static final AtomicLong rebuilt = new AtomicLong();

    record Call(int subscriber, String number, int seconds) { }

    static final class PriceTable {
        final TreeMap<String, Integer> centsByPrefix = new TreeMap<>();

        PriceTable(int generation) {
            for (int p = 100; p < 10_000; p++) {
                centsByPrefix.put(Integer.toString(p), 1 + (p * 31 + generation) % 90);
            }
        }

        int cents(String number) {
            for (int n = 4; n >= 3; n--) {
                Integer c = centsByPrefix.get(number.substring(0, n));
                if (c != null) {
                    return c;
                }
            }
            return 99;
        }
    }

    static final class Account {
        long balance = 100_000;
        int calls;

        void charge(long cents) {
            balance -= cents;
            calls++;
            if (balance < 0) {
                balance += 100_000;
            }
        }
    }

    static final class Accounts {
        private final ReentrantLock[] stripes = new ReentrantLock[64];
        private final Account[] accounts = new Account[50_000];

        Accounts() {
            Arrays.setAll(stripes, i -> new ReentrantLock());
            Arrays.setAll(accounts, i -> new Account());
        }

        void charge(int subscriber, long cents) {
            ReentrantLock stripe = stripes[subscriber & 63];
            stripe.lock();
            try {
                accounts[subscriber].charge(cents);
            } finally {
                stripe.unlock();
            }
        }
    }

    static final class Engine {
        final Accounts accounts = new Accounts();
        volatile PriceTable table = new PriceTable(0);

        void rate(Call call) {
            int minutes = (call.seconds() + 59) / 60;
            accounts.charge(call.subscriber(), (long) minutes * table.cents(call.number()));
            rated.incrementAndGet();
        }

        void rebuild() {
            table = new PriceTable((int) rebuilt.incrementAndGet());
        }
    }

    static void traffic(Engine engine, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        char[] digits = new char[10];
        while (true) {
            for (int i = 0; i < digits.length; i++) {
                digits[i] = (char) ('0' + random.nextInt(i == 0 ? 1 : 0, 10));
            }
            engine.rate(new Call(random.nextInt(50_000), new String(digits), 1 + random.nextInt(1800)));
        }
    }

    static Thread daemon(String name, Runnable r) {
        return Thread.ofPlatform().daemon().name(name).unstarted(r);
    }

    public static void main(String[] args) throws Exception {
        Engine engine = new Engine();
        for (int i = 0; i < 2; i++) {
            final long seed = 100 + i;
            daemon("rating-" + i, () -> traffic(engine, seed)).start();
        }
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(r -> daemon("price-refresh", r));
        timer.scheduleWithFixedDelay(engine::rebuild, 2, 2, TimeUnit.SECONDS);
        Thread.sleep(4000);
        System.out.println("READY");
        for (int s = 0; s < 165; s++) {
            long a = rated.get();
            Thread.sleep(1000);
            System.out.println("measured: " + (rated.get() - a) + " calls/s tables=" + rebuilt.get());
        }
        System.exit(0);
    }
}
