// SPDX-License-Identifier: Apache-2.0
// cause: DispensaryDesk$StockRegister.stocktake (thread display-board) goes through the whole stock and writes its report within the monitor of the StockRegister, again and again, while the ten counters wait for that monitor in StockRegister.reserve, which needs it for a microsecond
// share: 8 to 8.4 of 10 counters on average wait for the register (17 to 30 ms for each reservation), whose monitor display-board holds 82 to 90 % of the time; 0.85 CPUs, nearly all in stocktake
// expect: waiting frame=DispensaryDesk$StockRegister.reserve holder=DispensaryDesk$StockRegister | lock-contention holder=DispensaryDesk$StockRegister
// symptom: waiting lock-contention hot-method hot-calls
// judge: NAMED: counters wait for a monitor at DispensaryDesk$StockRegister.reserve whose holder is (computes) in DispensaryDesk$StockRegister.stocktake (or what it calls: valuation, line), or thread display-board. SYMPTOM ONLY: waiting for a monitor / lock contention at StockRegister.reserve without the holder; CPU time in stocktake or valuation (hot method) without the lock. WRONG: the counters' own work (Counter.check), too few counters, CPUs lacking, sleeps of the counters (handing over), collections
// jdk: 21
// set: thirty-second
// jvm: -Xmx256m

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;

/** A hospital's dispensary: counters take medicines from a common stock, and a board shows what is left. */
public class DispensaryDesk {

    static final LongAdder DISPENSED = new LongAdder();
    static final LongAdder RESERVE_NS = new LongAdder();
    static final LongAdder TAKES = new LongAdder();
    static final LongAdder TAKE_NS = new LongAdder();

    static final class Lot {
        final int expiresInDays;
        int packs;

        Lot(int expiresInDays, int packs) {
            this.expiresInDays = expiresInDays;
            this.packs = packs;
        }
    }

    static final class Medicine {
        final String code;
        final double price;
        final List<Lot> lots = new ArrayList<>();

        Medicine(String code, double price) {
            this.code = code;
            this.price = price;
        }
    }

    static final class StockRegister {
        private final Map<String, Medicine> medicines = new HashMap<>();

        StockRegister(int count) {
            Random delivery = new Random(3);
            for (int i = 0; i < count; i++) {
                Medicine medicine = new Medicine(code(i), 3 + delivery.nextInt(9000) / 100.0);
                for (int lot = 0; lot < 12; lot++)
                    medicine.lots.add(new Lot(20 + delivery.nextInt(700), 50 + delivery.nextInt(300)));
                medicines.put(medicine.code, medicine);
            }
        }

        static String code(int i) {
            return "PZN" + (1_000_000 + i * 37);
        }

        synchronized boolean reserve(String code, int packs) {
            Medicine medicine = medicines.get(code);
            if (medicine == null)
                return false;
            for (Lot lot : medicine.lots)
                if (lot.packs >= packs) {
                    lot.packs -= packs;
                    return true;
                }
            medicine.lots.get(0).packs += 400;
            return false;
        }

        synchronized String stocktake() {
            StringBuilder report = new StringBuilder(1 << 16);
            double total = 0;
            for (Medicine medicine : medicines.values()) {
                double value = valuation(medicine);
                total += value;
                if (value < 2000)
                    line(report, medicine, value);
            }
            return report.append("total ").append(Math.round(total)).toString();
        }

        /** What the lots are worth, less with each day nearer to their end. */
        private double valuation(Medicine medicine) {
            double value = 0;
            for (Lot lot : medicine.lots) {
                double worth = medicine.price;
                for (int month = lot.expiresInDays / 30; month < 24; month++)
                    worth *= 1 - 0.04 * Math.exp(-month / 9.0);
                value += worth * lot.packs;
            }
            return value;
        }

        private void line(StringBuilder report, Medicine medicine, double value) {
            report.append(medicine.code).append(' ').append(medicine.lots.size()).append(" lots, ")
                    .append(Math.round(value)).append('\n');
        }
    }

    static final class Counter implements Runnable {
        private final StockRegister register;
        private final Random patients;
        private int[] ward = new int[64];

        Counter(StockRegister register, int seed) {
            this.register = register;
            this.patients = new Random(seed);
        }

        @Override public void run() {
            try {
                while (true) {
                    int item = patients.nextInt(45_000);
                    if (check(item)) {
                        long from = System.nanoTime();
                        register.reserve(StockRegister.code(item), 1 + patients.nextInt(3));
                        RESERVE_NS.add(System.nanoTime() - from);
                        DISPENSED.increment();
                    }
                    Thread.sleep(4);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        /** Interactions with what the patient takes already. */
        private boolean check(int item) {
            int conflicts = 0;
            for (int i = 0; i < ward.length; i++) {
                ward[i] = ward[i] * 1_103_515_245 + item;
                if ((ward[i] >>> 8 & 0xFFFF) == item)
                    conflicts++;
            }
            return conflicts < 3;
        }
    }

    static void board(StockRegister register) {
        int shown = 0;
        try {
            while (true) {
                long from = System.nanoTime();
                String report = register.stocktake();
                TAKE_NS.add(System.nanoTime() - from);
                TAKES.increment();
                shown += report.length();
                Thread.sleep(10);
            }
        } catch (InterruptedException e) {
            System.out.println("shown " + shown);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        StockRegister register = new StockRegister(45_000);
        int counters = 10;
        new Thread(() -> board(register), "display-board").start();
        for (int i = 1; i <= counters; i++)
            new Thread(new Counter(register, i), "counter-" + i).start();
        Thread.sleep(3000);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long from = System.nanoTime(), n = DISPENSED.sum(), wait = RESERVE_NS.sum(), takes = TAKES.sum(), take = TAKE_NS.sum();
            Thread.sleep(1000);
            double ns = System.nanoTime() - from;
            n = DISPENSED.sum() - n;
            wait = RESERVE_NS.sum() - wait;
            takes = TAKES.sum() - takes;
            take = TAKE_NS.sum() - take;
            System.out.printf(Locale.ROOT, "measured: %d dispensed/s, %.1f ms each to reserve, %.1f of %d counters wait for the register; %d stocktakes, %.0f ms each, %.0f %% of the time%n",
                    n, wait / 1e6 / Math.max(1, n), wait / ns, counters, takes, take / 1e6 / Math.max(1, takes), 100 * take / ns);
            System.out.flush();
        }
    }
}
