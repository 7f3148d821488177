// SPDX-License-Identifier: Apache-2.0
// healthy: a checker of declarations throws an exception for each declaration that it rejects (some 900 a second, half of them one without a stack trace that is made once), which costs a few percent of its CPU time at most; the rest is the checking itself, under ordinary load
// share: some 900 of 9000 declarations a second are rejected; all that is done for these takes 2 to 4 % of the time; 0.4 to 0.5 CPUs
// judge: right: nothing stands out, or neutral remarks on where the CPU time goes (Checker.digits, Risk.rate, Declarations.next; a hot method without blame). WRONG: accusing exceptions (making, throwing or catching them: Checker.check, Clerk.run), deoptimisations, collections, locks, the pace of Clerk.run (parkNanos), the queue, the machine.
// jdk: 17
// set: thirty-sixth
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** Checks customs declarations, sorts out what cannot be right, and rates the rest by risk. */
public class CustomsDeclarations {
    static final LongAdder accepted = new LongAdder();
    static final LongAdder rejected = new LongAdder();
    static final LongAdder workNanos = new LongAdder();
    static final LongAdder rejectNanos = new LongAdder();

    record Line(String commodity, String origin, int grams, long cents) { }

    record Declaration(String reference, List<Line> lines) { }

    /** Says why a declaration is sent back. */
    static class RejectedException extends Exception {
        RejectedException(String why) {
            super(why);
        }
        RejectedException(String why, boolean trace) {
            super(why, null, false, trace);
        }
    }

    static final class Checker {
        private static final RejectedException NO_LINES = new RejectedException("no lines", false);
        private static final String ORIGINS = "AT BE BG CH CN CZ DE DK EE ES FI FR GB GR HR HU IE IN IT JP KR LT LU LV NL NO PL PT RO SE SI SK TR US VN";

        void check(Declaration d) throws RejectedException {
            if (d.lines().isEmpty()) throw NO_LINES;
            if (!digits(d.reference())) throw new RejectedException("reference " + d.reference() + " has a wrong check digit");
            for (Line line : d.lines()) {
                if (line.grams() <= 0 || line.cents() <= 0) throw new RejectedException("line without weight or value in " + d.reference());
                if (!ORIGINS.contains(line.origin())) throw new RejectedException("no such country: " + line.origin());
                if (!digits(line.commodity())) throw new RejectedException("commodity " + line.commodity() + " has a wrong check digit");
            }
        }

        /** Whether the last digit is right for those before it, by the rule of seven, three and one. */
        static boolean digits(String text) {
            int sum = 0;
            for (int i = 0; i < text.length() - 1; i++) sum += Character.digit(text.charAt(i), 10) * (i % 3 == 0 ? 7 : i % 3 == 1 ? 3 : 1);
            return sum % 10 == Character.digit(text.charAt(text.length() - 1), 10);
        }
    }

    /** How far a declaration is from what is usual for its goods. */
    static final class Risk {
        private final double[][] usual = new double[2400][8];
        Risk() {
            SplittableRandom random = new SplittableRandom(21);
            for (double[] u : usual) for (int i = 0; i < u.length; i++) u[i] = random.nextDouble();
        }
        double rate(Declaration d) {
            double worst = 0;
            for (Line line : d.lines()) {
                double value = Math.log1p(line.cents()) / 14, weight = Math.log1p(line.grams()) / 11, best = Double.MAX_VALUE;
                int origin = line.origin().charAt(0) * 31 + line.origin().charAt(1);
                for (double[] u : usual) {
                    double a = u[0] - value, b = u[1] - weight, c = u[2] - (origin % 97) / 97.0, e = u[3] - value / (weight + 0.1);
                    best = Math.min(best, a * a + b * b + c * c * u[4] + e * e * u[5]);
                }
                worst = Math.max(worst, best);
            }
            return worst;
        }
    }

    /** Declarations as traders send them: most are right. */
    static final class Declarations {
        private final SplittableRandom random;
        private final String[] origins = Checker.ORIGINS.split(" ");
        Declarations(int seed) {
            random = new SplittableRandom(seed);
        }
        Declaration next() {
            int kind = random.nextInt(100);
            List<Line> lines = new ArrayList<>();
            int n = kind < 5 ? 0 : 2 + random.nextInt(14);
            for (int i = 0; i < n; i++) {
                String origin = kind == 5 && i == n - 1 ? "XX" : origins[random.nextInt(origins.length)];
                lines.add(new Line(number(10, true), origin, 1 + random.nextInt(50_000), kind == 6 && i == n / 2 ? 0 : 100 + random.nextInt(900_000)));
            }
            return new Declaration(number(16, kind < 7 || kind > 9), lines);
        }
        private String number(int length, boolean right) {
            char[] text = new char[length];
            int sum = 0;
            for (int i = 0; i < length - 1; i++) {
                int digit = random.nextInt(10);
                text[i] = (char) ('0' + digit);
                sum += digit * (i % 3 == 0 ? 7 : i % 3 == 1 ? 3 : 1);
            }
            text[length - 1] = (char) ('0' + (right ? sum : sum + 1) % 10);
            return new String(text);
        }
    }

    /** Works through what comes in, at the pace at which it comes. */
    static final class Clerk implements Runnable {
        private final Declarations incoming;
        private final Checker checker = new Checker();
        private final Risk risk;
        private final int perSecond;
        private final List<String> letters = new ArrayList<>();
        private double highest;

        Clerk(int seed, Risk risk, int perSecond) {
            this.incoming = new Declarations(seed);
            this.risk = risk;
            this.perSecond = perSecond;
        }

        @Override public void run() {
            long step = 1_000_000_000L / perSecond, due = System.nanoTime();
            while (true) {
                long now = System.nanoTime();
                if (due - now > 500_000) {
                    LockSupport.parkNanos(due - now);
                    continue;
                }
                due = Math.max(due + step, now - 50_000_000L);
                Declaration d = incoming.next();
                long t0 = System.nanoTime();
                try {
                    checker.check(d);
                    highest = Math.max(highest, risk.rate(d));
                    accepted.increment();
                } catch (RejectedException e) {
                    letters.add(d.reference() + ": " + e.getMessage());
                    if (letters.size() == 500) letters.clear();
                    rejected.increment();
                    rejectNanos.add(System.nanoTime() - t0);
                }
                workNanos.add(System.nanoTime() - t0);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Risk risk = new Risk();
        for (int i = 1; i <= 3; i++) {
            Thread clerk = new Thread(new Clerk(i, risk, 3000), "clerk-" + i);
            clerk.start();
        }
        while (accepted.sum() < 20_000) Thread.sleep(50);
        System.out.println("READY");
        System.out.flush();
        long a0 = accepted.sum(), r0 = rejected.sum(), w0 = workNanos.sum(), rn0 = rejectNanos.sum(), c0 = cpu();
        while (true) {
            Thread.sleep(1000);
            long a = accepted.sum(), r = rejected.sum(), w = workNanos.sum(), rn = rejectNanos.sum(), c = cpu();
            System.out.println(String.format(Locale.ROOT, "measured: %d declarations accepted, %d rejected by an exception; those rejected take %.1f us each, %.1f %% of the time of all; %.2f CPUs",
                a - a0, r - r0, (rn - rn0) / 1e3 / Math.max(1, r - r0), 100.0 * (rn - rn0) / Math.max(1, w - w0), (c - c0) / 1e9));
            a0 = a; r0 = r; w0 = w; rn0 = rn; c0 = c;
        }
    }

    private static long cpu() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }
}
