// SPDX-License-Identifier: Apache-2.0
// healthy: Every 6 s a payroll run puts 12,000 tasks at once into the unbounded queue of a pool with as many threads as CPUs, which computes with both CPUs until the queue is empty again, in about 0.6 s on free CPUs, and rests until the next run.
// share: measures slips/s in each second (0 between runs, up to 550,000 within them), the number of runs, and the length of the last one (0.6 s on two free CPUs, 3.8 s when they were crowded).
// judge: WRONG: a growing queue, a pool that is too small or too busy, too many threads, waiting for the latch in Bureau.run or the sleep in calendar as a fault, collections (young ones of about 1 ms), BigDecimal of many digits. ACCEPTABLE: neutral remarks that CPU time goes to arithmetic of BigDecimal in Calculator.calculate and TaxTable.tax or to sorting slips, that the calendar waits for the clerks that compute, that nothing stands out.
// jdk: 25
// set: twenty-fourth
// jvm:
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

public class PayrollOffice {
    static final AtomicLong slips = new AtomicLong();
    static final AtomicLong batches = new AtomicLong();
    static final AtomicLong lastBatch = new AtomicLong();

    record Employee(int number, BigDecimal hourly, int[] hours) {
    }

    record Slip(int number, BigDecimal gross, BigDecimal tax, BigDecimal net) implements Comparable<Slip> {
        @Override
        public int compareTo(Slip other) {
            return Comparator.comparing(Slip::net).thenComparing(Slip::number).compare(this, other);
        }
    }

    static final class TaxTable {
        private final BigDecimal[] limits = new BigDecimal[12];
        private final BigDecimal[] rates = new BigDecimal[12];

        TaxTable() {
            for (int i = 0; i < limits.length; i++) {
                limits[i] = BigDecimal.valueOf(400L * i);
                rates[i] = BigDecimal.valueOf(3 * i + 2, 2);
            }
        }

        BigDecimal tax(BigDecimal gross) {
            BigDecimal tax = BigDecimal.ZERO;
            for (int i = 0; i < limits.length; i++) {
                if (gross.compareTo(limits[i]) <= 0) break;
                BigDecimal top = i + 1 < limits.length ? gross.min(limits[i + 1]) : gross;
                tax = tax.add(top.subtract(limits[i]).multiply(rates[i]));
            }
            return tax.setScale(2, RoundingMode.HALF_EVEN);
        }
    }

    static final class Calculator {
        private final TaxTable table = new TaxTable();

        Slip calculate(Employee employee) {
            BigDecimal gross = BigDecimal.ZERO;
            int month = 0;
            for (int hours : employee.hours()) {
                int normal = Math.min(hours, 8);
                gross = gross.add(employee.hourly().multiply(BigDecimal.valueOf(normal)));
                gross = gross.add(employee.hourly().multiply(new BigDecimal("1.25")).multiply(BigDecimal.valueOf(hours - normal)));
                month += hours;
            }
            if (month > 200) gross = gross.add(BigDecimal.valueOf(month - 200L));
            BigDecimal tax = table.tax(gross);
            return new Slip(employee.number(), gross, tax, gross.subtract(tax));
        }
    }

    static final class Company {
        private final List<Employee> staff = new ArrayList<>();

        Company(int size, int seed) {
            Random random = new Random(seed);
            for (int i = 0; i < size; i++) {
                staff.add(new Employee(i, BigDecimal.valueOf(1500 + random.nextInt(4000), 2), random.ints(22, 4, 12).toArray()));
            }
        }
    }

    static final class Bureau {
        private final ThreadPoolExecutor clerks = new ThreadPoolExecutor(2, 2, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>(),
                Thread.ofPlatform().daemon().name("clerk-", 0).factory());
        private final Calculator calculator = new Calculator();

        void run(Company company, int repeats) throws InterruptedException {
            long start = System.nanoTime();
            int size = company.staff.size();
            int piece = 50;
            CountDownLatch done = new CountDownLatch(repeats * (size / piece));
            for (int repeat = 0; repeat < repeats; repeat++) {
                for (int from = 0; from < size; from += piece) {
                    List<Employee> part = company.staff.subList(from, from + piece);
                    clerks.execute(() -> {
                        List<Slip> made = new ArrayList<>();
                        for (Employee employee : part) made.add(calculator.calculate(employee));
                        made.sort(null);
                        slips.addAndGet(made.size());
                        done.countDown();
                    });
                }
            }
            done.await();
            lastBatch.set(System.nanoTime() - start);
            batches.incrementAndGet();
        }
    }

    static void calendar(Bureau bureau, Company company) {
        try {
            while (true) {
                long start = System.nanoTime();
                bureau.run(company, 150);
                long rest = 6_000_000_000L - (System.nanoTime() - start);
                if (rest > 0) TimeUnit.NANOSECONDS.sleep(rest);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        Bureau bureau = new Bureau();
        Company company = new Company(4000, 12);
        Thread.ofPlatform().daemon().name("calendar").start(() -> calendar(bureau, company));
        System.out.println("READY");
        for (int second = 0; second < 170; second++) {
            long n = slips.get();
            Thread.sleep(1000);
            System.out.printf("measured: %d slips/s, %d runs done, the last one took %.2f s%n", slips.get() - n, batches.get(),
                    lastBatch.get() / 1e9);
        }
        System.exit(0);
    }
}
