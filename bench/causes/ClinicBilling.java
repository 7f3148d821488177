// SPDX-License-Identifier: Apache-2.0
// cause: ClinicBilling$Pricing.price finds treatments without agreement by catching the NullPointerException of add; with -XX:-OmitStackTraceInFastThrow each one leaves the compiled code by an uncommon trap (null_check, action none), some 60000 deoptimisations a second, after which the interpreter throws it and goes on.
// share: faulty 0.28 to 1.1 million treatments/s (mean 857000; 1.4 million on a quiet machine); fixed (compares with null) 4.8 to 18 million (mean 10.8 million).
// expect: deoptimisations frame=ClinicBilling$Pricing | hot-code frame=ClinicBilling$Pricing kind=exceptions
// symptom: hot-calls hot-code hot-method
// judge: NAMED: deoptimisations (null checks, uncommon traps) all the time in ClinicBilling$Pricing.add / price, or: NullPointerExceptions thrown there for each treatment without agreement (exceptions as control flow) with the option -XX:-OmitStackTraceInFastThrow that makes each leave compiled code; test for null. SYMPTOM ONLY: add or price run interpreted, CPU time in the JVM's own functions, stack traces filled in, without where they come from. WRONG: compilers short of CPU or of code cache, the hash map's lookups, weight as the main cost, collections.
// jdk: 25
// set: twenty-ninth
// jvm: -XX:-OmitStackTraceInFastThrow

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;

/** Prices the treatments of clinics by their contracts, in batches as the clinics send them. */
public class ClinicBilling {
    static final int BATCH = 400;
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final long SPAN = Long.getLong("span", 170);
    static final LongAdder items = new LongAdder();
    static final LongAdder returned = new LongAdder();

    /** What was agreed for a treatment. */
    static final class Agreement {
        final long cents;
        final int share;

        Agreement(long cents, int share) {
            this.cents = cents;
            this.share = share;
        }
    }

    /** One treatment of one patient. */
    static final class Treatment {
        final int code;
        final int minutes;
        final int patient;

        Treatment(int code, int minutes, int patient) {
            this.code = code;
            this.minutes = minutes;
            this.patient = patient;
        }
    }

    /** The agreements with one clinic. */
    static final class Contract {
        private final Map<Integer, Agreement> agreements = new HashMap<>();

        Contract(int seed) {
            SplittableRandom random = new SplittableRandom(seed);
            for (int code = 0; code < 1000; code++) {
                if (code % 20 != 7) {
                    agreements.put(code, new Agreement(1_000 + random.nextInt(40_000), 60 + random.nextInt(40)));
                }
            }
        }

        Agreement of(int code) {
            return agreements.get(code);
        }
    }

    /** The outcome for a batch. */
    static final class Invoice {
        long cents;
        long own;
        int open;
        int points;
    }

    /** Prices batches. */
    static final class Pricing {
        private final Contract contract;

        Pricing(Contract contract) {
            this.contract = contract;
        }

        Invoice price(List<Treatment> batch) {
            Invoice invoice = new Invoice();
            for (int i = 0; i < batch.size(); i++) {
                Treatment t = batch.get(i);
                if (FIXED) {
                    Agreement a = contract.of(t.code);
                    if (a == null) {
                        invoice.open++;
                    } else {
                        add(invoice, t, a);
                    }
                } else {
                    try {
                        add(invoice, t, contract.of(t.code));
                    } catch (NullPointerException e) {
                        invoice.open++;
                    }
                }
                invoice.points += weight(t);
            }
            return invoice;
        }

        private void add(Invoice invoice, Treatment t, Agreement a) {
            long cents = a.cents + (t.minutes > 20 ? a.cents * (t.minutes - 20) / 60 : 0);
            invoice.cents += cents;
            invoice.own += cents * (100 - a.share) / 100;
        }

        private int weight(Treatment t) {
            int w = t.patient;
            for (int i = 0; i < 24; i++) {
                w = w * 31 + (t.minutes ^ i);
                w ^= w >>> 7;
            }
            return w & 15;
        }
    }

    /** Takes the batches of one clinic. */
    static final class Desk extends Thread {
        private final SplittableRandom random;
        private final Pricing pricing;
        private final long end;
        private long cents;

        Desk(int number, long end) {
            super("desk-" + number);
            this.random = new SplittableRandom(number);
            this.pricing = new Pricing(new Contract(number));
            this.end = end;
            setDaemon(true);
        }

        private List<Treatment> batch() {
            List<Treatment> list = new ArrayList<>(BATCH);
            for (int i = 0; i < BATCH; i++) {
                list.add(new Treatment(random.nextInt(1000), 5 + random.nextInt(80), random.nextInt(100_000)));
            }
            return list;
        }

        @Override
        public void run() {
            while (System.nanoTime() < end) {
                Invoice invoice = pricing.price(batch());
                cents += invoice.cents - invoice.own + invoice.points;
                returned.add(invoice.open);
                items.add(BATCH);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        long end = System.nanoTime() + SPAN * 1_000_000_000L;
        for (int i = 0; i < 2; i++) {
            new Desk(i, end).start();
        }
        System.out.println("READY");
        long lastItems = 0;
        long lastReturned = 0;
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long n = items.sum();
            long r = returned.sum();
            System.out.printf("measured: %d treatments/s, %d/s without agreement%n", n - lastItems, r - lastReturned);
            lastItems = n;
            lastReturned = r;
        }
        System.exit(0);
    }
}
