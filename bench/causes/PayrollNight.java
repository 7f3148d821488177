// SPDX-License-Identifier: Apache-2.0
// healthy: a scheduled payroll batch that works hard for one or two seconds every six seconds with two pool threads and sleeps in between; the idle pool threads, the waiting main thread and the CPU bursts are the design, and each run finishes far inside its period.
// share: 1 000 000 slips per run, 1.4 s per run (2.4 s for the first run on a busy machine), one run each 6 s.
// judge: WRONG would be: a lock or queue problem because pool threads wait in take(), a stalled or starved scheduler, a CPU hot spot named as a fault (taxOf, netPay), GC pressure, too few threads. Acceptable as true and neutral: work comes in short bursts, the process is idle most of the time, the CPU time in the bursts goes to taxOf/netPay and BigDecimal arithmetic.
// jdk: 8
// set: twenty-fifth
// jvm:

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class PayrollNight {
    static final class Employee {
        final int id;
        final BigDecimal gross;
        final int grade;
        final boolean married;

        Employee(int id, BigDecimal gross, int grade, boolean married) {
            this.id = id;
            this.gross = gross;
            this.grade = grade;
            this.married = married;
        }
    }

    static final class Slip {
        final int employee;
        final BigDecimal net;

        Slip(int employee, BigDecimal net) {
            this.employee = employee;
            this.net = net;
        }
    }

    static final BigDecimal[] LIMITS = {new BigDecimal("1100"), new BigDecimal("2300"), new BigDecimal("3900"),
            new BigDecimal("6200"), new BigDecimal("9900"), new BigDecimal("20000")};
    static final BigDecimal[] RATES = {new BigDecimal("0.00"), new BigDecimal("0.14"), new BigDecimal("0.24"),
            new BigDecimal("0.33"), new BigDecimal("0.42"), new BigDecimal("0.45")};

    final List<Employee> staff = new ArrayList<Employee>();
    final ExecutorService desks = Executors.newFixedThreadPool(2);
    final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    final AtomicInteger runs = new AtomicInteger();
    final AtomicLong slips = new AtomicLong();
    volatile long lastRunMillis;
    volatile BigDecimal lastTotal = BigDecimal.ZERO;

    static BigDecimal taxOf(Employee e) {
        BigDecimal tax = BigDecimal.ZERO;
        BigDecimal low = BigDecimal.ZERO;
        for (int i = 0; i < LIMITS.length; i++) {
            BigDecimal top = e.gross.min(LIMITS[i]);
            if (top.compareTo(low) <= 0) {
                break;
            }
            tax = tax.add(top.subtract(low).multiply(RATES[i]));
            low = LIMITS[i];
        }
        return e.married ? tax.multiply(new BigDecimal("0.93")) : tax;
    }

    static BigDecimal netPay(Employee e) {
        BigDecimal pension = e.gross.multiply(new BigDecimal("0.0935"));
        BigDecimal health = e.gross.multiply(new BigDecimal("0.0785"));
        BigDecimal bonus = BigDecimal.valueOf(e.grade).multiply(new BigDecimal("12.50"));
        return e.gross.add(bonus).subtract(taxOf(e)).subtract(pension).subtract(health)
                .setScale(2, RoundingMode.HALF_EVEN);
    }

    List<Slip> payGroup(int from, int to) {
        List<Slip> out = new ArrayList<Slip>(to - from);
        for (int i = from; i < to; i++) {
            Employee e = staff.get(i);
            out.add(new Slip(e.id, netPay(e)));
        }
        return out;
    }

    void run() {
        long t0 = System.nanoTime();
        BigDecimal total = BigDecimal.ZERO;
        try {
            for (int company = 0; company < 25; company++) {
                List<Future<List<Slip>>> parts = new ArrayList<Future<List<Slip>>>();
                for (int i = 0; i < staff.size(); i += 2500) {
                    final int from = i;
                    parts.add(desks.submit(() -> payGroup(from, Math.min(staff.size(), from + 2500))));
                }
                for (Future<List<Slip>> part : parts) {
                    for (Slip s : part.get()) {
                        total = total.add(s.net);
                        slips.incrementAndGet();
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
        lastTotal = total;
        lastRunMillis = (System.nanoTime() - t0) / 1000000;
        runs.incrementAndGet();
    }

    public static void main(String[] args) throws Exception {
        final PayrollNight night = new PayrollNight();
        Random rnd = new Random(7);
        for (int i = 0; i < 40000; i++) {
            night.staff.add(new Employee(i, BigDecimal.valueOf(90000 + rnd.nextInt(1500000), 2),
                    1 + rnd.nextInt(12), rnd.nextBoolean()));
        }
        night.clock.scheduleAtFixedRate(night::run, 500, 6000, TimeUnit.MILLISECONDS);
        System.out.println("READY");
        for (int s = 0; s < 168; s++) {
            Thread.sleep(1000);
            System.out.println("measured: " + night.runs.get() + " runs, " + night.slips.get()
                    + " slips in all, last run " + night.lastRunMillis + " ms");
        }
        night.clock.shutdownNow();
        night.desks.shutdownNow();
        System.out.println("done " + night.lastTotal);
    }
}
