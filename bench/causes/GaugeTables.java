// SPDX-License-Identifier: Apache-2.0
// healthy: the numbers of 420 digits are what this program is for: it makes reference values by which a standards laboratory checks other people's functions, and the precision is asked for, set by a MathContext and never exceeded (no digits pile up); it keeps its schedule of 30 values a second with most of the CPU to spare
// share: each value takes 5 to 10 ms of CPU time, 0.15 to 0.3 CPUs; none is overdue (by 2 s, what customers allow) unless others take the CPUs, the precision stays at 420 digits
// judge: RIGHT: nothing stands out, or neutral statements that time goes to big numbers (BigDecimal arithmetic of 420 digits) for Functions.sine, Functions.exp, Functions.log or Certificate.issue. WRONG: an accusation: many digits / too many digits as the program's fault, digits that pile up, collections, the sleep in Bench.run, waiting for futures.
// jdk: 11
// set: thirty-sixth
// jvm: -Xmx256m
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;

/** Reference values of functions, for the laboratory that certifies arithmetic libraries and gauges. */
public class GaugeTables {
    static final int DIGITS = 420;

    /** Functions to the precision of a context, by series whose terms are rounded to it. */
    static final class Functions {
        private final MathContext context;
        private final BigDecimal end;

        Functions(int digits) {
            context = new MathContext(digits, RoundingMode.HALF_EVEN);
            end = BigDecimal.ONE.movePointLeft(digits + 2);
        }

        BigDecimal exp(BigDecimal x) {
            BigDecimal small = x.divide(BigDecimal.valueOf(256), context);
            BigDecimal sum = BigDecimal.ONE;
            BigDecimal term = BigDecimal.ONE;
            for (int n = 1; term.abs().compareTo(end) > 0; n++) {
                term = term.multiply(small, context).divide(BigDecimal.valueOf(n), context);
                sum = sum.add(term, context);
            }
            for (int i = 0; i < 8; i++) {
                sum = sum.multiply(sum, context);
            }
            return sum;
        }

        BigDecimal sine(BigDecimal x) {
            BigDecimal square = x.multiply(x, context).negate();
            BigDecimal sum = x;
            BigDecimal term = x;
            for (int n = 1; term.abs().compareTo(end) > 0; n++) {
                term = term.multiply(square, context).divide(BigDecimal.valueOf(2L * n * (2L * n + 1)), context);
                sum = sum.add(term, context);
            }
            return sum;
        }

        BigDecimal log(BigDecimal x) {
            BigDecimal y = BigDecimal.valueOf(Math.log(x.doubleValue()));
            for (int correct = 15; correct < context.getPrecision(); correct *= 3) {
                BigDecimal e = exp(y);
                BigDecimal step = x.subtract(e, context).divide(x.add(e, context), context);
                y = y.add(step.add(step, context), context);
            }
            return y;
        }
    }

    static final class Value {
        final BigDecimal argument;
        final BigDecimal sine;
        final BigDecimal log;

        Value(BigDecimal argument, BigDecimal sine, BigDecimal log) {
            this.argument = argument;
            this.sine = sine;
            this.log = log;
        }

        int digits() {
            return Math.max(sine.precision(), log.precision());
        }
    }

    /** What a customer gets: values with the proof that they are right. */
    static final class Certificate {
        private final Functions functions = new Functions(DIGITS);
        private final BigDecimal tolerance = BigDecimal.ONE.movePointLeft(DIGITS - 12);

        Value issue(BigDecimal argument) {
            Value value = new Value(argument, functions.sine(argument), functions.log(argument));
            BigDecimal back = functions.exp(value.log);
            if (back.subtract(argument).abs().compareTo(tolerance) > 0) {
                throw new ArithmeticException("not certified: " + argument);
            }
            return value;
        }
    }

    static final class Bench implements Runnable {
        private final Certificate certificate = new Certificate();
        private final Deque<Value> latest = new ArrayDeque<>();
        private final SplittableRandom random = new SplittableRandom(12);
        private final java.lang.management.ThreadMXBean cpu = java.lang.management.ManagementFactory.getThreadMXBean();
        volatile long issued;
        volatile long late;
        volatile long spent;
        volatile int digits;

        @Override
        public void run() {
            try {
                long due = System.nanoTime();
                while (true) {
                    long begin = cpu.getCurrentThreadCpuTime();
                    for (int i = 0; i < 3; i++) {
                        Value value = certificate.issue(BigDecimal.valueOf(1 + random.nextInt(3_000_000), 6));
                        latest.addLast(value);
                        if (latest.size() > 1000) {
                            latest.pollFirst();
                        }
                        digits = Math.max(digits, value.digits());
                        issued++;
                    }
                    spent += cpu.getCurrentThreadCpuTime() - begin;
                    due += 100_000_000L;
                    long rest = due - System.nanoTime();
                    if (rest > 0) {
                        Thread.sleep(Math.max(1, rest / 1_000_000));
                    } else if (rest < -2_000_000_000L) {
                        late++;
                        due = System.nanoTime();
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Bench bench = new Bench();
        Thread thread = new Thread(bench, "bench");
        thread.setDaemon(true);
        thread.start();
        Thread.sleep(4000);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long n = bench.issued, l = bench.late, in = bench.spent, t = System.nanoTime();
            Thread.sleep(1000);
            double s = (System.nanoTime() - t) / 1e9;
            System.out.printf("measured: %.1f values/s of 30, %d late by 2 s, %.1f ms of CPU time each, %.2f CPUs, %d digits at most%n", (bench.issued - n) / s,
                    bench.late - l, (bench.spent - in) / 1e6 / Math.max(1, bench.issued - n), (bench.spent - in) / 1e9 / s, bench.digits);
        }
    }
}
