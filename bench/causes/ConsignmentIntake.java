// SPDX-License-Identifier: Apache-2.0
// cause: a process (uname -n) is started for each audit entry, only to learn the name of this host, which never changes (ConsignmentIntake$Workstation.hostName, called by ConsignmentIntake$AuditTrail.append)
// share: 99.5 % of the desks' time is in audit entries (2.3 ms each, some 1250 a second); by top -H 94 % of the process's CPU time (0.3 to 0.5 CPUs) is in the desks, which start processes, and in the JDK's 'process reaper' threads that wait for their ends (the measured line counts the desks' part only)
// expect: waiting kind=process frame=ConsignmentIntake$ | hot-code kind=processes frame=ConsignmentIntake$
// symptom: waiting hot-code hot-calls hot-method
// judge: NAMED: starting processes (CPU time or time waited for processes, their output or their end) at ConsignmentIntake$Workstation.hostName, or for its callers AuditTrail.append or Desk.accept, or a hot-calls finding of what Workstation.hostName calls if it says fork/exec, ProcessBuilder or processes. SYMPTOM ONLY: waiting for data of a pipe or the end of a process without saying where or that processes are started all the time; starting threads (process reaper) alone; waiting for the monitor of the audit trail. WRONG: anything about computing of duties (Tariff.duty), collections, the heap, the machine.
// jdk: 8
// set: thirty-sixth
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32;

/** Takes consignments from the carriers' manifests, works out the duty and keeps an audit trail. */
public class ConsignmentIntake {
    static final AtomicLong accepted = new AtomicLong();
    static final AtomicLong auditNanos = new AtomicLong();
    static final AtomicLong auditCpu = new AtomicLong();
    static final AtomicLong deskNanos = new AtomicLong();
    static final AtomicLong deskCpu = new AtomicLong();

    static final class Item {
        final String commodity;
        final int grams;
        final long cents;
        Item(String commodity, int grams, long cents) {
            this.commodity = commodity;
            this.grams = grams;
            this.cents = cents;
        }
    }

    static final class Consignment {
        final long number;
        final String carrier;
        final List<Item> items = new ArrayList<Item>();
        Consignment(long number, String carrier) {
            this.number = number;
            this.carrier = carrier;
        }
    }

    /** Rates of duty in tenths of a percent, by the first digits of the commodity code. */
    static final class Tariff {
        private final Map<String, Integer> rates = new HashMap<String, Integer>();
        Tariff() {
            Random random = new Random(4);
            for (int i = 0; i < 900; i++) rates.put(Integer.toString(100 + i), random.nextInt(240));
        }
        long duty(Consignment c) {
            long sum = 0;
            for (Item item : c.items) {
                Integer rate = rates.get(item.commodity.substring(0, 3));
                if (rate == null) continue;
                long duty = item.cents * rate / 1000;
                if (item.grams > 20000) duty += item.grams / 1000;
                sum += duty;
            }
            return sum;
        }
    }

    /** What is known of the machine on which an entry was made. */
    static final class Workstation {
        String hostName() throws IOException, InterruptedException {
            Process process = new ProcessBuilder("uname", "-n").redirectErrorStream(true).start();
            process.getOutputStream().close();
            String name;
            try (BufferedReader reader = new BufferedReader(new InputStreamReader(process.getInputStream(), "US-ASCII"))) {
                name = reader.readLine();
            }
            process.waitFor();
            return name == null ? "unknown" : name.trim();
        }
    }

    static final class AuditTrail {
        private final Workstation workstation = new Workstation();
        private final Deque<String> recent = new ArrayDeque<String>();
        private final CRC32 chain = new CRC32();

        void append(String desk, Consignment c, long duty) throws IOException, InterruptedException {
            String host = workstation.hostName();
            StringBuilder line = new StringBuilder(96);
            line.append(System.currentTimeMillis()).append(' ').append(host).append(' ').append(desk);
            line.append(" consignment ").append(c.number).append(" of ").append(c.carrier).append(" duty ").append(duty);
            byte[] bytes = line.toString().getBytes("UTF-8");
            synchronized (this) {
                chain.update(bytes, 0, bytes.length);
                recent.addLast(line.toString());
                if (recent.size() > 2000) recent.removeFirst();
            }
        }
    }

    /** One of the desks, which take consignments as they come. */
    static final class Desk implements Runnable {
        private final String name;
        private final BlockingQueue<Consignment> intake;
        private final Tariff tariff;
        private final AuditTrail trail;
        Desk(String name, BlockingQueue<Consignment> intake, Tariff tariff, AuditTrail trail) {
            this.name = name;
            this.intake = intake;
            this.tariff = tariff;
            this.trail = trail;
        }
        @Override public void run() {
            java.lang.management.ThreadMXBean threads = java.lang.management.ManagementFactory.getThreadMXBean();
            while (true) {
                try {
                    Consignment c = intake.take();
                    long t0 = System.nanoTime(), c0 = threads.getCurrentThreadCpuTime();
                    long duty = tariff.duty(c);
                    long t1 = System.nanoTime(), c1 = threads.getCurrentThreadCpuTime();
                    trail.append(name, c, duty);
                    long t2 = System.nanoTime(), c2 = threads.getCurrentThreadCpuTime();
                    auditNanos.addAndGet(t2 - t1);
                    auditCpu.addAndGet(c2 - c1);
                    deskNanos.addAndGet(t2 - t0);
                    deskCpu.addAndGet(c2 - c0);
                    accepted.incrementAndGet();
                } catch (IOException e) {
                    System.err.println(name + ": entry lost: " + e.getMessage());
                } catch (InterruptedException e) {
                    return;
                }
            }
        }
    }

    static final class Manifests implements Runnable {
        private final BlockingQueue<Consignment> intake;
        Manifests(BlockingQueue<Consignment> intake) {
            this.intake = intake;
        }
        @Override public void run() {
            Random random = new Random(11);
            String[] carriers = {"NORDFRAKT", "ALPILOG", "MARISCO", "TRANSVIA"};
            for (long number = 1; ; number++) {
                Consignment c = new Consignment(number, carriers[random.nextInt(carriers.length)]);
                int n = 20 + random.nextInt(60);
                for (int i = 0; i < n; i++) {
                    c.items.add(new Item(Integer.toString(1000000 + random.nextInt(8999999)), 100 + random.nextInt(40000), 500 + random.nextInt(90000)));
                }
                try {
                    while (!intake.offer(c, 1, TimeUnit.SECONDS)) { }
                } catch (InterruptedException e) {
                    return;
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<Consignment> intake = new ArrayBlockingQueue<Consignment>(64);
        Tariff tariff = new Tariff();
        AuditTrail trail = new AuditTrail();
        Thread manifests = new Thread(new Manifests(intake), "manifests");
        manifests.setDaemon(true);
        manifests.start();
        for (int i = 1; i <= 3; i++) new Thread(new Desk("desk-" + i, intake, tariff, trail), "desk-" + i).start();
        while (accepted.get() < 200) Thread.sleep(50);
        System.out.println("READY");
        System.out.flush();
        com.sun.management.OperatingSystemMXBean os = (com.sun.management.OperatingSystemMXBean) java.lang.management.ManagementFactory.getOperatingSystemMXBean();
        long n0 = accepted.get(), cpu0 = os.getProcessCpuTime(), a0 = auditNanos.get(), d0 = deskNanos.get(), ac0 = auditCpu.get();
        while (true) {
            Thread.sleep(1000);
            long n = accepted.get(), cpu = os.getProcessCpuTime(), a = auditNanos.get(), d = deskNanos.get(), ac = auditCpu.get();
            System.out.println(String.format(Locale.ROOT, "measured: %d consignments; %.1f %% of the desks' time is in audit entries; %.2f CPUs used, %.0f %% of that by desks in audit entries",
                n - n0, 100.0 * (a - a0) / Math.max(1, d - d0), (cpu - cpu0) / 1e9, 100.0 * (ac - ac0) / Math.max(1, cpu - cpu0)));
            n0 = n; cpu0 = cpu; a0 = a; d0 = d; ac0 = ac;
        }
    }
}
