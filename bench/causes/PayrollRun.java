// SPDX-License-Identifier: Apache-2.0
// healthy: two calculators compute payslips (tax tables, pension projection) at full CPU from a bounded queue, the feeder waits in put by design (backpressure), the ledger's lock is held for nanoseconds; the CPU time is the arithmetic itself
// judge: Right = healthy / CPU-bound by its own computation (Projection.simulate), no fault; naming the hottest method as mere information is fine. Wrong = any accusation: queue too small, lock on the ledger, GC, feeder blocked, pool too small. "Needs more CPU / is CPU-bound" is right, if it is not presented as a fault in code.
// jdk: 8
// set: sixteenth
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class PayrollRun {
    static class Employee {
        final int id, age, grade; final double gross;
        Employee(int id, Random r) { this.id = id; age = 20 + r.nextInt(45); grade = r.nextInt(15); gross = 1800 + grade * 260 + r.nextInt(200); }
    }

    static class Payslip {
        final int employee; final double net, tax, pension;
        Payslip(int employee, double net, double tax, double pension) { this.employee = employee; this.net = net; this.tax = tax; this.pension = pension; }
    }

    static class TaxTable {
        final double[] from = {0, 900, 1700, 2600, 4200, 7000}, rate = {0, 0.14, 0.21, 0.29, 0.38, 0.45};
        double tax(double gross) {
            double t = 0;
            for (int i = 0; i < from.length; i++) {
                double top = i + 1 < from.length ? from[i + 1] : Double.MAX_VALUE;
                if (gross > from[i]) t += (Math.min(gross, top) - from[i]) * rate[i];
            }
            return t;
        }
    }

    /** Expected pension: 400 market paths of the years left. */
    static class Projection {
        final double[] drift = new double[50];
        Projection() { for (int i = 0; i < drift.length; i++) drift[i] = 0.02 + 0.01 * Math.sin(i * 0.3); }
        double simulate(Employee e) {
            SplittableRandom rnd = new SplittableRandom(e.id);
            double sum = 0;
            int years = 67 - e.age;
            for (int path = 0; path < 400; path++) {
                double capital = 0, pay = e.gross * 12;
                for (int y = 0; y < years; y++) {
                    double shock = rnd.nextDouble() + rnd.nextDouble() - 1;
                    capital = (capital + pay * 0.08) * Math.exp(drift[y] + 0.12 * shock);
                    pay *= 1.018;
                }
                sum += capital;
            }
            return sum / 400;
        }
    }

    static class Ledger {
        private double paid, tax;
        private long slips;
        synchronized void book(Payslip p) { paid += p.net; tax += p.tax; slips++; }
        synchronized long slips() { return slips; }
    }

    static class Calculator implements Runnable {
        final BlockingQueue<Employee> in; final Ledger ledger; final TaxTable table = new TaxTable(); final Projection projection = new Projection();
        Calculator(BlockingQueue<Employee> in, Ledger ledger) { this.in = in; this.ledger = ledger; }
        public void run() {
            try {
                while (true) ledger.book(slip(in.take()));
            } catch (InterruptedException e) { Thread.currentThread().interrupt(); }
        }
        Payslip slip(Employee e) {
            double tax = table.tax(e.gross);
            double pension = projection.simulate(e);
            return new Payslip(e.id, e.gross - tax - e.gross * 0.08, tax, pension);
        }
    }

    static class Feeder implements Runnable {
        final BlockingQueue<Employee> out;
        Feeder(BlockingQueue<Employee> out) { this.out = out; }
        public void run() {
            Random rnd = new Random(1);
            try {
                for (int id = 1; ; id++) out.put(new Employee(id, rnd));
            } catch (InterruptedException e) { Thread.currentThread().interrupt(); }
        }
    }

    static void start(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<Employee> queue = new ArrayBlockingQueue<Employee>(64);
        Ledger ledger = new Ledger();
        start("staff-file", new Feeder(queue));
        for (int i = 0; i < 2; i++) start("calculator-" + i, new Calculator(queue, ledger));
        long before = 0;
        for (int s = 0; s < 150; s++) {
            Thread.sleep(1000);
            long now = ledger.slips();
            System.out.println("measured: payslips/s=" + (now - before));
            before = now;
            if (s == 4) System.out.println("READY");
        }
        System.exit(0);
    }
}
