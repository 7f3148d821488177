// SPDX-License-Identifier: Apache-2.0
// cause: HarbourDues$DuesBook.settle is meant to lock one ship's account, but locks call.port, a String constant that nearly all calls share: the clerks wait for one monitor while its holder works out the dues
// share: 5.8 of 8 clerks wait for the monitor at any time, 0.8 to 1.0 ms for each call whose work takes 0.15 ms; throughput is that of one thread
// expect: waiting frame=HarbourDues$DuesBook.settle | lock-contention frame=HarbourDues$DuesBook.settle
// symptom: hot-method hot-calls
// judge: NAMED: waiting for a monitor (lock contention) at HarbourDues$DuesBook.settle (class of the lock java.lang.String), with or without what the holder computes (tonnage, pilotage, waste, interest in HarbourDues$Tariff). SYMPTOM ONLY: computing in Tariff's methods or settle as a hot method/hot calls only; waiting in lines of Clerk.run without the monitor; "only one thread works at a time" without the lock. WRONG: collections, queue or pool of the clerks, sleep, CPU shortage or too many threads, or nothing stands out.
// jdk: 11
// set: thirty-first
// jvm: -Xmx256m

import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Dues of a port authority: clerks settle the calls of ships, each ship's account by itself. */
public class HarbourDues {
    static final int CLERKS = 8;
    static final String MAIN_PORT = "NLRTM";
    static final String[] SMALL_PORTS = {"NLVLI", "NLTNZ", "NLMOE"};

    static final LongAdder settled = new LongAdder();
    static final LongAdder waitNanos = new LongAdder();
    static final LongAdder workNanos = new LongAdder();

    static final class PortCall {
        final String port;
        final int ship;
        final int grossTons;
        final int hours;
        final int wasteLitres;

        PortCall(String port, int ship, int grossTons, int hours, int wasteLitres) {
            this.port = port;
            this.ship = ship;
            this.grossTons = grossTons;
            this.hours = hours;
            this.wasteLitres = wasteLitres;
        }
    }

    static final class Account {
        final double[] movements = new double[2000];
        int count;
        double balance;

        void post(double amount) {
            movements[count++ % movements.length] = amount;
            balance += amount;
        }
    }

    /** What a call costs: by size, by time at the berth, and by what the ship hands over. */
    static final class Tariff {
        private final double[] brackets = new double[800];

        Tariff() {
            for (int i = 0; i < brackets.length; i++) brackets[i] = 0.12 + 0.4 / (1 + i);
        }

        double tonnage(PortCall call) {
            double dues = 0;
            for (int hour = 0; hour < call.hours; hour++) {
                int left = call.grossTons;
                for (int b = 0; b < brackets.length && left > 0; b++, left -= 250) dues += Math.min(250, left) * brackets[b] / 720;
            }
            return dues;
        }

        double pilotage(PortCall call) {
            double dues = 0;
            for (int leg = 1; leg <= 4000; leg++) dues += Math.sqrt(call.grossTons) * Math.cbrt(leg) / (leg + call.hours);
            return dues;
        }

        double waste(PortCall call) {
            double dues = 40;
            for (int litre = 0; litre < call.wasteLitres; litre++) dues += litre % 7 == 0 ? 0.031 : 0.024 / (1 + litre * 1e-5);
            return dues;
        }

        double interest(Account account) {
            double interest = 0;
            int n = Math.min(account.count, account.movements.length);
            for (int month = 1; month <= 12; month++) {
                for (int i = 0; i < n; i++) interest += account.movements[i] * 0.0004 * month / (1 + n);
            }
            return interest;
        }
    }

    static final class DuesBook {
        private final Map<Integer, Account> accounts = new ConcurrentHashMap<>();
        private final Tariff tariff = new Tariff();

        double settle(PortCall call) {
            Account account = accounts.computeIfAbsent(call.ship, ship -> new Account());
            long before = System.nanoTime();
            synchronized (call.port) {
                long entered = System.nanoTime();
                double dues = tariff.tonnage(call) + tariff.pilotage(call) + tariff.waste(call) + tariff.interest(account);
                account.post(dues);
                waitNanos.add(entered - before);
                workNanos.add(System.nanoTime() - entered);
                return dues;
            }
        }
    }

    static final class Clerk implements Runnable {
        private final DuesBook book;
        private final Random random;
        private double total;

        Clerk(DuesBook book, int number) {
            this.book = book;
            this.random = new Random(number);
        }

        private PortCall nextCall() {
            String port = random.nextInt(100) < 96 ? MAIN_PORT : SMALL_PORTS[random.nextInt(SMALL_PORTS.length)];
            return new PortCall(port, random.nextInt(5000), 2000 + random.nextInt(150_000), 6 + random.nextInt(60),
                5000 + random.nextInt(60_000));
        }

        @Override
        public void run() {
            while (true) {
                PortCall call = nextCall();
                total += book.settle(call);
                settled.increment();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        DuesBook book = new DuesBook();
        for (int i = 0; i < CLERKS; i++) new Thread(new Clerk(book, i), "clerk-" + i).start();
        while (settled.sum() < 3000) Thread.sleep(50);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long n = settled.sum(), w = waitNanos.sum(), k = workNanos.sum(), began = System.nanoTime();
            Thread.sleep(1000);
            double seconds = (System.nanoTime() - began) / 1e9;
            long dn = Math.max(1, settled.sum() - n);
            System.out.printf("measured: %.0f calls settled/s; %.2f ms waiting for the account and %.2f ms at work each; %.1f of %d clerks wait%n",
                dn / seconds, (waitNanos.sum() - w) / 1e6 / dn, (workNanos.sum() - k) / 1e6 / dn,
                (waitNanos.sum() - w) / 1e9 / seconds, CLERKS);
        }
    }
}
