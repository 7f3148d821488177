// SPDX-License-Identifier: Apache-2.0
// cause: wait for one monitor: all 64 guards that GrainSettlement$Ledger hands out by grower are the same object (Arrays.fill in its constructor), so that GrainSettlement$SettlementDesk.settle, which reckons an account under its guard, lets one of 12 weighbridges work at a time.
// share: 9 of 12 threads wait for the monitor all the time, 5.8 ms for each load, that is then settled in 0.6 ms; 0.95 CPUs of 2 are used under the lock.
// expect: waiting kind=monitor frame=GrainSettlement$SettlementDesk.settle | waiting waiter=GrainSettlement$SettlementDesk.settle | lock-contention frame=GrainSettlement$SettlementDesk.settle
// symptom: hot-method hot-calls waiting
// judge: NAMED: threads wait for a monitor at GrainSettlement$SettlementDesk.settle (the guard; also if it is added that its holder computes in GrainSettlement$Account.reckon, and without the reason in Ledger). SYMPTOM ONLY: only that GrainSettlement$Account.reckon computes (Math.exp) or that one thread at a time works, without the lock as an accusation. WRONG: sleep in Weighbridge.run, too many threads, collections, a deadlock or stuck threads, lack of CPUs (unless the machine was in fact crowded and the lock is named as well).
// jdk: 21
// set: thirty-sixth
// jvm: -Xmx256m
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/** Settles deliveries of grain: each load changes the account of its grower. */
public class GrainSettlement {
    static final AtomicLong settled = new AtomicLong(), waitedNanos = new AtomicLong(), heldNanos = new AtomicLong();

    record Load(String grower, double tonnes, double moisture, double protein) {
    }

    static final class Account {
        final String grower;
        private final double[] tonnes = new double[400];
        private final double[] price = new double[400];
        private int next;
        private double due;

        Account(String grower) {
            this.grower = grower;
        }

        void deliver(double t, double p) {
            tonnes[next % 400] = t;
            price[next % 400] = p;
            next++;
        }

        /** What is due for the deliveries of the season, with the storage that is charged for each day since. */
        double reckon(double dailyRate) {
            double sum = 0;
            int n = Math.min(next, 400);
            for (int i = 0; i < n; i++) {
                double kept = tonnes[i];
                for (int day = 0; day < n - i; day++) {
                    kept *= 1 - dailyRate * Math.exp(-day / 20.0);
                }
                sum += kept * price[i];
            }
            due = sum;
            return sum;
        }

        double due() {
            return due;
        }
    }

    static final class Ledger {
        private final Map<String, Account> accounts = new HashMap<>();
        private final Object[] guards = new Object[64];

        Ledger(List<String> growers) {
            for (String g : growers) {
                accounts.put(g, new Account(g));
            }
            Arrays.fill(guards, new Object());
        }

        Account account(String grower) {
            return accounts.get(grower);
        }

        Object guard(Account a) {
            return guards[Math.floorMod(a.grower.hashCode(), guards.length)];
        }
    }

    static final class Tariff {
        double price(Load load) {
            double base = 214;
            double wet = Math.max(0, load.moisture() - 14.5);
            return base - wet * 3.1 + Math.max(-12, (load.protein() - 11.5) * 4.2);
        }
    }

    static final class SettlementDesk {
        private final Ledger ledger;
        private final Tariff tariff = new Tariff();

        SettlementDesk(Ledger ledger) {
            this.ledger = ledger;
        }

        double settle(Load load) {
            double price = tariff.price(load);
            Account account = ledger.account(load.grower());
            long asked = System.nanoTime();
            long got, done;
            double due;
            synchronized (ledger.guard(account)) {
                got = System.nanoTime();
                account.deliver(load.tonnes(), price);
                due = account.reckon(0.0011);
                done = System.nanoTime();
            }
            waitedNanos.addAndGet(got - asked);
            heldNanos.addAndGet(done - got);
            settled.incrementAndGet();
            return due;
        }
    }

    /** One of the weighbridges, whose scale has the next load soon after the one before. */
    static final class Weighbridge implements Runnable {
        private final SettlementDesk desk;
        private final List<String> growers;
        private final Random random;
        private double total;

        Weighbridge(int id, SettlementDesk desk, List<String> growers) {
            this.desk = desk;
            this.growers = growers;
            this.random = new Random(7 + id);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Load load = new Load(growers.get(random.nextInt(growers.size())), 8 + random.nextDouble() * 18,
                            12 + random.nextDouble() * 6, 10 + random.nextDouble() * 4);
                    total = total * 0.999 + desk.settle(load);
                    Thread.sleep(1);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        List<String> growers = new ArrayList<>();
        for (int i = 0; i < 600; i++) {
            growers.add("grower-" + (1000 + i * 37));
        }
        Ledger ledger = new Ledger(growers);
        for (String g : growers) {
            for (int i = 0; i < 400; i++) {
                ledger.account(g).deliver(10 + i % 9, 200 + i % 13);
            }
        }
        SettlementDesk desk = new SettlementDesk(ledger);
        for (int i = 0; i < 12; i++) {
            new Thread(new Weighbridge(i, desk, growers), "weighbridge-" + i).start();
        }
        long ls = 0, lw = 0, lh = 0;
        for (int s = 1; ; s++) {
            Thread.sleep(1000);
            long n = settled.get(), w = waitedNanos.get(), h = heldNanos.get();
            System.out.printf("measured: %d loads settled; %.2f ms each waiting for the guard, %.2f ms with it; %.1f threads wait, %.2f work%n",
                    n - ls, (w - lw) / 1e6 / Math.max(1, n - ls), (h - lh) / 1e6 / Math.max(1, n - ls), (w - lw) / 1e9, (h - lh) / 1e9);
            ls = n;
            lw = w;
            lh = h;
            if (s == 4) {
                System.out.println("READY");
            }
            System.out.flush();
        }
    }
}
