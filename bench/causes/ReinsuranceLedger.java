// SPDX-License-Identifier: Apache-2.0
// cause: ReinsuranceLedger$Quota.of multiplies by Math.multiplyExact, which C2 (JDK 21) compiles as an intrinsic with an uncommon trap for an overflow, and does not compile otherwise however often that happens: each overflow (about 1 in 50 products, those of large losses) leaves compiled code (deoptimisation, reason intrinsic, action none), and the code goes on in the interpreter until it throws ArithmeticException and gets to a compiled method again; some 40,000 times a second
// share: see the measured lines: a loss takes some 40 times as long (about 1.2 us) as in the trial without large losses at the start; with -XX:DisableIntrinsic=_multiplyExactL, which changes nothing but that trap, about a tenth of that
// expect: deoptimisations
// symptom: hot-code hot-calls hot-method
// judge: NAMED: deoptimisations, tens of thousands a second (leaving compiled code again and again), with or without the place (ReinsuranceLedger$Quota.of, Treaty.apportion or Ledger.book, into which it is inlined; Math.multiplyExact), also if the exception thrown in compiled code is said to be the reason. SYMPTOM ONLY: exceptions (ArithmeticException, filling in stack traces) at Quota.of without a word about leaving compiled code; Quota.of, Treaty.apportion or Math.multiplyExact as hot, as interpreted, or as hot calls. WRONG: BigInteger arithmetic, the compilers' queue, GC, locks, waits, the rest of the thread, the machine, or nothing found.
// jdk: 21
// set: thirty-fifth
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Divides the losses of an insurer among its reinsurers, by the quotas of each treaty. */
public class ReinsuranceLedger {
    /** A part of a whole, in billionths. */
    static final class Quota {
        private static final long WHOLE = 1_000_000_000L;
        private static final BigInteger BIG_WHOLE = BigInteger.valueOf(WHOLE);
        private final long billionths;

        Quota(long billionths) {
            this.billionths = billionths;
        }

        long of(long cents) {
            try {
                return Math.multiplyExact(cents, billionths) / WHOLE;
            } catch (ArithmeticException e) {
                return BigInteger.valueOf(cents).multiply(BigInteger.valueOf(billionths)).divide(BIG_WHOLE).longValueExact();
            }
        }
    }

    record Loss(int line, int region, long cents) { }

    /** A treaty: what the insurer keeps, and the quotas of those who take the rest. */
    static final class Treaty {
        private final long priority;
        private final List<Quota> quotas = new ArrayList<>();

        Treaty(Random random, int members) {
            priority = 1_000_00L * (1 + random.nextInt(9));
            long left = 900_000_000L;
            for (int i = 0; i < members; i++) {
                long quota = i == members - 1 ? left : left / (2 + random.nextInt(4));
                quotas.add(new Quota(quota));
                left -= quota;
            }
        }

        long apportion(Loss loss, long[] accounts) {
            long above = Math.max(0, loss.cents() - priority), given = 0;
            for (int i = 0; i < accounts.length; i++) {
                long part = quotas.get(i).of(above);
                accounts[i] += part;
                given += part;
            }
            return loss.cents() - given;
        }
    }

    /** The accounts of a year. */
    static final class Ledger {
        private static final int MEMBERS = 8;
        private final Treaty[] treaties = new Treaty[12];
        private final long[][] accounts = new long[treaties.length][MEMBERS];
        private final long[] regions = new long[40];

        Ledger() {
            Random random = new Random(3);
            for (int i = 0; i < treaties.length; i++) {
                treaties[i] = new Treaty(random, MEMBERS);
            }
        }

        void book(List<Loss> losses) {
            for (Loss loss : losses) {
                long kept = treaties[loss.line()].apportion(loss, accounts[loss.line()]);
                regions[loss.region()] += kept;
            }
        }
    }

    /** Losses as the branches report them. */
    static final class Branches {
        private final Random random = new Random(9);
        private volatile int large;

        List<Loss> report(int number) {
            List<Loss> losses = new ArrayList<>(number);
            for (int i = 0; i < number; i++) {
                long euros = 500 + random.nextInt(4_000_000);
                if (random.nextInt(1000) < large) {
                    euros = 110_000_000L + random.nextInt(900_000_000);
                }
                losses.add(new Loss(random.nextInt(12), random.nextInt(40), euros * 100));
            }
            return losses;
        }
    }

    /** Records what the branches report. */
    static final class Clerk implements Runnable {
        private final Branches branches;
        private final Ledger ledger = new Ledger();
        final AtomicLong losses = new AtomicLong(), nanos = new AtomicLong();

        Clerk(Branches branches) {
            this.branches = branches;
        }

        @Override public void run() {
            for (;;) {
                List<Loss> reported = branches.report(200);
                long begin = System.nanoTime();
                ledger.book(reported);
                nanos.addAndGet(System.nanoTime() - begin);
                losses.addAndGet(reported.size());
                LockSupport.parkNanos(300_000);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Branches branches = new Branches();
        Clerk clerk = new Clerk(branches);
        new Thread(clerk, "clerk").start();
        Thread.sleep(2000);
        clerk.losses.set(0);
        clerk.nanos.set(0);
        Thread.sleep(1000);
        double trial = clerk.nanos.get() / 1e3 / Math.max(1, clerk.losses.get());
        branches.large = 80;
        boolean ready = false;
        long sofar = 0;
        for (int second = 1;; second++) {
            clerk.losses.set(0);
            clerk.nanos.set(0);
            Thread.sleep(1000);
            long losses = clerk.losses.get();
            sofar += clerk.losses.get();
            if (!ready && second >= 3 && sofar >= 600000) {
                ready = true;
                System.out.println("READY");
            }
            System.out.printf("measured: %d losses booked, %.2f us each (%.2f us before there were large ones), %.0f %% of a CPU to book them%n", losses,
                    clerk.nanos.get() / 1e3 / Math.max(1, losses), trial, clerk.nanos.get() / 1e7);
            System.out.flush();
        }
    }
}
