// SPDX-License-Identifier: Apache-2.0
// cause: VetLabResults$ReportArchive keeps 74,000 whole lab reports in its LinkedHashMap (capacity), about 85 % of the old generation, which is more than the occupancy at which CMS starts: the collector works without a break, and frees next to nothing each time
// share: ~80 % of the process's CPU time is the collector's (0.4 of 0.5 CPUs on a crowded machine; more where CPUs are free: one CMS cycle of some 0.35 s follows the other); the old generation is 84 % full after each cycle; young pauses take 5 ms, some 4 a second
// expect: gc-cpu
// symptom: gc-pauses live-set heap-limit oversized-heap
// judge: NAMED: the collector's CPU time (gc-cpu, CMS that works all the time) with the heap or old generation nearly full of what stays alive, best with VetLabResults$ReportArchive (its LinkedHashMap of Reports) as the holder, or the heap being too small for it. SYMPTOM ONLY: gc-pauses alone, the heap is full (live-set) without what it costs, allocation in VetLabResults$Desk.write alone. WRONG: hot code or a hot method of the program (Desk.write, building strings) as the main fault, the monitor of ReportArchive, a leak that grows (the number of reports is constant), explicit collections, the rests in Desk.pause
// jdk: 8
// set: thirty-fifth
// jvm: -Xms384m -Xmx384m -Xmn32m -XX:+UseConcMarkSweepGC -XX:CMSInitiatingOccupancyFraction=70 -XX:+UseCMSInitiatingOccupancyOnly
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Answers veterinary surgeries that ask for the results of samples which they have sent in. */
public class VetLabResults {
    static final String[] ANALYTES = {"ALT", "AST", "urea", "creatinine", "glucose", "albumin", "globulin", "calcium",
        "phosphate", "sodium", "potassium", "chloride", "haematocrit", "leucocytes", "platelets", "T4"};
    static final String[] SPECIES = {"dog", "cat", "horse", "rabbit", "ferret", "parrot"};

    static final class Value {
        final String analyte;
        final Double amount;
        final String remark;

        Value(String analyte, double amount, String remark) {
            this.analyte = analyte;
            this.amount = amount;
            this.remark = remark;
        }
    }

    static final class Report {
        final long sample;
        final String species;
        final String owner;
        final List<Value> values = new ArrayList<Value>();

        Report(long sample, String species, String owner) {
            this.sample = sample;
            this.species = species;
            this.owner = owner;
        }
    }

    /** The reports asked for most recently. */
    static final class ReportArchive {
        private final int capacity;
        private final Map<Long, Report> reports;

        ReportArchive(final int capacity) {
            this.capacity = capacity;
            this.reports = new LinkedHashMap<Long, Report>(1024, 0.75f, true) {
                @Override
                protected boolean removeEldestEntry(Map.Entry<Long, Report> eldest) {
                    return size() > capacity;
                }
            };
        }

        synchronized Report get(long sample) {
            return reports.get(sample);
        }

        synchronized void put(Report report) {
            reports.put(report.sample, report);
        }

        synchronized int size() {
            return reports.size();
        }
    }

    /** Reads what an analyser has measured. */
    static final class Analyser {
        Report read(long sample) {
            Random random = new Random(sample * 31 + 7);
            Report report = new Report(sample, SPECIES[(int) (sample % SPECIES.length)], "owner " + sample % 9973);
            for (int round = 0; round < 2; round++) {
                for (String analyte : ANALYTES) {
                    double amount = Math.round(random.nextDouble() * 2000) / 10.0;
                    report.values.add(new Value(analyte, amount, "run " + round + " of " + sample));
                }
            }
            return report;
        }
    }

    /** Writes letters about the samples of a herd, which come one after another. */
    static final class Desk implements Runnable {
        private static final int HERD = 8;
        private final ReportArchive archive;
        private final Analyser analyser = new Analyser();
        private final Random random;
        private final AtomicLong newest;
        private final AtomicLong answered;
        volatile int length;

        Desk(ReportArchive archive, AtomicLong newest, AtomicLong answered, int seed) {
            this.archive = archive;
            this.newest = newest;
            this.answered = answered;
            this.random = new Random(seed);
        }

        @Override
        public void run() {
            long due = System.nanoTime();
            for (;;) {
                for (int i = 0; i < 12; i++) {
                    answer();
                }
                due = Math.max(due + 10_000_000L, System.nanoTime() - 50_000_000L);
                pause(due - System.nanoTime());
            }
        }

        private void answer() {
            boolean fresh = random.nextInt(20) == 0;
            long sample = fresh ? newest.incrementAndGet() : newest.get() - random.nextInt(50_000);
            StringBuilder letter = new StringBuilder(256);
            for (int i = 0; i < HERD; i++) {
                Report report = archive.get(sample - i);
                if (report == null) {
                    report = analyser.read(sample - i);
                    archive.put(report);
                }
                write(report, letter);
            }
            length = letter.toString().length();
            answered.incrementAndGet();
        }

        private void write(Report report, StringBuilder text) {
            text.append("Sample ").append(report.sample).append(", ").append(report.species).append(", ").append(report.owner).append('\n');
            for (Value value : report.values) {
                text.append(value.analyte).append('\t').append(value.amount).append('\t').append(value.remark).append('\n');
            }
        }

        private static void pause(long nanos) {
            LockSupport.parkNanos(nanos);
        }
    }

    public static void main(String[] args) throws Exception {
        AtomicLong newest = new AtomicLong();
        AtomicLong answered = new AtomicLong();
        ReportArchive archive = new ReportArchive(74_000);
        Analyser analyser = new Analyser();
        while (newest.get() < archive.capacity) {
            archive.put(analyser.read(newest.incrementAndGet()));
        }
        for (int i = 0; i < 2; i++) {
            new Thread(new Desk(archive, newest, answered, i), "desk-" + i).start();
        }
        Thread.sleep(2000);
        System.out.println("READY");
        System.out.flush();
        com.sun.management.OperatingSystemMXBean os = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long process = os.getProcessCpuTime(), java = javaCpu(threads), asked = answered.get(), at = System.nanoTime(), collections = collections("ConcurrentMarkSweep");
        for (;;) {
            Thread.sleep(1000);
            long process2 = os.getProcessCpuTime(), java2 = javaCpu(threads), asked2 = answered.get(), at2 = System.nanoTime(), collections2 = collections("ConcurrentMarkSweep");
            double all = process2 - process, program = Math.min(all, java2 - java);
            System.out.printf("measured: %.2f CPUs, of which the JVM's own threads (collector) %.0f %%; %d answers; %d CMS cycles ended; old generation %.0f %% full; %d reports%n",
                all / (at2 - at), 100 * (all - program) / Math.max(1, all), asked2 - asked, collections2 - collections, 100 * oldUse(), archive.size());
            process = process2; java = java2; asked = asked2; at = at2; collections = collections2;
        }
    }

    private static long javaCpu(ThreadMXBean threads) {
        long sum = 0;
        for (long id : threads.getAllThreadIds()) {
            sum += Math.max(0, threads.getThreadCpuTime(id));
        }
        return sum;
    }

    private static long collections(String name) {
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
            if (bean.getName().equals(name)) {
                return bean.getCollectionCount();
            }
        }
        return 0;
    }

    private static double oldUse() {
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            if (pool.getName().contains("Old")) {
                return (double) pool.getUsage().getUsed() / pool.getUsage().getMax();
            }
        }
        return 0;
    }
}
