// SPDX-License-Identifier: Apache-2.0
// healthy: a pay run starts every five seconds as planned, uses both CPUs for roughly a second, ends long before its deadline and then the process rests; bursts of CPU, threads and allocation are intended and there is no backlog.
// judge: wrong: blaming the idle time between runs, the waiting main or pool threads, CPU bursts, the sort or tax methods, or GC; any cause at all except "bursty by schedule, keeps its deadline"
// set: eighteenth
// jdk: 21
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

public class PayrollCycle {
    static final int STAFF = 24_000;
    static final long PERIOD = TimeUnit.SECONDS.toNanos(5);
    static final AtomicLong runs = new AtomicLong();
    static final AtomicLong slips = new AtomicLong();
    static final AtomicLong lastMillis = new AtomicLong();
    static final AtomicLong missed = new AtomicLong();

    record Person(int id, String name, int grade, int[] minutes) { }

    record Slip(int id, double gross, double tax, double net, int check) { }

    private final List<Person> staff = new ArrayList<>(STAFF);
    private final double[] grades = new double[20];
    private double total;

    PayrollCycle() {
        SplittableRandom rnd = new SplittableRandom(3);
        for (int i = 0; i < grades.length; i++) {
            grades[i] = 14 + i * 1.7;
        }
        for (int i = 0; i < STAFF; i++) {
            int[] minutes = new int[31];
            for (int d = 0; d < minutes.length; d++) {
                minutes[d] = d % 7 < 5 ? 420 + rnd.nextInt(120) : 0;
            }
            staff.add(new Person(i, "N" + rnd.nextInt(1_000_000), rnd.nextInt(20), minutes));
        }
    }

    private double dayPay(Person p, int day) {
        int m = p.minutes()[day];
        double extra = Math.max(0, m - 480) * 0.25;
        return (m + extra) / 60.0 * grades[p.grade()];
    }

    private double tax(double gross) {
        double lo = 0;
        double hi = gross;
        for (int i = 0; i < 50; i++) {
            double mid = (lo + hi) / 2;
            double due = Math.pow(Math.max(0, gross - mid * 0.1) / 1000, 1.35) * 55;
            if (due > mid) {
                lo = mid;
            } else {
                hi = mid;
            }
        }
        return lo;
    }

    private List<Slip> payPart(int from, int to) {
        List<Slip> out = new ArrayList<>(to - from);
        for (Person p : staff.subList(from, to)) {
            double g = 0;
            double t = 0;
            for (int day = 0; day < p.minutes().length; day++) {
                double pay = dayPay(p, day);
                g += pay;
                t += tax(pay * 25) / 25;
            }
            String text = p.name() + "|" + Math.round(g * 100) + "|" + Math.round(t * 100);
            out.add(new Slip(p.id(), g, t, g - t, text.hashCode()));
        }
        return out;
    }

    private void payRun(ExecutorService pool) throws Exception {
        List<Callable<List<Slip>>> parts = new ArrayList<>();
        for (int from = 0; from < STAFF; from += 1000) {
            int f = from;
            parts.add(() -> payPart(f, Math.min(STAFF, f + 1000)));
        }
        List<Slip> all = new ArrayList<>(STAFF);
        for (Future<List<Slip>> part : pool.invokeAll(parts)) {
            all.addAll(part.get());
        }
        all.sort(Comparator.comparingDouble(Slip::net).thenComparingInt(Slip::id));
        total = all.stream().mapToDouble(Slip::net).sum();
        slips.addAndGet(all.size());
    }

    private void calendar() {
        long due = System.nanoTime();
        try (ExecutorService pool = Executors.newFixedThreadPool(2)) {
            while (true) {
                long t0 = System.nanoTime();
                payRun(pool);
                long took = System.nanoTime() - t0;
                lastMillis.set(took / 1_000_000);
                runs.incrementAndGet();
                due += PERIOD;
                long rest = due - System.nanoTime();
                if (rest > 0) {
                    TimeUnit.NANOSECONDS.sleep(rest);
                } else {
                    missed.incrementAndGet();
                }
            }
        } catch (Exception e) {
            System.out.println("calendar: " + e);
        }
    }

    public static void main(String[] args) throws Exception {
        PayrollCycle p = new PayrollCycle();
        Thread t = new Thread(p::calendar, "calendar");
        t.setDaemon(true);
        t.start();
        System.out.println("READY");
        for (int s = 0; s < 240; s++) {
            Thread.sleep(1000);
            System.out.println("measured: runs=" + runs.get() + " slips=" + slips.get() + " last_run_ms="
                    + lastMillis.get() + " of 5000, missed=" + missed.get());
        }
        System.out.println("total " + p.total);
        System.exit(0);
    }
}
