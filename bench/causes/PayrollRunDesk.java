// SPDX-License-Identifier: Apache-2.0
// healthy: two payroll threads compute pay slips at full CPU, fed by a fast reader through a bounded tray of 8 batches; the reader blocks in put nearly all the time, which is wanted back-pressure; BigDecimal arithmetic is required for exact money and no single place dominates beyond its proper work; the garbage is short-lived and cheap to collect
// share: target 400000 pay slips/s; reaches 1884000 pay slips/s (10 s mean)
// judge: RIGHT: nothing wrong / CPU bound by its own useful work / no finding above informational. A remark that BigDecimal is the biggest consumer, with no claim of a fault, is fine. WRONG (false alarm): queue tray full or reader blocked as a bottleneck, queue too small, allocation rate / GC as a problem, HashMap lookup with concatenated key as the cause of slowness, BigDecimal called a fault, CPU saturation called a fault, need for more threads
// jdk: 8
// set: twenty-second
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.LongAdder;

/** Monthly payroll: one thread reads time sheets, two compute the pay slips in exact decimals. */
public class PayrollRunDesk {
    static final int TARGET = 400000;

    static final class TimeSheet {
        final int employee;
        final int hours;
        final int overtime;
        TimeSheet(int employee, int hours, int overtime) {
            this.employee = employee; this.hours = hours; this.overtime = overtime;
        }
    }

    static final class PayRules {
        private final Map<String, BigDecimal> rates = new HashMap<String, BigDecimal>();
        private final BigDecimal[] brackets = new BigDecimal[12];

        PayRules() {
            for (int g = 0; g < 15; g++) rates.put("G" + g, new BigDecimal(14 + g * 3).add(new BigDecimal("0.37")));
            for (int b = 0; b < brackets.length; b++) brackets[b] = new BigDecimal(b * 420);
        }

        BigDecimal net(TimeSheet t) {
            BigDecimal rate = rates.get("G" + t.employee % 15);
            BigDecimal gross = rate.multiply(new BigDecimal(t.hours))
                    .add(rate.multiply(new BigDecimal("1.25")).multiply(new BigDecimal(t.overtime)));
            BigDecimal tax = BigDecimal.ZERO;
            BigDecimal step = new BigDecimal("0.035");
            for (BigDecimal from : brackets) {
                if (gross.compareTo(from) <= 0) break;
                tax = tax.add(gross.subtract(from).multiply(step));
            }
            BigDecimal social = gross.multiply(new BigDecimal("0.093")).setScale(2, RoundingMode.HALF_UP);
            return gross.subtract(tax).subtract(social).setScale(2, RoundingMode.HALF_EVEN);
        }
    }

    public static void main(String[] args) throws Exception {
        final BlockingQueue<TimeSheet[]> tray = new ArrayBlockingQueue<TimeSheet[]>(8);
        final LongAdder slips = new LongAdder();
        final LongAdder paid = new LongAdder();
        final PayRules rules = new PayRules();
        Thread reader = new Thread(new Runnable() {
            @Override public void run() {
                int employee = 0;
                try {
                    while (true) {
                        TimeSheet[] batch = new TimeSheet[250];
                        for (int i = 0; i < batch.length; i++) {
                            employee = (employee + 1) % 80000;
                            batch[i] = new TimeSheet(employee, 120 + employee % 50, employee % 13);
                        }
                        tray.put(batch);
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        }, "sheet-reader");
        reader.setDaemon(true);
        reader.start();
        for (int w = 0; w < 2; w++) {
            Thread t = new Thread(new Runnable() {
                @Override public void run() {
                    try {
                        while (true) {
                            for (TimeSheet s : tray.take()) {
                                paid.add(rules.net(s).longValue());
                                slips.increment();
                            }
                        }
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                }
            }, "payroll-" + w);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(4000);
        System.out.println("READY");
        slips.reset();
        for (int s = 0; s < 165; s++) {
            Thread.sleep(1000);
            System.out.println("measured: " + slips.sumThenReset() + " pay slips/s (target " + TARGET + ")");
        }
        System.exit(paid.sum() == 1 ? 1 : 0);
    }
}
