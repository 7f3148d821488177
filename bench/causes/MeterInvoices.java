// SPDX-License-Identifier: Apache-2.0
// healthy: it makes much short-lived garbage, so the young collections are many (several a second), but nearly all is dead by then: each takes a millisecond or two, all together some 1 to 3 % of the time
// share: 14 collections a second, 13 to 21 ms of 1000 (once 42, while others used the machine); 0.45 CPUs; all 2000 messages a second that come in are done
// judge: RIGHT: nothing stands out, or only neutral remarks (time goes to computing in MeterInvoices$Parser or MeterInvoices$Biller, no fault shows). WRONG: any accusation: collections cost too much, too small a young generation, a larger heap is needed, promotion, an oversized heap, a pool or thread that is too busy.
// jdk: 8
// set: thirty-third
// jvm: -Xmx128m -XX:+UseParallelGC

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;

/** Turns readings of electricity meters, as text, into amounts for the bills. */
public class MeterInvoices {
    static final int METERS = 4000;
    static final int READINGS = 1500;

    static final class Reading {
        final int meter;
        final int hour;
        final long wattHours;

        Reading(int meter, int hour, long wattHours) {
            this.meter = meter;
            this.hour = hour;
            this.wattHours = wattHours;
        }
    }

    static final class Amount {
        final int meter;
        final long microCents;

        Amount(int meter, long microCents) {
            this.meter = meter;
            this.microCents = microCents;
        }

        Amount plus(Amount other) {
            return new Amount(meter, microCents + other.microCents);
        }
    }

    /** A message of a concentrator: "meter;hour;watt-hours" in lines. */
    static final class Concentrator {
        private final Random random;

        Concentrator(long seed) {
            random = new Random(seed);
        }

        byte[] message() {
            byte[] text = new byte[READINGS * 20];
            int n = 0;
            for (int i = 0; i < READINGS; i++) {
                n = number(text, n, random.nextInt(METERS));
                text[n++] = ';';
                n = number(text, n, random.nextInt(24));
                text[n++] = ';';
                n = number(text, n, 1 + random.nextInt(90000));
                text[n++] = '\n';
            }
            byte[] message = new byte[n];
            System.arraycopy(text, 0, message, 0, n);
            return message;
        }

        private int number(byte[] text, int at, int value) {
            int digits = 1;
            for (int v = value; v >= 10; v /= 10) {
                digits++;
            }
            for (int i = digits - 1, v = value; i >= 0; i--, v /= 10) {
                text[at + i] = (byte) ('0' + v % 10);
            }
            return at + digits;
        }
    }

    static final class Parser {
        List<Reading> parse(byte[] text) {
            List<Reading> readings = new ArrayList<>();
            long[] field = new long[3];
            int f = 0;
            for (byte b : text) {
                if (b == ';') {
                    f++;
                } else if (b == '\n') {
                    readings.add(new Reading((int) field[0], (int) field[1], field[2]));
                    field = new long[3];
                    f = 0;
                } else {
                    field[f] = field[f] * 10 + b - '0';
                }
            }
            return readings;
        }
    }

    static final class Biller {
        private static final long[] TARIFF = new long[24];

        static {
            for (int h = 0; h < 24; h++) {
                TARIFF[h] = h < 6 || h > 21 ? 21 : 33 + (h % 5);
            }
        }

        Map<Integer, Amount> bill(List<Reading> readings) {
            Map<Integer, Amount> bills = new HashMap<>();
            for (Reading r : readings) {
                bills.merge(r.meter, new Amount(r.meter, r.wattHours * TARIFF[r.hour]), Amount::plus);
            }
            return bills;
        }
    }

    static final class Ledger {
        private final AtomicLong[] accounts = new AtomicLong[METERS];

        Ledger() {
            for (int i = 0; i < METERS; i++) {
                accounts[i] = new AtomicLong();
            }
        }

        void post(Map<Integer, Amount> bills) {
            for (Amount a : bills.values()) {
                accounts[a.meter].addAndGet(a.microCents);
            }
        }
    }

    static final AtomicLong messages = new AtomicLong();

    static void region(int number, Ledger ledger) {
        Concentrator concentrator = new Concentrator(number);
        Parser parser = new Parser();
        Biller biller = new Biller();
        long due = System.nanoTime();
        while (true) {
            ledger.post(biller.bill(parser.parse(concentrator.message())));
            messages.incrementAndGet();
            due = Math.max(due + 1_000_000, System.nanoTime() - 20_000_000);
            long rest = due - System.nanoTime();
            if (rest > 0) {
                LockSupport.parkNanos(rest);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Ledger ledger = new Ledger();
        for (int i = 0; i < 2; i++) {
            int number = i;
            Thread t = new Thread(() -> region(number, ledger), "region-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(4000);
        System.out.println("READY");
        System.out.flush();
        long m = messages.get(), c = 0, ms = 0;
        for (GarbageCollectorMXBean b : ManagementFactory.getGarbageCollectorMXBeans()) {
            c += b.getCollectionCount();
            ms += b.getCollectionTime();
        }
        while (true) {
            Thread.sleep(1000);
            long mn = messages.get(), cn = 0, msn = 0;
            for (GarbageCollectorMXBean b : ManagementFactory.getGarbageCollectorMXBeans()) {
                cn += b.getCollectionCount();
                msn += b.getCollectionTime();
            }
            System.out.printf(Locale.ROOT, "measured: %d messages/s of %d readings, %d collections that took %d ms of 1000%n",
                    mn - m, READINGS, cn - c, msn - ms);
            System.out.flush();
            m = mn;
            c = cn;
            ms = msn;
        }
    }
}
