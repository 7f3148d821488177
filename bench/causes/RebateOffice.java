// SPDX-License-Identifier: Apache-2.0
// cause: RebateOffice$RebateRules.percent pastes the figures of each order line into the text of the rule and has Nashorn evaluate that text: every line is another script, which is parsed, compiled to a class, loaded and run once in the interpreter; the rule should be compiled once and given the figures as arguments
// share: 1.1 to 1.5 ms of CPU for each order line (2 to 4 ms before all is compiled, on a crowded machine); 0.5 to 0.8 CPUs used at 300 lines/s, of which 35 to 85 % (mostly 50 to 75 %) by the desks in RebateRules.percent; most of the rest is the JIT compiler, and collections of the metaspace, for the same scripts; all else is next to nothing
// expect: hot-code what=scripts frame=RebateOffice$
// symptom: class-unloading hot-code hot-calls
// judge: NAMED: script evaluation (javax.script / Nashorn, compiling or running scripts anew) as what takes most CPU time, for RebateOffice$RebateRules.percent (or its caller RebateOffice$OrderDesk.price or RebateOffice$RebateRules.render, if scripts are mentioned). SYMPTOM ONLY: classes that come and go (class-unloading), class loading, JIT compilation, deoptimisation, metaspace or collections without scripts being named as their reason; "hot calls" of percent without saying what is called; interpreted code. WRONG: locks, the pace of the desks (Thread.sleep in RebateOffice$OrderDesk.run), the queue of orders, too many threads, "nothing stands out"
// jdk: 8
// set: thirty-sixth
// jvm: -Xmx400m
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import javax.script.ScriptEngine;
import javax.script.ScriptEngineManager;
import javax.script.ScriptException;

public class RebateOffice {
    static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    static final AtomicLong lines = new AtomicLong();
    static final AtomicLong ruleCpu = new AtomicLong();
    static final CountDownLatch warm = new CountDownLatch(2);
    static final AtomicLong granted = new AtomicLong();

    static final class OrderLine {
        final String article;
        final int pieces;
        final int cents;
        final int loyaltyYears;
        final boolean export;

        OrderLine(String article, int pieces, int cents, int loyaltyYears, boolean export) {
            this.article = article;
            this.pieces = pieces;
            this.cents = cents;
            this.loyaltyYears = loyaltyYears;
            this.export = export;
        }
    }

    static final class Order {
        final String customer;
        final List<OrderLine> lines = new ArrayList<>();

        Order(String customer) {
            this.customer = customer;
        }
    }

    static final class OrderBook {
        private final Random random;

        OrderBook(long seed) {
            random = new Random(seed);
        }

        Order next() {
            Order order = new Order("C" + (1000 + random.nextInt(9000)));
            int years = random.nextInt(25);
            for (int i = 2 + random.nextInt(4); i > 0; i--) {
                order.lines.add(new OrderLine("A-" + random.nextInt(50_000), 1 + random.nextInt(500), 50 + random.nextInt(90_000), years, random.nextInt(5) == 0));
            }
            return order;
        }
    }

    /** The rule as the sales department writes it. */
    static final class RebateRules {
        private static final String RULE =
            "var value = ${pieces} * ${cents};\n"
            + "var percent = 0;\n"
            + "if (value > 5000000) percent = 12; else if (value > 1000000) percent = 8; else if (value > 200000) percent = 3;\n"
            + "function loyalty(years) { return years >= 20 ? 4 : years >= 10 ? 2.5 : years >= 5 ? 1 : 0; }\n"
            + "percent += loyalty(${years});\n"
            + "if (${export}) { percent = Math.max(0, percent - 2); }\n"
            + "Math.min(15, percent);\n";
        private final ScriptEngine engine = new ScriptEngineManager().getEngineByName("nashorn");

        private String render(OrderLine line) {
            return RULE.replace("${pieces}", Integer.toString(line.pieces))
                .replace("${cents}", Integer.toString(line.cents))
                .replace("${years}", Integer.toString(line.loyaltyYears))
                .replace("${export}", Boolean.toString(line.export));
        }

        double percent(OrderLine line) throws ScriptException {
            return ((Number) engine.eval(render(line))).doubleValue();
        }
    }

    static final class OrderDesk implements Runnable {
        private final RebateRules rules = new RebateRules();
        private final OrderBook book;
        private final long everyNanos;

        OrderDesk(long seed, long everyNanos) {
            book = new OrderBook(seed);
            this.everyNanos = everyNanos;
        }

        long price(Order order) throws ScriptException {
            long rebate = 0;
            for (OrderLine line : order.lines) {
                long before = THREADS.getCurrentThreadCpuTime();
                double percent = rules.percent(line);
                ruleCpu.addAndGet(THREADS.getCurrentThreadCpuTime() - before);
                rebate += Math.round(line.pieces * (long) line.cents * percent / 100);
                lines.incrementAndGet();
            }
            return rebate;
        }

        @Override
        public void run() {
            try {
                long until = System.nanoTime() + 25_000_000_000L;
                while (lines.get() < 4000 && System.nanoTime() < until) {
                    granted.addAndGet(price(book.next()));
                }
                warm.countDown();
                long due = System.nanoTime();
                while (true) {
                    granted.addAndGet(price(book.next()));
                    due = Math.max(due + everyNanos, System.nanoTime() - everyNanos);
                    long rest = due - System.nanoTime();
                    if (rest > 0) {
                        Thread.sleep(rest / 1_000_000, (int) (rest % 1_000_000));
                    }
                }
            } catch (ScriptException e) {
                throw new IllegalStateException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        com.sun.management.OperatingSystemMXBean system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        for (int i = 0; i < 2; i++) {
            Thread desk = new Thread(new OrderDesk(17 + i, 13_000_000L), "order-desk-" + i);
            desk.setDaemon(true);
            desk.start();
        }
        warm.await();
        Thread.sleep(500);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long cpu = system.getProcessCpuTime(), wall = System.nanoTime(), n = lines.get(), rules = ruleCpu.get();
            Thread.sleep(1000);
            cpu = system.getProcessCpuTime() - cpu;
            wall = System.nanoTime() - wall;
            n = lines.get() - n;
            rules = ruleCpu.get() - rules;
            System.out.printf(Locale.ROOT, "measured: %d lines/s, %.2f ms of CPU each in the rule; %.2f CPUs used, %.0f %% of it by desks in RebateRules.percent%n",
                n, n == 0 ? 0 : rules / 1e6 / n, cpu / (double) wall, 100.0 * rules / Math.max(1, cpu));
            System.out.flush();
        }
    }
}
