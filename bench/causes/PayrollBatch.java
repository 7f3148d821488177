// SPDX-License-Identifier: Apache-2.0
// healthy: Every 4 s a batch of 300 payslips arrives at once, keeps both CPUs busy for well under a second and fills the queue for that short time, then the process is idle; each batch is finished far before its 3 s deadline.
// judge: Wrong accusations: queue backlog or too small pool (2 workers on 2 CPUs is right), CPU saturation, idle or blocked workers, hot loop in PayRules to be fixed, thread starvation, uneven load as a fault.
// set: eighteenth
// jdk: 25
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class PayrollBatch {
    static final AtomicInteger batches = new AtomicInteger();
    static final AtomicInteger late = new AtomicInteger();
    static final AtomicLong lastMillis = new AtomicLong();
    static final LongAdder slips = new LongAdder();

    record Employee(int id, int grade, int years, double hours, int children) {}
    record Payslip(int id, long gross, long tax, long social, long net) {}

    static final class PayRules {
        private final double[] grade = new double[16];
        PayRules() { for (int i = 0; i < grade.length; i++) grade[i] = 14.5 * Math.pow(1.07, i); }

        Payslip compute(Employee e) {
            double gross = 0;
            double tax = 0;
            for (int day = 0; day < 365; day++) {
                double worked = e.hours() / 5 + (day % 7 == 5 ? 1.5 : 0);
                gross += worked * grade[e.grade()] * (1 + Math.min(e.years(), 20) * 0.012);
                tax = annualTax(gross * 365 / (day + 1), e.children());
            }
            long g = Math.round(gross * 100), t = Math.round(tax * 100), s = Math.round(g * 0.198);
            return new Payslip(e.id(), g, t, s, g - t - s);
        }

        private double annualTax(double income, int children) {
            double base = income - 11_604 - children * 3_192.0;
            double tax = 0;
            for (int step = 0; step < 60 && base > 0; step++) {
                double part = Math.min(base, 2_500);
                tax += part * Math.min(0.45, 0.14 + step * 0.0072);
                base -= part;
            }
            return tax;
        }
    }

    static final class Office {
        private final PayRules rules = new PayRules();
        private final ExecutorService pool;
        private final List<Employee> staff = new ArrayList<>();
        private final Map<Integer, Payslip> archive = new ConcurrentHashMap<>();

        Office(int people) {
            AtomicInteger no = new AtomicInteger();
            pool = Executors.newFixedThreadPool(2, r -> {
                Thread t = new Thread(r, "payslip-" + no.incrementAndGet());
                t.setDaemon(true);
                return t;
            });
            Random r = new Random(8);
            for (int i = 0; i < people; i++) staff.add(new Employee(i, r.nextInt(16), r.nextInt(30), 20 + r.nextInt(20), r.nextInt(4)));
        }

        void batch() {
            long t0 = System.nanoTime();
            CountDownLatch open = new CountDownLatch(staff.size());
            for (Employee e : staff) {
                pool.execute(() -> {
                    archive.put(e.id(), year(e));
                    slips.increment();
                    open.countDown();
                });
            }
            try {
                if (!open.await(3, TimeUnit.SECONDS)) late.incrementAndGet();
            } catch (InterruptedException ex) {
                Thread.currentThread().interrupt();
            }
            lastMillis.set((System.nanoTime() - t0) / 1_000_000);
            batches.incrementAndGet();
        }

        private Payslip year(Employee e) {
            Payslip p = null;
            for (int scenario = 0; scenario < 60; scenario++) {
                Payslip q = rules.compute(new Employee(e.id(), e.grade(), e.years(), e.hours() + scenario % 12 * 0.25, e.children()));
                if (p == null || q.net() > p.net()) p = q;
            }
            return p;
        }
    }

    public static void main(String[] args) throws Exception {
        Office office = new Office(300);
        ScheduledExecutorService calendar = Executors.newSingleThreadScheduledExecutor(r -> {
            Thread t = new Thread(r, "calendar");
            t.setDaemon(true);
            return t;
        });
        calendar.scheduleAtFixedRate(office::batch, 0, 4, TimeUnit.SECONDS);
        System.out.println("READY");
        for (int s = 0; s < 200; s++) {
            Thread.sleep(1000);
            System.out.println("measured: slips/s " + slips.sumThenReset() + " batches " + batches.get() + " last batch ms " + lastMillis.get() + " late " + late.get());
        }
        System.exit(0);
    }
}
